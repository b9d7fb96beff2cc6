package tech.streamfusion.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.table.api.DataTypes;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.testing.kafka.KafkaBroker;

/** One broker for all classes of a JVM, whose topics have names of their own, and no native object left after a test. */
abstract class KafkaTestBase {

    static final KafkaBroker broker = startBroker();
    static final Topics topics = new Topics(broker.bootstrapServers());
    private long liveBefore;

    private static KafkaBroker startBroker() {
        KafkaBroker started = KafkaBroker.start();
        Runtime.getRuntime().addShutdownHook(new Thread(started::close));
        return started;
    }

    @BeforeEach
    void countObjects() {
        liveBefore = NativeEngine.liveObjects();
    }

    /** Threads of cancelled tasks may take a moment to end. */
    @AfterEach
    void checkObjects() throws InterruptedException {
        for (int i = 0; i < 100 && NativeEngine.liveObjects() != liveBefore; i++) {
            Thread.sleep(100);
        }
        assertThat(NativeEngine.liveObjects()).as("native objects left behind").isEqualTo(liveBefore);
    }

    static KafkaTable table(String topic) {
        return KafkaTable.of(broker.bootstrapServers(), topic);
    }

    /** The table that most tests use. */
    static KafkaTable items(String topic) {
        return table(topic)
                .column("id", DataTypes.BIGINT())
                .column("name", DataTypes.STRING())
                .column("price", DataTypes.DECIMAL(10, 2));
    }

    static String item(long id) {
        return "{\"id\":" + id + ",\"name\":\"name " + id % 97 + "\",\"price\":" + id + ".25}";
    }

    static String[] items(int from, int to) {
        String[] items = new String[to - from];
        for (int i = from; i < to; i++) {
            items[i - from] = item(i);
        }
        return items;
    }

    static KafkaTable exactlyOnce(KafkaTable table, String prefix) {
        return table.option("sink.delivery-guarantee", "exactly-once").option("sink.transactional-id-prefix", prefix);
    }

    /** Classes of the causes that {@link Pipelines#failure} returns. */
    static List<String> classes(List<String> causes) {
        return causes.stream().map(cause -> cause.split(":")[0]).collect(Collectors.toList());
    }

    /** What a record is to its reader, but for its offset. */
    static List<String> contents(List<ConsumerRecord<byte[], byte[]>> records) {
        return records.stream()
                .map(
                        record ->
                                record.partition()
                                        + " "
                                        + Topics.text(record.key())
                                        + " "
                                        + Topics.text(record.value())
                                        + " "
                                        + record.headers())
                .collect(Collectors.toList());
    }
}
