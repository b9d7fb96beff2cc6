package tech.streamfusion.parity;

import static tech.streamfusion.testing.Parity.row;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tech.streamfusion.testing.Parity;

/** Conditions as filters, many inserts per job; filter and projection together. */
class FilterParityTest {

    /** One in this many of a family's expressions, all of them being tried as projections elsewhere. */
    private static final int STEP = 7;

    private static final int PER_JOB = 20;

    @ParameterizedTest
    @ValueSource(strings = {"comparison", "search", "logic", "like"})
    void keepsTheRowsThatStockKeeps(String family) {
        List<String> conditions = new ArrayList<>();
        List<String> all = ExpressionFiles.expressions(family);
        for (int i = 0; i < all.size(); i += STEP) {
            conditions.add(all.get(i));
        }
        for (int from = 0; from < conditions.size(); from += PER_JOB) {
            List<String> some = conditions.subList(from, Math.min(from + PER_JOB, conditions.size()));
            Parity test = Parity.test().source("t", AllTypes.COLUMNS, AllTypes.rows());
            some.forEach(condition -> test.query("SELECT i, s, UPPER(v), d + 1 FROM t WHERE " + condition));
            test.run(Parity.NodesCheck.ALL_CALCS);
        }
    }

    @Test
    void nothingAndEverythingPasses() {
        Parity.test()
                .source("t", AllTypes.COLUMNS, AllTypes.rows())
                .query("SELECT i FROM t WHERE nn IS NOT NULL AND ns <> 'no such text'")
                .query("SELECT i FROM t WHERE ns = 'no such text'")
                .expectNative("Calc", "Calc")
                .run();
    }

    @Test
    void theConditionGuardsTheProjection() {
        Parity.test()
                .source("t", "a INT, b INT", row(1, 0), row(10, 2), row(null, null), row(7, 0), row(9, 3))
                .query("SELECT a / b FROM t WHERE b <> 0")
                .expectNative("Calc")
                .run();
    }

    @Test
    void aFailureInTheMiddleComesAfterTheRowsBeforeIt() {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            rows.add(row(i, 4321 - i));
        }
        Parity.test()
                .source("t", "a INT, b INT", rows)
                .query("SELECT a, 100 / b FROM t")
                .expectNative("Calc")
                .runFailing();
    }

    @Test
    void manyRowsKeepTheirOrder() {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 30_000; i++) {
            rows.add(row(i, "text " + i % 97, i % 5 == 0 ? null : i * 0.5));
        }
        for (boolean reuse : new boolean[] {true, false}) {
            Parity.test()
                    .source("t", "a INT, b STRING, c DOUBLE", rows)
                    .objectReuse(reuse)
                    .query("SELECT a, UPPER(b) || '!', c * 2, c IS NULL FROM t WHERE MOD(a, 3) <> 1")
                    .expectNative("Calc")
                    .run();
        }
    }
}
