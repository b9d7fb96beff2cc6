package tech.streamfusion.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Runs single Calcs between row edges on a local cluster, native and stock. */
class CalcEndToEndTest {

    private TableEnvironment env;

    /** A function of the user's. */
    public static class Twice extends ScalarFunction {
        public String eval(String value) {
            return value == null ? "nothing" : value + value;
        }
    }

    @BeforeEach
    void setUp() {
        env = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
        env.getConfig().set("parallelism.default", "1");
        env.getConfig().set(StreamFusionOptions.MINIMUM_GAIN, "0");
        env.createTemporarySystemFunction("twice", Twice.class);
        env.executeSql(
                "CREATE TEMPORARY TABLE numbers (a INT, b BIGINT, s STRING) WITH ('connector' = 'datagen', "
                        + "'number-of-rows' = '1000', 'fields.a.kind' = 'sequence', 'fields.a.start' = '1', "
                        + "'fields.a.end' = '1000', 'fields.b.kind' = 'sequence', 'fields.b.start' = '5', "
                        + "'fields.b.end' = '2000', 'fields.s.kind' = 'sequence', 'fields.s.start' = '1', "
                        + "'fields.s.end' = '1000')");
    }

    @Test
    void filtersAndProjects() throws Exception {
        check("SELECT a + 1, b * a FROM numbers WHERE a > 10 AND b <> 20");
    }

    @Test
    void callsTheUsersFunction() throws Exception {
        check("SELECT twice(CASE WHEN a > 500 THEN s END), a FROM numbers WHERE CHAR_LENGTH(twice(s)) > 2");
    }

    @Test
    void asksTheClock() throws Exception {
        check("SELECT PROCTIME() IS NOT NULL, CURRENT_TIMESTAMP > TO_TIMESTAMP_LTZ(0, 3), a FROM numbers");
    }

    private void check(String query) throws Exception {
        assertThat(env.explainSql(query)).contains("NativeCalc(");
        List<Row> accelerated = collect(query);
        env.getConfig().set(StreamFusionOptions.NATIVE_ENABLED, "false");
        assertThat(env.explainSql(query)).doesNotContain("Native");
        List<Row> stock = collect(query);
        assertThat(stock).isNotEmpty();
        assertThat(accelerated).isEqualTo(stock);
    }

    private List<Row> collect(String query) throws Exception {
        List<Row> rows = new ArrayList<>();
        CloseableIterator<Row> it = env.executeSql(query).collect();
        try {
            it.forEachRemaining(rows::add);
        } finally {
            it.close();
        }
        rows.sort(Comparator.comparing(Row::toString));
        return rows;
    }
}
