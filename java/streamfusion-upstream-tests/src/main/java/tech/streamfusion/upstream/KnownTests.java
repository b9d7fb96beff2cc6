package tech.streamfusion.upstream;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Tests whose failure says nothing about results, one by one. They run like all others; only their failure is not counted
 * as one.
 */
final class KnownTests {

    enum Kind {
        /** Asserts names of stock nodes or operators, or stock's own classes. */
        NAMES,
        /** Fails now and then on stock Flink too. */
        FLAKY
    }

    static final class Known {
        final String className;
        final String test;
        final Kind kind;
        final String reason;

        Known(String className, String test, Kind kind, String reason) {
            this.className = className;
            this.test = test;
            this.kind = kind;
            this.reason = reason;
        }
    }

    private final List<Known> known = new ArrayList<>();

    private KnownTests() {}

    /** Lines of class, test, kind and reason, separated by {@code " | "}; those that start with # are comments. */
    static KnownTests read(Path file) throws IOException {
        KnownTests out = new KnownTests();
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String[] fields = line.split(" \\| ");
            if (fields.length != 4) {
                throw new IllegalArgumentException(file + ": four fields expected in \"" + line + "\"");
            }
            out.known.add(new Known(fields[0], fields[1], Kind.valueOf(fields[2]), fields[3]));
        }
        return out;
    }

    Optional<Known> find(String className, String test) {
        return known.stream().filter(k -> k.className.equals(className) && k.test.equals(test)).findFirst();
    }
}
