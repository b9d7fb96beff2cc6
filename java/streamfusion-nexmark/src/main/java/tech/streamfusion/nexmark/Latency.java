package tech.streamfusion.nexmark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The time from a record's way in to its way out at a steady rate: the timestamp that the generator's producer gave to a
 * bid, to the timestamp that the broker gave to the output record made of it (at-least-once sink, default linger).
 *
 * <p>Only queries that make one record of each bid are measured, with one partition: the k-th output is that of the k-th bid.
 */
final class Latency {

    static final Set<String> QUERIES = Set.of("q0", "q1", "q10", "q22");

    private static final int WARM_UP_SECONDS = 10;
    private static final long OUTPUT_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Latencies of one side in milliseconds, sorted. */
    static final class Result {
        final String query;
        final Side side;
        private final List<Long> sorted;

        Result(String query, Side side, List<Long> millis) {
            this.query = query;
            this.side = side;
            this.sorted = new ArrayList<>(millis);
            Collections.sort(sorted);
        }

        long percentile(double p) {
            return sorted.get((int) Math.min(sorted.size() - 1, Math.round(p / 100 * sorted.size())));
        }

        int count() {
            return sorted.size();
        }
    }

    private final Options options;
    private final String bootstrap;
    private final Topics topics;
    private final Benchmark benchmark;
    private int runs;

    Latency(Options options, String bootstrap, Topics topics, Benchmark benchmark) {
        this.options = options;
        this.bootstrap = bootstrap;
        this.topics = topics;
        this.benchmark = benchmark;
    }

    /** One result per query and side, all rounds together. */
    List<Result> runAll() throws Exception {
        List<Result> results = new ArrayList<>();
        for (String query : options.queries) {
            if (!QUERIES.contains(query)) {
                continue;
            }
            Query script = Query.of(query, options);
            Map<Side, List<Long>> millis = new EnumMap<>(Side.class);
            for (int round = 1; round <= options.rounds; round++) {
                for (Side side : benchmark.order(round)) {
                    List<Long> measured = runOnce(script, side);
                    Result result = new Result(query, side, measured);
                    Console.progress(
                            String.format(
                                    Locale.ROOT,
                                    "%-4s %-6s round %d: p50 %d ms, p99 %d ms of %d records",
                                    query, side, round, result.percentile(50), result.percentile(99), result.count()));
                    millis.computeIfAbsent(side, s -> new ArrayList<>()).addAll(measured);
                }
            }
            millis.forEach((side, all) -> results.add(new Result(query, side, all)));
        }
        if (results.isEmpty()) {
            throw new IllegalArgumentException("latency is measured for " + QUERIES + " only");
        }
        return results;
    }

    private List<Long> runOnce(Query script, Side side) throws Exception {
        Setup setup = options.setups().get(0);
        String query = script.name;
        String name = query + "-" + side + "-" + ++runs;
        String input = "rate-" + name;
        String output = "rate-out-" + name;
        topics.create(input, 1, Map.of());
        topics.create(output, 1, Map.of("message.timestamp.type", "LogAppendTime"));
        long[] sent;
        List<Long> arrived;
        try (WorkerProcess worker = benchmark.worker(side, setup)) {
            String source = benchmark.kafkaTable(input, Map.of("scan.startup.mode", "earliest-offset"));
            Map<String, String> sink = Map.of("sink.delivery-guarantee", "at-least-once");
            Message answer =
                    worker.call(
                            setup.describe(new Message())
                                    .with("command", "start")
                                    .with("checkpointInterval", options.checkpointInterval)
                                    .with("sql", benchmark.sql(script, input, output, source, output, sink)));
            Benchmark.failOnError(answer, query, side);
            sent = produce(input);
            awaitOutput(output, sent.length);
            Benchmark.failOnError(worker.call(new Message().with("command", "cancel")), query, side);
        }
        arrived = new ArrayList<>();
        OutputDigest.readCommitted(bootstrap, output, record -> arrived.add(record.timestamp()));
        topics.delete(input);
        topics.delete(output);
        if (arrived.size() != sent.length) {
            throw new IOException(query + " on " + side + ": " + sent.length + " bids in, " + arrived.size() + " records out");
        }
        List<Long> millis = new ArrayList<>();
        for (int i = sent.length * WARM_UP_SECONDS / (WARM_UP_SECONDS + options.seconds); i < sent.length; i++) {
            millis.add(arrived.get(i) - sent[i]);
        }
        return millis;
    }

    /** Sends events at the wanted rate, each stamped with its time of sending; returns the stamps of the bids. */
    private long[] produce(String topic) {
        EventGenerator generator = new EventGenerator(EventGenerator.DEFAULT_SEED, options.shape);
        long count = (long) options.rate * (WARM_UP_SECONDS + options.seconds);
        long[] bids = new long[(int) count];
        int bid = 0;
        AtomicReference<Exception> failure = new AtomicReference<>();
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(bootstrap, Map.of("linger.ms", 0))) {
            long start = System.nanoTime();
            for (long n = 0; n < count; n++) {
                long due = start + n * 1_000_000_000L / options.rate;
                for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
                    LockSupport.parkNanos(wait);
                }
                long now = System.currentTimeMillis();
                producer.send(
                        new ProducerRecord<>(topic, 0, now, null, generator.event(n)),
                        (metadata, e) -> {
                            if (e != null) {
                                failure.compareAndSet(null, e);
                            }
                        });
                if (EventGenerator.isBid(n)) {
                    bids[bid++] = now;
                }
            }
        }
        if (failure.get() != null) {
            throw new IllegalStateException("filling " + topic, failure.get());
        }
        return Arrays.copyOf(bids, bid);
    }

    private void awaitOutput(String topic, long count) throws Exception {
        long deadline = System.nanoTime() + OUTPUT_TIMEOUT_NANOS;
        while (topics.endOffset(topic, 0) < count) {
            if (System.nanoTime() > deadline) {
                throw new IOException("only " + topics.endOffset(topic, 0) + " of " + count + " records in " + topic);
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    static String table(List<Result> results) {
        String head = String.format(Locale.ROOT, "%-6s %-7s %8s %6s %6s %6s %6s%n", "query", "side", "records", "p50", "p90", "p99", "max");
        return head
                + results.stream()
                        .map(
                                r ->
                                        String.format(
                                                Locale.ROOT,
                                                "%-6s %-7s %8d %6d %6d %6d %6d%n",
                                                r.query,
                                                r.side,
                                                r.count(),
                                                r.percentile(50),
                                                r.percentile(90),
                                                r.percentile(99),
                                                r.percentile(100)))
                        .collect(Collectors.joining());
    }
}
