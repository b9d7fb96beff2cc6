package tech.streamfusion.parity;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.types.Row;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tech.streamfusion.testing.Parity;

/**
 * The expressions of {@code expressions/*.txt} over {@link AllTypes}: values exactly as stock Flink computes them, in a
 * native Calc. Many share a query; when one fails, all of the query are tried one by one to name the culprits.
 */
class ExpressionParityTest {

    private static final int PER_QUERY = 60;
    private static final List<Row> ROWS = AllTypes.rows();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "arithmetic-binary",
                "arithmetic-division",
                "arithmetic-functions",
                "comparison",
                "search",
                "logic",
                "conditional",
                "strings",
                "like",
                "casts-numeric",
                "casts-string",
                "time-extract",
                "time-format-floor",
                "time-arithmetic",
                "nested-and-plain"
            })
    void equalsStock(String family) {
        List<String> expressions = ExpressionFiles.expressions(family);
        List<String> failures = new ArrayList<>();
        for (String zone : ExpressionFiles.zones(family)) {
            for (int from = 0; from < expressions.size(); from += PER_QUERY) {
                check(expressions.subList(from, Math.min(from + PER_QUERY, expressions.size())), zone, failures);
            }
        }
        if (!failures.isEmpty()) {
            throw new AssertionError(failures.size() + " expressions differ:\n" + String.join("\n\n", failures));
        }
    }

    static List<String> failing() {
        return ExpressionFiles.expressions("failing");
    }

    @ParameterizedTest
    @MethodSource("failing")
    void failsAsStock(String expression) {
        Parity.test()
                .source("t", AllTypes.COLUMNS, ROWS)
                .query("SELECT " + expression + " FROM t")
                .expectNative("Calc")
                .runFailing();
    }

    private static void check(List<String> expressions, String zone, List<String> failures) {
        try {
            run(expressions, zone);
        } catch (AssertionError together) {
            int before = failures.size();
            for (String expression : expressions) {
                try {
                    run(List.of(expression), zone);
                } catch (AssertionError alone) {
                    failures.add(expression + " [" + zone + "]: " + describe(alone));
                }
            }
            if (failures.size() == before) {
                failures.add("only together [" + zone + "]: " + expressions + ": " + describe(together));
            }
        }
    }

    private static void run(List<String> expressions, String zone) {
        List<String> columns = new ArrayList<>();
        for (int i = 0; i < expressions.size(); i++) {
            columns.add(expressions.get(i) + " AS e" + i);
        }
        Parity.test()
                .source("t", AllTypes.COLUMNS, ROWS)
                .option("table.local-time-zone", zone)
                .query("SELECT " + String.join(", ", columns) + " FROM t")
                .expectNative("Calc")
                .run();
    }

    private static String describe(AssertionError error) {
        StringBuilder text = new StringBuilder(String.valueOf(error.getMessage()));
        Throwable cause = error.getCause();
        while (cause != null && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause != null) {
            text.append("\n  ").append(cause);
            Arrays.stream(cause.getStackTrace()).limit(8).forEach(frame -> text.append("\n    ").append(frame));
        }
        return text.toString();
    }
}
