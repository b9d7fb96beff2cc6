package tech.streamfusion.recovery;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Source and target topics of one job: numbered records in, committed text out. */
final class Topics implements AutoCloseable {

    static final int PARTITIONS = 2;

    private final String bootstrapServers;
    private final KafkaProducer<byte[], byte[]> producer;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final String source;
    private final List<String> committed = new ArrayList<>();
    private int produced;

    Topics(String bootstrapServers, String name) throws Exception {
        this.bootstrapServers = bootstrapServers;
        this.source = name + "-source";
        final String target = name + "-target";
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            admin.createTopics(
                            Stream.of(source, target)
                                    .map(topic -> new NewTopic(topic, PARTITIONS, (short) 1))
                                    .collect(Collectors.toList()))
                    .all()
                    .get();
        }
        producer =
                new KafkaProducer<>(
                        Map.of(
                                "bootstrap.servers", bootstrapServers,
                                "enable.idempotence", true,
                                // several in flight can arrive out of order on a topic that has only just been made
                                "max.in.flight.requests.per.connection", 1,
                                "linger.ms", 5,
                                "delivery.timeout.ms", 60_000,
                                "request.timeout.ms", 5_000),
                        new ByteArraySerializer(),
                        new ByteArraySerializer());
        consumer =
                new KafkaConsumer<>(
                        Map.of("bootstrap.servers", bootstrapServers, "isolation.level", "read_committed"),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
        final List<TopicPartition> partitions =
                IntStream.range(0, PARTITIONS).mapToObj(p -> new TopicPartition(target, p)).collect(Collectors.toList());
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /** Source, target, and the target again as a table with a key; {@code name} is unique for a job so that its transactions are its own. */
    String[] ddl(String name) {
        final String servers = "'properties.bootstrap.servers' = '" + bootstrapServers + "'";
        final String common = "'connector' = 'kafka', " + servers + ", 'format' = 'json'";
        final String sink =
                ", 'topic' = '"
                        + name
                        + "-target', 'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = '"
                        + name
                        + "', 'properties.transaction.timeout.ms' = '60000', 'properties.request.timeout.ms' = '5000')";
        return new String[] {
            "CREATE TABLE source (id BIGINT, name STRING, amount DECIMAL(10, 2)) WITH ("
                    + common
                    + ", 'topic' = '"
                    + source
                    + "', 'scan.startup.mode' = 'earliest-offset')",
            "CREATE TABLE target (id BIGINT, label STRING, amount DECIMAL(12, 2)) WITH (" + common + sink,
            "CREATE TABLE upserted (id BIGINT, label STRING, amount DECIMAL(12, 2), PRIMARY KEY (id) NOT ENFORCED) WITH ("
                    + "'connector' = 'upsert-kafka', "
                    + servers
                    + ", 'key.format' = 'json', 'value.format' = 'json', 'sink.buffer-flush.max-rows' = '300', "
                    + "'sink.buffer-flush.interval' = '50 ms'"
                    + sink
        };
    }

    /** Appends the next {@code count} records. */
    void produce(int count) {
        for (int end = produced + count; produced < end; produced++) {
            final String json = "{\"id\":" + produced + ",\"name\":\"n" + produced % 11 + "\",\"amount\":" + produced + ".25}";
            producer.send(new ProducerRecord<>(source, produced % PARTITIONS, null, json.getBytes(StandardCharsets.UTF_8)));
        }
    }

    void flush() {
        producer.flush();
    }

    /** The text that the query of these tests makes of record i; the query drops every seventh. */
    static String expected(int i) {
        return "{\"id\":" + i + ",\"label\":\"n" + i % 11 + "#\",\"amount\":" + (i + 1) + ".25}";
    }

    List<String> expectedOfAllProduced() {
        return IntStream.range(0, produced).filter(i -> i % 7 != 0).mapToObj(Topics::expected).sorted().collect(Collectors.toList());
    }

    /** Everything committed so far. */
    List<String> poll(Duration timeout) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(timeout)) {
            committed.add(new String(record.value(), StandardCharsets.UTF_8));
        }
        return committed;
    }

    /** Waits until at least as many rows as expected are committed, then a moment longer for surplus ones. */
    List<String> awaitAll(Duration limit) {
        final int wanted = expectedOfAllProduced().size();
        final long deadline = System.nanoTime() + limit.toNanos();
        while (poll(Duration.ofMillis(100)).size() < wanted && System.nanoTime() < deadline) {
            // keep polling
        }
        return poll(Duration.ofMillis(500)).stream().sorted().collect(Collectors.toList());
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
        consumer.close();
    }
}
