package tech.streamfusion.parity;

import static org.apache.flink.types.RowKind.DELETE;
import static org.apache.flink.types.RowKind.INSERT;
import static org.apache.flink.types.RowKind.UPDATE_AFTER;
import static org.apache.flink.types.RowKind.UPDATE_BEFORE;
import static org.assertj.core.api.Assertions.assertThat;
import static tech.streamfusion.testing.Parity.change;
import static tech.streamfusion.testing.Parity.row;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.types.Row;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tech.streamfusion.testing.Parity;

/** Changelogs into {@code upsert-kafka} tables: the topics of both sides hold the same records. */
class UpsertKafkaSinkParityTest {

    private static final String COLUMNS = "k INT, s STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED";

    private static final Row[] CHANGES = {
        change(INSERT, 1, "one", 10L),
        change(INSERT, 2, "two", 20L),
        change(UPDATE_BEFORE, 1, "one", 10L),
        change(UPDATE_AFTER, 1, "uno", 11L),
        change(INSERT, 3, null, null),
        change(DELETE, 2, "two", 20L),
        change(INSERT, -4, "minus \"four\"", 40L),
        change(UPDATE_BEFORE, 3, null, null),
        change(UPDATE_AFTER, 3, "three", 30L),
    };

    /** A table {@code target} over the topic {@code <name>-<side>}, which is created for both sides. */
    private static String target(String name, int partitions, String columns, String... options) {
        KafkaTopics.create(partitions, name + "-stock", name + "-native");
        StringBuilder sql = new StringBuilder("CREATE TABLE target (" + columns + ") WITH ('connector' = 'upsert-kafka'");
        sql.append(", 'properties.bootstrap.servers' = '").append(KafkaTopics.bootstrapServers()).append('\'');
        sql.append(", 'key.format' = 'json', 'value.format' = 'json', 'topic' = '").append(name).append("-${side}'");
        for (int i = 0; i < options.length; i += 2) {
            sql.append(", '").append(options[i]).append("' = '").append(options[i + 1]).append('\'');
        }
        return sql.append(')').toString();
    }

    /** The records of the native side, which are those of stock's in the same order. */
    private static List<String> sameContents(String name) {
        List<String> own = KafkaTopics.contents(name + "-native");
        assertThat(own).isEqualTo(KafkaTopics.contents(name + "-stock"));
        return own;
    }

    private static Parity changes(String insert) {
        return Parity.test().source("t", COLUMNS, CHANGES).insert(insert);
    }

    @Test
    void deletionsAreTombstones() {
        changes("INSERT INTO target SELECT k, UPPER(s), n + 1 FROM t")
                .statement(target("tombstones", 1, COLUMNS))
                .expectNative("Calc", "DropUpdateBefore", "Sink")
                .run();
        assertThat(sameContents("tombstones"))
                .containsExactly(
                        "0 {\"k\":1} {\"k\":1,\"s\":\"ONE\",\"n\":11}",
                        "0 {\"k\":2} {\"k\":2,\"s\":\"TWO\",\"n\":21}",
                        "0 {\"k\":1} {\"k\":1,\"s\":\"UNO\",\"n\":12}",
                        "0 {\"k\":3} {\"k\":3,\"s\":null,\"n\":null}",
                        "0 {\"k\":2} null",
                        "0 {\"k\":-4} {\"k\":-4,\"s\":\"MINUS \\\"FOUR\\\"\",\"n\":41}",
                        "0 {\"k\":3} {\"k\":3,\"s\":\"THREE\",\"n\":31}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "at-least-once", "exactly-once"})
    void recordsOfAKeyKeepPartitionAndOrder(String guarantee) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            rows.add(row(i % 97, "s" + i % 13, (long) i));
        }
        String name = "aggregate-" + guarantee;
        Parity.test()
                .source("t", "k INT, s STRING, n BIGINT", rows)
                .statement(
                        target(
                                name,
                                5,
                                "k INT, s STRING, c BIGINT, m BIGINT, PRIMARY KEY (k, s) NOT ENFORCED",
                                "sink.delivery-guarantee",
                                guarantee,
                                "sink.transactional-id-prefix",
                                name + "-${side}"))
                .option("execution.checkpointing.interval", "200 ms")
                .insert("INSERT INTO target SELECT k, UPPER(s), COUNT(*), MAX(n) FROM t GROUP BY k, UPPER(s)")
                .expectNative("Calc", "Exchange", "GroupAggregate", "Sink")
                .run();
        List<String> records = sameContents(name);
        assertThat(records).hasSize(5000);
        assertThat(records.stream().map(record -> record.charAt(0)).distinct()).hasSize(5);
    }

    /** Rows come and go, so that keys are deleted and come back. */
    @Test
    void aggregatesOverRetractionsDeleteKeys() {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            rows.add(change(INSERT, i, "s" + i % 7, (long) i % 50));
            if (i % 3 > 0) {
                rows.add(change(DELETE, i, "s" + i % 7, (long) i % 50));
            }
        }
        Parity.test()
                .source("t", COLUMNS, rows)
                .statement(target("retractions", 3, "n BIGINT, c BIGINT, m STRING, PRIMARY KEY (n) NOT ENFORCED"))
                .insert("INSERT INTO target SELECT n * 2, COUNT(*), MAX(s) FROM t GROUP BY n * 2")
                .expectNative("Calc", "Exchange", "GroupAggregate", "Sink")
                .run();
        assertThat(sameContents("retractions")).anyMatch(record -> record.endsWith("} null"));
    }

    /** The key is not that of the query, so that what an update replaces reaches the sink as well, as a tombstone. */
    @Test
    void keysMayBeOutsideOfTheValueAndHaveAPrefix() {
        changes("INSERT INTO target SELECT k + 1, UPPER(s), n FROM t")
                .statement(
                        target(
                                "prefixed",
                                2,
                                "key_k INT, s STRING, n BIGINT, PRIMARY KEY (key_k) NOT ENFORCED",
                                "key.fields-prefix",
                                "key_",
                                "value.fields-include",
                                "EXCEPT_KEY"))
                .option("table.exec.sink.upsert-materialize", "none")
                .expectNative("Calc", "Sink")
                .run();
        assertThat(sameContents("prefixed"))
                .hasSize(CHANGES.length)
                .anyMatch(record -> record.endsWith(" {\"k\":2} {\"s\":\"ONE\",\"n\":10}"))
                .anyMatch(record -> record.endsWith(" {\"k\":3} null"));
    }

    @Test
    void headersAndTimestampsAreThoseOfTheMetadata() {
        Row[] rows = {
            change(INSERT, 1, Map.of("a", "x".getBytes()), Instant.ofEpochMilli(1_000)),
            change(INSERT, 2, Map.of(), Instant.ofEpochMilli(2_000)),
            change(DELETE, 1, Map.of("b", "y".getBytes()), Instant.ofEpochMilli(3_000)),
        };
        Parity.test()
                .source("t", "k INT, h MAP<STRING, BYTES>, ts TIMESTAMP_LTZ(3), PRIMARY KEY (k) NOT ENFORCED", rows)
                .statement(
                        target(
                                "metadata",
                                1,
                                "k INT, h MAP<STRING, BYTES> METADATA FROM 'headers', "
                                        + "ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', PRIMARY KEY (k) NOT ENFORCED"))
                .insert("INSERT INTO target SELECT k, h, ts FROM t WHERE k < 10")
                .expectNative("Calc", "Sink")
                .run();
        assertThat(sameContents("metadata"))
                .containsExactly("0 {\"k\":1} {\"k\":1} a=x", "0 {\"k\":2} {\"k\":2}", "0 {\"k\":1} null b=y");
        assertThat(KafkaTopics.read("metadata-native").stream().map(ConsumerRecord::timestamp).collect(Collectors.toList()))
                .containsExactly(1_000L, 2_000L, 3_000L);
        assertThat(KafkaTopics.read("metadata-stock").stream().map(ConsumerRecord::timestamp).collect(Collectors.toList()))
                .containsExactly(1_000L, 2_000L, 3_000L);
    }

    @Test
    void notNullIsEnforcedOnChangesOfAllKinds() {
        changes("INSERT INTO target SELECT k, UPPER(s), n FROM t")
                .statement(target("not-null", 1, "k INT, s STRING NOT NULL, n BIGINT, PRIMARY KEY (k) NOT ENFORCED"))
                .option("table.exec.sink.not-null-enforcer", "drop")
                .expectNative("Calc", "DropUpdateBefore", "Sink")
                .run();
        assertThat(sameContents("not-null")).hasSize(6).noneMatch(record -> record.contains("null,"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void severalTasksWriteTheSameResult(int partitions) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 4000; i++) {
            rows.add(row(i % 300, "s" + i % 11, (long) i));
        }
        String name = "parallel-" + partitions;
        Parity.test()
                .source("t", "k INT, s STRING, n BIGINT", rows)
                .statement(target(name, partitions, "k INT, c BIGINT, m BIGINT, PRIMARY KEY (k) NOT ENFORCED"))
                .parallelism(2)
                .insert("INSERT INTO target SELECT k + 1, COUNT(*), SUM(n) FROM t GROUP BY k + 1")
                .expectNative("Calc", "Exchange", "GroupAggregate", "Sink")
                .run();
        assertThat(KafkaTopics.contents(name + "-native")).hasSize(4000);
        assertThat(KafkaTopics.lastValues(name + "-native"))
                .hasSize(300)
                .isEqualTo(KafkaTopics.lastValues(name + "-stock"));
    }

    // ---- sink.buffer-flush ----

    /** Sorted records: those of one flush come in any order on stock. */
    private static List<String> sortedContents(String topic) {
        return KafkaTopics.contents(topic).stream().sorted().collect(Collectors.toList());
    }

    private static void bufferedAggregate(String name, String maxRows, String interval, String... options) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            rows.add(change(INSERT, i, "s" + i % 7, (long) i % 50));
            if (i % 3 > 0) {
                rows.add(change(DELETE, i, "s" + i % 7, (long) i % 50));
            }
        }
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("sink.buffer-flush.max-rows", maxRows, "sink.buffer-flush.interval", interval));
        Parity.test()
                .source("t", COLUMNS, rows)
                .statement(
                        target(
                                name,
                                3,
                                "n BIGINT, c BIGINT, m STRING, PRIMARY KEY (n) NOT ENFORCED",
                                all.toArray(new String[0])))
                .option("execution.checkpointing.interval", options.length == 0 ? "1 h" : "100 ms")
                .insert("INSERT INTO target SELECT n * 2, COUNT(*), MAX(s) FROM t GROUP BY n * 2")
                .expectNative("Calc", "Exchange", "GroupAggregate", "Sink")
                .run();
        assertThat(KafkaTopics.lastValues(name + "-native"))
                .hasSizeGreaterThan(20)
                .isEqualTo(KafkaTopics.lastValues(name + "-stock"));
    }

    /** A flush comes with a number of keys, so that both sides drop the same changes. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "13", "1000"})
    void aBufferKeepsTheLastChangeOfEachKey(String maxRows) {
        String name = "buffered-" + maxRows;
        bufferedAggregate(name, maxRows, "1 h");
        assertThat(sortedContents(name + "-native")).isEqualTo(sortedContents(name + "-stock"));
        assertThat(KafkaTopics.read(name + "-native")).hasSizeLessThanOrEqualTo(maxRows.equals("1") ? 5000 : 4000);
    }

    @Test
    void aBufferIsFlushedByTimeAndByCheckpoints() {
        bufferedAggregate("buffered-by-time", "100000", "20 ms");
        bufferedAggregate(
                "buffered-exactly-once",
                "40",
                "50 ms",
                "sink.delivery-guarantee",
                "exactly-once",
                "sink.transactional-id-prefix",
                "buffered-${side}");
    }

    @Test
    void aBufferKeepsHeadersAndTimestamps() {
        Row[] rows = {
            change(INSERT, 1, Map.of("a", "x".getBytes()), Instant.ofEpochMilli(1_000)),
            change(INSERT, 2, Map.of(), Instant.ofEpochMilli(2_000)),
            change(DELETE, 1, Map.of("b", "y".getBytes()), Instant.ofEpochMilli(3_000)),
        };
        Parity.test()
                .source("t", "k INT, h MAP<STRING, BYTES>, ts TIMESTAMP_LTZ(3), PRIMARY KEY (k) NOT ENFORCED", rows)
                .statement(
                        target(
                                "buffered-metadata",
                                1,
                                "k INT, h MAP<STRING, BYTES> METADATA FROM 'headers', "
                                        + "ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', PRIMARY KEY (k) NOT ENFORCED",
                                "sink.buffer-flush.max-rows",
                                "10",
                                "sink.buffer-flush.interval",
                                "1 h"))
                .insert("INSERT INTO target SELECT k, h, ts FROM t WHERE k < 10")
                .expectNative("Calc", "Sink")
                .run();
        assertThat(sortedContents("buffered-metadata-native"))
                .isEqualTo(sortedContents("buffered-metadata-stock"))
                .containsExactly("0 {\"k\":1} null b=y", "0 {\"k\":2} {\"k\":2}");
        assertThat(KafkaTopics.read("buffered-metadata-native").stream().map(ConsumerRecord::timestamp))
                .containsExactlyInAnyOrder(2_000L, 3_000L);
    }

    // ---- what stays stock ----

    /** The key of the sink is not that of the query, so that Flink puts changes of the same key in order. */
    @Test
    void aSinkBehindAnUpsertMaterializerIsStock() {
        changes("INSERT INTO target SELECT CAST(n / 20 AS INT), UPPER(s), n FROM t WHERE n IS NOT NULL")
                .statement(target("materialized", 1, "k INT, s STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED"))
                .expectNative("Calc")
                .run();
        sameContents("materialized");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSinkBehindAShuffleByItsKeyIsStock(boolean forced) {
        String name = "shuffled-" + forced;
        changes("INSERT INTO target SELECT k, UPPER(s), n FROM t")
                .statement(
                        forced
                                ? target(name, 1, COLUMNS)
                                : target(name, 1, COLUMNS, "sink.parallelism", "2"))
                .option("table.exec.sink.keyed-shuffle", forced ? "FORCE" : "AUTO")
                .expectNative("Calc", "DropUpdateBefore")
                .run();
        assertThat(KafkaTopics.lastValues(name + "-native")).isEqualTo(KafkaTopics.lastValues(name + "-stock")).hasSize(3);
    }
}
