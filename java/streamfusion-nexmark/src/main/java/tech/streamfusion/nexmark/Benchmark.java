package tech.streamfusion.nexmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Runs the queries on both sides, alternately, and compares the outputs; the broker runs in this process. */
final class Benchmark {

    /** What every own query must consist of on the accelerated side. */
    private static final Set<String> EXPECTED_NODES = Set.of("NativeTableSourceScan", "NativeCalc", "NativeSink");

    static final String STATE = "hashmap";

    private final Options options;
    private final String bootstrap;
    private final Topics topics;
    private final List<String> problems = new ArrayList<>();
    private int runs;

    Benchmark(Options options, String bootstrap, Topics topics) {
        this.options = options;
        this.bootstrap = bootstrap;
        this.topics = topics;
    }

    /** What went wrong so far; the verdict is good when this is empty. */
    List<String> problems() {
        return problems;
    }

    void fillInput() throws Exception {
        long count = Collections.max(options.events);
        Console.progress("generating " + count + " events (" + options.shape + ")");
        topics.create(inputTopic(), options.parallelism, Map.of());
        double average =
                topics.fill(
                        inputTopic(),
                        options.parallelism,
                        count,
                        new EventGenerator(EventGenerator.DEFAULT_SEED, options.shape));
        Console.progress(String.format(Locale.ROOT, "%.1f bytes per event", average));
    }

    List<QueryResult> runAll() throws Exception {
        List<QueryResult> results = new ArrayList<>();
        for (String query : options.queries) {
            results.add(run(query));
        }
        return results;
    }

    private QueryResult run(String query) throws Exception {
        QueryResult result = new QueryResult(query);
        Map<Long, Map<Side, Reference>> outputs = new HashMap<>();
        Map<Side, WorkerProcess> workers = new EnumMap<>(Side.class);
        try {
            for (Side side : options.sides) {
                workers.put(side, worker(side));
            }
            for (Side side : options.sides) {
                Console.progress(query + " warming up " + side);
                warmUp(query, side, workers.get(side));
            }
            for (int round = 1; round <= options.rounds; round++) {
                for (long events : options.events) {
                    for (Side side : order(round)) {
                        Map<Side, Reference> references =
                                outputs.computeIfAbsent(events, e -> new EnumMap<>(Side.class));
                        runOnce(query, events, side, workers.get(side), result, references);
                    }
                }
            }
            if (options.limit && options.sqlFile == null && workers.containsKey(Side.NATIVE)) {
                result.limit = limit(query, workers.get(Side.NATIVE), result, outputs);
            }
        } finally {
            for (WorkerProcess worker : workers.values()) {
                worker.close();
            }
            for (Map<Side, Reference> references : outputs.values()) {
                for (Reference reference : references.values()) {
                    topics.delete(reference.topic);
                }
            }
        }
        return result;
    }

    private void warmUp(String query, Side side, WorkerProcess worker) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(options.warmUpSeconds);
        while (System.nanoTime() < end) {
            runOnce(query, Collections.min(options.events), side, worker, null, null);
        }
    }

    private Map<String, Double> limit(
            String query, WorkerProcess worker, QueryResult result, Map<Long, Map<Side, Reference>> outputs)
            throws Exception {
        Console.progress(query + " measuring its parts alone");
        long events = result.largest();
        Reference output = outputs.get(events).values().iterator().next();
        String scratch = "limit-" + query;
        topics.create(scratch, options.parallelism, Map.of());
        Message request =
                new Message()
                        .with("command", "limit")
                        .with("parallelism", 1)
                        .with("state", STATE)
                        .with("sql", sql(query, inputTopic(), output.topic, boundedSource(events), exactlyOnceSink(scratch)))
                        .with("bootstrap", bootstrap)
                        .with("shape", options.shape)
                        .with("events", events)
                        .with("input", inputTopic())
                        .with("output", output.topic)
                        .with("outputRecords", output.digest.records)
                        .with("scratch", scratch);
        options.producerSettings().forEach((name, value) -> request.with(name.replace("properties.", ""), value));
        Message answer = worker.call(request);
        failOnError(answer, query, Side.NATIVE);
        topics.delete(scratch);
        return Limits.parse(answer);
    }

    /** Which side goes first changes from round to round. */
    List<Side> order(int round) {
        List<Side> order = new ArrayList<>(options.sides);
        if (round % 2 == 0) {
            Collections.reverse(order);
        }
        return order;
    }

    /** The first output of a side, kept to name differences. */
    private static final class Reference {
        final String topic;
        final OutputDigest digest;

        Reference(String topic, OutputDigest digest) {
            this.topic = topic;
            this.digest = digest;
        }
    }

    /** Runs a job; {@code result} null: warm-up, nothing is recorded. */
    private void runOnce(
            String query,
            long events,
            Side side,
            WorkerProcess worker,
            QueryResult result,
            Map<Side, Reference> references)
            throws Exception {
        String output = "out-" + query + "-" + side + "-" + ++runs;
        topics.create(output, options.parallelism, Map.of());
        Message answer =
                worker.call(
                        new Message()
                                .with("command", "run")
                                .with("parallelism", options.parallelism)
                                .with("state", STATE)
                                .with("sql", sql(query, inputTopic(), output, boundedSource(events), exactlyOnceSink(output))));
        failOnError(answer, query, side);
        if (result == null) {
            topics.delete(output);
            return;
        }
        Measurement.Run run =
                new Measurement.Run(
                        answer.getLong("wallNanos") / 1e9,
                        answer.getLong("cpuNanos") / 1e9,
                        answer.getLong("peakBytes"));
        result.at(events, side).add(run);
        checkNodes(query, side, answer, result);
        OutputDigest digest = OutputDigest.of(bootstrap, output);
        Console.progress(
                String.format(
                        Locale.ROOT,
                        "%-4s %,10d events  %-6s %7.2f s  cpu %7.2f s  peak %5d MiB  %,d records out",
                        query,
                        events,
                        side,
                        run.seconds,
                        run.cpuSeconds,
                        run.peakBytes >> 20,
                        digest.records));
        compare(query, events, side, new Reference(output, digest), result, references);
    }

    static void failOnError(Message answer, String query, Side side) throws IOException {
        if (answer.has("error")) {
            throw new IOException(query + " failed on the " + side + " side:\n" + answer.get("error"));
        }
    }

    private void checkNodes(String query, Side side, Message answer, QueryResult result) {
        String nodes = answer.get("nativeNodes");
        if (side == Side.STOCK) {
            if (!nodes.isEmpty()) {
                problems.add(query + ": the stock side had native nodes " + nodes);
            }
            return;
        }
        result.nativeNodes = nodes;
        Set<String> missing = new HashSet<>(EXPECTED_NODES);
        missing.removeAll(Arrays.asList(nodes.split(",")));
        if (options.sqlFile == null && !missing.isEmpty()) {
            String problem = query + ": not native: " + missing;
            if (!problems.contains(problem)) {
                problems.add(problem);
                System.err.println(problem + "\n" + answer.get("plan"));
            }
        }
    }

    /** Compares with the first output of this size (stock's, when both sides run). */
    private void compare(
            String query,
            long events,
            Side side,
            Reference own,
            QueryResult result,
            Map<Side, Reference> references)
            throws Exception {
        Side firstSide = references.isEmpty() ? side : references.containsKey(Side.STOCK) ? Side.STOCK : Side.NATIVE;
        Reference first = references.getOrDefault(firstSide, own);
        boolean equal = first.digest.equals(own.digest);
        if (!equal) {
            String difference = OutputDigest.difference(bootstrap, first.topic, own.topic);
            problems.add(query + " at " + events + ": outputs differ\n" + difference);
        }
        if (own.digest.records == 0) {
            problems.add(query + " at " + events + ": no output on the " + side + " side");
        }
        result.outputRecords.put(events, own.digest.records);
        if (options.sides.size() == 2) {
            result.outputsEqual.merge(events, equal, Boolean::logicalAnd);
        }
        if (references.putIfAbsent(side, own) != null) {
            topics.delete(own.topic);
        }
    }

    WorkerProcess worker(Side side) throws IOException {
        Path log = options.report.resolve("nexmark-" + side + ".log");
        Files.createDirectories(options.report);
        return new WorkerProcess(side, options, log);
    }

    private String inputTopic() {
        return "events-" + options.shape;
    }

    /** The complete script of a query: schema, then the query's own statements. */
    String sql(String query, String input, String output, String source, String sink) throws IOException {
        String own =
                options.sqlFile != null
                        ? Files.readString(options.sqlFile)
                        : SqlScript.resource(query + ".sql");
        Map<String, String> values =
                Map.of(
                        "bootstrap", bootstrap,
                        "input", input,
                        "output", output,
                        "source", source,
                        "sink", sink,
                        "rowtime", options.shape.rowtimeType);
        return SqlScript.substitute(SqlScript.resource("schema-" + options.shape + ".sql") + "\n" + own, values);
    }

    private String boundedSource(long events) {
        String offsets =
                IntStream.range(0, options.parallelism)
                        .mapToObj(p -> "partition:" + p + ",offset:" + partitionSize(events, p))
                        .collect(Collectors.joining(";"));
        return kafkaTable(
                inputTopic(),
                Map.of(
                        "scan.startup.mode", "earliest-offset",
                        "scan.bounded.mode", "specific-offsets",
                        "scan.bounded.specific-offsets", offsets));
    }

    private long partitionSize(long events, int partition) {
        return (events - partition + options.parallelism - 1) / options.parallelism;
    }

    private String exactlyOnceSink(String output) {
        Map<String, String> settings = new HashMap<>(options.producerSettings());
        settings.put("sink.delivery-guarantee", "exactly-once");
        settings.put("sink.transactional-id-prefix", output);
        settings.put("properties.transaction.timeout.ms", "600000");
        return kafkaTable(output, settings);
    }

    String kafkaTable(String topic, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("connector", "kafka");
        all.put("format", "json");
        all.put("topic", topic);
        all.put("properties.bootstrap.servers", bootstrap);
        return all.entrySet().stream()
                .map(e -> "'" + e.getKey() + "' = '" + e.getValue() + "'")
                .sorted()
                .collect(Collectors.joining(", "));
    }
}
