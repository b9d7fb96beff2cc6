package tech.streamfusion.parity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import tech.streamfusion.testing.Parity;
import tech.streamfusion.testing.ParityResult;

/** Reading {@code upsert-kafka} tables; the ChangelogNormalize behind them is stock. */
class UpsertKafkaSourceParityTest {

    private static final String COLUMNS = "k INT, s STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED";

    private static final String[] RECORDS = {
        "{\"k\":1}", "{\"k\":1,\"s\":\"one\",\"n\":10}",
        "{\"k\":2}", "{\"k\":2,\"s\":\"two\",\"n\":20}",
        "{\"k\":1}", "{\"k\":1,\"s\":\"uno\",\"n\":11}",
        "{\"k\":3}", null,
        "{\"k\":2}", null,
        "{\"k\":4}", "{\"k\":4,\"s\":null}",
        "{\"k\":2}", "{\"k\":2,\"s\":\"due\",\"n\":21}",
        "{\"k\":4}", null,
    };

    private static String source(String topic, String columns, String... options) {
        StringBuilder sql = new StringBuilder("CREATE TABLE source (" + columns + ") WITH ('connector' = 'upsert-kafka'");
        sql.append(", 'properties.bootstrap.servers' = '").append(KafkaTopics.bootstrapServers()).append('\'');
        sql.append(", 'key.format' = 'json', 'value.format' = 'json', 'topic' = '").append(topic).append('\'');
        sql.append(", 'scan.bounded.mode' = 'latest-offset'");
        for (int i = 0; i < options.length; i += 2) {
            sql.append(", '").append(options[i]).append("' = '").append(options[i + 1]).append('\'');
        }
        return sql.append(')').toString();
    }

    private static Parity reading(String topic, String columns, String[] records, String... options) {
        KafkaTopics.create(1, topic);
        KafkaTopics.send(topic, records);
        return Parity.test().statement(source(topic, columns, options));
    }

    @Test
    void recordsWithoutValueAreDeletions() {
        ParityResult result =
                reading("read-deletions", COLUMNS, RECORDS)
                        .query("SELECT k, UPPER(s) FROM source WHERE k < 4")
                        .expectNative("Calc", "Calc", "TableSourceScan")
                        .run();
        assertThat(result.lines())
                .containsExactly(
                        "+I(1, 'ONE')", "+I(2, 'TWO')", "-U(1, 'ONE')", "+U(1, 'UNO')", "-D(2, 'TWO')", "+I(2, 'DUE')");
    }

    @Test
    void aggregatesTheTable() {
        ParityResult result =
                reading("read-aggregated", COLUMNS, RECORDS)
                        .query("SELECT SUM(n), COUNT(*) FROM source")
                        .expectNative("Calc", "Calc", "Exchange", "GroupAggregate", "TableSourceScan")
                        .run();
        assertThat(result.lines().get(result.lines().size() - 1)).isEqualTo("+U(32, 2)");
    }

    /** A source has no rows to hand to Flink's exchange; with an operator between the two it is native. */
    @Test
    void aScanThatNothingFollowsIsStock() {
        reading("read-bare", COLUMNS, RECORDS).query("SELECT * FROM source").expectNative().run();
    }

    @Test
    void keysOutsideOfTheValueAreReadWithTheirPrefix() {
        String[] records = {
            "{\"k\":1}", "{\"s\":\"one\",\"n\":10}",
            "{\"k\":2}", "{\"s\":\"two\",\"n\":20}",
            "{\"k\":1}", null,
            "{\"k\":3}", "{}",
        };
        ParityResult result =
                reading(
                                "read-prefixed",
                                "key_k INT, s STRING, n BIGINT, PRIMARY KEY (key_k) NOT ENFORCED",
                                records,
                                "key.fields-prefix",
                                "key_",
                                "value.fields-include",
                                "EXCEPT_KEY")
                        .query("SELECT key_k, n FROM source WHERE key_k > 0")
                        .expectNative("Calc", "TableSourceScan")
                        .run();
        assertThat(result.lines()).containsExactly("+I(1, 10)", "+I(2, 20)", "-D(1, 10)", "+I(3, NULL)");
    }

    @Test
    void metadataIsThatOfTheRecord() {
        ParityResult result =
                reading(
                                "read-metadata",
                                "k INT, s STRING, o BIGINT METADATA FROM 'offset' VIRTUAL, "
                                        + "ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', PRIMARY KEY (k) NOT ENFORCED",
                                RECORDS)
                        .query("SELECT k, o, ts, s FROM source WHERE k IN (1, 2)")
                        .expectNative("Calc", "Calc", "TableSourceScan")
                        .run();
        assertThat(result.lines()).anyMatch(line -> line.startsWith("-D(2, 1, "));
    }

    @Test
    void theLastValueOfAKeyDecidesAlsoBetweenTwoTopics() {
        KafkaTopics.create(1, "copied-stock", "copied-native");
        reading("read-copied", COLUMNS, RECORDS)
                .statement(
                        "CREATE TABLE target (k BIGINT, s STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ("
                                + "'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '"
                                + KafkaTopics.bootstrapServers()
                                + "', 'key.format' = 'json', 'value.format' = 'json', 'topic' = 'copied-${side}')")
                .option("table.exec.sink.upsert-materialize", "none")
                .insert("INSERT INTO target SELECT CAST(k AS BIGINT), s || '!' FROM source")
                .expectNative("Calc", "Calc", "Sink", "TableSourceScan")
                .run();
        assertThat(KafkaTopics.contents("copied-native")).isEqualTo(KafkaTopics.contents("copied-stock"));
        assertThat(KafkaTopics.lastValues("copied-native"))
                .isEqualTo(
                        Map.of("{\"k\":1}", "{\"k\":1,\"s\":\"uno!\"}", "{\"k\":2}", "{\"k\":2,\"s\":\"due!\"}"));
    }

    @Test
    void whatIsNoJsonIsSkippedWhereToldTo() {
        String[] records = {
            "{\"k\":1}", "{\"k\":1,\"s\":\"one\",\"n\":10}",
            "{\"k\":2}", "{\"k\":2",
            "what", "{\"k\":3,\"s\":\"three\",\"n\":30}",
            "{\"k\":4}", "null",
            null, "{\"k\":5,\"s\":\"five\",\"n\":50}",
            null, null,
        };
        reading(
                        "read-damaged",
                        COLUMNS,
                        records,
                        "value.json.ignore-parse-errors",
                        "true",
                        "key.json.ignore-parse-errors",
                        "true")
                .query("SELECT k, n + 1 FROM source WHERE k > 0")
                .expectNative("Calc", "Calc", "TableSourceScan")
                .run();
    }

    @Test
    void whatIsNoJsonFailsAsOnStock() {
        String[] records = {"{\"k\":1}", "{\"k\":1,\"s\":\"one\",\"n\":10}", "{\"k\":", null};
        reading("read-failing", COLUMNS, records)
                .query("SELECT k, n + 1 FROM source WHERE k > 0")
                .compare(Parity.Comparison.FAILURE_ALONE)
                .expectNative("Calc", "Calc", "TableSourceScan")
                .runFailing();
    }

    /** The row of a deletion has NULL there all the same. */
    @Test
    void notNullOutsideOfTheKeyIsLeftToFlink() {
        String[] records = {"{\"k\":1}", "{\"k\":1,\"s\":\"one\",\"n\":10}"};
        reading("read-not-null", "k INT, s STRING, n BIGINT NOT NULL, PRIMARY KEY (k) NOT ENFORCED", records)
                .query("SELECT k, n + 1 FROM source WHERE k > 0")
                .expectNative("Calc", "Calc")
                .run();
    }

    @Test
    void severalTasksReadTheSameTable() {
        KafkaTopics.create(3, "read-parallel");
        String[] records = new String[4000];
        for (int i = 0; i < records.length; i += 2) {
            int key = i / 2 % 150;
            records[i] = "{\"k\":" + key + "}";
            records[i + 1] = i % 14 == 0 ? null : "{\"k\":" + key + ",\"s\":\"s" + i % 9 + "\",\"n\":" + i + "}";
        }
        KafkaTopics.send("read-parallel", records);
        Parity.test()
                .statement(source("read-parallel", COLUMNS))
                .query("SELECT s, COUNT(*), SUM(n) FROM source WHERE k > 3 GROUP BY s")
                .parallelism(2)
                .compare(Parity.Comparison.MATERIALIZED)
                .expectNative("Calc", "Calc", "Exchange", "GroupAggregate", "TableSourceScan")
                .run();
    }
}
