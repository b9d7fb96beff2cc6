package tech.streamfusion.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import tech.streamfusion.testing.Outcome;

/** Runs random scripts until time or queries are used up, and counts. */
final class Campaign {

    private static final int QUERIES_PER_SCRIPT = 10;
    private static final int SHRINK_ATTEMPTS = 250;
    private static final int MAX_DIFFERENCES = 20;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final long seed;
    private final ScriptGenerator generator;
    private final Consumer<String> progress;
    private final List<Difference> differences = new ArrayList<>();
    private final Map<String, Integer> unplanned = new TreeMap<>();
    private final Map<String, Integer> nodes = new TreeMap<>();
    private int compared;
    private int nativeQueries;
    private int sameFailures;
    private int notPlanned;

    Campaign(long seed, Consumer<String> progress) {
        this.seed = seed;
        this.generator = new ScriptGenerator(seed, QUERIES_PER_SCRIPT);
        this.progress = progress;
    }

    /** Ends after the time, the number of queries, or too many differences, whatever is first. */
    void run(long seconds, int maxQueries) {
        long start = System.nanoTime();
        long lastReport = start;
        while (compared < maxQueries && differences.size() < MAX_DIFFERENCES) {
            long now = System.nanoTime();
            if (now - start >= seconds * NANOS_PER_SECOND) {
                break;
            }
            if (now - lastReport >= 10 * NANOS_PER_SECOND) {
                lastReport = now;
                progress.accept(String.format("[%4d s] %s", (now - start) / NANOS_PER_SECOND, summary()));
            }
            take(generator.next());
        }
    }

    /** Halves what is not simply the same, down to single queries; whether there was a difference. */
    private boolean take(Script script) {
        Outcome outcome = compare(script);
        List<Query> queries = script.queries();
        if (outcome.kind() == Outcome.Kind.SAME || queries.size() == 1) {
            count(script, outcome);
            return outcome.isDifference();
        }
        int half = queries.size() / 2;
        boolean first = take(script.withQueries(queries.subList(0, half)));
        boolean second = take(script.withQueries(queries.subList(half, queries.size())));
        if (outcome.isDifference() && !first && !second) {
            add(script, outcome);
        }
        return outcome.isDifference() || first || second;
    }

    private static Outcome compare(Script script) {
        return script.parity().trial().accelerated();
    }

    private void count(Script script, Outcome outcome) {
        if (outcome.kind() == Outcome.Kind.NOT_PLANNED) {
            notPlanned++;
            unplanned.merge(firstLine(outcome.message()), 1, Integer::sum);
            return;
        }
        compared += script.queries().size();
        for (List<String> sink : outcome.nodes()) {
            boolean accelerated = false;
            for (String node : sink) {
                nodes.merge(node, 1, Integer::sum);
                accelerated |= node.startsWith("Native") && !node.equals("NativeSink") && !node.equals("NativeTableSourceScan");
            }
            nativeQueries += accelerated ? 1 : 0;
        }
        if (outcome.kind() == Outcome.Kind.SAME_FAILURE) {
            sameFailures++;
        } else if (outcome.isDifference()) {
            add(script, outcome);
        }
    }

    private void add(Script script, Outcome outcome) {
        progress.accept("difference " + (differences.size() + 1) + " found, shrinking");
        Script small = new Shrinker(candidate -> compare(candidate).kind() == outcome.kind(), SHRINK_ATTEMPTS).shrink(script);
        Outcome last = compare(small);
        Difference difference = last.isDifference() ? new Difference(small, last) : new Difference(script, outcome);
        differences.add(difference);
        progress.accept(difference.text(seed, differences.size()));
    }

    private static String firstLine(String text) {
        int end = text.indexOf('\n');
        String line = end < 0 ? text : text.substring(0, end);
        return line.length() > 160 ? line.substring(0, 160) : line;
    }

    int compared() {
        return compared;
    }

    /** Share of the compared queries with a native node other than source and sink, in percent. */
    int nativePercent() {
        return compared == 0 ? 0 : (int) (100L * nativeQueries / compared);
    }

    List<Difference> differences() {
        return List.copyOf(differences);
    }

    String summary() {
        return String.format(
                "%d queries compared, %d %% with a native node other than source and sink, %d failed alike, "
                        + "%d differences; %d more not planned by either side",
                compared, nativePercent(), sameFailures, differences.size(), notPlanned);
    }

    /** The summary with nodes, planning failures and differences. */
    String report() {
        StringBuilder out = new StringBuilder("seed " + seed + ": " + summary() + "\n\nexec nodes of the accelerated plans:\n");
        nodes.forEach((node, count) -> out.append(String.format("  %6d %s%n", count, node)));
        out.append("\nplanning failures (nothing compared):\n");
        unplanned.forEach((message, count) -> out.append(String.format("  %6d %s%n", count, message)));
        for (int i = 0; i < differences.size(); i++) {
            out.append('\n').append(differences.get(i).text(seed, i + 1));
        }
        return out.toString();
    }
}
