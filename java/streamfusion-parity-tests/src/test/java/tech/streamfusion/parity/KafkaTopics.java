package tech.streamfusion.parity;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import tech.streamfusion.testing.kafka.KafkaBroker;

/** One broker for all Kafka tests of the JVM; a test's topics have names of their own. */
final class KafkaTopics {

    private static final KafkaBroker BROKER = start();

    private KafkaTopics() {}

    private static KafkaBroker start() {
        KafkaBroker broker = KafkaBroker.start();
        Runtime.getRuntime().addShutdownHook(new Thread(broker::close));
        return broker;
    }

    static String bootstrapServers() {
        return BROKER.bootstrapServers();
    }

    static void create(int partitions, String... topics) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
            admin.createTopics(
                            Arrays.stream(topics)
                                    .map(topic -> new NewTopic(topic, partitions, (short) 1))
                                    .collect(Collectors.toList()))
                    .all()
                    .get();
        } catch (Exception e) {
            throw new IllegalStateException("cannot create " + Arrays.toString(topics), e);
        }
    }

    /** Sends records of alternately keys and values, null: none, to partition 0; record i has the timestamp {@code 1000 * i}. */
    static void send(String topic, String... keysAndValues) {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", bootstrapServers()), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < keysAndValues.length; i += 2) {
                producer.send(
                        new ProducerRecord<>(
                                topic, 0, 500L * i, bytes(keysAndValues[i]), bytes(keysAndValues[i + 1])));
            }
        }
    }

    private static byte[] bytes(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    /** All committed records, by partition and offset. */
    static List<ConsumerRecord<byte[], byte[]>> read(String topic) {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", bootstrapServers(), "isolation.level", "read_committed");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions =
                    IntStream.range(0, consumer.partitionsFor(topic).size())
                            .mapToObj(partition -> new TopicPartition(topic, partition))
                            .collect(Collectors.toList());
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("topic " + topic + " cannot be read to its end " + ends);
                }
                consumer.poll(Duration.ofMillis(200)).forEach(records::add);
            }
            records.sort(
                    Comparator.<ConsumerRecord<byte[], byte[]>>comparingInt(ConsumerRecord::partition)
                            .thenComparingLong(ConsumerRecord::offset));
            return records;
        }
    }

    /** Partition, key, value and headers of each record, in order. */
    static List<String> contents(String topic) {
        return read(topic).stream()
                .map(
                        record ->
                                record.partition()
                                        + " "
                                        + text(record.key())
                                        + " "
                                        + text(record.value())
                                        + headers(record))
                .collect(Collectors.toList());
    }

    private static String headers(ConsumerRecord<byte[], byte[]> record) {
        StringBuilder text = new StringBuilder();
        record.headers().forEach(header -> text.append(' ').append(header.key()).append('=').append(text(header.value())));
        return text.toString();
    }

    /** The last value of each key that is not deleted. */
    static Map<String, String> lastValues(String topic) {
        Map<String, String> last = new TreeMap<>();
        for (ConsumerRecord<byte[], byte[]> record : read(topic)) {
            if (record.value() == null) {
                last.remove(text(record.key()));
            } else {
                last.put(text(record.key()), text(record.value()));
            }
        }
        return last;
    }
}
