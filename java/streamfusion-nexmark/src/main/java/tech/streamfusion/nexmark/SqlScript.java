package tech.streamfusion.nexmark;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** SQL text: the benchmark's own files, placeholders, statements. */
final class SqlScript {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{(\\w+)}");

    private SqlScript() {}

    /** An own file, e.g. {@code q0.sql}. */
    static String resource(String name) throws IOException {
        try (InputStream in = SqlScript.class.getResourceAsStream("/sql/" + name)) {
            if (in == null) {
                throw new IllegalArgumentException("there is no query file " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Replaces each <code>${name}</code>; a name without value is an error. */
    static String substitute(String sql, Map<String, String> values) {
        Matcher matcher = PLACEHOLDER.matcher(sql);
        StringBuilder out = new StringBuilder();
        while (matcher.find()) {
            String value = values.get(matcher.group(1));
            if (value == null) {
                throw new IllegalArgumentException(
                        "unknown placeholder " + matcher.group() + "; there are " + values.keySet());
            }
            matcher.appendReplacement(out, Matcher.quoteReplacement(value));
        }
        return matcher.appendTail(out).toString();
    }

    /** Splits at semicolons outside of quotes and comments; comments are dropped. */
    static List<String> statements(String sql) {
        List<String> statements = new ArrayList<>();
        StringBuilder current = new StringBuilder();
        int i = 0;
        while (i < sql.length()) {
            char c = sql.charAt(i);
            if (c == '\'' || c == '`' || c == '"') {
                int end = sql.indexOf(c, i + 1);
                end = end < 0 ? sql.length() : end + 1;
                current.append(sql, i, end);
                i = end;
            } else if (sql.startsWith("--", i)) {
                int end = sql.indexOf('\n', i);
                i = end < 0 ? sql.length() : end;
            } else if (sql.startsWith("/*", i) && !sql.startsWith("/*+", i)) {
                int end = sql.indexOf("*/", i);
                i = end < 0 ? sql.length() : end + 2;
            } else if (c == ';') {
                add(statements, current);
                i++;
            } else {
                current.append(c);
                i++;
            }
        }
        add(statements, current);
        return statements;
    }

    private static void add(List<String> statements, StringBuilder current) {
        String statement = current.toString().trim();
        if (!statement.isEmpty()) {
            statements.add(statement);
        }
        current.setLength(0);
    }
}
