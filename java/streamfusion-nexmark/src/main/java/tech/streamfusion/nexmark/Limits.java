package tech.streamfusion.nexmark;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.types.logical.RowType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import tech.streamfusion.json.JsonNativeFormat;
import tech.streamfusion.plan.Format;
import tech.streamfusion.plan.ReadPath;
import tech.streamfusion.planner.expr.PlanTypes;
import tech.streamfusion.runtime.NativeEngine;

/**
 * The parts that a query from Kafka to Kafka cannot do without, each alone, in nanoseconds per input event: polling the
 * events without touching them, decoding, encoding the output records, and producing their bytes in a transaction as few
 * large records, so that nothing is paid per record. Runs in a worker of the accelerated side.
 */
final class Limits {

    private static final String[] PARTS = {"poll", "decode", "encode", "produce"};
    private static final int SAMPLE = 100_000;
    private static final int BATCH = 500;
    private static final int BLOB = 16_000;
    private static final OperatingSystemMXBean PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private final Message request;
    private final String bootstrap;
    private final long events;
    private final Message answer = new Message();

    private Limits(Message request) {
        this.request = request;
        this.bootstrap = request.get("bootstrap");
        this.events = request.getLong("events");
    }

    /** Answers with {@code <part>Wall} and {@code <part>Cpu} for each part. */
    static Message measure(Message request, TableEnvironment tables) throws Exception {
        Limits limits = new Limits(request);
        RowType input = rowType(tables, "events");
        RowType output = rowType(tables, "output");
        limits.poll();
        List<byte[]> in = limits.sample(request.get("input"));
        List<byte[]> out = limits.sample(request.get("output"));
        double outPerIn = (double) request.getLong("outputRecords") / limits.events;
        limits.codec(in, input, limits.inputPaths(), "decode", 1);
        limits.codec(out, output, List.of(), "encode", outPerIn);
        limits.produce(out);
        return limits.answer;
    }

    private static RowType rowType(TableEnvironment tables, String table) {
        return (RowType) tables.from(table).getResolvedSchema().toPhysicalRowDataType().getLogicalType();
    }

    /** Event type, rowtime and the whole bid: at least what a query over bids reads. */
    private List<int[]> inputPaths() {
        return Shape.of(request.get("shape")) == Shape.NESTED
                ? List.of(new int[] {0}, new int[] {1, 6}, new int[] {2, 5}, new int[] {3})
                : List.of(new int[] {0}, new int[] {1}, new int[] {4});
    }

    private void answer(String part, long wallNanos, long cpuNanos, double perEvent) {
        answer.with(part + "Wall", wallNanos * perEvent).with(part + "Cpu", cpuNanos * perEvent);
    }

    /** Looks at nothing: the value is its size, taken from the slice of the fetch buffer. */
    private static final class SizeOnly implements Deserializer<Integer> {
        @Override
        public Integer deserialize(String topic, byte[] data) {
            return 0;
        }

        @Override
        public Integer deserialize(String topic, Headers headers, ByteBuffer data) {
            return 0;
        }
    }

    private void poll() {
        try (KafkaConsumer<Integer, Integer> consumer =
                new KafkaConsumer<>(Map.of("bootstrap.servers", bootstrap), new SizeOnly(), new SizeOnly())) {
            List<TopicPartition> partitions = assignAll(consumer, request.get("input"));
            consumer.seekToBeginning(partitions);
            long cpu = PROCESS.getProcessCpuTime();
            long wall = System.nanoTime();
            long seen = 0;
            while (seen < events) {
                ConsumerRecords<Integer, Integer> records = consumer.poll(Duration.ofSeconds(1));
                seen += records.count();
            }
            answer("poll", System.nanoTime() - wall, PROCESS.getProcessCpuTime() - cpu, 1.0 / seen);
        }
    }

    private static List<TopicPartition> assignAll(KafkaConsumer<?, ?> consumer, String topic) {
        List<TopicPartition> partitions =
                consumer.partitionsFor(topic).stream()
                        .map(info -> new TopicPartition(topic, info.partition()))
                        .collect(Collectors.toList());
        consumer.assign(partitions);
        return partitions;
    }

    /** The first records of a topic. */
    private List<byte[]> sample(String topic) {
        Map<String, Object> config = Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed");
        List<byte[]> values = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = assignAll(consumer, topic);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (values.size() < SAMPLE && partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    if (record.value() != null) {
                        values.add(record.value());
                    }
                }
            }
        }
        return values;
    }

    /** Decodes the records in batches and, for the part "encode", encodes the batches again; twice, the second is timed. */
    private void codec(List<byte[]> records, RowType type, List<int[]> paths, String part, double perEvent) {
        JsonNativeFormat json = new JsonNativeFormat();
        long format = json.open();
        Configuration none = new Configuration();
        long pool = NativeEngine.poolCreate("limits", -1, null);
        long rowType = NativeEngine.typeCreate(PlanTypes.encode(type).toByteArray());
        long decoder =
                NativeEngine.decoderCreate(format, pool, plan(type, paths, json.decoderOptions(type, none).get()));
        long encoder =
                NativeEngine.encoderCreate(format, pool, plan(type, List.of(), json.encoderOptions(type, none).get()));
        boolean encodes = part.equals("encode");
        long nanos = 0;
        for (int pass = 0; pass < 2; pass++) {
            nanos = 0;
            for (int from = 0; from < records.size(); from += BATCH) {
                List<byte[]> some = records.subList(from, Math.min(from + BATCH, records.size()));
                nanos += once(some, pool, rowType, decoder, encodes ? encoder : 0);
            }
        }
        NativeEngine.encoderClose(encoder);
        NativeEngine.decoderClose(decoder);
        NativeEngine.typeRelease(rowType);
        NativeEngine.poolRelease(pool);
        // One thread, no waiting: its time is CPU time as well.
        answer(part, nanos, nanos, perEvent / records.size());
    }

    private static long once(List<byte[]> records, long pool, long rowType, long decoder, long encoder) {
        int[] offsets = new int[records.size()];
        int[] sizes = new int[records.size()];
        int size = 0;
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = size;
            sizes[i] = records.get(i).length;
            size += sizes[i];
        }
        long buffer = NativeEngine.bufferCreate(pool, size);
        for (int i = 0; i < offsets.length; i++) {
            NativeEngine.copyIn(records.get(i), 0, NativeEngine.bufferAddress(buffer) + offsets[i], sizes[i]);
        }
        long start = System.nanoTime();
        long decoded = NativeEngine.decode(decoder, buffer, offsets, sizes, offsets.length);
        long batch = NativeEngine.decodedToBatch(decoded, pool, rowType, null);
        long nanos = System.nanoTime() - start;
        if (encoder != 0) {
            start = System.nanoTime();
            NativeEngine.encodedRelease(NativeEngine.encode(encoder, batch, null));
            nanos = System.nanoTime() - start;
        }
        NativeEngine.batchRelease(batch);
        NativeEngine.bufferRelease(buffer);
        return nanos;
    }

    private static byte[] plan(RowType type, List<int[]> paths, Map<String, String> options) {
        Format.Builder plan = Format.newBuilder().setName("json").setRowType(PlanTypes.encode(type)).putAllOptions(options);
        if (!paths.isEmpty()) {
            for (int field = 0; field < type.getFieldCount(); field++) {
                int wanted = field;
                plan.addRead(paths.stream().anyMatch(path -> path[0] == wanted));
            }
        }
        for (int[] path : paths) {
            ReadPath.Builder message = ReadPath.newBuilder();
            for (int index : path) {
                message.addIndices(index);
            }
            plan.addPaths(message);
        }
        return plan.build().toByteArray();
    }

    /** As many bytes as the query's output, in one transaction with the query's producer settings. */
    private void produce(List<byte[]> records) {
        double average = records.stream().mapToInt(record -> record.length).average().orElse(0);
        long bytes = (long) (average * request.getLong("outputRecords"));
        Map<String, Object> config = new HashMap<>();
        config.put("transactional.id", request.get("scratch"));
        if (request.has("batch.size")) {
            config.put("batch.size", request.get("batch.size"));
            config.put("linger.ms", request.get("linger.ms"));
        }
        byte[] blob = new byte[BLOB];
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(bootstrap, config)) {
            producer.initTransactions();
            long cpu = PROCESS.getProcessCpuTime();
            long wall = System.nanoTime();
            producer.beginTransaction();
            for (long left = bytes; left > 0; left -= BLOB) {
                producer.send(new ProducerRecord<>(request.get("scratch"), blob));
            }
            producer.commitTransaction();
            answer("produce", System.nanoTime() - wall, PROCESS.getProcessCpuTime() - cpu, 1.0 / events);
        }
    }

    /** One line per query for people: the parts and how far the query is from them. */
    static String line(QueryResult result) {
        Map<String, Double> limit = result.limit;
        StringBuilder out = new StringBuilder(String.format(Locale.ROOT, "%-4s", result.label()));
        for (String part : PARTS) {
            out.append(
                    String.format(
                            Locale.ROOT, "  %s %.0f/%.0f", part, limit.get(part + "Wall"), limit.get(part + "Cpu")));
        }
        out.append(String.format(Locale.ROOT, "  | all %.0f/%.0f", wall(limit), cpu(limit)));
        double wall = result.steadyWallNanos(Side.NATIVE);
        double cpu = result.steadyCpuNanos(Side.NATIVE);
        if (!Double.isNaN(wall)) {
            out.append(
                    String.format(
                            Locale.ROOT,
                            "  query %.0f/%.0f ns, %.2f/%.2f times the limit",
                            wall, cpu, wall / wall(limit), cpu / cpu(limit)));
        }
        return out.toString();
    }

    /** Reading and decoding run in one thread, encoding and producing in another: the slower of the two. */
    private static double wall(Map<String, Double> limit) {
        return Math.max(
                limit.get("pollWall") + limit.get("decodeWall"), limit.get("encodeWall") + limit.get("produceWall"));
    }

    private static double cpu(Map<String, Double> limit) {
        double sum = 0;
        for (String part : PARTS) {
            sum += limit.get(part + "Cpu");
        }
        return sum;
    }

    static Map<String, Double> parse(Message answer) {
        Map<String, Double> limit = new HashMap<>();
        for (String part : PARTS) {
            limit.put(part + "Wall", Double.valueOf(answer.get(part + "Wall")));
            limit.put(part + "Cpu", Double.valueOf(answer.get(part + "Cpu")));
        }
        return limit;
    }
}
