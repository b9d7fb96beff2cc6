package tech.streamfusion.upstream;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.flink.table.planner.delegation.DefaultPlannerFactory;
import tech.streamfusion.planner.StreamFusionOptions;
import tech.streamfusion.upstream.Results.ClassResult;

/**
 * Runs Flink's own tests, one process at a time. A process that dies or hangs costs the class that it was at; a new one goes
 * on with the next. Started by {@code bin/upstream-suite}, whose help describes the arguments.
 */
final class Suite {

    private static final long POLL_MILLIS = 300;

    /**
     * Rows that wait for their batch fail later than they do on stock Flink, and the source may have asked for its next split
     * by then. When the coordinator's answer finds the task gone before the failure itself is known, the job fails with the
     * coordinator's complaint. A test that wants to see the failure is repeated then.
     */
    private static final String LOST_RACE = "An OperatorEvent from an OperatorCoordinator to a task was lost";

    private static final int REPETITIONS = 3;

    /** What a process gets before its first class; machines may be busy. */
    private static final int START_SECONDS = 900;

    private final SuiteOptions options;
    private final Baseline baseline;
    private final PrintStream out;
    private final Path directory;
    private final Path events;
    private final Path log;
    private final Results results;
    private final Report report;
    private final List<String> repeated = new ArrayList<>();
    private final Map<String, Integer> repetitions = new HashMap<>();
    private final long startNanos = System.nanoTime();
    private int total;

    private Suite(SuiteOptions options, Baseline baseline, KnownTests known, PrintStream out) throws IOException {
        this.options = options;
        this.baseline = baseline;
        this.out = out;
        this.directory = Files.createDirectories(options.reports);
        this.events = directory.resolve("events.jsonl");
        this.log = directory.resolve("output.log");
        this.results = new Results(events);
        this.report = new Report(baseline, known, results);
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        try {
            System.exit(of(SuiteOptions.parse(arguments), System.out).run() ? 0 : 1);
        } catch (IllegalArgumentException e) {
            System.err.println("upstream-suite: " + e.getMessage());
            System.exit(2);
        }
    }

    /** With the lists of the module that the options name. */
    static Suite of(SuiteOptions options, PrintStream out) throws IOException {
        Path lists = options.module.resolve("baseline");
        return new Suite(
                options,
                Baseline.read(lists.resolve("stock.csv")),
                KnownTests.read(lists.resolve("known-tests.txt")),
                out);
    }

    /** The classes that the command line means, each once, in its order. */
    private List<String> selected() throws IOException {
        List<String> words = new ArrayList<>(options.words);
        if (options.slice) {
            for (String line : Files.readAllLines(options.module.resolve("baseline/slice.txt"), StandardCharsets.UTF_8)) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    words.add(line.trim());
                }
            }
        }
        if (words.isEmpty()) {
            words.addAll(baseline.sets());
        }
        Set<String> out = new LinkedHashSet<>();
        words.forEach(word -> out.addAll(baseline.select(word)));
        return List.copyOf(out);
    }

    /** Whether nothing is worse than on stock Flink. */
    boolean run() throws IOException, InterruptedException {
        List<String> selected = selected();
        List<String> remaining = new ArrayList<>(selected);
        if (options.goOn) {
            results.poll();
            results.forgetUnended();
            results.classes().forEach(result -> remaining.remove(result.name));
        } else {
            Files.deleteIfExists(events);
            Files.deleteIfExists(log);
        }
        total = remaining.size();
        say(String.format(Locale.ROOT, "%d classes to run, %s", total, options.describe()));
        while (!remaining.isEmpty()) {
            runFork(remaining);
            if (remaining.isEmpty()) {
                remaining.addAll(repeated);
                repeated.clear();
            }
        }
        writeReport();
        out.println();
        out.print(report.text());
        boolean partial = selected.stream().anyMatch(name -> name.contains("#"));
        Report.Counts counts = report.total();
        boolean worse = partial ? counts.failed > 0 : counts.worse();
        out.printf(
                Locale.ROOT,
                "%nreport: %s%n%s%n%d passed, %d failed, %d skipped%n",
                directory.resolve("report.json"),
                worse ? "Worse than stock Flink." : "Nothing is worse than on stock Flink.",
                counts.passed + counts.known,
                counts.failed,
                counts.skipped);
        return !worse;
    }

    /** Runs one process until it ends or hangs; takes out of {@code remaining} what it dealt with. */
    private void runFork(List<String> remaining) throws IOException, InterruptedException {
        Path classes = directory.resolve("classes.txt");
        Files.write(classes, remaining, StandardCharsets.UTF_8);
        ForkProcess fork = new ForkProcess(options.workDirectory, classes, events, log, jvmOptions());
        Thread killer = new Thread(() -> fork.killNow());
        Runtime.getRuntime().addShutdownHook(killer);
        boolean alive = true;
        ClassResult watched = null;
        long since = System.nanoTime();
        while (alive) {
            alive = !fork.waitFor(POLL_MILLIS);
            results.poll().forEach(result -> ended(result, remaining));
            ClassResult running = results.running();
            if (running != watched) {
                watched = running;
                since = System.nanoTime();
            }
            long limit = watched == null ? START_SECONDS : limitSeconds(watched.name);
            if (alive && System.nanoTime() - since > limit * 1_000_000_000L) {
                fork.killWithStacks();
                broken(remaining, "did not end within " + limit + " s; stacks of its threads are in " + log);
                alive = false;
            } else if (!alive && (results.running() != null || fork.exitCode() != 0)) {
                broken(remaining, "the process ended with code " + fork.exitCode() + "; its output is in " + log);
            }
        }
        Runtime.getRuntime().removeShutdownHook(killer);
    }

    /** The running class takes the blame; without one the process cannot even start, and nothing else would help. */
    private void broken(List<String> remaining, String problem) throws IOException {
        ClassResult running = results.running();
        if (running == null) {
            if (remaining.isEmpty()) {
                return; // all classes had ended
            }
            throw new IOException("before any test ran, " + problem);
        }
        Results.appendBroken(events, running.name, problem);
        results.poll().forEach(result -> ended(result, remaining));
    }

    private long limitSeconds(String className) {
        int usual = baseline.of(className).map(entry -> entry.seconds).orElse(0);
        return Math.max(options.classTimeoutSeconds, 10L * usual);
    }

    private List<String> jvmOptions() {
        List<String> out = new ArrayList<>();
        out.add("-Xmx" + options.heap);
        // no test runs long enough for the optimizing compiler to pay for itself
        out.add("-XX:TieredStopAtLevel=1");
        if (options.stock) {
            out.add("-D" + DefaultPlannerFactory.STOCK + "=true");
        } else {
            out.add("-D" + StreamFusionOptions.MINIMUM_GAIN + "=" + options.minimumGain);
        }
        out.addAll(options.jvmOptions);
        return out;
    }

    private void ended(ClassResult result, List<String> remaining) {
        List<String> done = new ArrayList<>(remaining);
        remaining.removeIf(name -> name.equals(result.name) || name.startsWith(result.name + "#"));
        done.removeAll(remaining);
        if (hasLostRace(result) && repetitions.merge(result.name, 1, Integer::sum) <= REPETITIONS) {
            say(result.name + " is to be repeated: a source's coordinator has complained before the failure was known");
            repeated.addAll(done);
        }
        Report.Counts counts = report.counts(result);
        boolean differs = counts.passed != counts.stockPassed || counts.skipped != counts.stockSkipped;
        say(
                String.format(
                        Locale.ROOT,
                        "%d/%d %s: %d passed, %d failed, %d skipped%s in %.1f s%s",
                        total - remaining.size(),
                        total,
                        result.name.replaceFirst("^org\\.apache\\.flink\\.", ""),
                        counts.passed,
                        counts.failed,
                        counts.skipped,
                        counts.known == 0 ? "" : ", " + counts.known + " known",
                        counts.millis / 1000.0,
                        differs
                                ? String.format(
                                        Locale.ROOT,
                                        " (stock: %d passed, %d skipped)",
                                        counts.stockPassed,
                                        counts.stockSkipped)
                                : ""));
        report.failures(result).forEach(failure -> out.println("    FAILED " + failure));
        try {
            writeReport();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean hasLostRace(ClassResult result) {
        return result.tests.stream()
                .anyMatch(test -> test.outcome == Outcome.FAILED && test.problem.contains(LOST_RACE));
    }

    private void writeReport() throws IOException {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("planner", options.stock ? "stock" : "streamfusion");
        settings.put("minimumGain", options.minimumGain);
        report.writeJson(directory.resolve("report.json"), settings);
    }

    private void say(String text) {
        out.printf(Locale.ROOT, "[%5d s] %s%n", (System.nanoTime() - startNanos) / 1_000_000_000L, text);
        out.flush();
    }
}
