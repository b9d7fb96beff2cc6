package tech.streamfusion.upstream;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The test classes, in sets, and what stock Flink does with each. */
final class Baseline {

    /** One class on stock Flink. */
    static final class Entry {
        final String set;
        final String className;
        final int tests;
        final int skipped;
        final int seconds;

        Entry(String set, String className, int tests, int skipped, int seconds) {
            this.set = set;
            this.className = className;
            this.tests = tests;
            this.skipped = skipped;
            this.seconds = seconds;
        }

        int passed() {
            return tests - skipped;
        }
    }

    private final Map<String, Entry> entries = new LinkedHashMap<>();

    private Baseline() {}

    /** Lines of set, class, tests, skipped, seconds; those that start with # are comments. */
    static Baseline read(Path file) throws IOException {
        Baseline out = new Baseline();
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String[] fields = line.split(",");
            if (fields.length != 5) {
                throw new IllegalArgumentException(file + ": five fields expected in \"" + line + "\"");
            }
            out.entries.put(
                    fields[1],
                    new Entry(
                            fields[0],
                            fields[1],
                            Integer.parseInt(fields[2]),
                            Integer.parseInt(fields[3]),
                            Integer.parseInt(fields[4])));
        }
        return out;
    }

    Set<String> sets() {
        return entries.values().stream()
                .map(entry -> entry.set)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    List<Entry> entries() {
        return List.copyOf(entries.values());
    }

    Optional<Entry> of(String className) {
        return Optional.ofNullable(entries.get(className));
    }

    /**
     * Classes that a word on the command line means: a set, a whole class name, or its end after a dot; {@code #method} is
     * kept. A whole name that is in no set is run as well.
     */
    List<String> select(String word) {
        if (sets().contains(word)) {
            return entries.values().stream()
                    .filter(entry -> entry.set.equals(word))
                    .map(entry -> entry.className)
                    .collect(Collectors.toList());
        }
        String[] parts = word.split("#", 2);
        String method = parts.length == 2 ? "#" + parts[1] : "";
        List<String> out = new ArrayList<>();
        for (String name : entries.keySet()) {
            if (name.equals(parts[0]) || name.endsWith("." + parts[0])) {
                out.add(name + method);
            }
        }
        if (out.isEmpty() && parts[0].contains(".")) {
            out.add(word);
        }
        if (out.isEmpty()) {
            throw new IllegalArgumentException("neither a set nor a test class: " + word);
        }
        return out;
    }
}
