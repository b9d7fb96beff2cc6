package tech.streamfusion.testing;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.graph.StreamGraph;
import tech.streamfusion.runtime.NativeEngine;

/** What stock Flink makes of a script, to compare accelerated runs with; the stock side runs once. */
public final class Trial {

    private final Parity test;
    private final SideRun stock;

    Trial(Parity test) {
        this.test = test;
        this.stock = new ScriptRunner(test, Map.of(Parity.ENABLED, "false")).run();
    }

    /** Class and message of stock's failure; null when it succeeds. */
    @Nullable
    public String stockFailure() {
        return stock.failure == null ? null : stock.rootCauseText();
    }

    /** Runs the accelerated side and compares. */
    public Outcome accelerated() {
        return accelerated(graph -> {});
    }

    /**
     * The same with a change of the accelerated job just before it is submitted, which tests of the comparison use to plant
     * faults; the graphs that are compared are those from before the change.
     */
    public Outcome accelerated(Consumer<StreamGraph> change) {
        long before = NativeEngine.liveObjects();
        SideRun run = new ScriptRunner(test, test.acceleratedOptions, change).run();
        List<List<String>> nodes = PlanNodes.perSink(run.explained);
        try {
            LiveObjects.assertReturnsTo(before);
        } catch (AssertionError e) {
            return new Outcome(Outcome.Kind.LEAK, e.getMessage(), nodes);
        }
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
