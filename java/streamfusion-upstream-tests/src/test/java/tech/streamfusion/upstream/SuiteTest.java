package tech.streamfusion.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tech.streamfusion.planner.FallbackReason;
import tech.streamfusion.planner.PlanningReport;

/** That the suite cannot pass over what goes wrong. */
class SuiteTest {

    private static final String PREFIX = Samples.class.getName() + "$";
    private static final String FAILING = "failsOnce(int) / [2] 2";

    @TempDir Path directory;

    private final ByteArrayOutputStream output = new ByteArrayOutputStream();

    @Test
    void countsOutcomesBesideTheBaseline() throws Exception {
        assertThat(run("sample," + PREFIX + "Mixed,5,2,1", "", "Samples$Mixed")).isFalse();
        JsonNode total = report().get("total");
        assertThat(total.get("passed").asInt()).isEqualTo(2);
        assertThat(total.get("failed").asInt()).isEqualTo(1);
        assertThat(total.get("skipped").asInt()).isEqualTo(2);
        assertThat(total.get("stockPassed").asInt()).isEqualTo(3);
        assertThat(output.toString(StandardCharsets.UTF_8)).contains("FAILED " + FAILING).contains("2 passed, 1 failed");
    }

    @Test
    void listedFailuresDoNotCount() throws Exception {
        String known = PREFIX + "Mixed | " + FAILING + " | NAMES | asserts a name";
        assertThat(run("sample," + PREFIX + "Mixed,5,2,1", known, "Samples$Mixed")).isTrue();
        assertThat(report().get("total").get("known").asInt()).isEqualTo(1);
    }

    @Test
    void testsThatDidNotRunCount() throws Exception {
        assertThat(run("sample," + PREFIX + "Passing,3,0,1", "", "Samples$Passing")).isFalse();
    }

    @Test
    void aClassThatCannotStartFails() throws Exception {
        assertThat(run("sample," + PREFIX + "NotStarting,1,0,1", "", "Samples$NotStarting")).isFalse();
        assertThat(output.toString(StandardCharsets.UTF_8)).contains("no cluster");
    }

    @Test
    void aCrashCostsOneClass() throws Exception {
        String baseline = "sample," + PREFIX + "Crashing,1,0,1\nsample," + PREFIX + "Passing,2,0,1";
        assertThat(run(baseline, "", "sample")).isFalse();
        JsonNode total = report().get("total");
        assertThat(total.get("passed").asInt()).isEqualTo(2);
        assertThat(total.get("failed").asInt()).isEqualTo(1);
        assertThat(output.toString(StandardCharsets.UTF_8)).contains("ended with code 3");
    }

    @Test
    void aClassThatHangsIsStopped() throws Exception {
        String baseline = "sample," + PREFIX + "Hanging,1,0,0\nsample," + PREFIX + "Passing,2,0,60";
        assertThat(run(baseline, "", "sample", "--class-timeout", "2")).isFalse();
        assertThat(report().get("total").get("passed").asInt()).isEqualTo(2);
        assertThat(output.toString(StandardCharsets.UTF_8)).contains("did not end within 2 s");
        assertThat(Files.readString(directory.resolve("reports/output.log"))).contains("Full thread dump");
    }

    @Test
    void aClassThatLostARaceIsRepeated() throws Exception {
        String baseline = "sample," + PREFIX + "Racing,1,0,1\nsample," + PREFIX + "Passing,2,0,1";
        assertThat(run(baseline, "", "sample")).isTrue();
        assertThat(report().get("total").get("passed").asInt()).isEqualTo(3);
        assertThat(output.toString(StandardCharsets.UTF_8)).contains("Racing is to be repeated");
    }

    @Test
    void singleMethodsAreNotComparedWithTheWholeClass() throws Exception {
        assertThat(run("sample," + PREFIX + "Mixed,5,2,1", "", "Samples$Mixed#passes")).isTrue();
        assertThat(report().get("total").get("passed").asInt()).isEqualTo(1);
    }

    @Test
    void goingOnLeavesOutWhatHasEnded() throws Exception {
        String baseline = "sample," + PREFIX + "Crashing,1,0,1\nsample," + PREFIX + "Passing,2,0,1";
        run(baseline, "", "Samples$Passing");
        assertThat(run(baseline, "", "sample", "--continue")).isFalse();
        assertThat(output.toString(StandardCharsets.UTF_8)).contains("1 classes to run");
        assertThat(report().get("total").get("passed").asInt()).isEqualTo(2);
    }

    @Test
    void unknownWordsAreRefused() {
        assertThatThrownBy(() -> run("sample," + PREFIX + "Mixed,5,2,1", "", "Mixt"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Mixt");
    }

    @Test
    void plansAreCountedByKindAndReason() throws IOException {
        Path events = directory.resolve("events.jsonl");
        try (TestEvents out = new TestEvents(events)) {
            out.start("a.B");
            FallbackReason.Rule rule = FallbackReason.Rule.NEIGHBOUR;
            TestEvents.plan(
                    new PlanningReport(
                            List.of("NativeCalc", "NativeCalc"),
                            List.of(
                                    new FallbackReason("Calc[3]", rule, "Sort[4] takes rows"),
                                    new FallbackReason("Calc[7]", rule, "Sort[9] takes rows"))));
            out.end(1);
        }
        Results results = new Results(events);
        assertThat(results.poll()).hasSize(1);
        assertThat(results.classes().get(0).stockNodes).containsEntry("Calc: neighbour: Sort takes rows", 2);
    }

    private boolean run(String baseline, String known, String... arguments) throws IOException, InterruptedException {
        Files.createDirectories(directory.resolve("baseline"));
        Files.createDirectories(directory.resolve("target/work"));
        Files.writeString(directory.resolve("baseline/stock.csv"), baseline + "\n");
        Files.writeString(directory.resolve("baseline/known-tests.txt"), known + "\n");
        SuiteOptions options = SuiteOptions.parse(arguments);
        options.useModule(directory);
        options.reports = directory.resolve("reports");
        return Suite.of(options, new PrintStream(output, true, StandardCharsets.UTF_8)).run();
    }

    private JsonNode report() throws IOException {
        return new ObjectMapper().readTree(directory.resolve("reports/report.json").toFile());
    }
}
