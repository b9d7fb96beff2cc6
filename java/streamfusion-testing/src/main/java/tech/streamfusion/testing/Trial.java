package tech.streamfusion.testing;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.graph.StreamGraph;
import tech.streamfusion.runtime.NativeEngine;

/**
 * What stock Flink makes of a script, to compare accelerated runs with; the script is planned once and its stock side runs
 * once. Several may be in use at a time, each by its own thread.
 */
public final class Trial implements AutoCloseable {

    private final Parity test;
    private final SharedPlan plan;
    private final SideRun stock;

    Trial(Parity test) {
        this.test = test;
        this.plan = new SharedPlan(test);
        this.stock = run(Map.of(Parity.ENABLED, "false"), graph -> {});
    }

    /** Class and message of stock's failure; null when it succeeds. */
    @Nullable
    public String stockFailure() {
        return stock.failure == null ? null : stock.rootCauseText();
    }

    /** Runs the accelerated side and compares; nothing else may run in the engine, or it would look like a leak. */
    public Outcome accelerated() {
        long before = NativeEngine.liveObjects();
        Outcome outcome = accelerated(graph -> {});
        try {
            LiveObjects.assertReturnsTo(before);
        } catch (AssertionError e) {
            return new Outcome(Outcome.Kind.LEAK, e.getMessage(), outcome.nodes());
        }
        return outcome;
    }

    /**
     * The same without a look for leaks, and with a change of the accelerated job just before it is submitted, which tests of
     * the comparison use to plant faults; the graphs that are compared are those from before the change.
     */
    public Outcome accelerated(Consumer<StreamGraph> change) {
        SideRun run = run(test.acceleratedOptions, change);
        List<List<String>> nodes = PlanNodes.perSink(run.explained);
        if (stock.failure != null || run.failure != null) {
            return failure(run, nodes);
        }
        try {
            Parity.checkGraphs(stock, run);
        } catch (AssertionError e) {
            return new Outcome(Outcome.Kind.DIFFERENT_GRAPHS, e.getMessage(), nodes);
        }
        for (int i = 0; i < stock.sinks.size(); i++) {
            try {
                Comparisons.assertSame(test.comparison(i), stock.sinks.get(i), run.sinks.get(i));
            } catch (AssertionError e) {
                return new Outcome(Outcome.Kind.DIFFERENT_CHANGES, "query " + i + ": " + e.getMessage(), nodes);
            }
        }
        return new Outcome(Outcome.Kind.SAME, "", nodes);
    }

    private SideRun run(Map<String, String> options, Consumer<StreamGraph> change) {
        return Parity.unlessCoordinatorWasFaster(() -> plan.run(options, change));
    }

    /** Forgets the data of the script. */
    @Override
    public void close() {
        plan.close();
    }

    private Outcome failure(SideRun run, List<List<String>> nodes) {
        boolean same =
                stock.failure != null
                        && run.failure != null
                        && className(stock).equals(className(run))
                        && stock.isPlanned() == run.isPlanned();
        if (same) {
            Outcome.Kind kind = stock.isPlanned() ? Outcome.Kind.SAME_FAILURE : Outcome.Kind.NOT_PLANNED;
            return new Outcome(kind, stock.rootCauseText(), nodes);
        }
        return new Outcome(
                Outcome.Kind.DIFFERENT_FAILURE,
                "different failures\n    stock       " + stock.rootCauseText() + "\n    accelerated " + run.rootCauseText(),
                nodes);
    }

    /** The failure of a task arrives as text in a copy, {@code class: message}. */
    private static String className(SideRun run) {
        String text = run.rootCauseText();
        int colon = text.indexOf(':');
        return colon < 0 ? text : text.substring(0, colon);
    }
}
