package tech.streamfusion.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kafka to Kafka through native source and sink, against the same job on stock Flink. */
class CopyTest extends KafkaTestBase {

    private static final String[] COMPRESSIONS = {"none", "lz4", "zstd", "snappy", "gzip"};
    private static final int RECORDS = 20_000;

    private static void fill(String topic, int records) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = topics.producer("linger.ms", "20")) {
            List<Future<RecordMetadata>> sent = new ArrayList<>(records);
            for (int i = 0; i < records; i++) {
                sent.add(producer.send(new ProducerRecord<>(topic, Topics.bytes(item(i)))));
            }
            producer.flush();
            for (Future<RecordMetadata> record : sent) {
                record.get(); // a lost input record must not look like one lost by the job
            }
        }
    }

    @Test
    void copiesExactlyOnceWithEveryCompression() throws Exception {
        topics.create("in", 1);
        fill("in", RECORDS);
        Pipelines pipelines = new Pipelines();
        for (String compression : COMPRESSIONS) {
            topics.create("out-" + compression, 1);
            pipelines.addNative(
                    items("in").bounded(),
                    exactlyOnce(items("out-" + compression), compression)
                            .option("properties.compression.type", compression));
        }
        topics.create("out-stock", 1);
        pipelines.addStock(items("in").bounded(), exactlyOnce(items("out-stock"), "stock")).run();
        List<String> expected = topics.values("out-stock");
        assertThat(expected).hasSize(RECORDS);
        for (String compression : COMPRESSIONS) {
            List<ConsumerRecord<byte[], byte[]>> records = topics.read("out-" + compression);
            assertThat(contents(records)).as(compression).isEqualTo(contents(topics.read("out-stock")));
            assertOffsets(records, 2 * RECORDS / 1000);
        }
    }

    /** Offsets are consecutive but for the markers of transactions, of which there are few. */
    private static void assertOffsets(List<ConsumerRecord<byte[], byte[]>> records, long maxMarkers) {
        long last = -1;
        for (ConsumerRecord<byte[], byte[]> record : records) {
            assertThat(record.offset()).isGreaterThan(last);
            last = record.offset();
        }
        assertThat(last - records.size()).isLessThan(maxMarkers);
    }

    @Test
    void copiesSeveralPartitionsAtLeastOnce() throws Exception {
        topics.create("several", 3);
        topics.create("several-out", 4);
        fill("several", RECORDS);
        new Pipelines().addNative(items("several").bounded(), items("several-out")).run();
        List<ConsumerRecord<byte[], byte[]>> records = topics.read("several-out");
        assertThat(topics.values("several-out"))
                .hasSize(RECORDS)
                .containsExactlyInAnyOrderElementsOf(topics.values("several"));
        for (int p = 0; p < 4; p++) {
            int partition = p;
            long inPartition = records.stream().filter(record -> record.partition() == partition).count();
            assertThat(inPartition).as("the sticky partitioner moves on").isPositive();
        }
    }

    /** The records of a small batch.size and of input batches of all compressions, on both guarantees without transactions. */
    @Test
    void copiesCompressedInput() throws Exception {
        topics.create("mixed", 1);
        for (String compression : COMPRESSIONS) {
            try (KafkaProducer<byte[], byte[]> producer = topics.producer("compression.type", compression)) {
                for (String item : items(0, 300)) {
                    producer.send(new ProducerRecord<>("mixed", Topics.bytes(item)));
                }
            }
        }
        topics.create("mixed-none", 1);
        topics.create("mixed-small", 1);
        new Pipelines()
                .addNative(items("mixed").bounded(), items("mixed-none").option("sink.delivery-guarantee", "none"))
                .addNative(items("mixed").bounded(), items("mixed-small").option("properties.batch.size", "300"))
                .run();
        assertThat(topics.values("mixed-none")).hasSize(1500).isEqualTo(topics.values("mixed"));
        assertThat(topics.values("mixed-small")).isEqualTo(topics.values("mixed"));
    }

    /** Batches cross from source tasks to sink tasks, with checkpoints on their way and overtaking them. */
    @ParameterizedTest
    @CsvSource({"1,2,false,true", "2,1,false,false", "2,3,true,true"})
    void sourceAndSinkOfDifferentParallelism(int sources, int sinks, boolean unaligned, boolean objectReuse)
            throws Exception {
        String in = "wide-" + sources + sinks;
        String out = in + "-out";
        topics.create(in, 4);
        topics.create(out, 4);
        fill(in, RECORDS);
        new Pipelines(
                        "execution.checkpointing.unaligned.enabled",
                        unaligned,
                        "pipeline.object-reuse",
                        objectReuse,
                        "execution.checkpointing.interval",
                        "50 ms")
                .addNative(items(in).bounded(), sources, exactlyOnce(items(out), out), sinks)
                .run();
        assertThat(topics.values(out)).hasSize(RECORDS).containsExactlyInAnyOrderElementsOf(topics.values(in));
    }

    @Test
    void unionOfTwoTopics() throws Exception {
        for (String topic : new String[] {"left", "right", "both"}) {
            topics.create(topic, 2);
        }
        fill("left", RECORDS);
        fill("right", RECORDS / 2);
        new Pipelines().addNativeUnion(items("left").bounded(), items("right").bounded(), items("both")).run();
        List<String> expected = new ArrayList<>(topics.values("left"));
        expected.addAll(topics.values("right"));
        assertThat(topics.values("both")).containsExactlyInAnyOrderElementsOf(expected);
    }
}
