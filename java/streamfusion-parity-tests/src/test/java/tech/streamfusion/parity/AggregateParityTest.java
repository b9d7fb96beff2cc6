package tech.streamfusion.parity;

import static org.apache.flink.types.RowKind.DELETE;
import static org.apache.flink.types.RowKind.INSERT;
import static org.apache.flink.types.RowKind.UPDATE_AFTER;
import static org.apache.flink.types.RowKind.UPDATE_BEFORE;
import static tech.streamfusion.testing.Parity.change;
import static tech.streamfusion.testing.Parity.row;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tech.streamfusion.testing.Parity;

/** GROUP BY without windows: the same changes in the same order as stock Flink. */
class AggregateParityTest {

    private static final String NUMBERS =
            "COUNT(*), COUNT(i), COUNT(a), COUNT(m), COUNT(r), COUNT(vb), SUM(ti), SUM(si), SUM(i), SUM(l), SUM(f), SUM(d), SUM(dc), SUM(dl), SUM(di), "
                    + "AVG(ti), AVG(si), AVG(i), AVG(l), AVG(f), AVG(d), AVG(dc), AVG(dl), AVG(di)";
    private static final String EXTREMES =
            "MIN(b), MAX(b), MIN(ti), MAX(ti), MIN(si), MAX(si), MIN(i), MAX(i), MIN(l), MAX(l), MIN(f), MAX(f), "
                    + "MIN(d), MAX(d), MIN(dc), MAX(dc), MIN(dl), MAX(dl), MIN(di), MAX(di), MIN(c), MAX(c), MIN(s), MAX(s), "
                    + "MIN(v), MAX(v), MIN(dt), MAX(dt), MIN(tm), MAX(tm), MIN(ts), MAX(ts), MIN(ts6), MAX(ts6), "
                    + "MIN(ts9), MAX(ts9), MIN(ts0), MAX(ts0), MIN(lz), MAX(lz), MIN(lz9), MAX(lz9)";

    /** Rows that come, and of which two thirds go again, some as updates, while others come. */
    private static List<Row> retracting(List<Row> rows) {
        List<Row> out = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            out.add(rows.get(i));
            if (i % 3 == 2) {
                out.add(withKind(DELETE, rows.get(i - 1)));
            }
            if (i % 30 == 29) {
                for (int k = i - 29; k <= i; k += 3) {
                    out.add(withKind(k % 2 == 0 ? UPDATE_BEFORE : DELETE, rows.get(k)));
                    out.add(withKind(k % 2 == 0 ? UPDATE_AFTER : INSERT, rows.get((k + 7) % rows.size())));
                }
            }
        }
        return out;
    }

    private static Row withKind(RowKind kind, Row row) {
        Row copy = Row.copy(row);
        copy.setKind(kind);
        return copy;
    }

    /** What all tests start from; subclasses say where state is. */
    Parity test() {
        return Parity.test();
    }

    private Parity allTypes(boolean retracts) {
        List<Row> rows = AllTypes.rows();
        return test().source("t", AllTypes.COLUMNS, retracts ? retracting(rows) : rows);
    }

    private static List<Row> numbers(int n) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            rows.add(row(i % 7, i % 5 == 0 ? null : "s" + i % 11, i % 13 == 0 ? null : (long) (i * 31 % 17)));
        }
        return rows;
    }

    private static final String COLUMNS = "k INT, s STRING, n BIGINT";

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void numbersOfEveryType(boolean retracts) {
        allTypes(retracts)
                .query("SELECT b2, " + NUMBERS + " FROM t GROUP BY b2")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void extremesOfEveryType(boolean retracts) {
        allTypes(retracts)
                .query("SELECT b2, " + EXTREMES + " FROM t GROUP BY b2")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void distinctValuesOfEveryType(boolean retracts) {
        StringBuilder counts = new StringBuilder();
        for (String column :
                "b ti si i l f d dc dl di c s v dt tm ts ts6 ts9 ts0 lz lz9".split(" ")) {
            counts.append(", COUNT(DISTINCT ").append(column).append(")");
        }
        allTypes(retracts)
                .query("SELECT b2" + counts + ", SUM(DISTINCT dc), AVG(DISTINCT i), SUM(DISTINCT d) FROM t GROUP BY b2")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @Test
    void keysOfEveryType() {
        Parity test = allTypes(true);
        for (String keys :
                new String[] {
                    "b", "ti", "si", "i", "l", "f", "d", "dc", "dl", "di", "c", "s", "v", "bn", "vb", "dt", "tm", "ts", "ts6", "ts9",
                    "lz", "lz9", "a", "r", "b, i, s, dl, ts9, vb"
                }) {
            test.query("SELECT " + keys + ", COUNT(*), SUM(l), MAX(s) FROM t GROUP BY " + keys);
        }
        test.compare(Parity.Comparison.CHANGELOG).run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withoutKeys(boolean retracts) {
        List<Row> rows = numbers(500);
        test()
                .source("t", COLUMNS, retracts ? retracting(rows) : rows)
                .query("SELECT COUNT(*), COUNT(DISTINCT s), SUM(n), MIN(s), MAX(n), AVG(n) FROM t")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void filters(boolean retracts) {
        List<Row> rows = numbers(700);
        test()
                .source("t", COLUMNS, retracts ? retracting(rows) : rows)
                .query(
                        "SELECT k, COUNT(*) FILTER (WHERE n > 8), SUM(n) FILTER (WHERE s = 's3'), MIN(s) FILTER (WHERE n < 3), "
                                + "COUNT(DISTINCT s), COUNT(DISTINCT s) FILTER (WHERE n > 4), "
                                + "COUNT(DISTINCT n) FILTER (WHERE s IS NULL), SUM(DISTINCT n) FILTER (WHERE n > 10), COUNT(DISTINCT n) "
                                + "FROM t GROUP BY k")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @Test
    void firstAndLastValues() {
        StringBuilder calls = new StringBuilder();
        for (String column : "b ti si i l f d dc dl di c s v bn vb dt tm ts ts9 lz".split(" ")) {
            calls.append(", FIRST_VALUE(").append(column).append("), LAST_VALUE(").append(column).append(")");
        }
        allTypes(false)
                .query("SELECT b2" + calls + ", LAST_VALUE(s) FILTER (WHERE i > 0), COUNT(DISTINCT s) FROM t GROUP BY b2")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @Test
    void firstAndLastValuesThatGoAgain() {
        StringBuilder calls = new StringBuilder();
        for (String column : "b ti si i l f d dc dl di c s v dt tm ts ts6 ts9 lz lz9".split(" ")) {
            calls.append(", FIRST_VALUE(").append(column).append("), LAST_VALUE(").append(column).append(")");
        }
        allTypes(true)
                .query("SELECT b2" + calls + " FROM t GROUP BY b2")
                .query("SELECT LAST_VALUE(s) FILTER (WHERE i > 0), FIRST_VALUE(DISTINCT l), COUNT(DISTINCT s) FROM t")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void lists(boolean retracts) {
        List<Row> rows = numbers(400);
        test()
                .source("t", COLUMNS, retracts ? retracting(rows) : rows)
                .query(
                        "SELECT k, LISTAGG(s), LISTAGG(s, ' - '), LISTAGG(s, ''), LISTAGG(DISTINCT s), LISTAGG(s) FILTER (WHERE n > 5), "
                                + "LISTAGG(CAST(k AS CHAR(3))), MAX(n) FROM t GROUP BY k")
                .query("SELECT LISTAGG(s, ';'), COUNT(DISTINCT s) FROM t")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    /** Rows that are retracted before they come, and come later. */
    @Test
    void listsThatOweRows() {
        test()
                .source(
                        "t",
                        COLUMNS,
                        change(INSERT, 1, "a", 1L),
                        change(INSERT, 1, null, 1L),
                        change(DELETE, 1, "b", 1L),
                        change(INSERT, 1, "b", 1L),
                        change(INSERT, 1, "", 1L),
                        change(INSERT, 1, "a", 1L),
                        change(DELETE, 1, "a", 1L),
                        change(DELETE, 1, "", 1L),
                        change(DELETE, 1, "b", 1L),
                        change(INSERT, 1, null, 1L))
                .query("SELECT k, LISTAGG(s), LISTAGG(s, '|'), COUNT(*), FIRST_VALUE(s), LAST_VALUE(s) FROM t GROUP BY k")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void jsonArrays(boolean retracts) {
        List<Row> rows = numbers(400);
        test()
                .source("t", COLUMNS, retracts ? retracting(rows) : rows)
                .query(
                        "SELECT k, JSON_ARRAYAGG(s), JSON_ARRAYAGG(s NULL ON NULL), JSON_ARRAYAGG(n), JSON_ARRAYAGG(n NULL ON NULL),"
                                + " COUNT(*) FROM t GROUP BY k")
                .query("SELECT JSON_ARRAYAGG(k) FROM t")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    /** Names that need escapes, and whose order is another in UTF-8 than in UTF-16. */
    @Test
    void jsonObjects() {
        List<Row> rows = new ArrayList<>();
        String[] names = {"b", "a", "", "\uE000x", "\uD83D\uDE00x", "\uFFFD", "\u00E9", "q\"\\/", "\u0000\u0001\b\t\n\f\r\u001F\u007F", "ab"};
        for (int i = 0; i < 60; i++) {
            rows.add(change(INSERT, i % 6, names[i / 6], i % 4 == 0 ? null : (long) i));
        }
        for (int i = 0; i < 20; i++) {
            rows.add(change(UPDATE_BEFORE, i % 6, names[i / 6], i % 4 == 0 ? null : (long) i));
            rows.add(change(UPDATE_AFTER, i % 6, names[i / 6], i % 3 == 0 ? null : (long) -i));
        }
        for (int i = 20; i < 40; i++) {
            rows.add(change(DELETE, i % 6, names[i / 6], i % 4 == 0 ? null : (long) i));
        }
        test()
                .source("t", COLUMNS, rows)
                .query("SELECT k, JSON_OBJECTAGG(KEY s VALUE n), JSON_OBJECTAGG(KEY s VALUE n ABSENT ON NULL), SUM(n) FROM t GROUP BY k")
                .query("SELECT k, JSON_OBJECTAGG(KEY s || '?' VALUE s || '!'), COUNT(*) FROM t GROUP BY k")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @Test
    void jsonObjectsWithAKeyTwice() {
        test()
                .source("t", COLUMNS, change(INSERT, 1, "a", 1L), change(INSERT, 1, "b", null), change(INSERT, 1, "b", 2L))
                .query("SELECT k, JSON_OBJECTAGG(KEY s VALUE n) FROM t GROUP BY k")
                .compare(Parity.Comparison.FAILURE_ALONE)
                .expectNative("Calc", "Exchange", "GroupAggregate")
                .runFailing();
    }

    @Test
    void singleValues() {
        StringBuilder calls = new StringBuilder();
        for (String column : "b ti si i l f d dc dl di c s dt tm ts ts6 ts9 lz lz9".split(" ")) {
            calls.append(", SINGLE_VALUE(").append(column).append(")");
        }
        test()
                .source("t", AllTypes.COLUMNS, AllTypes.rows().subList(0, 1))
                .query("SELECT b2" + calls + " FROM t GROUP BY b2")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
        test()
                .source("t", COLUMNS, change(INSERT, 1, "a", 1L), change(DELETE, 1, "a", 1L), change(INSERT, 1, null, 3L))
                .query("SELECT k, SINGLE_VALUE(s), SINGLE_VALUE(n) FROM t GROUP BY k")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @Test
    void singleValuesThatAreNot() {
        test()
                .source("t", COLUMNS, numbers(20))
                .query("SELECT k, SINGLE_VALUE(s) FROM t GROUP BY k")
                .compare(Parity.Comparison.FAILURE_ALONE)
                .expectNative("Calc", "Exchange", "GroupAggregate")
                .runFailing();
    }

    /** COUNT(*) and others of a key come only with other columns of the aggregate. */
    @Test
    void onlyKeys() {
        test()
                .source("t", COLUMNS, retracting(numbers(300)))
                .query("SELECT DISTINCT k, s FROM t")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @Test
    void withoutUpdateBefore() {
        test()
                .source("t", COLUMNS, retracting(numbers(500)))
                .query("SELECT k, COUNT(*), SUM(n), MAX(s) FROM t GROUP BY k", "k INT, c BIGINT, n BIGINT, s STRING, PRIMARY KEY (k) NOT ENFORCED")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    /** With time to live unchanged values are emitted as well. */
    @Test
    void timeToLive() {
        test()
                .source("t", COLUMNS, retracting(numbers(500)))
                .option("table.exec.state.ttl", "1 d")
                .query("SELECT k, COUNT(*), COUNT(DISTINCT s), SUM(n), MAX(s) FROM t GROUP BY k")
                .query("SELECT s, MIN(k), MAX(k) FROM t GROUP BY s")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @Test
    void aggregatesOfAggregates() {
        test()
                .source("t", COLUMNS, numbers(800))
                .query(
                        "SELECT c, COUNT(*), SUM(m), MAX(k), MIN(a), COUNT(DISTINCT k) FROM ("
                                + "SELECT k, COUNT(DISTINCT s) AS c, MAX(n) AS m, AVG(n) AS a FROM t GROUP BY k) GROUP BY c")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @Test
    void sumsThatOverflow() {
        BigDecimal large = new BigDecimal("99999999999999999999999999999999999999");
        test()
                .source(
                        "t",
                        "k INT, ti TINYINT, l BIGINT, dc DECIMAL(38, 0)",
                        change(INSERT, 1, (byte) 100, Long.MAX_VALUE, large),
                        change(INSERT, 1, (byte) 100, 1L, BigDecimal.ONE),
                        change(INSERT, 1, (byte) 1, 1L, BigDecimal.TEN),
                        change(DELETE, 1, (byte) 100, Long.MAX_VALUE, large),
                        change(INSERT, 1, null, null, null),
                        change(DELETE, 1, (byte) 100, 1L, BigDecimal.ONE))
                .query("SELECT k, SUM(ti), AVG(ti), SUM(l), AVG(l), SUM(dc), AVG(dc) FROM t GROUP BY k")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    /**
     * The source appends only: a retraction that another reader of the source emits may come before what it retracts, and then
     * counts for nothing. Those of the inner query come behind it, in the same channel.
     */
    @Test
    void severalTasks() {
        test()
                .source("t", COLUMNS, numbers(2000))
                .parallelism(3)
                .compare(Parity.Comparison.MATERIALIZED)
                .query("SELECT s, n, COUNT(*), SUM(k), COUNT(DISTINCT k), MAX(k) FROM t GROUP BY s, n")
                .query("SELECT c, COUNT(*), SUM(k), MIN(k) FROM (SELECT k, COUNT(*) AS c FROM t GROUP BY k) GROUP BY c")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void behindANativeExchange(int parallelism) {
        test()
                .source("t", COLUMNS, numbers(2000))
                .parallelism(parallelism)
                .compare(Parity.Comparison.MATERIALIZED)
                .query("SELECT u, COUNT(*), SUM(k), MAX(n) FROM (SELECT UPPER(s) AS u, k, n FROM t) GROUP BY u")
                .expectNative("Calc", "Exchange", "GroupAggregate")
                .run();
    }

    @Test
    void allRowsBehindANativeExchange() {
        test()
                .source("t", COLUMNS, numbers(2000))
                .parallelism(3)
                .compare(Parity.Comparison.MATERIALIZED)
                .query("SELECT COUNT(*), SUM(m), MIN(m) FROM (SELECT k * 2 AS m FROM t WHERE n IS NOT NULL)")
                .expectNative("Calc", "Exchange", "GroupAggregate")
                .run();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void objectReuse(boolean reuse) {
        test()
                .source("t", COLUMNS, retracting(numbers(600)))
                .objectReuse(reuse)
                .query("SELECT c + 1, m || '!' FROM (SELECT k, COUNT(*) AS c, MAX(s) AS m FROM t GROUP BY k)")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @Test
    void watermarksKeepTheirPlace() {
        test()
                .source("t", "k INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts", AllTimes.rows(300))
                .recordWatermarks()
                .query("SELECT k, COUNT(*), MAX(CAST(ts AS STRING)) FROM t GROUP BY k")
                .run(Parity.NodesCheck.ALL_AGGREGATES);
    }

    @Test
    void whatIsNotCovered() {
        List<Row> rows = numbers(200);
        test()
                .source("t", COLUMNS, rows)
                .option("table.exec.async-state.enabled", "true")
                .query("SELECT k, COUNT(*), SUM(n) FROM t GROUP BY k")
                .expectNative("Calc")
                .run();
        test()
                .source("t", COLUMNS, rows)
                .query("SELECT k, COUNT(*), COLLECT(s) FROM t GROUP BY k")
                .expectNative("Calc")
                .run();
    }

    /** Rows with ascending times. */
    private static final class AllTimes {

        static List<Row> rows(int n) {
            List<Row> rows = new ArrayList<>();
            for (int i = 0; i < n; i++) {
                rows.add(row(i % 5, java.time.LocalDateTime.of(2026, 1, 1, 0, 0).plusSeconds(i)));
            }
            return rows;
        }
    }
}
