package tech.streamfusion.parity;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Reads {@code expressions/*.txt}: one expression a line, {@code #} comments, optionally {@code # zones: A, B}. */
final class ExpressionFiles {

    private static final String ZONES = "# zones:";

    private ExpressionFiles() {}

    static List<String> expressions(String family) {
        return lines(family).stream().filter(line -> !line.isBlank() && !line.startsWith("#")).collect(Collectors.toList());
    }

    /** The session time zones to try; UTC when the file names none. */
    static List<String> zones(String family) {
        return lines(family).stream()
                .filter(line -> line.startsWith(ZONES))
                .flatMap(line -> Arrays.stream(line.substring(ZONES.length()).trim().split(",\\s*")))
                .collect(Collectors.collectingAndThen(Collectors.toList(), zones -> zones.isEmpty() ? List.of("UTC") : zones));
    }

    private static List<String> lines(String family) {
        try (InputStream in = ExpressionFiles.class.getResourceAsStream("/expressions/" + family + ".txt")) {
            if (in == null) {
                throw new IllegalArgumentException("no expressions " + family);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().collect(Collectors.toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
