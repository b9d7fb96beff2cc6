package tech.streamfusion.random;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/** Expressions over given columns, made from the grammar. */
final class ExpressionGenerator {

    private static final String[] TEXTS = {"'a'", "'b'", "'abc'", "','", "'0'", "' '", "'1'", "'2024'", "'x'", "'World'", "U&'\\00e9'"};
    private static final String[] PATTERNS = {
        "'%a%'", "'a%'", "'%c'", "'_b%'", "'%'", "''", "'a_c'", "'%-%'", "'%0_'", "'abc'", "'a%c'", "'__'", "'% %'"
    };

    private final Grammar grammar;
    private final Random random;
    private final List<Column> columns;
    private final boolean mayFail;

    ExpressionGenerator(Grammar grammar, Random random, List<Column> columns, boolean mayFail) {
        this.grammar = grammar;
        this.random = random;
        this.columns = columns;
        this.mayFail = mayFail;
    }

    /** @param depth how many productions may be nested */
    Fragment expression(Kind kind, int depth) {
        if (depth == 0 || random.nextInt(12) == 0) {
            return leaf(kind);
        }
        return expand(kind, grammar.template(kind, mayFail, random), depth - 1);
    }

    private Fragment leaf(Kind kind) {
        List<Column> fitting = columns.stream().filter(column -> kind.takes(column.kind)).collect(Collectors.toList());
        boolean literal = fitting.isEmpty() || random.nextInt(8) == 0;
        return literal
                ? Fragment.leaf(kind, kind.literal(random))
                : Fragment.leaf(kind, fitting.get(random.nextInt(fitting.size())).name);
    }

    private Fragment expand(Kind kind, String template, int depth) {
        String text = choose(template);
        List<String> pieces = new ArrayList<>();
        List<Fragment> parts = new ArrayList<>();
        Map<String, Kind> chosen = new HashMap<>();
        StringBuilder piece = new StringBuilder();
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            int end = at + 1;
            while (end < text.length() && isName(text.charAt(end))) {
                end++;
            }
            String name = text.substring(at + 1, end);
            if (c == '$' && (!name.isEmpty() && Character.isUpperCase(name.charAt(0)) || text.startsWith("$:", at))) {
                String variable = "";
                if (end + 1 < text.length() && text.charAt(end) == ':') {
                    variable = text.substring(end + 1, end + 2);
                    end += 2;
                }
                pieces.add(piece.toString());
                piece.setLength(0);
                parts.add(expression(kindOf(name, variable, kind, chosen), depth));
                at = end;
            } else if (c == '%' && Character.isLowerCase(name.isEmpty() ? ' ' : name.charAt(0)) && isPlaceholder(name)) {
                piece.append(constant(name));
                at = end;
            } else {
                piece.append(c);
                at++;
            }
        }
        pieces.add(piece.toString());
        return new Fragment(kind, pieces, parts);
    }

    private static boolean isName(char c) {
        return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z';
    }

    private Kind kindOf(String name, String variable, Kind result, Map<String, Kind> chosen) {
        if (name.isEmpty()) {
            return chosen.get(variable);
        }
        if (name.equals("RESULT")) {
            return result;
        }
        Kind kind = pick(Kind.group(name));
        if (!variable.isEmpty()) {
            chosen.put(variable, kind);
        }
        return kind;
    }

    private static boolean isPlaceholder(String name) {
        return name.equals("small") || name.equals("count") || name.equals("text") || name.equals("like");
    }

    private String constant(String name) {
        switch (name) {
            case "small":
                return Integer.toString(random.nextInt(16) - 3);
            case "count":
                return Integer.toString(random.nextInt(7));
            case "text":
                return TEXTS[random.nextInt(TEXTS.length)];
            default:
                return PATTERNS[random.nextInt(PATTERNS.length)];
        }
    }

    /** Replaces each {@code {a | b}} by one of its texts. */
    private String choose(String template) {
        StringBuilder out = new StringBuilder();
        int at = 0;
        while (at < template.length()) {
            int open = template.indexOf('{', at);
            if (open < 0) {
                return out.append(template.substring(at)).toString();
            }
            int close = template.indexOf('}', open);
            String[] texts = template.substring(open + 1, close).split(" \\| ");
            out.append(template, at, open).append(texts[random.nextInt(texts.length)]);
            at = close + 1;
        }
        return out.toString();
    }

    private Kind pick(List<Kind> kinds) {
        return kinds.get(random.nextInt(kinds.size()));
    }
}
