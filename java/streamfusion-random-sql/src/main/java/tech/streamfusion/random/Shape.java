package tech.streamfusion.random;

import java.util.ArrayList;
import java.util.List;
import tech.streamfusion.testing.Parity.Comparison;

/**
 * A production of queries around others: a query with gaps {@code {0}}, {@code {1}} for subqueries with the columns that it
 * needs. A new operator comes under test with one more line of {@link #ALL}.
 */
final class Shape {

    /** What a shape demands of the tables below it. */
    enum Needs {
        ANYTHING,
        /** Rows in a known order. */
        ORDERED,
        /** Insertions in a known order. */
        INSERT_ONLY,
        /** Insertions in a known order, with a rowtime that the subquery hands on as {@code ts}. */
        EVENT_TIME,
        /** The same for both tables, with watermarks so late that no row is. */
        PATIENT_EVENT_TIME;

        /** @param ordered whether rows keep their order on the way to the sink */
        boolean areMetBy(Table first, Table second, boolean ordered) {
            switch (this) {
                case ANYTHING:
                    return true;
                case ORDERED:
                    return ordered;
                case INSERT_ONLY:
                    return first.isInsertOnly() && ordered;
                case EVENT_TIME:
                    return first.rowtime() != null && ordered;
                default:
                    return first.isPatient() && second.isPatient() && ordered;
            }
        }
    }

    private static final String WINDOWED = "SELECT k, window_start AS ws, COUNT(*) AS c, MAX(x) AS hi FROM TABLE(";
    private static final String OVER_ROWS =
            "COUNT(x) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS c, "
                    + "MAX(x) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS hi";
    private static final String BY_WINDOW = ") GROUP BY k, window_start, window_end";

    static final List<Shape> ALL =
            List.of(
                    shape(8, Needs.ANYTHING, Comparison.UNORDERED, "{0} UNION ALL {1}", "k SCALAR, x NUM, r ANY", "k SCALAR, x NUM, r ANY"),
                    shape(3, Needs.ANYTHING, Comparison.CHANGELOG, "SELECT k, COUNT(*) AS c, MIN(x) AS lo, MAX(x) AS hi FROM ({0}) GROUP BY k", "k SCALAR, x EXACT", "k SCALAR, c BIGINT, lo EXACT, hi EXACT"),
                    shape(2, Needs.ANYTHING, Comparison.CHANGELOG, "SELECT k, SUM(x) AS s FROM ({0}) GROUP BY k", "k INT, x EXACT", "k INT, s DECIMAL"),
                    shape(2, Needs.ORDERED, Comparison.CHANGELOG, "SELECT k, COUNT(DISTINCT x) AS c, COUNT(DISTINCT x) FILTER (WHERE y) AS d, FIRST_VALUE(x) AS a, LAST_VALUE(x) AS z FROM ({0}) GROUP BY k", "k INT, x SCALAR, y BOOL", "k INT, c BIGINT, d BIGINT, a SCALAR, z SCALAR"),
                    shape(1, Needs.ORDERED, Comparison.CHANGELOG, "SELECT k, LISTAGG(x) AS l, LISTAGG(x, '; ') AS m FROM ({0}) GROUP BY k", "k INT, x BMP", "k INT, l BMP, m BMP"),
                    shape(1, Needs.ORDERED, Comparison.CHANGELOG, "SELECT k, JSON_ARRAYAGG(x) AS l, JSON_ARRAYAGG(y NULL ON NULL) AS m FROM ({0}) GROUP BY k", "k INT, x BMP, y EXACT", "k INT, l BMP, m BMP"),
                    shape(1, Needs.ANYTHING, Comparison.CHANGELOG, "SELECT k, j, COUNT(*) AS c, MAX(x) AS hi FROM ({0}) GROUP BY GROUPING SETS ((k, j), (k), ())", "k INT, j SCALAR, x EXACT", "k INT, j SCALAR, c BIGINT, hi EXACT"),
                    shape(1, Needs.ANYTHING, Comparison.CHANGELOG, "SELECT DISTINCT k, x FROM ({0})", "k SCALAR, x INT", "k SCALAR, x INT"),
                    shape(2, Needs.ANYTHING, Comparison.MATERIALIZED, "SELECT a.k AS k, a.x AS x, b.x AS y FROM ({0}) a JOIN ({1}) b ON a.k = b.k", "k INT, x SCALAR", "k INT, x SCALAR, y SCALAR"),
                    shape(2, Needs.ANYTHING, Comparison.MATERIALIZED, "SELECT a.k AS k, a.x AS x, b.x AS y FROM ({0}) a LEFT JOIN ({1}) b ON a.k = b.k", "k BMP, x SCALAR", "k BMP, x SCALAR, y SCALAR"),
                    shape(1, Needs.ANYTHING, Comparison.MATERIALIZED, "SELECT k, x FROM ({0}) WHERE k IN (SELECT k FROM ({1}))", "k INT, x ANY", "k INT, x ANY"),
                    shape(1, Needs.INSERT_ONLY, Comparison.CHANGELOG, "SELECT k, x FROM (SELECT k, x, ROW_NUMBER() OVER (PARTITION BY k ORDER BY x) AS n FROM ({0})) WHERE n <= 2", "k SCALAR, x EXACT", "k SCALAR, x EXACT"),
                    shape(1, Needs.ANYTHING, Comparison.MATERIALIZED, "SELECT k, m, CARDINALITY(m) AS c FROM (SELECT k, COLLECT(x) AS m FROM ({0}) GROUP BY k)", "k INT, x SCALAR", "k INT, c INT"),
                    shape(3, Needs.EVENT_TIME, Comparison.MATERIALIZED, "SELECT k, x, " + OVER_ROWS + " FROM ({0})", "ts ROWTIME, k INT, x EXACT", "k INT, x EXACT, c BIGINT, hi EXACT"),
                    shape(4, Needs.PATIENT_EVENT_TIME, Comparison.MATERIALIZED, "SELECT a.k AS k, a.x AS x, b.x AS y FROM ({0}) a JOIN ({1}) b ON a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL '2' SECOND AND b.ts + INTERVAL '1' SECOND", "ts ROWTIME, k INT, x SCALAR", "k INT, x SCALAR, y SCALAR"),
                    shape(3, Needs.EVENT_TIME, Comparison.MATERIALIZED, WINDOWED + "TUMBLE(({0}), DESCRIPTOR(ts), INTERVAL '5' SECOND)" + BY_WINDOW, "ts ROWTIME, k SCALAR, x EXACT", "k SCALAR, ws TIMESTAMP, c BIGINT, hi EXACT"),
                    shape(2, Needs.EVENT_TIME, Comparison.MATERIALIZED, WINDOWED + "HOP(({0}), DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '6' SECOND)" + BY_WINDOW, "ts ROWTIME, k INT, x EXACT", "k INT, ws TIMESTAMP, c BIGINT, hi EXACT"));

    /** The column that carries the rowtime on. */
    static final String ROWTIME = "ROWTIME";

    final int weight;
    final Needs needs;
    final Comparison comparison;
    final String template;
    /** Name and group of each column, e.g. {@code k SCALAR}. */
    final List<String[]> inputColumns;
    /** The same; a group stands for the kind that was chosen for it in the input. */
    final List<String[]> outputColumns;

    private Shape(int weight, Needs needs, Comparison comparison, String template, String inputs, String outputs) {
        this.weight = weight;
        this.needs = needs;
        this.comparison = comparison;
        this.template = template;
        this.inputColumns = parse(inputs);
        this.outputColumns = parse(outputs);
    }

    private static Shape shape(
            int weight, Needs needs, Comparison comparison, String template, String inputs, String outputs) {
        return new Shape(weight, needs, comparison, template, inputs, outputs);
    }

    /**
     * Not in mini-batches: stock Flink's MiniBatchStreamingJoinOperator cannot be closed before it was opened, as when another task of the
     * job fails at its start, and the task manager ends with the NullPointerException.
     */
    boolean isRegularJoin() {
        return needs == Needs.ANYTHING && template.contains(" JOIN ");
    }

    int inputs() {
        return template.contains("{1}") ? 2 : 1;
    }

    private static List<String[]> parse(String columns) {
        List<String[]> out = new ArrayList<>();
        for (String column : columns.split(", ")) {
            out.add(column.split(" "));
        }
        return out;
    }
}
