package tech.streamfusion.parity;

import static tech.streamfusion.testing.Parity.row;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tech.streamfusion.testing.Parity;

/**
 * NULLs in columns that are declared NOT NULL, as formats yield for missing fields and sources for deletions by key: they are
 * NULLs to expressions of stock Flink, whose NOT NULL results then come out as -1, false or an empty string; a row that is only
 * filtered keeps its NULLs.
 */
class NotNullParityTest {

    private static final String COLUMNS =
            "k BIGINT NOT NULL, i INT NOT NULL, si SMALLINT NOT NULL, ti TINYINT NOT NULL, f FLOAT NOT NULL, "
                    + "d DOUBLE NOT NULL, bo BOOLEAN NOT NULL, s STRING NOT NULL, c CHAR(3) NOT NULL, da DATE NOT NULL, "
                    + "t TIME NOT NULL, de DECIMAL(10, 2) NOT NULL, big DECIMAL(30, 2) NOT NULL, ts TIMESTAMP(3) NOT NULL, "
                    + "by BYTES NOT NULL, n INT";

    private static Row filled(long k) {
        return Row.of(
                k, (int) k, (short) 3, (byte) 4, 5.5f, 6.5, true, "text", "abc", LocalDate.of(2020, 1, 2), LocalTime.of(3, 4, 5),
                new BigDecimal("7.25"), new BigDecimal("8.25"), LocalDateTime.of(2020, 1, 2, 3, 4), new byte[] {1}, 9);
    }

    private static Row[] rows() {
        Row deleted = new Row(RowKind.DELETE, 16);
        deleted.setField(0, 2L);
        Row empty = new Row(RowKind.INSERT, 16);
        return new Row[] {filled(1), filled(2), empty, deleted, filled(3)};
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT i, k, si, ti, f, d, bo, s, c, da, t, n FROM t",
                "SELECT k + 1, i + n, si * 2, -ti, f / 2, d + i FROM t",
                "SELECT s || 'x', c || s, CHAR_LENGTH(s), UPPER(s), SUBSTRING(s, 2) FROM t",
                "SELECT NOT bo, bo AND i > 0, CASE WHEN bo THEN i ELSE n END, COALESCE(n, i) FROM t",
                "SELECT EXTRACT(YEAR FROM da), CAST(t AS STRING), CAST(i AS STRING) FROM t",
                "SELECT k, i, si, ti, f, d, bo, s, c, da, t, de, big, ts, `by`, n FROM t WHERE i = -1",
                "SELECT k, i, si, ti, f, d, bo, s, c, da, t, de, big, ts, `by`, n FROM t WHERE s = ''",
                "SELECT s, k FROM t WHERE k < 2 AND NOT bo",
                "SELECT MD5(s), i FROM t",
                "SELECT IF(bo, s, c), s LIKE '', s LIKE '_', i BETWEEN -2 AND 4, i NOT BETWEEN 5 AND 7 FROM t",
                "SELECT i BETWEEN -2 AND 4 OR i BETWEEN 7 AND 9, NOT (i IN (-1, 5) AND bo), i = -1, s <> 'a' FROM t",
            })
    void resultsAreDefaults(String query) {
        Parity.test().source("t", COLUMNS.replace("by BYTES", "`by` BYTES"), rows()).query(query).expectNative("Calc").run();
    }

    /** Calls whose results Flink's generator takes for nullable, whatever the planner says. */
    @Test
    void resultsStayNull() {
        String sink = "a BOOLEAN, b BOOLEAN, c BOOLEAN, d DATE, e TIME, f INT, g BOOLEAN";
        Parity.test()
                .source("t", COLUMNS.replace("by BYTES", "`by` BYTES"), rows())
                .query(
                        "SELECT i IN (-1, 5), i NOT IN (-1, 5), s IN ('', 'text'), da + INTERVAL '1' DAY, t - INTERVAL '1' HOUR, "
                                + "TIMESTAMPDIFF(MONTH, da, da), i BETWEEN 1 AND 5 FROM t",
                        sink)
                .expectNative("Calc")
                .run();
    }

    /** What the host makes NULL is NULL for the engine, whatever its type says. */
    @Test
    void nullsOfHostKernels() {
        Parity.test()
                .source("t", "b BOOLEAN, i INT", row(false, 2), row(true, 3), row(null, null))
                .query(
                        "SELECT COALESCE((CASE WHEN b THEN ARRAY[1, 2] END)[2], i), (CASE WHEN b THEN ARRAY[1, 2] END)[2] + i,"
                                + " (CASE WHEN b THEN ARRAY[1, 2] END)[2], (CASE WHEN b THEN ARRAY[1, 2] END)[2] IS NULL FROM t")
                .expectNative("Calc")
                .run();
    }

    /** A CAST that makes a NULL of what it cannot read does so too where its type is NOT NULL; what is around it does not. */
    @Test
    void failedLegacyCastsStayNull() {
        Parity.test()
                .option("table.exec.legacy-cast-behaviour", "ENABLED")
                .source("t", COLUMNS.replace("by BYTES", "`by` BYTES"), rows())
                .query(
                        "SELECT CAST(s AS BIGINT), CAST(s AS INT) + 1, CAST(s AS DATE), CAST(i AS BIGINT), CAST(s AS BOOLEAN) FROM t",
                        "a BIGINT, b INT, c DATE, d BIGINT, e BOOLEAN")
                .expectNative("Calc")
                .run();
    }

    @Test
    void fieldsOfRows() {
        Parity.test()
                .source(
                        "t",
                        "r ROW<a INT NOT NULL, b STRING NOT NULL> NOT NULL, o ROW<a INT NOT NULL, b STRING NOT NULL>",
                        row(Row.of(1, "x"), Row.of(2, "y")),
                        row(Row.of(null, null), Row.of(null, null)),
                        row(Row.of(3, "z"), null))
                .query("SELECT r.a, r.b, o.a, o.b, r.a + 1, o.a + 1, r.b || 'q' FROM t")
                .expectNative("Calc")
                .run();
    }
}
