package tech.streamfusion.nexmark;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Properties;

/** A set of named strings as one line of text: how coordinator and worker talk over the worker's standard streams. */
final class Message {

    private static final String MARK = "@@";

    private final Properties values = new Properties();

    Message with(String name, Object value) {
        values.setProperty(name, String.valueOf(value));
        return this;
    }

    Message withAll(String prefix, Map<String, String> entries) {
        entries.forEach((k, v) -> with(prefix + k, v));
        return this;
    }

    String get(String name) {
        String value = values.getProperty(name);
        if (value == null) {
            throw new IllegalStateException("message without " + name + ": " + values.keySet());
        }
        return value;
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    long getLong(String name) {
        return Long.parseLong(get(name));
    }

    String toLine() {
        StringWriter text = new StringWriter();
        try {
            values.store(text, null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return MARK + Base64.getEncoder().encodeToString(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Null when the line is something else, e.g. a print of a library. */
    static Message parse(String line) {
        if (!line.startsWith(MARK)) {
            return null;
        }
        Message message = new Message();
        byte[] text = Base64.getDecoder().decode(line.substring(MARK.length()));
        try {
            message.values.load(new StringReader(new String(text, StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return message;
    }
}
