package tech.streamfusion.nexmark;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;

/** A growing byte buffer for ASCII JSON. */
final class JsonBuffer {

    private static final DateTimeFormatter SECOND =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);

    private byte[] bytes = new byte[1024];
    private int size;
    private long cachedSecond = Long.MIN_VALUE;
    private byte[] cachedText = new byte[0];

    void clear() {
        size = 0;
    }

    int size() {
        return size;
    }

    byte[] copy() {
        return Arrays.copyOf(bytes, size);
    }

    JsonBuffer raw(byte[] text) {
        reserve(text.length);
        System.arraycopy(text, 0, bytes, size, text.length);
        size += text.length;
        return this;
    }

    JsonBuffer raw(String text) {
        reserve(text.length());
        for (int i = 0; i < text.length(); i++) {
            bytes[size++] = (byte) text.charAt(i);
        }
        return this;
    }

    JsonBuffer raw(char c) {
        reserve(1);
        bytes[size++] = (byte) c;
        return this;
    }

    JsonBuffer number(long value) {
        reserve(20);
        if (value < 0) {
            return raw(Long.toString(value));
        }
        int digits = 1;
        for (long rest = value / 10; rest > 0; rest /= 10) {
            digits++;
        }
        for (int i = size + digits - 1; i >= size; i--) {
            bytes[i] = (byte) ('0' + value % 10);
            value /= 10;
        }
        size += digits;
        return this;
    }

    /** {@code "yyyy-MM-dd HH:mm:ss.SSS"} with its quotes, in UTC. */
    JsonBuffer timestamp(long millis) {
        long second = Math.floorDiv(millis, 1000L);
        if (second != cachedSecond) {
            cachedSecond = second;
            cachedText = SECOND.format(Instant.ofEpochSecond(second)).getBytes(StandardCharsets.US_ASCII);
        }
        int fraction = (int) Math.floorMod(millis, 1000L);
        raw('"').raw(cachedText).raw('.');
        return raw((char) ('0' + fraction / 100))
                .raw((char) ('0' + fraction / 10 % 10))
                .raw((char) ('0' + fraction % 10))
                .raw('"');
    }

    /** Random lower-case letters; each is {@code special} instead with probability 1 in {@code oneIn}, 0: never. */
    JsonBuffer letters(SplitMix random, int count, char special, int oneIn) {
        reserve(count);
        for (int i = 0; i < count; i++) {
            boolean isSpecial = oneIn > 0 && random.next(oneIn) == 0;
            bytes[size++] = (byte) (isSpecial ? special : 'a' + random.next(26));
        }
        return this;
    }

    private void reserve(int more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(size + more, 2 * bytes.length));
        }
    }
}
