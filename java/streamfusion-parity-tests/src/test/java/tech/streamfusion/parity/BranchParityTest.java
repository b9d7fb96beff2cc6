package tech.streamfusion.parity;

import static tech.streamfusion.testing.Parity.row;

import java.math.BigDecimal;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tech.streamfusion.testing.Parity;

/** CASE and its relatives, whose branches the generated code casts to the type of the result. */
class BranchParityTest {

    private static BigDecimal digits(String text) {
        return new BigDecimal(text);
    }

    /** SIGN of a DECIMAL without whole digits is 1, which its type cannot hold: the value stays until it is cast. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SIGN(c)",
                "NULLIF(SIGN(c), d)",
                "NULLIF(SIGN(c), c)",
                "CASE WHEN c > 0.1 THEN SIGN(c) ELSE NULL END",
                "CASE WHEN c > 0.1 THEN c WHEN c < 0 THEN SIGN(c) ELSE -c END",
                "IF(c > 0.1, SIGN(c), c)",
                "COALESCE(IF(c > 0.1, SIGN(c), c), c)",
                "COALESCE(SIGN(c), c)",
                "IF(w > 0.1, SIGN(w), w)",
                "IF(x > 0.1, SIGN(x), x)",
                "CASE WHEN SIGN(c) = 1 THEN 'one' ELSE 'other' END",
                "CAST(SIGN(c) AS DECIMAL(17, 17))",
                "CAST(CAST(SIGN(c) AS DECIMAL(17, 17)) AS DOUBLE)",
                "CASE WHEN c > 0.1 THEN SIGN(c) ELSE d / 3E0 END",
                "CAST(SIGN(c) AS DECIMAL(4, 4))",
                "CAST(SIGN(w) AS DECIMAL(19, 19))",
                "CAST(SIGN(c) AS DECIMAL(38, 38))",
                "CAST(SIGN(c) AS INT)",
                "CAST(SIGN(c) AS STRING)",
                "SIGN(c) * SIGN(c)",
                "SIGN(w) * SIGN(w)",
                "SIGN(x) * SIGN(x)",
                "SIGN(c) + SIGN(c)",
                "SIGN(w) - SIGN(c)",
                "SIGN(c) / 3",
                "MOD(SIGN(c), 0.3)",
                "ROUND(SIGN(c), 2)",
                "TRUNCATE(SIGN(c), 2)",
                "FLOOR(SIGN(c))",
                "ABS(SIGN(c))",
                "GREATEST(SIGN(c), c)",
                "CASE WHEN FALSE THEN c / NULLIF(12345678901, 0) ELSE SIGN(c) END",
                "CASE WHEN c > 0.1 THEN CASE WHEN FALSE THEN c / NULLIF(12345678901, 0) ELSE SIGN(c) END ELSE CAST(d AS DOUBLE) END",
            })
    void decimalsWithoutWholeDigits(String expression) {
        Parity.test()
                .source(
                        "t",
                        "c DECIMAL(5, 5), d DECIMAL(38, 18), w DECIMAL(18, 18), x DECIMAL(19, 19)",
                        row(digits("0.99999"), null, digits("0.999999999999999999"), digits("0.9999999999999999999")),
                        row(digits("0.00000"), digits("1.5"), digits("0"), digits("0")),
                        row(digits("-0.50000"), digits("-1"), digits("-0.5"), digits("-0.5")),
                        row(null, digits("1"), null, null),
                        row(digits("0.15000"), digits("1"), digits("0.15"), digits("0.15")))
                .query("SELECT " + expression + " FROM t")
                .expectNative("Calc")
                .run();
    }
}
