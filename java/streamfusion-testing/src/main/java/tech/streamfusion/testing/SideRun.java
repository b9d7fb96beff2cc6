package tech.streamfusion.testing;

import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/** What one side made of a script. */
final class SideRun {

    /** Per sink, in the order of the script's INSERTs. */
    final List<List<Change>> sinks = new ArrayList<>();

    String explained = "";
    List<String> nodes = List.of();
    List<String> streamGraph = List.of();
    List<String> jobGraph = List.of();
    @Nullable Throwable failure;

    /** Whether a job came out of planning. */
    boolean isPlanned() {
        return !jobGraph.isEmpty();
    }

    /** The exception at the bottom of the chain of causes: what the user sees as the reason. */
    @Nullable
    Throwable rootCause() {
        Throwable cause = failure;
        while (cause != null && cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** Class and message, as text: the failure of a task arrives as a copy whose class may be unknown here. */
    String rootCauseText() {
        Throwable cause = rootCause();
        return cause == null ? "no failure" : cause.toString();
    }
}
