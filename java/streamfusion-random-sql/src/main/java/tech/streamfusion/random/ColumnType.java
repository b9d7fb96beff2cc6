package tech.streamfusion.random;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.apache.flink.types.Row;

/** A SQL type of columns with values of the class that Flink's connectors take for it: extremes often, others at random. */
final class ColumnType {

    private static final String[] TEXTS = {
        "", "a", "b", "abc", "Hello World", "  padded  ", "ÄöÜß", "日本語", "a%b_c\\d", "100", "-12.50", "1e3", "true", " 42 ",
        "2024-02-29", "2024-02-29 12:34:56.789", "1969-12-31 23:59:59", "a,b,,c", "a-b", "\t\n", "İstanbul", "NULL", "NaN", "0",
        "99999999999999999999", "{\"a\": 1}", "x'y", "Infinity", "+7", "1.0", "23:59:59", "é"
    };
    private static final String[] ASTRAL = {"😀", "😀 emoji 👩‍👩‍👧", "a𝄞b"};
    private static final double[] DOUBLES = {
        0.0, -0.0, 1.0, -2.5, 0.1, 1e308, -1e-300, Double.MIN_VALUE, Double.NaN, Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY, 123456789.125, 1e21, 0.001, 9007199254740993.0, 2147483648.0
    };
    private static final float[] FLOATS = {
        0f, -0f, 1f, -1.5f, 0.1f, 3.4e38f, Float.MIN_VALUE, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 1e10f
    };
    private static final String[] TIMES = {
        "1970-01-01T00:00:00.000", "1969-12-31T23:59:59.999999999", "2024-02-29T12:34:56.789012345", "2024-03-10T02:30:00",
        "2024-11-03T01:30:00", "2024-03-31T02:15:00", "2024-10-27T02:45:00", "1900-01-01T00:00:00", "1883-11-18T12:00:00.001",
        "2024-12-30T00:00:00", "2021-01-03T23:00:00.5", "0001-01-02T00:00:00", "9999-12-30T23:59:59.999", "1945-08-14T23:00:00"
    };

    static final List<ColumnType> ALL =
            List.of(
                    type(Kind.BOOL, "BOOLEAN", Random::nextBoolean),
                    type(Kind.TINYINT, "TINYINT", r -> (byte) integer(r, 7)),
                    type(Kind.SMALLINT, "SMALLINT", r -> (short) integer(r, 15)),
                    type(Kind.INT, "INT", r -> (int) integer(r, 31)),
                    type(Kind.BIGINT, "BIGINT", r -> integer(r, 63)),
                    type(Kind.FLOAT, "FLOAT", r -> r.nextInt(3) == 0 ? r.nextInt(100) / 8f : FLOATS[r.nextInt(FLOATS.length)]),
                    type(Kind.DOUBLE, "DOUBLE", r -> r.nextInt(3) == 0 ? r.nextGaussian() * 1000 : DOUBLES[r.nextInt(DOUBLES.length)]),
                    decimal(10, 2),
                    decimal(38, 18),
                    decimal(19, 0),
                    decimal(5, 5),
                    decimal(18, 4),
                    decimal(38, 0),
                    type(Kind.STRING, "STRING", r -> r.nextInt(3) == 0 ? ASTRAL[r.nextInt(ASTRAL.length)] : text(r)),
                    type(Kind.BMP, "STRING", ColumnType::text),
                    type(Kind.BMP, "VARCHAR(12)", r -> cut(text(r), 12)),
                    type(Kind.BMP, "CHAR(5)", r -> cut(text(r) + "     ", 5)),
                    type(Kind.BYTES, "BYTES", r -> bytes(r, r.nextInt(6))),
                    type(Kind.BYTES, "BINARY(3)", r -> bytes(r, 3)),
                    type(Kind.DATE, "DATE", r -> time(r).toLocalDate()),
                    type(Kind.TIME, "TIME(0)", r -> LocalTime.ofSecondOfDay(edge(r, 86_400))),
                    type(Kind.TIME, "TIME(3)", r -> LocalTime.ofNanoOfDay(edge(r, 86_400_000) * 1_000_000L)),
                    type(Kind.TIMESTAMP, "TIMESTAMP(0)", r -> time(r).withNano(0)),
                    type(Kind.TIMESTAMP, "TIMESTAMP(3)", r -> digits(time(r), 1_000_000)),
                    type(Kind.TIMESTAMP, "TIMESTAMP(6)", r -> digits(time(r), 1_000)),
                    type(Kind.TIMESTAMP, "TIMESTAMP(9)", ColumnType::time),
                    type(Kind.LTZ, "TIMESTAMP_LTZ(3)", r -> digits(time(r), 1_000_000).toInstant(ZoneOffset.UTC)),
                    type(Kind.LTZ, "TIMESTAMP_LTZ(9)", r -> time(r).toInstant(ZoneOffset.UTC)),
                    type(Kind.ARRAY, "ARRAY<INT>", ColumnType::array),
                    type(Kind.MAP, "MAP<STRING, INT>", ColumnType::map),
                    type(Kind.ROW, "ROW<x INT, y STRING, z ROW<w BIGINT>>", ColumnType::row));

    /** Keys of changelogs and joins: few values, so that they meet. */
    static final ColumnType KEY = type(Kind.INT, "INT", r -> r.nextInt(6));

    final Kind kind;
    final String sql;
    private final Function<Random, Object> values;

    private ColumnType(Kind kind, String sql, Function<Random, Object> values) {
        this.kind = kind;
        this.sql = sql;
        this.values = values;
    }

    Object value(Random random) {
        return values.apply(random);
    }

    private static ColumnType type(Kind kind, String sql, Function<Random, Object> values) {
        return new ColumnType(kind, sql, values);
    }

    private static ColumnType decimal(int precision, int scale) {
        BigInteger limit = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE);
        return type(
                Kind.DECIMAL,
                "DECIMAL(" + precision + ", " + scale + ")",
                r -> {
                    BigInteger[] special = {
                        BigInteger.ZERO, BigInteger.ONE, BigInteger.ONE.negate(), limit, limit.negate(), BigInteger.valueOf(5),
                        BigInteger.valueOf(-15), BigInteger.valueOf(250), BigInteger.valueOf(12345)
                    };
                    BigInteger unscaled =
                            r.nextInt(3) == 0
                                    ? new BigInteger(limit.bitLength() - 1, r).mod(limit)
                                    : special[r.nextInt(special.length)];
                    return new BigDecimal(unscaled, scale);
                });
    }

    /** Small numbers, the limits of the width and their neighbours, any. */
    private static long integer(Random random, int bits) {
        long max = bits == 63 ? Long.MAX_VALUE : (1L << bits) - 1;
        switch (random.nextInt(6)) {
            case 0:
                return max - random.nextInt(2);
            case 1:
                return -max - random.nextInt(2);
            case 2:
                return random.nextLong() >> (63 - bits);
            default:
                return random.nextInt(12) - 3;
        }
    }

    private static int edge(Random random, int bound) {
        switch (random.nextInt(4)) {
            case 0:
                return 0;
            case 1:
                return bound - 1;
            default:
                return random.nextInt(bound);
        }
    }

    private static String text(Random random) {
        if (random.nextInt(20) == 0) {
            return "xY-".repeat(100);
        }
        return TEXTS[random.nextInt(TEXTS.length)];
    }

    private static String cut(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length);
    }

    private static byte[] bytes(Random random, int length) {
        byte[] out = new byte[length];
        if (random.nextBoolean()) {
            random.nextBytes(out);
            return out;
        }
        return Arrays.copyOf("abcéf".getBytes(StandardCharsets.UTF_8), length);
    }

    private static LocalDateTime time(Random random) {
        if (random.nextInt(4) == 0) {
            return LocalDateTime.of(
                    LocalDate.of(1960 + random.nextInt(80), 1 + random.nextInt(12), 1 + random.nextInt(28)),
                    LocalTime.ofNanoOfDay((random.nextLong() >>> 1) % 86_400_000_000_000L));
        }
        return LocalDateTime.parse(TIMES[random.nextInt(TIMES.length)]);
    }

    private static LocalDateTime digits(LocalDateTime time, int unit) {
        return time.withNano(time.getNano() / unit * unit);
    }

    private static Object array(Random random) {
        Integer[] values = new Integer[random.nextInt(4)];
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextInt(4) == 0 ? null : (Integer) (int) integer(random, 31);
        }
        return values;
    }

    private static Object map(Random random) {
        Map<String, Integer> values = new HashMap<>();
        if (random.nextBoolean()) {
            values.put("a", random.nextInt(4) == 0 ? null : random.nextInt(10));
        }
        if (random.nextBoolean()) {
            values.put("b", random.nextInt(10));
        }
        return Collections.unmodifiableMap(values);
    }

    private static Object row(Random random) {
        return Row.of(
                random.nextInt(4) == 0 ? null : (Integer) (int) integer(random, 31),
                random.nextInt(4) == 0 ? null : text(random),
                random.nextInt(4) == 0 ? null : Row.of(random.nextInt(4) == 0 ? null : (Long) integer(random, 63)));
    }
}
