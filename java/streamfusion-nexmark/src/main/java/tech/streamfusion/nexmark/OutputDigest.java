package tech.streamfusion.nexmark;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * What a topic says, as a multiset: its committed records or, of a changelog, the last value of each key that is not
 * deleted; their number and order-independent sums of two 64-bit hashes over key and value. Equal topics have equal
 * digests; unequal ones differ except by a chance of about 2^-128. Timestamps are left out: without a timestamp metadata
 * column Flink's Kafka table sink leaves them to the producer's clock.
 */
final class OutputDigest {

    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final Duration SILENCE = Duration.ofSeconds(30);

    /** Of the topic; a changelog may have any number of them for the same result. */
    final long records;

    private final long rows;
    private final long sum1;
    private final long sum2;

    private OutputDigest(long records, long rows, long sum1, long sum2) {
        this.records = records;
        this.rows = rows;
        this.sum1 = sum1;
        this.sum2 = sum2;
    }

    /** @param changelog whether records of the same key replace each other */
    static OutputDigest of(String bootstrap, String topic, boolean changelog) {
        long[] sums = new long[3];
        Consumer<ConsumerRecord<byte[], byte[]>> adder =
                record -> {
                    sums[0]++;
                    sums[1] += hash(record, 0x9E3779B97F4A7C15L);
                    sums[2] += hash(record, 0xC2B2AE3D27D4EB4FL);
                };
        long records;
        if (changelog) {
            LastValues last = LastValues.of(bootstrap, topic);
            last.forEach(adder);
            records = last.records();
        } else {
            readCommitted(bootstrap, topic, adder);
            records = sums[0];
        }
        return new OutputDigest(records, sums[0], sums[1], sums[2]);
    }

    /** Hands over each committed record of the topic up to its present end. */
    static void readCommitted(String bootstrap, String topic, Consumer<ConsumerRecord<byte[], byte[]>> reader) {
        Map<String, Object> config =
                Map.of(
                        "bootstrap.servers", bootstrap,
                        "isolation.level", "read_committed",
                        "auto.offset.reset", "earliest",
                        "max.poll.records", 10_000,
                        "max.partition.fetch.bytes", 8 << 20);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions =
                    consumer.partitionsFor(topic).stream()
                            .map(info -> new TopicPartition(topic, info.partition()))
                            .collect(Collectors.toList());
            consumer.assign(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            long last = System.nanoTime();
            while (!ends.entrySet().stream().allMatch(e -> consumer.position(e.getKey()) >= e.getValue())) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    reader.accept(record);
                    last = System.nanoTime();
                }
                if (System.nanoTime() - last > SILENCE.toNanos()) {
                    throw new IllegalStateException("topic " + topic + " cannot be read to its end " + ends);
                }
            }
        }
    }

    /** What the first topic has and the second lacks, and the other way round; a few records of each, for a message. */
    static String difference(String bootstrap, String first, String second, boolean changelog) {
        List<String> a = sorted(bootstrap, first, changelog);
        List<String> b = sorted(bootstrap, second, changelog);
        return "only in " + first + ": " + someWithout(a, b) + "\nonly in " + second + ": " + someWithout(b, a);
    }

    private static List<String> sorted(String bootstrap, String topic, boolean changelog) {
        List<String> records = new ArrayList<>();
        Consumer<ConsumerRecord<byte[], byte[]>> adder =
                record -> records.add(text(record.value()) + (record.key() == null ? "" : " key " + text(record.key())));
        if (changelog) {
            LastValues.of(bootstrap, topic).forEach(adder);
        } else {
            readCommitted(bootstrap, topic, adder);
        }
        records.sort(null);
        return records;
    }

    private static String text(byte[] bytes) {
        return bytes == null ? "null" : new String(bytes, StandardCharsets.UTF_8);
    }

    private static List<String> someWithout(List<String> from, List<String> without) {
        List<String> found = new ArrayList<>();
        int j = 0;
        for (int i = 0; i < from.size() && found.size() < 5; i++) {
            while (j < without.size() && without.get(j).compareTo(from.get(i)) < 0) {
                j++;
            }
            if (j < without.size() && without.get(j).equals(from.get(i))) {
                j++;
            } else {
                found.add(from.get(i));
            }
        }
        return found;
    }

    private static long hash(ConsumerRecord<byte[], byte[]> record, long seed) {
        return hash(record.value(), hash(record.key(), mix(seed)));
    }

    private static long hash(byte[] bytes, long seed) {
        if (bytes == null) {
            return mix(seed ^ 0x5851F42D4C957F2DL);
        }
        long h = seed + bytes.length;
        int i = 0;
        for (; i + 8 <= bytes.length; i += 8) {
            h = mix(h ^ (long) LONGS.get(bytes, i));
        }
        long rest = 0;
        for (; i < bytes.length; i++) {
            rest = rest << 8 | bytes[i] & 0xFF;
        }
        return mix(h ^ rest);
    }

    private static long mix(long z) {
        z = (z ^ (z >>> 32)) * 0xD6E8FEB86659FD93L;
        z = (z ^ (z >>> 32)) * 0xD6E8FEB86659FD93L;
        return z ^ (z >>> 32);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OutputDigest
                && rows == ((OutputDigest) other).rows
                && sum1 == ((OutputDigest) other).sum1
                && sum2 == ((OutputDigest) other).sum2;
    }

    @Override
    public int hashCode() {
        return Objects.hash(rows, sum1, sum2);
    }

    @Override
    public String toString() {
        return records + " records, " + rows + " compared, digest " + Long.toHexString(sum1) + Long.toHexString(sum2);
    }
}
