package tech.streamfusion.testing;

import java.util.List;

/** How the two sides of a script compare, as a value: for callers that go on after a difference. */
public final class Outcome {

    /** What can come of a comparison. */
    public enum Kind {
        /** Both succeed with the same changes and the same graphs. */
        SAME,
        /** Both fail while they run, with the same class of exception. */
        SAME_FAILURE,
        /** Both fail at planning with the same class of exception: nothing was compared. */
        NOT_PLANNED,
        /** The rows or watermarks that reach the sinks differ. */
        DIFFERENT_CHANGES,
        /** Only one side fails, or they fail differently. */
        DIFFERENT_FAILURE,
        /** The stream graphs, the job graphs or the operator ids differ. */
        DIFFERENT_GRAPHS,
        /** Native objects were left behind. */
        LEAK
    }

    private final Kind kind;
    private final String message;
    private final List<List<String>> nodes;

    Outcome(Kind kind, String message, List<List<String>> nodes) {
        this.kind = kind;
        this.message = message;
        this.nodes = nodes;
    }

    public Kind kind() {
        return kind;
    }

    /** Whether parity is broken. */
    public boolean isDifference() {
        return kind.compareTo(Kind.NOT_PLANNED) > 0;
    }

    /** What differs, or the failure on which both sides agree; empty when both succeed. */
    public String message() {
        return message;
    }

    /** The exec nodes of the accelerated plan, {@code Native...} for native ones, for each sink in the order of the queries. */
    public List<List<String>> nodes() {
        return nodes;
    }

    @Override
    public String toString() {
        return kind + (message.isEmpty() ? "" : ": " + message);
    }
}
