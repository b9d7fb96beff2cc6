package tech.streamfusion.parity;

import static org.apache.flink.types.RowKind.DELETE;
import static org.apache.flink.types.RowKind.INSERT;
import static org.apache.flink.types.RowKind.UPDATE_AFTER;
import static org.apache.flink.types.RowKind.UPDATE_BEFORE;
import static tech.streamfusion.testing.Parity.change;
import static tech.streamfusion.testing.Parity.row;

import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tech.streamfusion.testing.Parity;

/**
 * Aggregates in mini-batches: the same changes in the same order as stock Flink. Bundles end by size alone: their time is longer
 * than a test.
 */
class MiniBatchParityTest {

    private static final String COLUMNS = "k INT, s STRING, n BIGINT";
    private static final String CALLS =
            "COUNT(*), COUNT(s), COUNT(DISTINCT s), SUM(n), AVG(n), MIN(s), MAX(n), COUNT(*) FILTER (WHERE n > 8)";

    private static Parity singlePhase(Parity test, int size) {
        return miniBatches(test, size).option("table.optimizer.agg-phase-strategy", "ONE_PHASE");
    }

    private static Parity miniBatches(Parity test, int size) {
        return test.option("table.exec.mini-batch.enabled", "true")
                .option("table.exec.mini-batch.allow-latency", "1000 h")
                .option("table.exec.mini-batch.size", String.valueOf(size));
    }

    /** Rows of {@code keys} keys, of which a part goes again, some as updates, while others come. */
    private static List<Row> rows(int n, int keys, boolean retracts) {
        List<Row> out = new ArrayList<>();
        List<Row> there = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            Row row = row(i * 7919 % keys, i % 5 == 0 ? null : "s" + i % 11, i % 13 == 0 ? null : (long) (i * 31 % 17));
            out.add(row);
            there.add(row);
            if (retracts && i % 3 == 2) {
                out.add(withKind(DELETE, there.remove(i * 17 % there.size())));
            }
            if (retracts && i % 7 == 6) {
                out.add(withKind(UPDATE_BEFORE, there.remove(i * 13 % there.size())));
                Row update = row(i % keys, "u" + i % 3, (long) i);
                out.add(withKind(UPDATE_AFTER, update));
                there.add(update);
            }
        }
        return out;
    }

    private static Row withKind(RowKind kind, Row row) {
        Row copy = Row.copy(row);
        copy.setKind(kind);
        return copy;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 100, 5000})
    void bundlesOfEverySize(int size) {
        for (boolean retracts : new boolean[] {false, true}) {
            singlePhase(Parity.test().source("t", COLUMNS, rows(600, 40, retracts)), size)
                    .query("SELECT k, " + CALLS + " FROM t GROUP BY k")
                    .query("SELECT " + CALLS + " FROM t")
                    .query("SELECT s, n, COUNT(*) FROM t GROUP BY s, n")
                    .run(Parity.NodesCheck.ALL_AGGREGATES);
        }
    }

    /** More keys than the first tables have room for: the order of a HashMap that grows and stays large. */
    @Test
    void manyKeys() {
        List<Row> rows = rows(3000, 1500, true);
        rows.addAll(rows(300, 9, false));
        singlePhase(Parity.test().source("t", COLUMNS, rows), 700)
                .query("SELECT k, " + CALLS + " FROM t GROUP BY k")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keysAndResultsOfEveryType(boolean retracts) {
        Parity test = Parity.test().source("t", AllTypes.COLUMNS, AllTypes.rows());
        String functions = retracts ? "COUNT(x), MAX(x), MIN(x)" : "MIN(x), MAX(x), COUNT(DISTINCT x)";
        for (String column : "b ti si i l f d dc dl di c s v dt tm ts ts6 ts9 lz lz9".split(" ")) {
            test.query(
                    "SELECT " + column + ", " + functions.replace("x", column) + " FROM t GROUP BY " + column + ", b2");
        }
        singlePhase(test, 10).run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @Test
    void timeToLiveAndUpsert() {
        singlePhase(Parity.test().source("t", COLUMNS, rows(500, 20, true)), 30)
                .option("table.exec.state.ttl", "1 h")
                .upsertSinks()
                .query("SELECT k, " + CALLS + " FROM t GROUP BY k")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void listsAndFirstValues(boolean retracts) {
        singlePhase(Parity.test().source("t", COLUMNS, rows(600, 40, retracts)), 50)
                .query("SELECT k, LISTAGG(s), LISTAGG(s, '|'), FIRST_VALUE(n), LAST_VALUE(s), COUNT(*) FROM t GROUP BY k")
                .query("SELECT k, JSON_ARRAYAGG(s NULL ON NULL), MAX(n) FROM t GROUP BY k")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @Test
    void listsInTwoPhases() {
        twoPhases(Parity.test().source("t", COLUMNS, rows(600, 40, false)), 50)
                .query("SELECT k, LISTAGG(s), LISTAGG(s, '|'), MAX(n), LISTAGG(s, '-') FILTER (WHERE n > 4) FROM t GROUP BY k")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    /** Where all rows of a key are to be retracted, and it has none, Flink forgets the keys of the bundle that follow. */
    @Test
    void retractionsOfUnknownKeys() {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            rows.add(change(INSERT, i, "s" + i, (long) i));
            if (i % 10 == 9) {
                rows.add(change(DELETE, 1000 + i, "x", 1L));
                rows.add(change(DELETE, 1000 + i, "y", 1L));
            }
            if (i % 10 == 4) {
                rows.add(change(DELETE, 2000 + i, "x", 1L));
                rows.add(change(INSERT, 2000 + i, "y", 1L));
            }
        }
        singlePhase(Parity.test().source("t", COLUMNS, rows), 14)
                .query("SELECT k, COUNT(*), MAX(s) FROM t GROUP BY k")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    /** What wants watermarks behind it gets those that end a bundle, no others. */
    @Test
    void rowTime() {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            rows.add(row(i % 9, (long) i, LocalDateTime.of(2026, 1, 1, 0, 0).plusNanos(i * 37_000_000L)));
        }
        miniBatches(
                        Parity.test()
                                .source("t", "k INT, n BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '0.1' SECOND", rows),
                        1000)
                .option("table.exec.mini-batch.allow-latency", "1 s")
                .recordWatermarks()
                .query("SELECT k, SUM(n) OVER (PARTITION BY k ORDER BY ts) FROM t")
                .expectNative("Calc", "MiniBatchAssigner", "WatermarkAssigner")
                .run();
    }

    /** Bundles of a few milliseconds: which rows share one is a matter of time, what is left in the end is not. */
    @Test
    void processingTime() {
        singlePhase(Parity.test().source("t", COLUMNS, rows(3000, 40, true)), 5000)
                .option("table.exec.mini-batch.allow-latency", "2 ms")
                .query("SELECT k, " + CALLS + " FROM t GROUP BY k")
                .compare(Parity.Comparison.MATERIALIZED)
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    // ---- two phases ----

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 50, 5000})
    void twoPhases(int size) {
        for (boolean retracts : new boolean[] {false, true}) {
            twoPhases(Parity.test().source("t", COLUMNS, rows(600, 40, retracts)), size)
                    .query("SELECT k, COUNT(*), COUNT(s), SUM(n), AVG(n), MIN(s), MAX(n), COUNT(*) FILTER (WHERE n > 8) FROM t GROUP BY k")
                    .query("SELECT COUNT(*), SUM(n), MIN(s), MAX(n) FROM t")
                    .query("SELECT s, n, COUNT(*) FROM t GROUP BY s, n")
                    .query("SELECT s FROM t GROUP BY s")
                    .run(Parity.NodesCheck.ALL_AGGREGATES);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void distinctInTwoPhases(boolean retracts) {
        twoPhases(Parity.test().source("t", COLUMNS, rows(900, 30, retracts)), 70)
                .query("SELECT k, " + CALLS + " FROM t GROUP BY k")
                .query("SELECT k, COUNT(DISTINCT s), COUNT(DISTINCT s) FILTER (WHERE n > 4), COUNT(DISTINCT n) FILTER (WHERE s IS NULL), "
                        + "SUM(DISTINCT n) FILTER (WHERE n > 10), COUNT(DISTINCT n), AVG(DISTINCT n) FROM t GROUP BY k")
                .query("SELECT " + CALLS + " FROM t")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyTypeInTwoPhases(boolean retracts) {
        List<Row> rows = new ArrayList<>(AllTypes.rows());
        if (retracts) {
            for (Row row : AllTypes.rows().subList(3, 20)) {
                rows.add(withKind(DELETE, row));
            }
        }
        Parity test = Parity.test().source("t", AllTypes.COLUMNS, rows);
        String types = "b ti si i l f d dc dl di c s v dt tm ts ts6 ts9 lz lz9";
        test.query("SELECT b2" + calls("MIN(x), MAX(x), COUNT(x)", types) + " FROM t GROUP BY b2");
        test.query("SELECT b2" + calls("COUNT(DISTINCT x)", types) + " FROM t GROUP BY b2");
        test.query("SELECT b" + calls("SUM(x), AVG(x)", "ti si i l f d dc dl di") + " FROM t GROUP BY b");
        twoPhases(test, 11).run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    private static String calls(String functions, String columns) {
        StringBuilder out = new StringBuilder();
        for (String column : columns.split(" ")) {
            out.append(", ").append(functions.replace("x", column));
        }
        return out.toString();
    }

    /** The values of a DISTINCT come in the order of a Java map, on which such a sum depends. */
    @Test
    void distinctSumsOfDoublesStayWithFlink() {
        twoPhases(Parity.test().source("t", "k INT, d DOUBLE", row(1, 0.1), row(1, 0.2)), 11)
                .query("SELECT k, SUM(DISTINCT d) FROM t GROUP BY k")
                .expectNative("MiniBatchAssigner")
                .run();
    }

    @Test
    void twoPhasesWithTimeToLiveInParallel() {
        for (int parallelism = 1; parallelism <= 2; parallelism++) {
            boolean retracts = parallelism == 1; // two readers of a source may overtake each other
            twoPhases(Parity.test().source("t", COLUMNS, rows(2000, 100, retracts)), 64)
                    .option("table.exec.state.ttl", "1 h")
                    .parallelism(parallelism)
                    .query("SELECT k, " + CALLS + " FROM t GROUP BY k")
                    .compare(parallelism == 1 ? Parity.Comparison.CHANGELOG : Parity.Comparison.MATERIALIZED)
                    .run(Parity.NodesCheck.ALL_AGGREGATES);
        }
    }

    /** Maps travel in a form that only native nodes know: without one of them the others stay stock as well. */
    @Test
    void mapsNeedNativeNodesOnBothSides() {
        twoPhases(Parity.test().source("t", COLUMNS, rows(300, 10, false)), 20)
                .acceleratedOption("streamfusion.operator.global-group-aggregate.enabled", "false")
                .query("SELECT k, COUNT(DISTINCT s) FROM t GROUP BY k")
                .query("SELECT k, COUNT(s) FROM t GROUP BY k")
                .expectNative("Calc", "LocalGroupAggregate", "MiniBatchAssigner")
                .run();
        twoPhases(Parity.test().source("t", COLUMNS, rows(300, 10, false)), 20)
                .acceleratedOption("streamfusion.operator.local-group-aggregate.enabled", "false")
                .query("SELECT k, COUNT(DISTINCT s) FROM t GROUP BY k")
                .query("SELECT k, COUNT(s) FROM t GROUP BY k")
                .expectNative("Calc", "GlobalGroupAggregate", "MiniBatchAssigner")
                .run();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void inRocksDb(boolean retracts) {
        for (String phases : new String[] {"ONE_PHASE", "TWO_PHASE"}) {
            miniBatches(Parity.test().source("t", COLUMNS, rows(900, 30, retracts)), 70)
                    .option("table.optimizer.agg-phase-strategy", phases)
                    .option("table.optimizer.distinct-agg.split.enabled", "true")
                    .option("state.backend.type", "rocksdb")
                    .query("SELECT k, COUNT(*), SUM(n), MIN(s), MAX(n) FROM t GROUP BY k")
                    .query("SELECT k, COUNT(DISTINCT s), COUNT(DISTINCT s) FILTER (WHERE n > 4), COUNT(DISTINCT n), MAX(s) FROM t GROUP BY k")
                    .run(Parity.NodesCheck.ALL_AGGREGATES);
        }
    }

    /** Flink's planner makes sums of them. */
    @Test
    void deviations() {
        Parity.test()
                .source("t", COLUMNS, rows(300, 12, true))
                .query("SELECT k, STDDEV_POP(n), STDDEV_SAMP(n), VAR_POP(n), VAR_SAMP(n) FROM t GROUP BY k")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    // ---- DISTINCT that is split, and grouping sets ----

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void splitDistinct(boolean retracts) {
        for (String incremental : new String[] {"true", "false"}) {
            twoPhases(Parity.test().source("t", COLUMNS, rows(900, 30, retracts)), 70)
                    .option("table.optimizer.distinct-agg.split.enabled", "true")
                    .option("table.optimizer.incremental-agg-enabled", incremental)
                    .query("SELECT k, COUNT(*), COUNT(DISTINCT s), SUM(n), AVG(n), MIN(s), MAX(n), COUNT(*) FILTER (WHERE n > 8) FROM t "
                            + "GROUP BY k")
                    .query("SELECT COUNT(DISTINCT s), COUNT(DISTINCT n), SUM(n), MAX(s) FROM t")
                    .query("SELECT k, COUNT(DISTINCT s), COUNT(DISTINCT s) FILTER (WHERE n > 4), COUNT(DISTINCT n), SUM(DISTINCT n) "
                            + "FROM t GROUP BY k")
                    .run(Parity.NodesCheck.ALL_AGGREGATES);
        }
    }

    /** The order in which partial sums are added shows in the last digits. */
    @Test
    void splitDistinctBesidesSumsOfDoubles() {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 800; i++) {
            rows.add(row(i % 5, "s" + i * 31 % 97, 1.0 / (1 + i % 113)));
        }
        twoPhases(Parity.test().source("t", "k INT, s STRING, d DOUBLE", rows), 170)
                .option("table.optimizer.distinct-agg.split.enabled", "true")
                .query("SELECT k, COUNT(DISTINCT s), SUM(d), AVG(d) FROM t GROUP BY k")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void groupingSets(boolean retracts) {
        Parity.test()
                .source("t", COLUMNS, rows(300, 12, retracts))
                .query("SELECT k, s, COUNT(*), SUM(n), GROUPING(k), GROUPING_ID(k, s) FROM t GROUP BY GROUPING SETS ((k), (s), (k, s), ())")
                .query("SELECT k, s, n, COUNT(*), COUNT(DISTINCT n) FROM t GROUP BY CUBE (k, s, n)")
                .query("SELECT k, n, MAX(s), COUNT(k) FROM t GROUP BY ROLLUP (k, n)")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @Test
    void groupingSetsOfEveryType() {
        Parity.test()
                .source("t", AllTypes.COLUMNS, AllTypes.rows())
                .query("SELECT b, l, d, dc, dl, s, vb, dt, ts, ts9, lz, a, r, COUNT(*) FROM t "
                        + "GROUP BY GROUPING SETS ((b, l, d, dc, a), (dl, s, vb, r), (dt, ts, ts9, lz), ())")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    private static Parity twoPhases(Parity test, int size) {
        return miniBatches(test, size).option("table.optimizer.agg-phase-strategy", "TWO_PHASE");
    }
}
