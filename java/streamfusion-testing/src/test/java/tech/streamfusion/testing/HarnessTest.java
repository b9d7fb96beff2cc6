package tech.streamfusion.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static tech.streamfusion.testing.Parity.change;
import static tech.streamfusion.testing.Parity.row;

import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;

/** The harness itself, on stock Flink alone: it sees what differs and nothing else. */
class HarnessTest {

    private static SideRun stock(Parity test) {
        SideRun run = new ScriptRunner(test, Map.of(Parity.ENABLED, "false")).run();
        if (run.failure != null) {
            throw new AssertionError(run.failure);
        }
        return run;
    }

    private static List<String> lines(SideRun run) {
        return run.sinks.get(0).stream().map(Change::toString).collect(Collectors.toList());
    }

    @Test
    void tellsSpecialValuesApart() {
        SideRun run =
                stock(
                        Parity.test()
                                .source(
                                        "t",
                                        "a DOUBLE, b STRING, c BYTES",
                                        row(0.0, "", new byte[0]),
                                        row(-0.0, null, null),
                                        row(Double.NaN, "é'", new byte[] {1, -1}))
                                .query("SELECT a, b, c FROM t"));
        assertThat(lines(run))
                .containsExactly(
                        "+I(0.0, '', 0x)", "+I(-0.0, NULL, NULL)", "+I(NaN, '\\u00e9\\u0027', 0x01ff)");
    }

    @Test
    void keepsRowKindsAndOrder() {
        SideRun run =
                stock(
                        Parity.test()
                                .source(
                                        "t",
                                        "a INT",
                                        row(1),
                                        change(RowKind.UPDATE_BEFORE, 1),
                                        change(RowKind.UPDATE_AFTER, 2),
                                        change(RowKind.DELETE, 2),
                                        row(3))
                                .query("SELECT a + 10 FROM t"));
        assertThat(lines(run)).containsExactly("+I(11)", "-U(11)", "+U(12)", "-D(12)", "+I(13)");
        assertThat(Comparisons.materialized(run.sinks.get(0))).containsExactly("(13) x1");
    }

    @Test
    void recordsWatermarksBetweenRows() {
        SideRun run =
                stock(
                        Parity.test()
                                .source(
                                        "t",
                                        "a INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND",
                                        row(1, LocalDateTime.of(1970, 1, 1, 0, 0, 5)),
                                        row(2, LocalDateTime.of(1970, 1, 1, 0, 0, 3)),
                                        row(3, LocalDateTime.of(1970, 1, 1, 0, 0, 9)))
                                .recordWatermarks()
                                .query("SELECT a, ts FROM t"));
        assertThat(lines(run))
                .containsExactly(
                        "+I(1, 5000ms0ns)",
                        "watermark 4000",
                        "+I(2, 3000ms0ns)",
                        "+I(3, 9000ms0ns)",
                        "watermark 8000",
                        "watermark " + Long.MAX_VALUE);
    }

    @Test
    void graphsOfTheSameScriptAreEqualAndOfAnotherAreNot() {
        Parity one = Parity.test().source("t", "a INT", row(1)).query("SELECT a + 1 FROM t WHERE a > 0");
        SideRun first = stock(one);
        SideRun second = stock(one);
        assertThat(second.streamGraph).isEqualTo(first.streamGraph).isNotEmpty();
        assertThat(second.jobGraph).isEqualTo(first.jobGraph).isNotEmpty();
        SideRun other = stock(Parity.test().source("t", "a INT", row(1)).query("SELECT DISTINCT a FROM t"));
        assertThat(other.streamGraph).isNotEqualTo(first.streamGraph);
        assertThat(other.jobGraph).isNotEqualTo(first.jobGraph);
    }

    @Test
    void findsTheNodesOfAPlan() {
        SideRun run = stock(Parity.test().source("t", "a INT", row(1)).query("SELECT a + 1 FROM t WHERE a > 0"));
        assertThat(run.nodes).containsExactly("Sink", "Calc", "TableSourceScan");
        assertThat(PlanNodes.nativeOnes(List.of("NativeSink", "NativeCalc", "TableSourceScan"))).containsExactly("Calc", "Sink");
    }

    @Test
    void reportsTheRootCauseOfAFailure() {
        SideRun run =
                new ScriptRunner(
                                Parity.test().source("t", "a INT", row(1), row(0)).query("SELECT 10 / a FROM t"),
                                Map.of(Parity.ENABLED, "false"))
                        .run();
        assertThat(run.rootCauseText()).isEqualTo("java.lang.ArithmeticException: / by zero");
    }

    @Test
    void differencesAreErrors() {
        assertThatThrownBy(() -> Comparisons.assertSameLines("rows", List.of("a", "b"), List.of("a", "c")))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("at 1");
    }

    @Test
    void aSharedPlanRunsAsTheScriptDoes() {
        Parity test =
                Parity.test()
                        .source("t", "a INT, b STRING", row(1, "x"), row(2, null), row(1, "y"))
                        .query("SELECT a, COUNT(b) FROM t GROUP BY a")
                        .query("SELECT b FROM t WHERE a > 1");
        SideRun alone = stock(test);
        try (SharedPlan plan = new SharedPlan(test)) {
            for (int i = 0; i < 2; i++) {
                SideRun shared = plan.run(Map.of(Parity.ENABLED, "false"), graph -> {});
                assertThat(shared.failure).isNull();
                assertThat(lines(shared)).containsExactly("+I(1, 1)", "+I(2, 0)", "-U(1, 1)", "+U(1, 2)");
                assertThat(shared.sinks).hasSize(2);
                assertThat(shared.streamGraph).isEqualTo(alone.streamGraph);
                assertThat(shared.jobGraph).isEqualTo(alone.jobGraph);
                assertThat(shared.nodes).isEqualTo(alone.nodes);
            }
        }
    }

    @Test
    void aScriptThatCannotBePlannedSaysSo() {
        try (Trial trial = Parity.test().source("t", "a INT", row(1)).query("SELECT a + FROM t").trial()) {
            assertThat(trial.stockFailure()).contains("ParseException", "Encountered");
            assertThat(trial.accelerated().kind()).isEqualTo(Outcome.Kind.NOT_PLANNED);
        }
    }
}
