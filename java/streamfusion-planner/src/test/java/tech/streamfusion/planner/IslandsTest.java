package tech.streamfusion.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.functions.ScalarFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.runtime.spi.NativeScanProvider;

/** Which nodes become native, and what the others give as their reason. */
class IslandsTest {

    private StreamTableEnvironment env;

    @BeforeEach
    void setUp() {
        env = Planning.environment();
        env.executeSql(
                "CREATE TABLE src (id BIGINT, event ROW<kind INT, bid ROW<price BIGINT, url STRING>>, note STRING, "
                        + "ts AS TO_TIMESTAMP_LTZ(event.bid.price, 3), WATERMARK FOR ts AS ts - INTERVAL '4' SECOND) "
                        + "WITH ('connector' = 'planned')");
        env.executeSql(
                "CREATE TABLE changes (id BIGINT, n INT, PRIMARY KEY (id) NOT ENFORCED) "
                        + "WITH ('connector' = 'planned', 'changelog' = 'all')");
        env.executeSql("CREATE TABLE target (id BIGINT NOT NULL, price BIGINT) WITH ('connector' = 'planned')");
        env.executeSql(
                "CREATE TABLE keyed (id BIGINT, n INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'planned')");
        TestProviders.SCANS.clear();
        TestProviders.SINKS.clear();
    }

    @Test
    void fromSourceToSink() {
        PlanningReport report = explain("INSERT INTO target SELECT id, event.bid.price FROM src WHERE event.kind = 2");
        assertThat(report.nativeNodes()).containsExactly("NativeTableSourceScan", "NativeCalc", "NativeSink");
        assertThat(report.fallbacks()).isEmpty();
    }

    @Test
    void scanReadsWhatTheCalcAndTheWatermarkRead() {
        explain("INSERT INTO target SELECT id, event.bid.price FROM src WHERE event.kind = 2");
        NativeScanProvider.Context context = TestProviders.SCANS.get(0);
        assertThat(context.read()).containsExactly(true, true, false);
        assertThat(context.readPaths()).isDeepEqualTo(new int[][] {{0}, {1, 0}, {1, 1, 0}});
        assertThat(context.watermark()).isNotNull();
        assertThat(context.watermark().expression()).isNotEmpty();
    }

    @Test
    void wholeFieldsHaveNoPaths() {
        explain("INSERT INTO target SELECT id, CHAR_LENGTH(note) FROM (SELECT id, note, event FROM src) WHERE event IS NOT NULL");
        NativeScanProvider.Context context = TestProviders.SCANS.get(0);
        assertThat(context.read()).containsExactly(true, true, true);
        assertThat(context.readPaths()).isNull();
    }

    @Test
    void calcBeforeAnExchangeEmitsRows() {
        PlanningReport report =
                explain("INSERT INTO keyed SELECT id, CAST(PERCENTILE(event.bid.price, 0.5) AS INT) FROM src WHERE event.kind = 2 GROUP BY id");
        assertThat(report.nativeNodes()).contains("NativeTableSourceScan", "NativeCalc");
        assertThat(report.fallbacks()).extracting(FallbackReason::rule).contains(Rule.NEIGHBOUR);
        assertThat(report.fallbacks()).extracting(FallbackReason::node).anyMatch(n -> n.startsWith("GroupAggregate["));
    }

    @Test
    void stateOfOtherBackendsStaysWithFlink() {
        String insert = "INSERT INTO keyed SELECT id, CAST(COUNT(*) AS INT) FROM src GROUP BY id";
        assertThat(explain(insert).nativeNodes()).contains("NativeGroupAggregate");
        env.getConfig().set("state.backend.type", "rocksdb");
        assertThat(explain(insert).nativeNodes()).contains("NativeGroupAggregate");
        env.getConfig().set("state.backend.type", "forst");
        assertThat(reason(explain(insert), "GroupAggregate").detail()).contains("forst");
        env.getConfig().set("state.backend.type", "hashmap").set("state.changelog.enabled", "true");
        assertThat(reason(explain(insert), "GroupAggregate").detail()).contains("state.changelog.enabled");
        env.getConfig().set("state.changelog.enabled", "false").set("table.exec.mini-batch.enabled", "true");
        env.getConfig().set("table.exec.mini-batch.size", "10").set("table.exec.mini-batch.allow-latency", "1 s");
        env.getConfig().set("table.optimizer.agg-phase-strategy", "ONE_PHASE");
        assertThat(explain(insert).nativeNodes()).contains("NativeGroupAggregate", "NativeMiniBatchAssigner");
        String split = "INSERT INTO keyed SELECT id, CAST(COUNT(DISTINCT event.kind) AS INT) FROM src GROUP BY id";
        env.getConfig().set("table.optimizer.agg-phase-strategy", "TWO_PHASE");
        env.getConfig().set("table.optimizer.distinct-agg.split.enabled", "true");
        assertThat(explain(split).nativeNodes()).contains("NativeIncrementalGroupAggregate");
    }

    @Test
    void scanInFrontOfAnExchangeStaysWithFlink() {
        PlanningReport report = explain("INSERT INTO keyed SELECT MAX(id), n FROM changes GROUP BY n");
        assertThat(reason(report, "TableSourceScan").rule()).isEqualTo(Rule.NEIGHBOUR);
        assertThat(reason(report, "TableSourceScan").detail()).contains("takes rows");
    }

    @Test
    void sinksTakeChangelogs() {
        PlanningReport report = explain("INSERT INTO keyed SELECT id, n + 1 FROM changes");
        assertThat(report.nativeNodes()).containsExactly("NativeTableSourceScan", "NativeCalc", "NativeSink");
        assertThat(TestProviders.SINKS.get(TestProviders.SINKS.size() - 1).insertOnly()).isFalse();
        explain("INSERT INTO target SELECT id, event.bid.price FROM src");
        assertThat(TestProviders.SINKS.get(TestProviders.SINKS.size() - 1).insertOnly()).isTrue();
    }

    @Test
    void sinkBehindAnUpsertMaterializerStaysWithFlink() {
        PlanningReport report = explain("INSERT INTO keyed SELECT CAST(n AS BIGINT), n FROM changes");
        assertThat(report.nativeNodes()).containsExactly("NativeTableSourceScan", "NativeCalc");
        assertThat(reason(report, "Sink").detail()).contains("SinkUpsertMaterializer");
    }

    @Test
    void sinkBehindAForcedShuffleStaysWithFlink() {
        env.getConfig().set("table.exec.sink.keyed-shuffle", "FORCE");
        PlanningReport report = explain("INSERT INTO keyed SELECT id, n + 1 FROM changes");
        assertThat(reason(report, "Sink").detail()).contains("keyed-shuffle");
    }

    @Test
    void unionBetweenNativeNodes() {
        PlanningReport report =
                explain(
                        "INSERT INTO target SELECT id, event.bid.price FROM src WHERE event.kind = 2 UNION ALL "
                                + "SELECT id + 1, event.bid.price * 2 FROM src WHERE event.kind = 3");
        assertThat(report.nativeNodes())
                .containsExactlyInAnyOrder(
                        "NativeTableSourceScan", "NativeCalc", "NativeCalc", "NativeUnion", "NativeSink");
        assertThat(report.fallbacks()).isEmpty();
    }

    @Test
    void unionWithAStockConsumerStaysWithFlink() {
        PlanningReport report =
                explain("INSERT INTO keyed SELECT id, n + 1 FROM changes UNION ALL SELECT id, n + 2 FROM changes");
        assertThat(report.nativeNodes()).filteredOn("NativeCalc"::equals).hasSize(2);
        assertThat(reason(report, "Union").rule()).isEqualTo(Rule.NEIGHBOUR);
        assertThat(reason(report, "Union").detail()).contains("Sink[").endsWith("takes rows");
    }

    @Test
    void unionWithAStockInputStaysWithFlink() {
        env.executeSql("CREATE TABLE numbers (id BIGINT, n BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '1')");
        env.executeSql("CREATE TABLE plain (id BIGINT, n BIGINT) WITH ('connector' = 'planned')");
        PlanningReport report =
                explain("INSERT INTO plain SELECT id, event.bid.price FROM src UNION ALL SELECT id, n FROM numbers");
        assertThat(report.nativeNodes()).containsExactlyInAnyOrder("NativeTableSourceScan", "NativeCalc");
        assertThat(reason(report, "Union").detail()).startsWith("needs batches, but TableSourceScan[");
        assertThat(reason(report, "Sink").detail()).startsWith("needs batches, but Union[");
    }

    @Test
    void sourceAndSinkWithTheirOwnParallelism() {
        env.executeSql(
                "CREATE TABLE wide (id BIGINT, price BIGINT) WITH ('connector' = 'planned', 'sink.parallelism' = '7')");
        env.executeSql(
                "CREATE TABLE narrow (id BIGINT, price BIGINT) WITH ('connector' = 'planned', 'scan.parallelism' = '1')");
        PlanningReport report = explain("INSERT INTO wide SELECT id, price + 1 FROM narrow");
        assertThat(report.nativeNodes()).containsExactly("NativeTableSourceScan", "NativeCalc", "NativeSink");
        assertThat(report.fallbacks()).isEmpty();
    }

    @Test
    void sinkParallelismOfAKeyedTableMayShuffle() {
        env.executeSql(
                "CREATE TABLE wide (id BIGINT, price BIGINT, PRIMARY KEY (id) NOT ENFORCED) "
                        + "WITH ('connector' = 'planned', 'sink.parallelism' = '1')");
        PlanningReport report = explain("INSERT INTO wide SELECT id, event.bid.price FROM src");
        assertThat(reason(report, "Sink").detail()).isEqualTo("sink.parallelism is set on a table with a primary key");
    }

    @Test
    void withoutChainingBatchesCrossTheNetwork() {
        env.getConfig().set("pipeline.operator-chaining.enabled", "false");
        PlanningReport report = explain("INSERT INTO target SELECT id, event.bid.price FROM src");
        assertThat(report.nativeNodes()).containsExactly("NativeTableSourceScan", "NativeCalc", "NativeSink");
    }

    @Test
    void cheapCalcBetweenRowsDoesNotPay() {
        env.getConfig().set(StreamFusionOptions.MINIMUM_GAIN, "20");
        env.executeSql(
                "CREATE TABLE numbers (a INT, b INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1')");
        env.executeSql("CREATE TABLE nowhere (a INT, b INT) WITH ('connector' = 'blackhole')");
        PlanningReport report = explain("INSERT INTO nowhere SELECT a, b + 1 FROM numbers");
        assertThat(reason(report, "Calc").rule()).isEqualTo(Rule.COST);
        assertThat(reason(report, "TableSourceScan").rule()).isEqualTo(Rule.CONNECTOR);
        assertThat(report.nativeNodes()).isEmpty();
    }

    @Test
    void columnsWithoutColumnarFormKeepTheCalcStock() {
        env.createTemporarySystemFunction("opaque", Opaque.class);
        PlanningReport report = explain("INSERT INTO target SELECT id, CAST(opaque(id) IS NULL AS INT) FROM src");
        assertThat(report.nativeNodes()).contains("NativeCalc"); // the value stays inside one host kernel
        env.createTemporaryView("opaques", env.sqlQuery("SELECT id, opaque(id) AS o FROM changes"));
        env.executeSql("CREATE TABLE raws (id BIGINT, o INT) WITH ('connector' = 'planned')");
        env.createTemporarySystemFunction("reveal", Reveal.class);
        report =
                explain(
                        "INSERT INTO raws SELECT id, reveal(o) FROM (SELECT id, LAST_VALUE(o) AS o FROM opaques GROUP BY id)");
        assertThat(report.fallbacks())
                .anyMatch(r -> r.node().startsWith("Calc[") && r.detail().contains("RAW"));
    }

    /** Makes a value that has no columnar form. */
    public static class Opaque extends ScalarFunction {
        @DataTypeHint(value = "RAW", bridgedTo = Object.class)
        public Object eval(Long value) {
            return value;
        }
    }

    /** Takes it apart. */
    public static class Reveal extends ScalarFunction {
        public Integer eval(@DataTypeHint(value = "RAW", bridgedTo = Object.class) Object value) {
            return value.hashCode();
        }
    }

    private PlanningReport explain(String insert) {
        env.explainSql(insert);
        return Planning.planner(env).lastReport();
    }

    private static FallbackReason reason(PlanningReport report, String kind) {
        List<FallbackReason> found =
                report.fallbacks().stream()
                        .filter(r -> r.node().startsWith(kind + "["))
                        .collect(Collectors.toList());
        assertThat(found).as("reasons of %s in %s", kind, report.fallbacks()).hasSize(1);
        return found.get(0);
    }
}
