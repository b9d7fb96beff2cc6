package tech.streamfusion.nexmark;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Creates, fills and deletes topics. */
final class Topics implements AutoCloseable {

    private final String bootstrap;
    private final Admin admin;

    Topics(String bootstrap) {
        this.bootstrap = bootstrap;
        this.admin = Admin.create(
                Map.<String, Object>of(
                        "bootstrap.servers", bootstrap, "request.timeout.ms", 120_000, "default.api.timeout.ms", 300_000));
    }

    void create(String topic, int partitions, Map<String, String> config) throws ExecutionException, InterruptedException {
        admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(config))).all().get();
    }

    void delete(String topic) throws ExecutionException, InterruptedException {
        admin.deleteTopics(List.of(topic)).all().get();
    }

    long endOffset(String topic, int partition) throws ExecutionException, InterruptedException {
        TopicPartition wanted = new TopicPartition(topic, partition);
        return admin.listOffsets(Map.of(wanted, OffsetSpec.latest())).partitionResult(wanted).get().offset();
    }

    /**
     * Writes events 0 to {@code count} to the topic, event n to partition n modulo {@code partitions}; the record's
     * timestamp is the event's time.
     *
     * @return average bytes of an event
     */
    double fill(String topic, int partitions, long count, EventGenerator generator) throws InterruptedException {
        AtomicReference<Exception> failure = new AtomicReference<>();
        long bytes = 0;
        try (KafkaProducer<byte[], byte[]> producer = producer(bootstrap, Map.of("batch.size", 512 << 10, "linger.ms", 50))) {
            for (long n = 0; n < count; n++) {
                byte[] event = generator.event(n);
                bytes += event.length;
                producer.send(
                        new ProducerRecord<>(topic, (int) (n % partitions), EventGenerator.timeOf(n), null, event),
                        (metadata, e) -> {
                            if (e != null) {
                                failure.compareAndSet(null, e);
                            }
                        });
            }
            producer.flush();
        }
        if (failure.get() != null) {
            throw new IllegalStateException("filling " + topic, failure.get());
        }
        return (double) bytes / count;
    }

    static KafkaProducer<byte[], byte[]> producer(String bootstrap, Map<String, Object> config) {
        Map<String, Object> all = new HashMap<>(config);
        all.put("bootstrap.servers", bootstrap);
        return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public void close() {
        admin.close();
    }
}
