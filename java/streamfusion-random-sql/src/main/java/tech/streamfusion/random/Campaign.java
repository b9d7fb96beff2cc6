package tech.streamfusion.random;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.testing.LiveObjects;
import tech.streamfusion.testing.Outcome;
import tech.streamfusion.testing.Trial;

/** Runs random scripts until time or queries are used up, and counts. */
final class Campaign {

    private static final int QUERIES_PER_SCRIPT = 10;
    private static final int WORKERS = 2;
    private static final int SCRIPTS_PER_ROUND = 8;
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
        long end = start + seconds * NANOS_PER_SECOND;
        long lastReport = start;
        ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
        try {
            while (compared < maxQueries && differences.size() < MAX_DIFFERENCES) {
                long now = System.nanoTime();
                if (now - end >= 0) {
                    break;
                }
                if (now - lastReport >= 10 * NANOS_PER_SECOND) {
                    lastReport = now;
                    progress.accept(String.format("[%4d s] %s", (now - start) / NANOS_PER_SECOND, summary()));
                }
                round(workers, end);
            }
        } finally {
            workers.shutdown();
        }
    }

    /** Several scripts side by side: what leaks shows when all have ended, and is then looked for script by script. */
    private void round(ExecutorService workers, long end) {
        List<Attempt> attempts = new ArrayList<>();
        long before = NativeEngine.liveObjects();
        for (int i = 0; i < SCRIPTS_PER_ROUND; i++) {
            attempts.add(new Attempt(generator.next(), workers, script -> beforeEnd(script, end)));
        }
        Map<Script, Outcome> results = new LinkedHashMap<>();
        for (Attempt attempt : attempts) {
            Outcome result = attempt.result();
            if (result != null) {
                results.put(attempt.script(), result);
            } else if (System.nanoTime() - end < 0) {
                endless(attempt.script());
            }
        }
        boolean leaks = leaks(before);
        boolean leakFound = false;
        for (Map.Entry<Script, Outcome> result : results.entrySet()) {
            Outcome outcome = leaks ? compare(result.getKey(), workers) : result.getValue();
            leakFound |= take(result.getKey(), outcome, workers) && leaks;
        }
        if (leaks && !leakFound) {
            throw new IllegalStateException("native objects were left behind by a round of scripts, but by none of them alone");
        }
    }

    private static Outcome beforeEnd(Script script, long end) {
        return System.nanoTime() - end < 0 ? compareBesideOthers(script) : null;
    }

    /** Both sides share the optimizer's plan, so there is nothing to compare. */
    private void endless(Script script) {
        notPlanned += script.queries().size();
        unplanned.merge("the optimizer did not end", 1, Integer::sum);
        progress.accept("the optimizer did not end on these queries:\n" + script.queriesSql());
    }

    private static boolean leaks(long before) {
        try {
            LiveObjects.assertReturnsTo(before);
            return false;
        } catch (AssertionError e) {
            return true;
        }
    }

    /** Halves what is not simply the same, down to single queries; whether there was a difference. */
    private boolean take(Script script, @Nullable Outcome outcome, ExecutorService workers) {
        if (outcome == null) {
            endless(script);
            return false;
        }
        List<Query> queries = script.queries();
        if (outcome.kind() == Outcome.Kind.SAME || queries.size() == 1) {
            count(script, outcome, workers);
            return outcome.isDifference();
        }
        int half = queries.size() / 2;
        Script firstHalf = script.withQueries(queries.subList(0, half));
        Script secondHalf = script.withQueries(queries.subList(half, queries.size()));
        boolean first = take(firstHalf, compare(firstHalf, workers), workers);
        boolean second = take(secondHalf, compare(secondHalf, workers), workers);
        if (outcome.isDifference() && !first && !second) {
            add(script, outcome, workers);
        }
        return outcome.isDifference() || first || second;
    }

    /** Alone, leaks included; null where the optimizer does not end. */
    @Nullable
    private static Outcome compare(Script script, ExecutorService workers) {
        return new Attempt(script, workers, Campaign::compare).result();
    }

    private static Outcome compare(Script script) {
        try (Trial trial = script.parity().trial()) {
            return trial.accelerated();
        }
    }

    private static Outcome compareBesideOthers(Script script) {
        try (Trial trial = script.parity().trial()) {
            return trial.accelerated(graph -> {});
        }
    }

    private void count(Script script, Outcome outcome, ExecutorService workers) {
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
            add(script, outcome, workers);
        }
    }

    private void add(Script script, Outcome outcome, ExecutorService workers) {
        progress.accept("difference " + (differences.size() + 1) + " found, shrinking");
        Script small = new Shrinker(candidate -> isOf(outcome.kind(), compare(candidate, workers)), SHRINK_ATTEMPTS).shrink(script);
        Outcome last = compare(small, workers);
        Difference difference = last != null && last.isDifference() ? new Difference(small, last) : new Difference(script, outcome);
        differences.add(difference);
        progress.accept(difference.text(seed, differences.size()));
    }

    private static boolean isOf(Outcome.Kind kind, @Nullable Outcome outcome) {
        return outcome != null && outcome.kind() == kind;
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
