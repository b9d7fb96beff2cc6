package tech.streamfusion.random;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The productions of {@code productions.txt}, by the kind that they make. */
final class Grammar {

    private static final String FILE = "productions.txt";
    private static final int FOCUS_FACTOR = 40;
    private static final Pattern LINE = Pattern.compile("(\\d+)(!?) ([A-Z]+): (.+)");

    private static final class Production {
        final int weight;
        final boolean failing;
        final String template;

        Production(int weight, boolean failing, String template) {
            this.weight = weight;
            this.failing = failing;
            this.template = template;
        }
    }

    private final Map<Kind, List<Production>> productions = new EnumMap<>(Kind.class);
    private final List<Kind> focusKinds = new ArrayList<>();

    /** @param focus says which productions are taken {@value #FOCUS_FACTOR} times as often */
    Grammar(Focus focus) {
        for (String line : lines()) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                throw new IllegalArgumentException(FILE + ": " + line);
            }
            boolean focused = focus.isOn(matcher.group(4));
            int weight = Integer.parseInt(matcher.group(1)) * (focused ? FOCUS_FACTOR : 1);
            Production production = new Production(weight, !matcher.group(2).isEmpty(), matcher.group(4));
            for (Kind kind : Kind.group(matcher.group(3))) {
                if (focused) {
                    focusKinds.add(kind);
                }
                productions.computeIfAbsent(kind, k -> new ArrayList<>()).add(production);
            }
        }
    }

    /** Kinds with productions in focus. */
    List<Kind> focusKinds() {
        return focusKinds;
    }

    /** A template for an expression of the kind. */
    String template(Kind kind, boolean mayFail, Random random) {
        List<Production> candidates = productions.get(kind);
        int total = 0;
        for (Production candidate : candidates) {
            total += weight(candidate, mayFail);
        }
        int ticket = random.nextInt(total);
        for (Production candidate : candidates) {
            ticket -= weight(candidate, mayFail);
            if (ticket < 0) {
                return candidate.template;
            }
        }
        throw new IllegalStateException("weights");
    }

    /** Where failures are wanted, they get a fair chance among the many that cannot fail. */
    private static int weight(Production production, boolean mayFail) {
        return production.failing ? (mayFail ? production.weight * 3 : 0) : production.weight;
    }

    private static List<String> lines() {
        try (InputStream in = Grammar.class.getResourceAsStream(FILE)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().collect(Collectors.toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
