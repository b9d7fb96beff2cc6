package tech.streamfusion.planner;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.bridge.java.StreamStatementSet;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.api.internal.TableEnvironmentImpl;
import org.apache.flink.table.operations.ModifyOperation;
import org.apache.flink.table.operations.Operation;
import org.apache.flink.table.planner.plan.ExecNodeGraphInternalPlan;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import tech.streamfusion.planner.graph.GraphView;

/** Plans SQL without running it. */
public final class Planning {

    private Planning() {}

    public static StreamTableEnvironment environment() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        StreamTableEnvironment tables =
                StreamTableEnvironment.create(env, EnvironmentSettings.inStreamingMode());
        tables.getConfig().set(StreamFusionOptions.MINIMUM_GAIN, "0");
        return tables;
    }

    public static StreamFusionPlanner planner(TableEnvironment env) {
        return (StreamFusionPlanner) ((TableEnvironmentImpl) env).getPlanner();
    }

    /** The stock nodes of an INSERT, inputs before their consumers. */
    public static List<ExecNode<?>> stockNodes(TableEnvironment env, String insert) {
        StreamFusionPlanner planner = planner(env);
        List<ModifyOperation> operations = new ArrayList<>();
        for (Operation operation : planner.getParser().parse(insert)) {
            operations.add((ModifyOperation) operation);
        }
        ExecNodeGraphInternalPlan plan = (ExecNodeGraphInternalPlan) planner.compilePlan(operations);
        return new GraphView(plan.getExecNodeGraph().getRootNodes()).nodes();
    }

    /** The stream graph of INSERTs, with exec nodes numbered from 1. */
    public static StreamGraph streamGraph(StreamTableEnvironment env, StreamExecutionEnvironment stream, String... inserts) {
        ExecNodeContext.resetIdCounter();
        StreamStatementSet set = env.createStatementSet();
        for (String insert : inserts) {
            set.addInsertSql(insert);
        }
        set.attachAsDataStream();
        return stream.getStreamGraph();
    }
}
