package tech.streamfusion.upstream;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import tech.streamfusion.upstream.KnownTests.Known;
import tech.streamfusion.upstream.Results.ClassResult;

/** Results beside the baseline. */
final class Report {

    /** What one set, or one class, came to. Tests that a broken class did not get to count as failed. */
    static final class Counts {
        int classes;
        long passed;
        long failed;
        long known;
        long skipped;
        long stockPassed;
        long stockSkipped;
        long millis;

        void add(Counts other) {
            classes += other.classes;
            passed += other.passed;
            failed += other.failed;
            known += other.known;
            skipped += other.skipped;
            stockPassed += other.stockPassed;
            stockSkipped += other.stockSkipped;
            millis += other.millis;
        }

        /** Whether something passes on stock Flink that does not pass here, or does not even run. */
        boolean worse() {
            return failed > 0 || passed + known < stockPassed;
        }
    }

    private final Baseline baseline;
    private final KnownTests knownTests;
    private final Results results;

    /** Shows what {@code results} hold at the time of each call. */
    Report(Baseline baseline, KnownTests knownTests, Results results) {
        this.baseline = baseline;
        this.knownTests = knownTests;
        this.results = results;
    }

    Counts counts(ClassResult result) {
        Counts out = new Counts();
        out.classes = 1;
        out.passed = result.count(Outcome.PASSED);
        out.skipped = result.count(Outcome.SKIPPED);
        out.known = result.tests.stream().filter(test -> isKnown(result, test)).count();
        out.failed = result.count(Outcome.FAILED) - out.known;
        out.millis = result.millis;
        Optional<Baseline.Entry> entry = baseline.of(result.name);
        if (entry.isPresent()) {
            out.stockPassed = entry.get().passed();
            out.stockSkipped = entry.get().skipped;
        }
        if (result.broken != null) {
            out.failed += Math.max(1, out.stockPassed - out.passed - out.known - out.failed);
        }
        return out;
    }

    private boolean isKnown(ClassResult result, Results.Test test) {
        return test.outcome == Outcome.FAILED && knownTests.find(result.name, test.name).isPresent();
    }

    /** Failures that count, one line each. */
    List<String> failures(ClassResult result) {
        List<String> out = new ArrayList<>();
        for (Results.Test test : result.tests) {
            if (test.outcome == Outcome.FAILED && !isKnown(result, test)) {
                out.add(test.name + ": " + test.headline());
            }
        }
        if (result.broken != null) {
            out.add("(class): " + result.broken);
        }
        return out;
    }

    Counts total() {
        Counts total = new Counts();
        perSet().values().forEach(total::add);
        return total;
    }

    Map<String, Counts> perSet() {
        Map<String, Counts> out = new LinkedHashMap<>();
        for (ClassResult result : results.classes()) {
            String set = baseline.of(result.name).map(entry -> entry.set).orElse("(none)");
            out.computeIfAbsent(set, key -> new Counts()).add(counts(result));
        }
        return out;
    }

    /** The two tables that end a run. */
    String text() {
        StringBuilder out = new StringBuilder();
        row(out, "set", "classes", "passed", "failed", "known", "skipped", "stock passed", "stock skipped");
        perSet().forEach((set, counts) -> row(out, set, counts));
        row(out, "all", total());
        out.append('\n');
        row(out, "exec node", "native", "all", "share", "", "", "", "");
        Map<String, int[]> nodes = nodes();
        nodes.forEach(
                (kind, count) ->
                        row(
                                out,
                                kind,
                                String.valueOf(count[0]),
                                String.valueOf(count[1]),
                                String.format(Locale.ROOT, "%.1f %%", 100.0 * count[0] / count[1]),
                                "",
                                "",
                                "",
                                ""));
        return out.toString();
    }

    private static void row(StringBuilder out, String set, Counts c) {
        row(
                out,
                set,
                String.valueOf(c.classes),
                String.valueOf(c.passed),
                String.valueOf(c.failed),
                String.valueOf(c.known),
                String.valueOf(c.skipped),
                String.valueOf(c.stockPassed),
                String.valueOf(c.stockSkipped));
    }

    private static void row(StringBuilder out, String first, String... rest) {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-32s", first));
        for (String cell : rest) {
            line.append(String.format(Locale.ROOT, " %13s", cell));
        }
        out.append(line.toString().stripTrailing()).append('\n');
    }

    /** Per kind of node how many were native, and how many there were, in all plans that were translated. */
    Map<String, int[]> nodes() {
        Map<String, int[]> out = new TreeMap<>();
        for (ClassResult result : results.classes()) {
            result.nativeNodes.forEach(
                    (kind, count) -> {
                        int[] sums = out.computeIfAbsent(kind, key -> new int[2]);
                        sums[0] += count;
                        sums[1] += count;
                    });
            result.stockNodes.forEach(
                    (reason, count) ->
                            out.computeIfAbsent(reason.split(":", 2)[0], key -> new int[2])[1] += count);
        }
        return out;
    }

    void writeJson(Path file, Map<String, String> settings) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode root = mapper.createObjectNode();
        settings.forEach(root.putObject("settings")::put);
        json(root.putObject("total"), total());
        ObjectNode sets = root.putObject("sets");
        perSet().forEach((set, counts) -> json(sets.putObject(set), counts));
        ObjectNode nodes = root.putObject("nodes");
        nodes().forEach((kind, count) -> nodes.putObject(kind).put("native", count[0]).put("all", count[1]));
        Map<String, Integer> reasons = new TreeMap<>();
        ArrayNode classes = root.putArray("classes");
        for (ClassResult result : results.classes()) {
            ObjectNode entry = classes.addObject().put("class", result.name);
            json(entry, counts(result));
            failures(result).forEach(entry.putArray("failures")::add);
            ArrayNode known = entry.putArray("knownFailures");
            for (Results.Test test : result.tests) {
                Optional<Known> match = knownTests.find(result.name, test.name);
                if (test.outcome == Outcome.FAILED && match.isPresent()) {
                    known.addObject().put("test", test.name).put("reason", match.get().reason);
                }
            }
            result.stockNodes.forEach((reason, count) -> reasons.merge(reason, count, Integer::sum));
        }
        reasons.forEach(root.putObject("stockNodes")::put);
        Files.createDirectories(file.getParent());
        mapper.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), root);
    }

    private static void json(ObjectNode out, Counts c) {
        out.put("classCount", c.classes)
                .put("passed", c.passed)
                .put("failed", c.failed)
                .put("known", c.known)
                .put("skipped", c.skipped)
                .put("stockPassed", c.stockPassed)
                .put("stockSkipped", c.stockSkipped)
                .put("seconds", c.millis / 1000.0);
    }
}
