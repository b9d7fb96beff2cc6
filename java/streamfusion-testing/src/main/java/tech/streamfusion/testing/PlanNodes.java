package tech.streamfusion.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The exec nodes of an EXPLAIN. */
final class PlanNodes {

    private static final String PREFIX = "Native";
    static final String SECTION = "== Optimized Execution Plan ==";
    /** A name with arguments in parentheses; without any, only behind a branch, as literals may fill lines of their own. */
    private static final Pattern NODE =
            Pattern.compile("^[\\s:+\\-]*([A-Za-z]\\w*)(?:\\(.*|(?<=[+:]- \\w{1,80})$)");

    private PlanNodes() {}

    /** Node names from the root down, {@code Native...} for accelerated ones; a reused node appears once. */
    static List<String> of(String explained) {
        List<String> names = new ArrayList<>();
        for (String line : executionPlan(explained)) {
            Matcher matcher = NODE.matcher(line);
            if (matcher.matches() && !matcher.group(1).equals("Reused")) {
                names.add(matcher.group(1));
            }
        }
        return names;
    }

    /** The same for each sink of a statement set; empty when the explanation is. */
    static List<List<String>> perSink(String explained) {
        if (explained.isEmpty()) {
            return List.of();
        }
        List<List<String>> sinks = new ArrayList<>();
        for (String line : executionPlan(explained)) {
            Matcher matcher = NODE.matcher(line);
            if (matcher.matches() && !matcher.group(1).equals("Reused")) {
                if (matcher.start(1) == 0) {
                    sinks.add(new ArrayList<>());
                }
                sinks.get(sinks.size() - 1).add(matcher.group(1));
            }
        }
        return sinks;
    }

    private static List<String> executionPlan(String explained) {
        int from = explained.indexOf(SECTION);
        if (from < 0) {
            throw new IllegalArgumentException("no execution plan in\n" + explained);
        }
        List<String> lines = new ArrayList<>();
        for (String line : explained.substring(from + SECTION.length()).split("\n")) {
            if (line.startsWith("== ")) {
                break;
            }
            lines.add(line);
        }
        return lines;
    }

    /** Sorted names of the native nodes, prefix stripped. */
    static List<String> nativeOnes(List<String> names) {
        List<String> found = new ArrayList<>();
        for (String name : names) {
            if (name.startsWith(PREFIX)) {
                found.add(name.substring(PREFIX.length()));
            }
        }
        found.sort(null);
        return found;
    }
}
