package tech.streamfusion.upstream;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.json.JsonWriteFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.json.JsonMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import tech.streamfusion.planner.FallbackReason;
import tech.streamfusion.planner.PlanningReport;

/**
 * What happens in a fork, one JSON object a line, each flushed at once so that a crash loses nothing. Events: {@code start}
 * and {@code end} of a class, {@code test} with an {@link Outcome}, {@code plan} with counts of native nodes by kind and of
 * stock nodes by kind and reason.
 */
final class TestEvents implements AutoCloseable {

    static final String EVENT = "event";
    static final String CLASS = "class";
    static final String TEST = "test";

    /** Names of tests contain what they try, unpaired surrogates among it, which are no text in UTF-8. */
    private static final ObjectMapper MAPPER =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    /** Planners are made by Flink, which cannot be handed anything: the one place where plans find their way out. */
    private static volatile TestEvents current;

    private final Writer out;
    private String className = "";

    TestEvents(Path file) throws IOException {
        this.out =
                Files.newBufferedWriter(
                        file, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        current = this;
    }

    synchronized void start(String testClass) {
        className = testClass;
        write(event("start"));
    }

    synchronized void end(long millis) {
        write(event("end").put("millis", millis));
    }

    synchronized void test(String name, Outcome outcome, long millis, Throwable problem) {
        ObjectNode event = event(TEST).put(TEST, name).put("outcome", outcome.name()).put("millis", millis);
        if (problem != null) {
            StringWriter trace = new StringWriter();
            problem.printStackTrace(new PrintWriter(trace));
            event.put("problem", trace.toString());
        }
        write(event);
    }

    /** Safe to call from any thread, also when no fork is running. */
    static void plan(PlanningReport report) {
        TestEvents events = current;
        if (events != null) {
            events.write(report);
        }
    }

    private synchronized void write(PlanningReport report) {
        ObjectNode event = event("plan");
        ObjectNode natives = event.putObject("native");
        count(report.nativeNodes(), name -> name.replaceFirst("^Native", "")).forEach(natives::put);
        ObjectNode stock = event.putObject("stock");
        count(report.fallbacks(), TestEvents::reason).forEach(stock::put);
        write(event);
    }

    /** Node ids say nothing about why. */
    private static String reason(FallbackReason fallback) {
        return fallback.toString().replaceAll("\\[\\d+]", "").replaceAll("to save -?\\d+ ns", "to save few ns");
    }

    private static <T> Map<String, Integer> count(List<T> things, java.util.function.Function<T, String> key) {
        Map<String, Integer> out = new TreeMap<>();
        things.forEach(thing -> out.merge(key.apply(thing), 1, Integer::sum));
        return out;
    }

    private ObjectNode event(String kind) {
        return MAPPER.createObjectNode().put(EVENT, kind).put(CLASS, className);
    }

    private void write(ObjectNode event) {
        try {
            out.write(MAPPER.writeValueAsString(event));
            out.write('\n');
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        current = null;
        out.close();
    }
}
