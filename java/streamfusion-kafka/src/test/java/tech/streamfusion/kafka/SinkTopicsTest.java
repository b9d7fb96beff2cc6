package tech.streamfusion.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.types.DataType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables whose rows name their topic. */
class SinkTopicsTest extends KafkaTestBase {

    private static final int RECORDS = 2000;
    private static final DataType HEADERS = DataTypes.MAP(DataTypes.STRING(), DataTypes.BYTES());
    private static final DataType TIMESTAMP = DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3);

    /** Rows for three topics in changing turns, with a header and a timestamp. */
    @BeforeAll
    static void fillInput() {
        topics.create("to-route", 1);
        topics.create("allowed-a", 1);
        topics.create("allowed-b", 1);
        try (KafkaProducer<byte[], byte[]> producer = topics.producer("linger.ms", "10")) {
            for (int i = 0; i < RECORDS; i++) {
                RecordHeaders headers = new RecordHeaders();
                headers.add("number", Topics.bytes(Integer.toString(i)));
                String value = "{\"id\":" + i + ",\"name\":\"name " + i % 13 + "\",\"topic\":\"" + topic(i * i % 7) + "\"}";
                producer.send(new ProducerRecord<>("to-route", 0, 1_600_000_000_000L + i, null, Topics.bytes(value), headers));
            }
        }
    }

    private static String topic(int number) {
        return number == 0 ? "routed-a" : number == 1 ? "routed-b" : "routed-c";
    }

    private static KafkaTable from() {
        return table("to-route")
                .column("id", DataTypes.BIGINT())
                .column("name", DataTypes.STRING())
                .column("topic", DataTypes.STRING().notNull())
                .metadata("headers", HEADERS.notNull())
                .metadata("timestamp", TIMESTAMP.notNull())
                .bounded();
    }

    private static KafkaTable to() {
        return table("routed-a;routed-b;routed-c")
                .column("id", DataTypes.BIGINT())
                .column("name", DataTypes.STRING())
                .metadata("topic", DataTypes.STRING().notNull())
                .metadata("headers", HEADERS)
                .metadata("timestamp", TIMESTAMP);
    }

    private static KafkaTable variant(String name) {
        switch (name) {
            case "keys":
                return to().without("format")
                        .option("value.format", "json")
                        .option("key.format", "json")
                        .option("key.fields", "name");
            case "fixed":
                return to().option("sink.partitioner", "fixed");
            case "pattern":
                return to().without("topic").option("topic-pattern", "routed-[a-c]").option("sink.partitioner", "fixed");
            default:
                throw new IllegalArgumentException(name);
        }
    }

    /** The same topics are written by one side, read, deleted and written by the other. */
    @ParameterizedTest
    @ValueSource(strings = {"keys", "fixed", "pattern"})
    void writesToTheTopicsOfTheRows(String variant) throws Exception {
        List<List<ConsumerRecord<byte[], byte[]>>> stock = write(variant, false);
        List<List<ConsumerRecord<byte[], byte[]>>> own = write(variant, true);
        int records = 0;
        for (int t = 0; t < stock.size(); t++) {
            assertThat(contents(own.get(t))).isNotEmpty().isEqualTo(contents(stock.get(t)));
            assertThat(timestamps(own.get(t))).isEqualTo(timestamps(stock.get(t)));
            records += own.get(t).size();
        }
        assertThat(records).isEqualTo(RECORDS);
    }

    private static List<Long> timestamps(List<ConsumerRecord<byte[], byte[]>> records) {
        return records.stream().map(ConsumerRecord::timestamp).collect(Collectors.toList());
    }

    private static List<List<ConsumerRecord<byte[], byte[]>>> write(String variant, boolean accelerated)
            throws Exception {
        for (String topic : List.of("routed-a", "routed-b", "routed-c")) {
            topics.create(topic, 3);
        }
        Pipelines pipelines = new Pipelines();
        if (accelerated) {
            pipelines.addNative(from(), variant(variant));
        } else {
            pipelines.addStock(from(), variant(variant));
        }
        pipelines.run();
        List<List<ConsumerRecord<byte[], byte[]>>> written =
                List.of(topics.read("routed-a"), topics.read("routed-b"), topics.read("routed-c"));
        topics.delete("routed-a", "routed-b", "routed-c");
        return written;
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"elsewhere\"", "null"})
    void refusesOtherTopics(String topic) throws Exception {
        String input = "misrouted-" + Math.abs(topic.hashCode());
        topics.create(input, 1);
        topics.send(input, "{\"id\":1,\"topic\":\"allowed-a\"}", "{\"id\":2,\"topic\":" + topic + "}");
        KafkaTable from =
                table(input).column("id", DataTypes.BIGINT()).column("topic", DataTypes.STRING()).bounded();
        KafkaTable to =
                table("allowed-a;allowed-b")
                        .column("id", DataTypes.BIGINT())
                        .metadata("topic", DataTypes.STRING());
        List<String> stock = new Pipelines().addStock(from, to).failure();
        List<String> own = new Pipelines().addNative(from, to).failure();
        assertThat(own.get(own.size() - 1)).isEqualTo(stock.get(stock.size() - 1)).contains("topic of the sink record");
    }
}
