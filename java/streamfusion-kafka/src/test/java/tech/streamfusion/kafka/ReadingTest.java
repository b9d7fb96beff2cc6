package tech.streamfusion.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.table.api.DataTypes;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the native source reads, against what the stock source reads from the same topic. */
class ReadingTest extends KafkaTestBase {

    /** Reads with both, and returns what came out, which must be the same. */
    private static List<String> readBoth(String name, KafkaTable from) throws Exception {
        topics.create(name + "-stock", 1);
        topics.create(name + "-native", 1);
        KafkaTable to = sink(from);
        new Pipelines()
                .addStock(from, to.copy().option("topic", name + "-stock"))
                .addNative(from, to.copy().option("topic", name + "-native"))
                .run();
        List<String> stock = topics.values(name + "-stock");
        assertThat(topics.values(name + "-native")).isEqualTo(stock);
        return stock;
    }

    /** A table that takes all produced columns as physical ones. */
    private static KafkaTable sink(KafkaTable from) {
        KafkaTable to = table("to be set");
        from.rowType()
                .getFields()
                .forEach(
                        field ->
                                to.column(
                                        field.getName().replace('-', '_'),
                                        org.apache.flink.table.types.utils.TypeConversions.fromLogicalToDataType(
                                                field.getType())));
        return to;
    }

    @Test
    void readsAllMetadata() throws Exception {
        topics.create("metadata", 1);
        try (KafkaProducer<byte[], byte[]> producer = topics.producer()) {
            for (int i = 0; i < 20; i++) {
                RecordHeaders headers = new RecordHeaders();
                if (i % 3 == 1) {
                    headers.add("trace", Topics.bytes("t" + i)).add("empty", null);
                }
                producer.send(
                        new ProducerRecord<>("metadata", 0, 1_700_000_000_000L + i, null, Topics.bytes(item(i)), headers));
            }
            producer.send(new ProducerRecord<>("metadata", 0, null, null));
            producer.send(new ProducerRecord<>("metadata", 0, 1L, null, Topics.bytes(item(99))));
        }
        KafkaTable from =
                items("metadata")
                        .bounded()
                        .metadata("topic", DataTypes.STRING().notNull())
                        .metadata("partition", DataTypes.INT().notNull())
                        .metadata("headers", DataTypes.MAP(DataTypes.STRING(), DataTypes.BYTES()).notNull())
                        .metadata("leader-epoch", DataTypes.INT())
                        .metadata("offset", DataTypes.BIGINT().notNull())
                        .metadata("timestamp", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3).notNull())
                        .metadata("timestamp-type", DataTypes.STRING().notNull());
        List<String> rows = readBoth("metadata", from);
        assertThat(rows).hasSize(21);
        assertThat(rows.get(1)).contains("\"trace\"", "\"offset\":1", "CreateTime");
        List<String> narrowed =
                readNative("metadata-narrow", from.copy().reading(true, false, false, false, false, false, false, true, false, false));
        assertThat(narrowed.get(20)).contains("\"id\":99", "\"offset\":21", "\"name\":null", "\"partition\":null");
    }

    private static List<String> readNative(String name, KafkaTable from) throws Exception {
        topics.create(name, 1);
        new Pipelines().addNative(from, sink(from).option("topic", name)).run();
        return topics.values(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ALL", "EXCEPT_KEY"})
    void readsKeys(String include) throws Exception {
        String topic = "keys-" + include;
        topics.create(topic, 1);
        try (KafkaProducer<byte[], byte[]> producer = topics.producer()) {
            for (int i = 0; i < 30; i++) {
                byte[] key = i % 7 == 3 ? null : Topics.bytes("{\"id\":" + (i + 1000) + ",\"region\":\"r" + i % 3 + "\"}");
                byte[] value = i % 11 == 5 ? null : Topics.bytes(item(i));
                producer.send(new ProducerRecord<>(topic, key, value));
            }
            // one record may hold several rows
            producer.send(
                    new ProducerRecord<>(
                            topic, Topics.bytes("{\"id\":1}"), Topics.bytes("[" + item(50) + "," + item(51) + "]")));
            producer.send(
                    new ProducerRecord<>(
                            topic, Topics.bytes("[{\"id\":1},{\"id\":2}]"), Topics.bytes("[" + item(60) + "," + item(61) + "]")));
        }
        boolean except = include.equals("EXCEPT_KEY");
        KafkaTable from =
                table(topic)
                        .column(except ? "k_id" : "id", DataTypes.BIGINT())
                        .column("name", DataTypes.STRING())
                        .column("price", DataTypes.DECIMAL(10, 2))
                        .column(except ? "k_region" : "region", DataTypes.STRING())
                        .metadata("offset", DataTypes.BIGINT().notNull())
                        .bounded()
                        .without("format")
                        .option("value.format", "json")
                        .option("key.format", "json")
                        .option("key.fields", except ? "k_id;k_region" : "id;region")
                        .option("value.fields-include", include);
        if (except) {
            from.option("key.fields-prefix", "k_");
        }
        List<String> rows = readBoth(topic, from);
        assertThat(rows).hasSizeGreaterThan(25);
        assertThat(rows.get(0)).contains(except ? "\"k_id\":1000" : "\"id\":0");
    }

    @Test
    void leavesOddRecordsToTheHost() throws Exception {
        topics.create("odd", 1);
        topics.send(
                "odd",
                item(1),
                "[]",
                "[" + item(2) + "," + item(3) + "]",
                null,
                "",
                "{\"id\":\"17\",\"name\":{\"nested\":1},\"price\":\"1.005\"}",
                item(4));
        assertThat(readBoth("odd", items("odd").bounded())).isNotEmpty();
    }

    @Test
    void skipsWhatIsToBeIgnored() throws Exception {
        topics.create("ignored", 1);
        topics.send("ignored", item(1), "no json", item(2), "{\"id\":\"x\"}", item(3));
        List<String> rows = readBoth("ignored", items("ignored").bounded().option("json.ignore-parse-errors", "true"));
        assertThat(rows).contains(item(1), item(2), item(3));
    }

    /** Stock's default json decoder hands on a null row here, which ends in a failure or in the row before once more. */
    @Test
    void skipsTruncatedRecordsThatAreToBeIgnored() throws Exception {
        topics.create("truncated", 1);
        topics.send("truncated", item(1), "{\"id\":", item(2));
        KafkaTable from = items("truncated").bounded().option("json.ignore-parse-errors", "true");
        assertThat(readNative("truncated-native", from)).containsExactly(item(1), item(2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"no json", "{\"id\":1", "{\"id\":\"not a number\"}", "[{\"id\":1},{\"id\":\"x\"}]"})
    void failsAsStockDoes(String malformed) throws Exception {
        String topic = "malformed-" + Math.abs(malformed.hashCode());
        topics.create(topic, 1);
        topics.send(topic, item(1), item(2), malformed, item(3));
        topics.create(topic + "-stock", 1);
        topics.create(topic + "-native", 1);
        KafkaTable from = items(topic).bounded();
        List<String> stock = new Pipelines().addStock(from, items(topic + "-stock")).failure();
        List<String> own = new Pipelines().addNative(from, items(topic + "-native")).failure();
        assertThat(own).isEqualTo(stock);
        assertThat(own).anyMatch(cause -> cause.contains("Failed to deserialize consumer record due to"));
    }

    @Test
    void startsAndStopsWhereItIsTold() throws Exception {
        topics.create("modes", 2);
        try (KafkaProducer<byte[], byte[]> producer = topics.producer()) {
            for (int i = 0; i < 200; i++) {
                producer.send(new ProducerRecord<>("modes", i % 2, 10_000L + i, null, Topics.bytes(item(i))));
            }
        }
        commit("modes", "some-group", 30, 40);
        String[][] modes = {
            {"scan.startup.mode", "earliest-offset", "scan.bounded.mode", "latest-offset"},
            {"scan.startup.mode", "group-offsets", "scan.bounded.mode", "latest-offset"},
            {"scan.startup.mode", "earliest-offset", "scan.bounded.mode", "group-offsets"},
            {
                "scan.startup.mode", "specific-offsets",
                "scan.startup.specific-offsets", "partition:0,offset:11;partition:1,offset:90",
                "scan.bounded.mode", "specific-offsets",
                "scan.bounded.specific-offsets", "partition:0,offset:50;partition:1,offset:90"
            },
            {
                "scan.startup.mode", "timestamp", "scan.startup.timestamp-millis", "10050",
                "scan.bounded.mode", "timestamp", "scan.bounded.timestamp-millis", "10150"
            },
        };
        Pipelines pipelines = new Pipelines();
        for (int m = 0; m < modes.length; m++) {
            KafkaTable from = items("modes").option("properties.group.id", "some-group");
            for (int i = 0; i < modes[m].length; i += 2) {
                from.option(modes[m][i], modes[m][i + 1]);
            }
            topics.create("modes-stock-" + m, 1);
            topics.create("modes-native-" + m, 1);
            pipelines.addStock(from, items("modes-stock-" + m)).addNative(from, items("modes-native-" + m));
        }
        pipelines.run();
        int[] expected = {200, 130, 70, 39, 100};
        for (int m = 0; m < modes.length; m++) {
            List<String> stock = topics.values("modes-stock-" + m);
            assertThat(stock).as("mode %s", m).hasSize(expected[m]);
            assertThat(topics.values("modes-native-" + m)).containsExactlyInAnyOrderElementsOf(stock);
        }
    }

    private static void commit(String topic, String group, long... offsets) {
        Map<String, Object> properties =
                Map.of("bootstrap.servers", broker.bootstrapServers(), "group.id", group);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            for (int p = 0; p < offsets.length; p++) {
                consumer.commitSync(Map.of(new TopicPartition(topic, p), new OffsetAndMetadata(offsets[p])));
            }
        }
    }

    /** Aborted transactions, markers at the end, and a partition without records. */
    @Test
    void readsCommittedRecordsOnly() throws Exception {
        topics.create("transactions", 2);
        try (KafkaProducer<byte[], byte[]> producer = topics.producer("transactional.id", "reading-test")) {
            producer.initTransactions();
            for (int i = 0; i < 10; i++) {
                producer.beginTransaction();
                for (int k = 0; k < 20; k++) {
                    producer.send(new ProducerRecord<>("transactions", 0, null, Topics.bytes(item(100L * i + k))));
                }
                if (i % 3 == 1) {
                    producer.abortTransaction();
                } else {
                    producer.commitTransaction();
                }
            }
        }
        KafkaTable from = items("transactions").bounded().option("properties.isolation.level", "read_committed");
        assertThat(readBoth("transactions", from)).hasSize(140);
    }

    @Test
    void readsBigRecords() throws Exception {
        topics.create("big", 1, Map.of("max.message.bytes", "20000000"));
        String big = "{\"id\":1,\"name\":\"" + "x".repeat(10_000_000) + "\",\"price\":1}";
        try (KafkaProducer<byte[], byte[]> producer =
                topics.producer("max.request.size", "20000000", "buffer.memory", "60000000")) {
            for (String value : List.of(item(0), big, item(2))) {
                producer.send(new ProducerRecord<>("big", Topics.bytes(value)));
            }
        }
        topics.create("big-out", 1, Map.of("max.message.bytes", "20000000"));
        new Pipelines()
                .addNative(
                        items("big").bounded(),
                        items("big-out")
                                .option("properties.max.request.size", "20000000")
                                .option("properties.buffer.memory", "60000000"))
                .run();
        assertThat(topics.values("big-out").get(1).equals(big)).isTrue();
        topics.create("big-refused", 1);
        topics.create("big-refused-stock", 1);
        List<String> own = new Pipelines().addNative(items("big").bounded(), items("big-refused")).failure();
        List<String> stock = new Pipelines().addStock(items("big").bounded(), items("big-refused-stock")).failure();
        assertThat(lastClass(own)).isEqualTo(lastClass(stock)).contains("RecordTooLargeException");
        assertThat(own.get(own.size() - 1)).isEqualTo(stock.get(stock.size() - 1));
    }

    private static String lastClass(List<String> causes) {
        return Optional.of(causes.get(causes.size() - 1)).map(cause -> cause.split(":")[0]).orElseThrow();
    }

    @Test
    void failsForUnknownTopicsAsStockDoes() {
        KafkaTable from = items("nobody-made-it").bounded();
        List<String> own = new Pipelines().addNative(from, items("irrelevant")).failure();
        List<String> stock = new Pipelines().addStock(from, items("irrelevant")).failure();
        assertThat(lastClass(own)).isEqualTo(lastClass(stock));
    }
}
