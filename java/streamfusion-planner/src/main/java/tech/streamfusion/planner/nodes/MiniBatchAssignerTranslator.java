package tech.streamfusion.planner.nodes;

import java.util.List;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecMiniBatchAssigner;
import org.apache.flink.table.planner.plan.trait.MiniBatchInterval;
import org.apache.flink.table.planner.plan.trait.MiniBatchMode;
import tech.streamfusion.plan.MiniBatchAssigner;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.expr.PlanTypes;
import tech.streamfusion.planner.graph.GraphView;
import tech.streamfusion.planner.graph.StockFields;
import tech.streamfusion.runtime.HostKernelSpec;
import tech.streamfusion.runtime.operators.NativeOperatorFactory;

/** What says when mini-batches end, by the clock or by the input's watermarks. */
final class MiniBatchAssignerTranslator implements NodeTranslator {

    @Override
    public String operator() {
        return "mini-batch-assigner";
    }

    @Override
    public Class<StreamExecMiniBatchAssigner> stockClass() {
        return StreamExecMiniBatchAssigner.class;
    }

    @Override
    public String coverage() {
        return "All of it. A batch gets the time at which it arrives, where stock Flink asks the clock for each row.";
    }

    @Override
    public Candidate translate(ExecNode<?> node, GraphView graph, PlanningContext context) throws Fallback {
        StreamExecMiniBatchAssigner stock = (StreamExecMiniBatchAssigner) node;
        String problem = PlanTypes.whyNotColumnar(stock.getOutputType()).orElse(null);
        if (problem != null) {
            throw new Fallback(Rule.FEATURE, problem);
        }
        MiniBatchInterval interval = StockFields.interval(stock);
        if (interval.getMode() == MiniBatchMode.None || interval.getInterval() <= 0) {
            throw new Fallback(Rule.FEATURE, interval.toString());
        }
        return new Candidate(stock) {
            @Override
            public double savedNanos() {
                return 0;
            }

            @Override
            public ExecNode<?> build(boolean batchInput, boolean batchOutput) {
                return new NativeMiniBatchAssigner(stock, context, interval, batchInput, batchOutput);
            }
        };
    }

    /** In place of {@link StreamExecMiniBatchAssigner}. */
    private static final class NativeMiniBatchAssigner extends NativeOneInputNode {

        private final MiniBatchInterval interval;

        NativeMiniBatchAssigner(
                StreamExecMiniBatchAssigner stock,
                PlanningContext context,
                MiniBatchInterval interval,
                boolean batchInput,
                boolean batchOutput) {
            super(stock, context, "native-mini-batch-assigner", describe(stock, List.of()), batchInput, batchOutput);
            this.interval = interval;
        }

        @Override
        NativeOperatorFactory factory(
                PlannerBase planner, ExecNodeConfig config, StreamOperatorFactory<RowData> stock) {
            boolean rowTime = interval.getMode() == MiniBatchMode.RowTime;
            MiniBatchAssigner plan =
                    MiniBatchAssigner.newBuilder()
                            .setIntervalMillis(interval.getInterval())
                            .setRowTime(rowTime)
                            .build();
            return edges(new HostKernelSpec[0])
                    .miniBatchAssigner(plan().setMiniBatchAssigner(plan).build(), interval.getInterval(), rowTime);
        }
    }
}
