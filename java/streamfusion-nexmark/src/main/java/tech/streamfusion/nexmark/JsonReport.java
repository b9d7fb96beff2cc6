package tech.streamfusion.nexmark;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.TreeMap;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.SerializationFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** {@code nexmark.json}: what was measured, for machines. Missing values are null. */
final class JsonReport {

    private JsonReport() {}

    static void write(Options options, List<QueryResult> results) throws IOException {
        ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
        ObjectNode root = mapper.createObjectNode();
        root.put("shape", options.shape.toString());
        root.put("producer", options.largeBatches ? "large" : "default");
        root.put("rounds", options.rounds);
        root.put("checkpoints", options.checkpointInterval);
        root.put("jvm", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        root.put("processors", Runtime.getRuntime().availableProcessors());
        ArrayNode rows = root.putArray("results");
        for (QueryResult result : results) {
            for (long events : result.bySize.keySet()) {
                row(rows.addObject(), result, events);
            }
        }
        Files.createDirectories(options.report);
        Files.write(options.report.resolve("nexmark.json"), mapper.writeValueAsBytes(root));
    }

    static void writeLatency(Options options, List<Latency.Result> results) throws IOException {
        ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
        ObjectNode root = mapper.createObjectNode();
        root.put("shape", options.shape.toString());
        root.put("eventsPerSecond", options.rate);
        ArrayNode rows = root.putArray("latency");
        for (Latency.Result result : results) {
            rows.addObject()
                    .put("query", result.query)
                    .put("side", result.side.toString())
                    .put("records", result.count())
                    .put("p50Millis", result.percentile(50))
                    .put("p90Millis", result.percentile(90))
                    .put("p99Millis", result.percentile(99))
                    .put("maxMillis", result.percentile(100));
        }
        Files.createDirectories(options.report);
        Files.write(options.report.resolve("nexmark-latency.json"), mapper.writeValueAsBytes(root));
    }

    private static void row(ObjectNode row, QueryResult result, long events) {
        row.put("query", result.query.name);
        row.put("state", result.setup.backend);
        row.put("miniBatch", result.setup.miniBatch);
        row.put("parallelism", result.setup.parallelism);
        row.put("events", events);
        side(row, "stock", result, events, Side.STOCK);
        side(row, "native", result, events, Side.NATIVE);
        number(row, "wallRatio", result.wallRatio(events));
        number(row, "cpuRatio", result.cpuRatio(events));
        number(row, "steadyWallRatio", result.steadyWallRatio());
        number(row, "steadyCpuRatio", result.steadyCpuRatio());
        row.put("outputsEqual", result.outputsEqual.get(events));
        row.put("outputRecords", result.outputRecords.get(events));
        if (result.limit != null) {
            ObjectNode limit = row.putObject("limitNanosPerEvent");
            new TreeMap<>(result.limit).forEach(limit::put);
        }
        ArrayNode nodes = row.putArray("nativeNodes");
        for (String node : result.nativeNodes.split(",")) {
            if (!node.isEmpty()) {
                nodes.add(node);
            }
        }
    }

    private static void side(ObjectNode row, String name, QueryResult result, long events, Side side) {
        if (!result.has(events, side)) {
            row.putNull(name);
            return;
        }
        Measurement measurement = result.at(events, side);
        ObjectNode node = row.putObject(name);
        node.put("seconds", measurement.seconds());
        node.put("cpuSeconds", measurement.cpuSeconds());
        node.put("peakBytes", measurement.peakBytes());
        ArrayNode runs = node.putArray("runs");
        for (Measurement.Run run : measurement.runs()) {
            runs.addObject().put("seconds", run.seconds).put("cpuSeconds", run.cpuSeconds);
        }
    }

    private static void number(ObjectNode row, String name, double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            row.putNull(name);
        } else {
            row.put(name, value);
        }
    }
}
