package tech.streamfusion.planner;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeGraph;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.expr.ExprSupport;
import tech.streamfusion.planner.graph.GraphView;
import tech.streamfusion.planner.graph.NativeGraphProcessor;
import tech.streamfusion.planner.graph.StockFields;
import tech.streamfusion.planner.nodes.PlanningContext;
import tech.streamfusion.runtime.NativeEngine;

/** Applies StreamFusion to exec graphs, or finds out why it cannot, and reports. */
final class Acceleration {

    private static final Logger LOG = LoggerFactory.getLogger(Acceleration.class);

    /** A graph, accelerated or not; closing gives the stock nodes their own edges back. */
    static final class Result implements AutoCloseable {
        private final ExecNodeGraph graph;
        private final Runnable undo;

        Result(ExecNodeGraph graph, Runnable undo) {
            this.graph = graph;
            this.undo = undo;
        }

        ExecNodeGraph graph() {
            return graph;
        }

        @Override
        public void close() {
            undo.run();
        }
    }

    private final PlannerBase planner;
    private PlanningReport lastReport = new PlanningReport(List.of(), List.of());

    Acceleration(PlannerBase planner) {
        this.planner = planner;
    }

    PlanningReport lastReport() {
        return lastReport;
    }

    Result accelerate(ExecNodeGraph graph) {
        StreamFusionOptions options = new StreamFusionOptions(planner.getTableConfig());
        if (!options.isEnabled()) {
            lastReport = new PlanningReport(List.of(), List.of());
            return new Result(graph, () -> {});
        }
        String problem = installationProblem();
        if (problem != null) {
            lastReport = new PlanningReport(List.of(), allStock(graph, problem));
            log(options);
            return new Result(graph, () -> {});
        }
        NativeGraphProcessor processor =
                new NativeGraphProcessor(new PlanningContext(planner, options, ExprSupport.engine()));
        ExecNodeGraph accelerated = processor.process(graph);
        lastReport = processor.report();
        log(options);
        return new Result(accelerated, processor::restore);
    }

    /** Why nothing can be native in this JVM; null when all is well. */
    private static String installationProblem() {
        if (StockFields.problem().isPresent()) {
            return StockFields.problem().get();
        }
        try {
            NativeEngine.buildInfo();
            return null;
        } catch (LinkageError e) {
            return "the native library cannot be loaded: " + e.getMessage();
        }
    }

    private static List<FallbackReason> allStock(ExecNodeGraph graph, String detail) {
        List<FallbackReason> out = new ArrayList<>();
        for (ExecNode<?> node : new GraphView(graph.getRootNodes()).nodes()) {
            out.add(new FallbackReason(NativeGraphProcessor.name(node), Rule.INSTALLATION, detail));
        }
        return out;
    }

    private void log(StreamFusionOptions options) {
        if (options.logsFallbackReasons()) {
            lastReport.fallbacks().forEach(reason -> LOG.info("StreamFusion fallback: {}", reason));
        }
    }
}
