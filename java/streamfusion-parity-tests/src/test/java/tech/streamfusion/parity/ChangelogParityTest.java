package tech.streamfusion.parity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.apache.flink.types.RowKind.DELETE;
import static org.apache.flink.types.RowKind.INSERT;
import static org.apache.flink.types.RowKind.UPDATE_AFTER;
import static org.apache.flink.types.RowKind.UPDATE_BEFORE;
import static tech.streamfusion.testing.Parity.change;
import static tech.streamfusion.testing.Parity.row;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import tech.streamfusion.testing.Parity;
import tech.streamfusion.testing.ParityResult;

/** Row kinds through native operators, and native islands between stock operators. */
class ChangelogParityTest {

    private static final Row[] CHANGES = {
        change(INSERT, 1, "one", 10L),
        change(INSERT, 2, "two", 20L),
        change(UPDATE_BEFORE, 1, "one", 10L),
        change(UPDATE_AFTER, 1, "uno", 11L),
        change(INSERT, 3, null, null),
        change(DELETE, 2, "two", 20L),
        change(UPDATE_BEFORE, 3, null, null),
        change(UPDATE_AFTER, 3, "three", 30L),
    };

    @Test
    void aCalcPassesKindsOn() {
        ParityResult result =
                Parity.test()
                        .source("t", "k INT, s STRING, n BIGINT", CHANGES)
                        .query("SELECT k, UPPER(s), n + 1 FROM t WHERE n IS NULL OR n > 0")
                        .expectNative("Calc")
                        .run();
        assertThat(result.lines())
                .containsExactly(
                        "+I(1, 'ONE', 11)",
                        "+I(2, 'TWO', 21)",
                        "-U(1, 'ONE', 11)",
                        "+U(1, 'UNO', 12)",
                        "+I(3, NULL, NULL)",
                        "-D(2, 'TWO', 21)",
                        "-U(3, NULL, NULL)",
                        "+U(3, 'THREE', 31)");
    }

    @Test
    void updatesComeWithoutWhatTheyReplaceWhereTheSinkWantsIt() {
        ParityResult result =
                Parity.test()
                        .source("t", "k INT, s STRING, n BIGINT", CHANGES)
                        .upsertSinks()
                        .query("SELECT k, UPPER(s), n + 1 FROM t")
                        .expectNative("Calc", "DropUpdateBefore")
                        .run();
        assertThat(result.lines())
                .containsExactly(
                        "+I(1, 'ONE', 11)",
                        "+I(2, 'TWO', 21)",
                        "+U(1, 'UNO', 12)",
                        "+I(3, NULL, NULL)",
                        "-D(2, 'TWO', 21)",
                        "+U(3, 'THREE', 31)");
    }

    @Test
    void aggregateBetweenTwoCalcs() {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            rows.add(row(i % 7, "s" + i % 3, (long) i));
        }
        Parity.test()
                .source("t", "k INT, s STRING, n BIGINT", rows)
                .query("SELECT k + 1, c * 2 FROM (SELECT k, COUNT(n) AS c FROM (SELECT k * 2 AS k, n FROM t WHERE s <> 's1') GROUP BY k)")
                .expectNative("Calc", "Calc", "Exchange", "GroupAggregate")
                .run();
    }

    @Test
    void aggregateOverUpdates() {
        Parity.test()
                .source("t", "k INT, s STRING, n BIGINT", CHANGES)
                .query("SELECT s2, SUM(n2) FROM (SELECT LOWER(s) AS s2, n * 2 AS n2 FROM t) GROUP BY s2")
                .expectNative("Calc", "Exchange", "GroupAggregate")
                .run();
    }

    @Test
    void twoCalcsWithAUnionBetween() {
        Parity.test()
                .source("t", "k INT, s STRING, n BIGINT", CHANGES)
                .source("u", "k INT, s STRING, n BIGINT", row(5, "five", 50L), row(6, null, null))
                .compare(Parity.Comparison.MATERIALIZED)
                .query("SELECT k * 2, s || '!' FROM (SELECT k, s FROM t WHERE k > 0 UNION ALL SELECT k + 100, UPPER(s) FROM u) WHERE k <> 2")
                .run(Parity.NodesCheck.ALL_CALCS);
    }

    @Test
    void severalSinksShareASource() {
        Parity.test()
                .source("t", "k INT, s STRING, n BIGINT", CHANGES)
                .statement("CREATE VIEW w AS SELECT k, UPPER(s) AS s, n FROM t WHERE k < 3")
                .query("SELECT k + 1, s FROM w")
                .query("SELECT n, s || 'x' FROM w")
                .compare(Parity.Comparison.MATERIALIZED)
                .run(Parity.NodesCheck.ALL_CALCS);
    }

    @Test
    void higherParallelism() {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            rows.add(row(i, "s" + i % 13, (long) i * i));
        }
        Parity.test()
                .source("t", "k INT, s STRING, n BIGINT", rows)
                .parallelism(3)
                .compare(Parity.Comparison.MATERIALIZED)
                .query("SELECT s, SUM(n), COUNT(*) FROM (SELECT UPPER(s) AS s, n + 1 AS n FROM t WHERE k > 10) GROUP BY s")
                .expectNative("Calc", "Exchange", "GroupAggregate")
                .run();
    }
}
