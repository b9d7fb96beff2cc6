package tech.streamfusion.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.streaming.connectors.kafka.partitioner.FlinkFixedPartitioner;
import org.apache.flink.table.api.DataTypes;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the native sink writes, against what the stock sink writes from the same topic. */
class WritingTest extends KafkaTestBase {

    private static final int RECORDS = 3000;

    @BeforeAll
    static void fillInput() {
        topics.create("input", 1);
        try (KafkaProducer<byte[], byte[]> producer = topics.producer("linger.ms", "10")) {
            for (int i = 0; i < RECORDS; i++) {
                RecordHeaders headers = new RecordHeaders();
                headers.add("number", Topics.bytes(Integer.toString(i)));
                if (i % 5 == 0) {
                    headers.add("empty", null).add("grüße", Topics.bytes("ß"));
                }
                producer.send(
                        new ProducerRecord<>(
                                "input", 0, 1_600_000_000_000L + 17L * i, null, Topics.bytes(item(i)), headers));
            }
        }
    }

    private static KafkaTable input() {
        return items("input").bounded();
    }

    /** Writes to {@code name-stock} and {@code name-native} and returns what came out, after comparing it. */
    private static List<ConsumerRecord<byte[], byte[]>> writeBoth(
            String name, int partitions, KafkaTable from, KafkaTable to) throws Exception {
        topics.create(name + "-stock", partitions);
        topics.create(name + "-native", partitions);
        new Pipelines()
                .addStock(from, exactlyOnce(to.copy(), name + "-s").option("topic", name + "-stock"))
                .addNative(from, exactlyOnce(to.copy(), name + "-n").option("topic", name + "-native"))
                .run();
        List<ConsumerRecord<byte[], byte[]>> own = topics.read(name + "-native");
        assertThat(contents(own)).isEqualTo(contents(topics.read(name + "-stock")));
        return own;
    }

    private static KafkaTable keyed(KafkaTable table) {
        return table.without("format")
                .option("value.format", "json")
                .option("key.format", "json")
                .option("key.fields", "name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "zstd"})
    void writesKeysToTheirPartitions(String compression) throws Exception {
        KafkaTable to = keyed(items("to be set")).option("properties.compression.type", compression);
        List<ConsumerRecord<byte[], byte[]>> records = writeBoth("keyed-" + compression, 5, input(), to);
        assertThat(records).hasSize(RECORDS);
        Map<String, Integer> partitionOf = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            Integer before = partitionOf.put(Topics.text(record.key()), record.partition());
            assertThat(before == null || before == record.partition()).isTrue();
        }
        assertThat(partitionOf.values().stream().distinct().count()).isEqualTo(5);
    }

    @Test
    void writesKeysWithPrefixOutsideTheValue() throws Exception {
        KafkaTable from =
                table("input")
                        .column("id", DataTypes.BIGINT())
                        .column("name", DataTypes.STRING())
                        .bounded();
        KafkaTable to =
                table("to be set")
                        .column("k_id", DataTypes.BIGINT())
                        .column("name", DataTypes.STRING())
                        .without("format")
                        .option("value.format", "json")
                        .option("key.format", "json")
                        .option("key.fields", "k_id")
                        .option("key.fields-prefix", "k_")
                        .option("value.fields-include", "EXCEPT_KEY");
        List<ConsumerRecord<byte[], byte[]>> records = writeBoth("prefixed", 1, from, to);
        assertThat(Topics.text(records.get(0).key())).isEqualTo("{\"id\":0}");
        assertThat(Topics.text(records.get(0).value())).isEqualTo("{\"name\":\"name 0\"}");
    }

    @Test
    void writesHeadersAndTimestamps() throws Exception {
        KafkaTable from =
                input().metadata("headers", DataTypes.MAP(DataTypes.STRING(), DataTypes.BYTES()).notNull())
                        .metadata("timestamp", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3).notNull());
        KafkaTable to =
                items("to be set")
                        .metadata("headers", DataTypes.MAP(DataTypes.STRING(), DataTypes.BYTES()))
                        .metadata("timestamp", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3));
        List<ConsumerRecord<byte[], byte[]>> records = writeBoth("headers", 1, from, to);
        assertThat(records.stream().map(ConsumerRecord::timestamp).collect(Collectors.toList()))
                .isEqualTo(
                        topics.read("input").stream().map(ConsumerRecord::timestamp).collect(Collectors.toList()));
        assertThat(records.get(0).headers().toArray()).hasSize(2);
        assertThat(topics.read("headers-stock").get(7).timestamp()).isEqualTo(records.get(7).timestamp());
    }

    @ParameterizedTest
    @ValueSource(strings = {"fixed", "round-robin", "tech.streamfusion.kafka.WritingTest$ByLength"})
    void partitionsAsToldTo(String partitioner) throws Exception {
        String name = "by-" + Math.abs(partitioner.hashCode());
        topics.create(name + "-stock", 3);
        topics.create(name + "-native", 3);
        KafkaTable to = items("to be set").option("sink.partitioner", partitioner);
        new Pipelines()
                .addStock(input(), to.copy().option("topic", name + "-stock"))
                .addNative(input(), to.copy().option("topic", name + "-native"))
                .run();
        List<ConsumerRecord<byte[], byte[]>> own = topics.read(name + "-native");
        if (partitioner.equals("round-robin")) {
            // the client's sticky partitioner, which chooses at random
            assertThat(topics.values(name + "-native")).containsExactlyInAnyOrderElementsOf(topics.values(name + "-stock"));
            assertThat(own.stream().map(ConsumerRecord::partition).distinct().count()).isGreaterThan(1);
        } else {
            assertThat(contents(own)).isEqualTo(contents(topics.read(name + "-stock")));
        }
    }

    /** A user's partitioner that looks at everything it is given. */
    public static final class ByLength extends FlinkFixedPartitioner<org.apache.flink.table.data.RowData> {
        private static final long serialVersionUID = 1L;

        @Override
        public int partition(
                org.apache.flink.table.data.RowData row, byte[] key, byte[] value, String topic, int[] partitions) {
            return partitions[(value.length + row.getString(1).toString().length()) % partitions.length];
        }
    }

    @Test
    void poolsTransactions() throws Exception {
        topics.create("pooled", 1);
        new Pipelines()
                .addNative(
                        input(),
                        exactlyOnce(items("pooled"), "pooled").option("sink.transaction-naming-strategy", "pooling"))
                .run();
        assertThat(topics.values("pooled")).isEqualTo(topics.values("input"));
    }

    @Test
    void leavesInterceptedProducersAlone() throws Exception {
        topics.create("intercepted", 1);
        Counting.COUNT.set(0);
        new Pipelines()
                .addNative(
                        input(),
                        items("intercepted").option("properties.interceptor.classes", Counting.class.getName()))
                .run();
        assertThat(topics.values("intercepted")).isEqualTo(topics.values("input"));
        assertThat(Counting.COUNT.get()).isEqualTo(RECORDS);
    }

    /** Counts what is sent. */
    public static final class Counting implements org.apache.kafka.clients.producer.ProducerInterceptor<byte[], byte[]> {
        static final java.util.concurrent.atomic.AtomicInteger COUNT = new java.util.concurrent.atomic.AtomicInteger();

        @Override
        public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
            COUNT.incrementAndGet();
            return record;
        }

        @Override
        public void onAcknowledgement(
                org.apache.kafka.clients.producer.RecordMetadata metadata, Exception exception) {}

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> configs) {}
    }

    /**
     * Batches that the topic refuses as too large are split by the client, record by record. (With idempotence, splitting
     * fails in the client: the sequence numbers of the parts come out of order.)
     */
    @Test
    void survivesTheSplittingOfBatches() throws Exception {
        topics.create("split", 1, Map.of("max.message.bytes", "5000"));
        KafkaTable to =
                items("split")
                        .option("properties.enable.idempotence", "false")
                        .option("properties.batch.size", "100000")
                        .option("properties.linger.ms", "100")
                        .option("properties.compression.type", "gzip");
        new Pipelines().addNative(input(), to).run();
        assertThat(topics.values("split")).containsExactlyInAnyOrderElementsOf(topics.values("input"));
    }

    /**
     * One record only: when a second one fails between the first failure and the closing of Flink's writer, close() throws
     * it, and that ends the whole task manager, of stock Flink and of ours, before the failure is reported. And no
     * checkpoint, which would be another way for the failure to come up.
     */
    @Test
    void failsWhenTheTopicRefusesTheRecord() throws Exception {
        topics.create("single", 1);
        topics.send("single", item(1));
        for (String side : List.of("stock", "native")) {
            topics.create("refusing-" + side, 1, Map.of("max.message.bytes", "80"));
        }
        KafkaTable from = items("single").bounded();
        List<String> stock = withoutCheckpoints().addStock(from, items("refusing-stock")).failure();
        List<String> own = withoutCheckpoints().addNative(from, items("refusing-native")).failure();
        assertThat(own.get(own.size() - 1)).isEqualTo(stock.get(stock.size() - 1)).contains("RecordTooLarge");
        assertThat(classes(own)).isEqualTo(classes(stock));
    }

    private static Pipelines withoutCheckpoints() {
        return new Pipelines("execution.checkpointing.interval", "1 h");
    }

    @Test
    void failsForAnUnknownTopic() {
        KafkaTable to = items("to-nowhere").option("properties.max.block.ms", "2000");
        List<String> stock = new Pipelines().addStock(input(), to).failure();
        List<String> own = new Pipelines().addNative(input(), to).failure();
        // in stock Flink the failure passes through the deserializer, which takes it for its own
        assertThat(own.subList(own.size() - 2, own.size())).isEqualTo(stock.subList(stock.size() - 2, stock.size()));
        assertThat(own).anyMatch(cause -> cause.contains("to-nowhere"));
    }

    /** The broker allows transactions of two hours at most. */
    @Test
    void failsWhenTheBrokerRefusesTheTransaction() throws Exception {
        topics.create("untransacted", 1);
        KafkaTable to =
                exactlyOnce(items("untransacted"), "untransacted")
                        .option("properties.transaction.timeout.ms", "10800000");
        List<String> stock = new Pipelines().addStock(input(), to).failure();
        List<String> own = new Pipelines().addNative(input(), to).failure();
        assertThat(own).isEqualTo(stock);
        assertThat(own.get(own.size() - 1)).contains("transaction timeout is larger");
    }
}
