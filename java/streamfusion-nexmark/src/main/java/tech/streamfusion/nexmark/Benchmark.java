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
        for (int partitions : options.parallelism) {
            Console.progress("generating " + count + " events (" + options.shape + ")");
            topics.create(inputTopic(partitions), partitions, Map.of());
            double average =
                    topics.fill(
                            inputTopic(partitions),
                            partitions,
                            count,
                            new EventGenerator(EventGenerator.DEFAULT_SEED, options.shape));
            Console.progress(String.format(Locale.ROOT, "%.1f bytes per event", average));
        }
    }

    List<QueryResult> runAll() throws Exception {
        List<QueryResult> results = new ArrayList<>();
        for (Setup setup : options.setups()) {
            for (String query : options.queries) {
                results.add(run(Query.of(query, options), setup));
            }
        }
        return results;
    }

    private QueryResult run(Query query, Setup setup) throws Exception {
        QueryResult result = new QueryResult(query, setup);
        Map<Long, Map<Side, Reference>> outputs = new HashMap<>();
        Map<Side, WorkerProcess> workers = new EnumMap<>(Side.class);
        try {
            for (Side side : options.sides) {
                workers.put(side, worker(side, setup));
            }
            for (Side side : options.sides) {
                Console.progress(result.label() + " warming up " + side);
                warmUp(result, side, workers.get(side));
            }
            for (int round = 1; round <= options.rounds; round++) {
                for (long events : options.events) {
                    for (Side side : order(round)) {
                        Map<Side, Reference> references =
                                outputs.computeIfAbsent(events, e -> new EnumMap<>(Side.class));
                        runOnce(result, events, side, workers.get(side), references);
                    }
                }
            }
            if (options.limit && query.own && workers.containsKey(Side.NATIVE)) {
                result.limit = limit(workers.get(Side.NATIVE), result, outputs);
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

    private void warmUp(QueryResult result, Side side, WorkerProcess worker) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(options.warmUpSeconds);
        while (System.nanoTime() < end) {
            runOnce(result, Collections.min(options.events), side, worker, null);
        }
    }

    private Map<String, Double> limit(
            WorkerProcess worker, QueryResult result, Map<Long, Map<Side, Reference>> outputs) throws Exception {
        String query = result.query.name;
        Setup setup = result.setup;
        Console.progress(result.label() + " measuring its parts alone");
        long events = result.largest();
        Reference output = outputs.get(events).values().iterator().next();
        String scratch = "limit-" + query;
        topics.create(scratch, setup.parallelism, Map.of());
        Message request =
                setup.describe(new Message())
                        .with("command", "limit")
                        .with("sql", sql(result.query, setup, output.topic, boundedSource(events, setup), scratch))
                        .with("bootstrap", bootstrap)
                        .with("shape", options.shape)
                        .with("events", events)
                        .with("input", inputTopic(setup.parallelism))
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

    /** Runs a job; {@code references} null: warm-up, nothing is recorded. */
    private void runOnce(
            QueryResult result, long events, Side side, WorkerProcess worker, Map<Side, Reference> references)
            throws Exception {
        Setup setup = result.setup;
        String output = "out-" + result.query.name + "-" + side + "-" + ++runs;
        topics.create(output, setup.parallelism, Map.of());
        Message answer =
                worker.call(
                        setup.describe(new Message())
                                .with("command", "run")
                                .with("checkpointInterval", options.checkpointInterval)
                                .with("sql", sql(result.query, setup, output, boundedSource(events, setup), output)));
        failOnError(answer, result.label(), side);
        if (references == null) {
            topics.delete(output);
            return;
        }
        Measurement.Run run =
                new Measurement.Run(
                        answer.getLong("wallNanos") / 1e9,
                        answer.getLong("cpuNanos") / 1e9,
                        answer.getLong("peakBytes"));
        result.at(events, side).add(run);
        checkNodes(side, answer, result);
        OutputDigest digest = OutputDigest.of(bootstrap, output, result.query.updating);
        Console.progress(
                String.format(
                        Locale.ROOT,
                        "%-4s %,10d events  %-6s %7.2f s  cpu %7.2f s  peak %5d MiB  %,d records out",
                        result.label(),
                        events,
                        side,
                        run.seconds,
                        run.cpuSeconds,
                        run.peakBytes >> 20,
                        digest.records));
        compare(events, side, new Reference(output, digest), result, references);
    }

    static void failOnError(Message answer, String query, Side side) throws IOException {
        if (answer.has("error")) {
            throw new IOException(query + " failed on the " + side + " side:\n" + answer.get("error"));
        }
    }

    private void checkNodes(Side side, Message answer, QueryResult result) {
        String nodes = answer.get("nativeNodes");
        if (side == Side.STOCK) {
            if (!nodes.isEmpty()) {
                problems.add(result.label() + ": the stock side had native nodes " + nodes);
            }
            return;
        }
        result.nativeNodes = nodes;
        Set<String> missing = new HashSet<>(result.setup.intendedNodes(result.query));
        missing.removeAll(Arrays.asList(nodes.split(",")));
        if (result.query.own && !missing.isEmpty()) {
            String problem = result.label() + ": not native: " + missing;
            if (!problems.contains(problem)) {
                problems.add(problem);
                System.err.println(problem + "\n" + answer.get("plan"));
            }
        }
    }

    /** Compares with the first output of this size (stock's, when both sides run). */
    private void compare(
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
            String difference = OutputDigest.difference(bootstrap, first.topic, own.topic, result.query.updating);
            problems.add(result.label() + " at " + events + ": outputs differ\n" + difference);
        }
        if (own.digest.records == 0) {
            problems.add(result.label() + " at " + events + ": no output on the " + side + " side");
        }
        result.outputRecords.put(events, own.digest.records);
        if (options.sides.size() == 2) {
            result.outputsEqual.merge(events, equal, Boolean::logicalAnd);
        }
        if (references.putIfAbsent(side, own) != null) {
            topics.delete(own.topic);
        }
    }

    WorkerProcess worker(Side side, Setup setup) throws IOException {
        Path log = options.report.resolve("nexmark-" + side + ".log");
        Files.createDirectories(options.report);
        return new WorkerProcess(side, options, setup.parallelism, log);
    }

    private String inputTopic(int partitions) {
        return "events-" + options.shape + "-" + partitions;
    }

    /** The script of a query that writes, exactly once, to the topic {@code sink}. */
    private String sql(Query query, Setup setup, String output, String source, String sink) throws IOException {
        Map<String, String> settings = new HashMap<>(options.producerSettings());
        settings.put("sink.delivery-guarantee", "exactly-once");
        settings.put("sink.transactional-id-prefix", sink);
        settings.put("properties.transaction.timeout.ms", "600000");
        return sql(query, inputTopic(setup.parallelism), output, source, sink, settings);
    }

    /** The complete script of a query: schema, then the query's own statements. */
    String sql(Query query, String input, String output, String source, String sink, Map<String, String> sinkSettings)
            throws IOException {
        Map<String, String> values =
                Map.of(
                        "bootstrap", bootstrap,
                        "input", input,
                        "output", output,
                        "source", source,
                        "sink", kafkaTable(sink, sinkSettings),
                        "upsertSink", upsertKafkaTable(sink, sinkSettings),
                        "rowtime", options.shape.rowtimeType);
        return SqlScript.substitute(SqlScript.resource("schema-" + options.shape + ".sql") + "\n" + query.script, values);
    }

    private String boundedSource(long events, Setup setup) {
        String offsets =
                IntStream.range(0, setup.parallelism)
                        .mapToObj(p -> "partition:" + p + ",offset:" + partitionSize(events, p, setup.parallelism))
                        .collect(Collectors.joining(";"));
        return kafkaTable(
                inputTopic(setup.parallelism),
                Map.of(
                        "scan.startup.mode", "earliest-offset",
                        "scan.bounded.mode", "specific-offsets",
                        "scan.bounded.specific-offsets", offsets));
    }

    private static long partitionSize(long events, int partition, int partitions) {
        return (events - partition + partitions - 1) / partitions;
    }

    String kafkaTable(String topic, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("connector", "kafka");
        all.put("format", "json");
        return tableOptions(topic, all);
    }

    private String upsertKafkaTable(String topic, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("connector", "upsert-kafka");
        all.put("key.format", "json");
        all.put("value.format", "json");
        return tableOptions(topic, all);
    }

    private String tableOptions(String topic, Map<String, String> settings) {
        settings.put("topic", topic);
        settings.put("properties.bootstrap.servers", bootstrap);
        return settings.entrySet().stream()
                .map(e -> "'" + e.getKey() + "' = '" + e.getValue() + "'")
                .sorted()
                .collect(Collectors.joining(", "));
    }
}
