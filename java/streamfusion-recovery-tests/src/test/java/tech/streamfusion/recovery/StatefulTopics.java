package tech.streamfusion.recovery;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Source and target of a job whose results are updated. Each has one partition: what a job commits for a key has one order,
 * which is that of stock Flink.
 */
final class StatefulTopics implements AutoCloseable {

    private final String bootstrapServers;
    private final String name;
    private final String guarantee;
    private final KafkaProducer<byte[], byte[]> producer;
    private int produced;

    StatefulTopics(String bootstrapServers, String name) throws Exception {
        this(bootstrapServers, name, "exactly-once");
    }

    /** @param guarantee of what jobs write */
    StatefulTopics(String bootstrapServers, String name, String guarantee) throws Exception {
        this.guarantee = guarantee;
        this.bootstrapServers = bootstrapServers;
        this.name = name;
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            admin.createTopics(Set.of(new NewTopic(name + "-source", 1, (short) 1), new NewTopic(name + "-target", 1, (short) 1)))
                    .all()
                    .get();
        }
        producer =
                new KafkaProducer<>(
                        Map.of(
                                "bootstrap.servers", bootstrapServers,
                                "linger.ms", 5,
                                "delivery.timeout.ms", 60_000,
                                // on a busy machine a broker that has just made the topic may see the first two in another order
                                "max.in.flight.requests.per.connection", 1),
                        new ByteArraySerializer(),
                        new ByteArraySerializer());
    }

    /** @param bounded whether the job ends with what is in the source now */
    List<String> ddl(boolean bounded) {
        return List.of(
                "CREATE TABLE updates (id BIGINT, name STRING, amount DECIMAL(10, 2)) WITH ('connector' = 'kafka',"
                        + " 'format' = 'json', 'scan.startup.mode' = 'earliest-offset', 'topic' = '"
                        + name
                        + "-source', 'properties.group.id' = '"
                        + name
                        + "', 'properties.bootstrap.servers' = '"
                        + bootstrapServers
                        + (bounded ? "', 'scan.bounded.mode' = 'latest-offset')" : "')"),
                "CREATE TABLE totals (k STRING, n BIGINT, total DECIMAL(38, 2), low BIGINT, high BIGINT,"
                        + " PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'key.format' = 'json',"
                        + " 'value.format' = 'json', 'sink.delivery-guarantee' = '"
                        + guarantee
                        + "', 'topic' = '"
                        + name
                        + "-target', 'sink.transactional-id-prefix' = '"
                        + name
                        + "', 'properties.bootstrap.servers' = '"
                        + bootstrapServers
                        + "', 'properties.transaction.timeout.ms' = '60000')");
    }

    /** Appends the next records, which are the same in all topics. */
    void produce(int count) {
        for (int end = produced + count; produced < end; produced++) {
            final String json =
                    "{\"id\":" + (produced * 7919L) % 1009 + ",\"name\":\"n" + produced % 37 + "\",\"amount\":" + produced % 97 + ".25}";
            producer.send(new ProducerRecord<>(name + "-source", 0, null, json.getBytes(StandardCharsets.UTF_8)));
        }
        producer.flush();
    }

    int produced() {
        return produced;
    }

    /** Waits until a checkpoint says that the job has read all that was produced. */
    void awaitAllRead(Duration limit) throws Exception {
        final TopicPartition partition = new TopicPartition(name + "-source", 0);
        final long deadline = System.nanoTime() + limit.toNanos();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            while (System.nanoTime() < deadline) {
                final OffsetAndMetadata read =
                        admin.listConsumerGroupOffsets(name).partitionsToOffsetAndMetadata().get().get(partition);
                if (read != null && read.offset() == produced) {
                    return;
                }
                Thread.sleep(50);
            }
        }
        throw new AssertionError("after " + limit + " no checkpoint has all " + produced + " records");
    }

    /** What is committed for each key, in order: waits until there are as many records, then a moment for surplus ones. */
    Map<String, List<String>> committed(int wanted, Duration limit) {
        final Map<String, List<String>> out = new LinkedHashMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            final long deadline = System.nanoTime() + limit.toNanos();
            int seen = 0;
            while (seen < wanted && System.nanoTime() < deadline) {
                seen += poll(consumer, Duration.ofMillis(100), out);
            }
            poll(consumer, Duration.ofMillis(500), out);
        }
        return out;
    }

    /** The last value that is committed for each key: waits until they are as wanted. */
    Map<String, String> lastCommitted(Map<String, String> wanted, Duration limit) {
        final Map<String, List<String>> all = new LinkedHashMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            final long deadline = System.nanoTime() + limit.toNanos();
            while (System.nanoTime() < deadline) {
                poll(consumer, Duration.ofMillis(100), all);
                if (last(all).equals(wanted)) {
                    poll(consumer, Duration.ofMillis(500), all);
                    break;
                }
            }
        }
        return last(all);
    }

    static Map<String, String> last(Map<String, List<String>> values) {
        final Map<String, String> out = new LinkedHashMap<>();
        values.forEach((key, list) -> out.put(key, list.get(list.size() - 1)));
        return out;
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        final KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        Map.of("bootstrap.servers", bootstrapServers, "isolation.level", "read_committed"),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
        final TopicPartition partition = new TopicPartition(name + "-target", 0);
        consumer.assign(Set.of(partition));
        consumer.seekToBeginning(Set.of(partition));
        return consumer;
    }

    private static int poll(KafkaConsumer<byte[], byte[]> consumer, Duration timeout, Map<String, List<String>> out) {
        int n = 0;
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(timeout)) {
            out.computeIfAbsent(text(record.key()), key -> new ArrayList<>()).add(text(record.value()));
            n++;
        }
        return n;
    }

    private static String text(byte[] bytes) {
        return bytes == null ? "deleted" : new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
    }
}
