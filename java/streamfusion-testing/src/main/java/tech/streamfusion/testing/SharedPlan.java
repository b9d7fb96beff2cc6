package tech.streamfusion.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.internal.TableEnvironmentImpl;
import org.apache.flink.table.catalog.CatalogManager;
import org.apache.flink.table.catalog.ContextResolvedTable;
import org.apache.flink.table.catalog.UnresolvedIdentifier;
import org.apache.flink.table.operations.SinkModifyOperation;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeGraph;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodePlanDumper;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import scala.collection.Seq;
import tech.streamfusion.planner.StreamFusionPlanner;

/**
 * A script that is parsed and optimized once, since that is Flink's own work on either side, and then translated and run as
 * often as wanted, stock or accelerated. Several may be in use at a time, each by its own thread.
 */
final class SharedPlan implements AutoCloseable {

    /** Exec nodes take their numbers from one counter, and names are compared by their distance from the first. */
    private static final Object NUMBERS = new Object();

    private final ScriptTables script;
    private final Parity test;
    private Seq<RelNode> optimized;
    private Throwable failure;

    SharedPlan(Parity test) {
        this.test = test;
        this.script = new ScriptTables(test, Map.of());
        try {
            script.createSources();
            this.optimized = optimize();
        } catch (Exception | LinkageError | AssertionError e) { // Calcite's assertions are failures like others
            this.failure = e;
        }
    }

    private StreamFusionPlanner planner() {
        return (StreamFusionPlanner) ((TableEnvironmentImpl) script.tables).getPlanner();
    }

    private Seq<RelNode> optimize() {
        TableEnvironmentImpl tables = (TableEnvironmentImpl) script.tables;
        CatalogManager catalogs = tables.getCatalogManager();
        StreamFusionPlanner planner = planner();
        planner.beforeTranslation();
        List<RelNode> sinks = new ArrayList<>();
        for (Parity.Query query : test.queries) {
            Table result = tables.sqlQuery(query.sql);
            String sink = script.createSink(query, result.getResolvedSchema());
            ContextResolvedTable target =
                    catalogs.getTableOrError(catalogs.qualifyIdentifier(UnresolvedIdentifier.of(sink)));
            sinks.add(planner.translateToRel(new SinkModifyOperation(target, result.getQueryOperation())));
        }
        return planner.optimize(JavaScalaConversionUtil.toScala(sinks));
    }

    /**
     * Translates and runs the script with the options of one side.
     *
     * @param change made to the stream graph after it has been described and before it becomes a job graph
     */
    SideRun run(Map<String, String> sideOptions, Consumer<StreamGraph> change) {
        SideRun run = new SideRun();
        if (failure != null) {
            run.failure = failure;
            return run;
        }
        sideOptions.forEach(script.tables.getConfig()::set);
        try {
            SharedCluster.run(translate(run, change));
        } catch (Exception | LinkageError | AssertionError e) {
            run.failure = e;
        }
        run.sinks.addAll(script.takeChanges());
        return run;
    }

    private JobGraph translate(SideRun run, Consumer<StreamGraph> change) {
        StreamFusionPlanner planner = planner();
        planner.beforeTranslation();
        ExecNodeGraph nodes;
        synchronized (NUMBERS) {
            nodes = planner.translateToExecNodeGraph(optimized, false);
        }
        run.explained = PlanNodes.SECTION + "\n" + ExecNodePlanDumper.dagToString(nodes);
        run.nodes = PlanNodes.of(run.explained);
        planner.translateToPlan(nodes).forEach(script.env::addOperator);
        StreamGraph graph = script.env.getStreamGraph();
        graph.setJobName("parity");
        run.streamGraph = GraphText.of(graph);
        change.accept(graph);
        JobGraph job = graph.getJobGraph();
        run.jobGraph = GraphText.of(job);
        return job;
    }

    @Override
    public void close() {
        script.close();
    }
}
