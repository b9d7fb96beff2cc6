package tech.streamfusion.kafka;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Topics of a broker as tests fill and read them. */
final class Topics {

    private final String bootstrapServers;

    Topics(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
    }

    void create(String topic, int partitions) {
        create(topic, partitions, Map.of());
    }

    void create(String topic, int partitions, Map<String, String> config) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(config))).all().get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Deletes topics; returns when they are gone, so that they can be made anew. */
    void delete(String... names) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            admin.deleteTopics(List.of(names)).all().get();
            while (admin.listTopics().names().get().stream().anyMatch(List.of(names)::contains)) {
                Thread.sleep(50);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    KafkaProducer<byte[], byte[]> producer(String... settings) {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", bootstrapServers);
        // on a starved machine the client loses the order of batches in flight, and with it a batch
        properties.put("max.in.flight.requests.per.connection", "1");
        for (int i = 0; i < settings.length; i += 2) {
            properties.put(settings[i], settings[i + 1]);
        }
        return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    void send(String topic, String... values) {
        sendTo(topic, 0, values);
    }

    void sendTo(String topic, int partition, String... values) {
        try (KafkaProducer<byte[], byte[]> producer = producer()) {
            for (String value : values) {
                producer.send(new ProducerRecord<>(topic, partition, null, bytes(value)));
            }
        }
    }

    /** Adds partitions. */
    void grow(String topic, int partitions) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(partitions))).all().get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Offsets that a group has committed, by partition. */
    Map<Integer, Long> committed(String group, String topic) {
        Map<Integer, Long> offsets = new HashMap<>();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .forEach(
                            (partition, offset) -> {
                                if (partition.topic().equals(topic)) {
                                    offsets.put(partition.partition(), offset.offset());
                                }
                            });
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return offsets;
    }

    /** Where the partitions end. */
    Map<Integer, Long> ends(String topic) {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", bootstrapServers);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions =
                    consumer.partitionsFor(topic).stream()
                            .map(info -> new TopicPartition(topic, info.partition()))
                            .collect(Collectors.toList());
            Map<Integer, Long> ends = new HashMap<>();
            consumer.endOffsets(partitions).forEach((partition, end) -> ends.put(partition.partition(), end));
            return ends;
        }
    }

    static byte[] bytes(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    /** All committed records, by partition and offset. */
    List<ConsumerRecord<byte[], byte[]>> read(String topic) {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", bootstrapServers);
        properties.put("isolation.level", "read_committed");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions =
                    consumer.partitionsFor(topic).stream()
                            .map(info -> new TopicPartition(topic, info.partition()))
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

    List<String> values(String topic) {
        return read(topic).stream().map(record -> text(record.value())).collect(Collectors.toList());
    }
}
