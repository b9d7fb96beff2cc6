package tech.streamfusion.parity;

import static org.apache.flink.types.RowKind.DELETE;
import static org.apache.flink.types.RowKind.INSERT;
import static org.apache.flink.types.RowKind.UPDATE_AFTER;
import static org.apache.flink.types.RowKind.UPDATE_BEFORE;
import static org.assertj.core.api.Assertions.assertThat;
import static tech.streamfusion.testing.Parity.change;
import static tech.streamfusion.testing.Parity.row;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tech.streamfusion.testing.Parity;
import tech.streamfusion.testing.ParityResult;

/**
 * Batches that cross from task to task, behind UNION ALL above all. Flink's optimizer moves filters and projections in front
 * of a union; those of two readers stay behind it when equal parts of queries are optimised once.
 */
class UnionParityTest {

    private static final int ROWS = 3000;

    private static List<Row> rows(int seed) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            rows.add(row(i % 11 == seed ? null : i, i % 13 == seed ? null : "s" + seed + "-" + i % 17, (long) i * seed));
        }
        return rows;
    }

    private static Parity unions() {
        return Parity.test()
                .option("table.optimizer.reuse-optimize-block-with-digest-enabled", "true")
                .compare(Parity.Comparison.MATERIALIZED);
    }

    private static Parity test(String view) {
        return testOver("CREATE VIEW w AS " + view);
    }

    private static Parity testOver(String... views) {
        Parity test =
                unions()
                        .source("t", "k INT, s STRING, n BIGINT", rows(1))
                        .source("u", "k INT, s STRING, n BIGINT", rows(2))
                        .source("v", "k INT, s STRING, n BIGINT", rows(3));
        for (String view : views) {
            test.statement(view);
        }
        return test;
    }

    private static final String TWO = "SELECT k + 1 AS k, UPPER(s) AS s FROM t UNION ALL SELECT k * 2, s || '!' FROM u WHERE n > 50";

    @ParameterizedTest
    @CsvSource({"1,true", "1,false", "2,true", "2,false"})
    void twoInputs(int parallelism, boolean objectReuse) {
        test(TWO)
                .parallelism(parallelism)
                .objectReuse(objectReuse)
                .query("SELECT k, s || 'x' FROM w WHERE k > 7")
                .query("SELECT CHAR_LENGTH(s), k FROM w")
                .expectNative("Calc", "Calc", "Calc", "Calc", "Union")
                .run();
    }

    @ParameterizedTest
    @CsvSource({"1,true", "2,false"})
    void threeInputsWithDifferentNames(int parallelism, boolean objectReuse) {
        test(
                        "SELECT k + 1 AS k, s FROM t UNION ALL SELECT k * 2 AS twice, s || '!' AS other FROM u "
                                + "UNION ALL SELECT CAST(n AS INT), LOWER(s) FROM v WHERE n IS NOT NULL")
                .parallelism(parallelism)
                .objectReuse(objectReuse)
                .query("SELECT k, s || 'x' FROM w WHERE k > 7")
                .query("SELECT CHAR_LENGTH(s), k FROM w")
                .expectNative("Calc", "Calc", "Calc", "Calc", "Calc", "Union", "Union")
                .run();
    }

    @Test
    void unionOfUnions() {
        test(
                        "SELECT k + 1 AS k, s FROM ("
                                + TWO
                                + ") UNION ALL SELECT k - 1, s FROM (SELECT k, s || 'v' AS s FROM v UNION ALL SELECT k, REVERSE(s) FROM t)")
                .query("SELECT k, s || 'x' FROM w WHERE k > 7")
                .query("SELECT CHAR_LENGTH(s), k FROM w")
                .run(Parity.NodesCheck.ALL_CALCS);
    }

    /** A view over a view: both unions have a native reader of their own, and one feeds the other. */
    @Test
    void unionBehindAUnion() {
        ParityResult result =
                test(TWO)
                        .statement("CREATE VIEW x AS SELECT k, s FROM w UNION ALL SELECT k + 7, s || 'v' FROM v")
                        .query("SELECT k, s || 'x' FROM x WHERE k > 7")
                        .query("SELECT CHAR_LENGTH(s), k FROM x")
                        .query("SELECT k + 5, s || 'y' FROM w")
                        .run(Parity.NodesCheck.ALL_CALCS);
        assertThat(result.nodes()).filteredOn("NativeUnion"::equals).hasSize(2);
    }

    /** One Calc with a consumer in its own task and one in another. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void chainedAndSentOn(boolean objectReuse) {
        testOver(
                        "CREATE VIEW c AS SELECT k + 1 AS k, UPPER(s) AS s FROM t WHERE k > 3",
                        "CREATE VIEW w AS SELECT k, s || 'z' AS s FROM c UNION ALL SELECT k * 2, s || '!' FROM u WHERE n > 50")
                .objectReuse(objectReuse)
                .query("SELECT k, s || 'x' FROM w WHERE k > 7")
                .query("SELECT CHAR_LENGTH(s), k FROM w")
                .query("SELECT REVERSE(s), k FROM c")
                .run(Parity.NodesCheck.ALL_CALCS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rowKinds(boolean objectReuse) {
        Row[] changes = {
            change(INSERT, 1, "one", 10L),
            change(INSERT, 2, "two", 20L),
            change(UPDATE_BEFORE, 1, "one", 10L),
            change(UPDATE_AFTER, 1, "uno", 11L),
            change(DELETE, 2, "two", 20L),
        };
        unions()
                .source("t", "k INT, s STRING, n BIGINT", changes)
                .source("u", "k INT, s STRING, n BIGINT", row(5, "five", 50L), row(6, null, null))
                .statement("CREATE VIEW w AS SELECT k + 1 AS k, UPPER(s) AS s FROM t UNION ALL SELECT k * 2, s || '!' FROM u")
                .objectReuse(objectReuse)
                .query("SELECT k, s || 'x' FROM w")
                .query("SELECT CHAR_LENGTH(s), k FROM w")
                .expectNative("Calc", "Calc", "Calc", "Calc", "Union")
                .run();
    }

    /** One task at a time: what the network does to order shows. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void orderIsKeptWithoutChaining(boolean objectReuse) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 2 * ROWS; i++) {
            LocalDateTime time = LocalDateTime.ofInstant(Instant.ofEpochMilli(i * 7L - i % 5 * 100), ZoneOffset.UTC);
            rows.add(change(i % 3 == 2 ? DELETE : INSERT, i / 3, "s" + i % 17, time));
        }
        Parity.test()
                .source("t", "k INT, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '0.2' SECOND", rows)
                .option("pipeline.operator-chaining.enabled", "false")
                .objectReuse(objectReuse)
                .recordWatermarks()
                .query("SELECT k + 1, UPPER(s), ts FROM t WHERE k <> 77")
                .expectNative("Calc", "WatermarkAssigner")
                .run();
    }

    @ParameterizedTest
    @CsvSource({"10 ms,false", "10 ms,true"})
    void checkpoints(String interval, boolean unaligned) {
        test(TWO)
                .parallelism(2)
                .option("execution.checkpointing.interval", interval)
                .option("execution.checkpointing.unaligned.enabled", String.valueOf(unaligned))
                .query("SELECT k, s || 'x' FROM w WHERE k > 7")
                .query("SELECT CHAR_LENGTH(s), k FROM w")
                .expectNative("Calc", "Calc", "Calc", "Calc", "Union")
                .run();
    }

    /** A failure while records wait in the network frees all that is native. */
    @Test
    void failureBehindTheUnion() {
        unions()
                .source("t", "k INT, s STRING, n BIGINT", rows(1))
                .source("u", "k INT, s STRING, n BIGINT", row(0, "zero", 0L))
                .statement("CREATE VIEW w AS SELECT k + 0 AS k, UPPER(s) AS s FROM t WHERE k > 2 UNION ALL SELECT k * 2, s || '!' FROM u")
                .compare(Parity.Comparison.FAILURE_ALONE)
                .query("SELECT 10 / k, s FROM w")
                .query("SELECT CHAR_LENGTH(s), k FROM w")
                .expectNative("Calc", "Calc", "Calc", "Calc", "Union")
                .runFailing();
    }

    // ---- event time ----

    private static List<Row> timed(int n, long step, long start) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            LocalDateTime time = LocalDateTime.ofInstant(Instant.ofEpochMilli(start + i * step), ZoneOffset.UTC);
            rows.add(row(i % 5, time, (long) i));
        }
        return rows;
    }

    /**
     * No row is late in its own input, however the two interleave; a watermark that got past the slower input would drop some
     * of its rows.
     */
    @ParameterizedTest
    @CsvSource({"1,true,0 ms", "1,false,200 ms", "2,true,0 ms", "2,false,0 ms"})
    void windowsWaitForTheSlowestInput(int parallelism, boolean objectReuse, String interval) {
        String columns = "k INT, ts TIMESTAMP(3), n BIGINT, WATERMARK FOR ts AS ts";
        String window =
                "SELECT k, window_start, COUNT(*), SUM(n) FROM TABLE(TUMBLE("
                        + "(SELECT k * 2 AS k, ts, n FROM w WHERE n <> 13), DESCRIPTOR(ts), INTERVAL '2' SECOND))"
                        + " GROUP BY k, window_start, window_end";
        ParityResult result =
                unions()
                        .source("fast", columns, timed(300, 1000, 0))
                        .source("slow", columns, timed(6000, 50, 0))
                        .statement(
                                "CREATE VIEW w AS SELECT k + 1 AS k, ts, n FROM fast UNION ALL SELECT k, ts, n * 2 FROM slow WHERE k <> 3")
                        .parallelism(parallelism)
                        .objectReuse(objectReuse)
                        .option("pipeline.auto-watermark-interval", interval)
                        .query(window)
                        .query("SELECT k + 100, n FROM w WHERE n > 290")
                        .run(Parity.NodesCheck.ALL_CALCS);
        assertThat(result.nodes()).contains("NativeUnion");
    }

    /** The optimizer makes INTERSECT ALL and EXCEPT ALL of a union whose inputs mark their side, each with NULL for the other. */
    @ParameterizedTest
    @CsvSource({"INTERSECT ALL,1", "INTERSECT ALL,2", "EXCEPT ALL,1", "EXCEPT ALL,2"})
    void setOperations(String operation, int parallelism) {
        Parity.test()
                .source("t", "k INT, s STRING", row(1, "a"), row(1, "a"), row(2, null), row(3, "c"), row(1, "a"), row(2, null))
                .source("u", "k INT, s STRING", row(1, "a"), row(2, null), row(4, "d"), row(1, "a"))
                .parallelism(parallelism)
                .compare(Parity.Comparison.MATERIALIZED)
                .query("SELECT k, s FROM t " + operation + " SELECT k, s FROM u")
                .run(Parity.NodesCheck.ALL_CALCS);
    }
}
