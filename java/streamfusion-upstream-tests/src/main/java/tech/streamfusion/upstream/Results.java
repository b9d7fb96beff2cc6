package tech.streamfusion.upstream;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** What the events of one or more forks say, class by class. */
final class Results {

    /** One test. */
    static final class Test {
        final String name;
        final Outcome outcome;
        final String problem;

        Test(String name, Outcome outcome, String problem) {
            this.name = name;
            this.outcome = outcome;
            this.problem = problem;
        }

        /** The exception and what it says, on one line. */
        String headline() {
            String[] lines = problem.split("\n\tat ", 2);
            String text = lines[0].replaceAll("\\s+", " ").trim();
            return text.length() > 300 ? text.substring(0, 300) + "..." : text;
        }
    }

    /** One class; {@code broken} says how its process ended in the middle of it, null when it did not. */
    static final class ClassResult {
        final String name;
        final List<Test> tests = new ArrayList<>();
        final Map<String, Integer> nativeNodes = new TreeMap<>();
        final Map<String, Integer> stockNodes = new TreeMap<>();
        long millis;
        boolean ended;
        String broken;

        ClassResult(String name) {
            this.name = name;
        }

        long count(Outcome outcome) {
            return tests.stream().filter(test -> test.outcome == outcome).count();
        }
    }

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Map<String, ClassResult> classes = new LinkedHashMap<>();

    private final Path events;
    private long position;

    /** Nothing is read yet. */
    Results(Path events) {
        this.events = events;
    }

    /**
     * Reads what was appended since the last call and returns the classes that ended there. A class that was started again
     * counts from its last start. A line without an end, as a crash leaves it, is left for later.
     */
    List<ClassResult> poll() throws IOException {
        List<ClassResult> ended = new ArrayList<>();
        if (!Files.exists(events)) {
            return ended;
        }
        byte[] bytes;
        try (SeekableByteChannel channel = Files.newByteChannel(events)) {
            channel.position(position);
            bytes = Channels.newInputStream(channel).readAllBytes();
        }
        int start = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                ClassResult result = add(new String(bytes, start, i - start, StandardCharsets.UTF_8));
                if (result != null) {
                    ended.add(result);
                }
                start = i + 1;
            }
        }
        position += start;
        return ended;
    }

    /** The class, when this event ends it; else null. */
    private ClassResult add(String line) throws IOException {
        if (line.isBlank()) {
            return null;
        }
        JsonNode event;
        try {
            event = MAPPER.readTree(line);
        } catch (JsonProcessingException e) {
            return null; // the remains of a crash, with the next fork's first event behind them
        }
        String name = event.get(TestEvents.CLASS).asText();
        switch (event.get(TestEvents.EVENT).asText()) {
            case "start":
                classes.put(name, new ClassResult(name));
                break;
            case "end":
                classes.get(name).millis = event.get("millis").asLong();
                classes.get(name).ended = true;
                return classes.get(name);
            case "broken":
                classes.get(name).broken = event.get("problem").asText();
                classes.get(name).ended = true;
                return classes.get(name);
            case "test":
                classes.get(name)
                        .tests
                        .add(
                                new Test(
                                        event.get(TestEvents.TEST).asText(),
                                        Outcome.valueOf(event.get("outcome").asText()),
                                        event.path("problem").asText("")));
                break;
            case "plan":
                if (classes.containsKey(name)) {
                    sum(event.get("native"), classes.get(name).nativeNodes);
                    sum(event.get("stock"), classes.get(name).stockNodes);
                }
                break;
            default:
                throw new IllegalArgumentException("unknown event: " + event);
        }
        return null;
    }

    private static void sum(JsonNode counts, Map<String, Integer> sums) {
        for (Iterator<Map.Entry<String, JsonNode>> it = counts.fields(); it.hasNext(); ) {
            Map.Entry<String, JsonNode> count = it.next();
            sums.merge(count.getKey(), count.getValue().asInt(), Integer::sum);
        }
    }

    List<ClassResult> classes() {
        return List.copyOf(classes.values());
    }

    /** A run that was stopped leaves a class in its middle. */
    void forgetUnended() {
        classes.values().removeIf(result -> !result.ended);
    }

    /** The class that is running, null when none is. */
    ClassResult running() {
        return classes.values().stream().filter(result -> !result.ended).findFirst().orElse(null);
    }

    /** Notes, in the file too, that the process ended in the middle of a class. */
    static void appendBroken(Path events, String className, String problem) throws IOException {
        ObjectNode event =
                MAPPER.createObjectNode()
                        .put(TestEvents.EVENT, "broken")
                        .put(TestEvents.CLASS, className)
                        .put("problem", problem);
        // the crash may have left half a line
        Files.writeString(events, "\n" + MAPPER.writeValueAsString(event) + "\n", StandardOpenOption.APPEND);
    }
}
