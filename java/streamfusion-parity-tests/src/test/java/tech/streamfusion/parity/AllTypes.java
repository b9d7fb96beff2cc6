package tech.streamfusion.parity;

import java.math.BigDecimal;
import java.time.ZoneOffset;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.types.Row;

/** A table with a column of every type; its rows mix extremes, ordinary values and NULLs, the same in every run. */
final class AllTypes {

    static final String COLUMNS =
            "b BOOLEAN, ti TINYINT, si SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, "
                    + "dc DECIMAL(10, 2), dl DECIMAL(38, 18), di DECIMAL(19, 0), "
                    + "c CHAR(5), s STRING, v VARCHAR(12), bn BINARY(3), vb BYTES, "
                    + "dt DATE, tm TIME(0), tm3 TIME(3), ts TIMESTAMP(3), ts6 TIMESTAMP(6), ts9 TIMESTAMP(9), ts0 TIMESTAMP(0), "
                    + "lz TIMESTAMP_LTZ(3), lz9 TIMESTAMP_LTZ(9), "
                    + "a ARRAY<INT>, m MAP<STRING, INT>, r ROW<x INT, y STRING, z ROW<w BIGINT>>, "
                    + "nn INT NOT NULL, ns STRING NOT NULL, b2 BOOLEAN, i2 INT, l2 BIGINT, d2 DOUBLE, dc2 DECIMAL(10, 2), s2 STRING,"
                    + " ts2 TIMESTAMP(3)";

    static final int ROWS = 240;

    private static final List<Object> BOOLEANS = Arrays.asList(true, false);
    private static final List<Object> TINYINTS = Arrays.asList((byte) 0, (byte) 1, (byte) -1, (byte) 7, Byte.MAX_VALUE, Byte.MIN_VALUE);
    private static final List<Object> SMALLINTS =
            Arrays.asList((short) 0, (short) 1, (short) -1, (short) 300, Short.MAX_VALUE, Short.MIN_VALUE);
    private static final List<Object> INTS =
            Arrays.asList(0, 1, -1, 2, 7, -13, 100, 65536, Integer.MAX_VALUE, Integer.MIN_VALUE, Integer.MAX_VALUE - 1);
    private static final List<Object> LONGS =
            Arrays.asList(
                    0L, 1L, -1L, 3L, 12_345_678_901L, -99L, 1_767_225_600_123L, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 53, (1L << 53) + 1);
    private static final List<Object> FLOATS =
            Arrays.asList(
                    0f, -0f, 1f, -1.5f, 0.1f, 3.4e38f, Float.MIN_VALUE, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 1e10f);
    private static final List<Object> DOUBLES =
            Arrays.asList(
                    0.0, -0.0, 1.0, -2.5, 0.1, 2.5, 1e308, -1e-300, Double.MIN_VALUE, Double.NaN, Double.POSITIVE_INFINITY,
                    Double.NEGATIVE_INFINITY, 123456789.125, 1e21, 0.001, 9007199254740993.0);
    private static final List<Object> DECIMALS =
            decimals("0.00", "1.00", "-1.00", "99999999.99", "-99999999.99", "0.01", "-0.05", "12.34", "0.50", "1.50", "2.50");
    private static final List<Object> LARGE_DECIMALS =
            decimals(
                    "0.000000000000000000", "1.000000000000000000", "-1.500000000000000000", "99999999999999999999.999999999999999999",
                    "-99999999999999999999.999999999999999999", "0.000000000000000001", "123456789.123456789123456789");
    private static final List<Object> INTEGRAL_DECIMALS =
            decimals("0", "1", "-1", "9999999999999999999", "-9999999999999999999", "9223372036854775807", "42");
    private static final List<Object> CHARS = Arrays.asList("abcde", "a    ", "  b  ", "     ", "ÄÖüß€", "A1-_%", "12.30");
    /**
     * No character from U+E000 to U+FFFF beside those above: Flink orders strings by UTF-16 units or by bytes, depending on
     * whether they have been serialized on their way.
     */
    private static final List<Object> STRINGS =
            Arrays.asList(
                    "", "a", "abc", "Hello World", "  padded  ", "ÄöÜß", "日本語テキスト", "😀 emoji 👩‍👩‍👧", "a%b_c\\d", "100",
                    "-12.50", "1e3", "true", " 42 ", "2024-02-29", "2024-02-29 12:34:56.789", "1969-12-31 23:59:59", "https://h.example/p1/p2/p3?q=1&x=2",
                    "a,b,,c", "aXbXc", "\t\n", "İstanbul", "œ", "NULL", "nan", "0", "99999999999999999999", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    private static final List<Object> SHORT_STRINGS = Arrays.asList("", "x", "abc", "b", "o", "  ", "é", "100", "World", "😀", "2024-02-29");
    private static final List<Object> BINARIES = Arrays.asList(new byte[] {0, 0, 0}, new byte[] {1, 2, 3}, new byte[] {-1, -1, -1}, new byte[] {97, 98, 99});
    private static final List<Object> BYTE_STRINGS =
            Arrays.asList(new byte[0], new byte[] {0}, new byte[] {1, 2, 3}, "text".getBytes(), new byte[] {(byte) 0xC3, (byte) 0xA9}, new byte[] {-128, 127});
    private static final List<Object> DATES =
            dates("1970-01-01", "1969-12-31", "2024-02-29", "2023-12-31", "2021-01-03", "0001-01-01", "9999-12-31", "1900-02-28", "2000-02-29");
    private static final List<Object> TIMES =
            Arrays.asList(LocalTime.of(0, 0), LocalTime.of(12, 34, 56), LocalTime.of(23, 59, 59), LocalTime.of(1, 2, 3));
    private static final List<Object> MILLI_TIMES =
            Arrays.asList(LocalTime.of(0, 0), LocalTime.parse("12:34:56.789"), LocalTime.parse("23:59:59.999"), LocalTime.parse("00:00:00.001"));
    private static final List<Object> TIMESTAMPS =
            timestamps(
                    "1970-01-01T00:00:00.000", "1969-12-31T23:59:59.999", "2024-02-29T12:34:56.789", "2024-03-10T02:30:00.000",
                    "2024-11-03T01:30:00.000", "0001-01-01T00:00:00.000", "9999-12-31T23:59:59.999", "1883-11-18T12:00:00.001",
                    "2024-12-30T00:00:00.000", "2021-01-03T23:00:00.500");
    private static final List<Object> NANO_TIMESTAMPS =
            timestamps(
                    "1970-01-01T00:00:00.000000001", "1969-12-31T23:59:59.999999999", "2024-02-29T12:34:56.789012345",
                    "2024-02-29T12:34:56", "1000-01-01T00:00:00.5", "9999-12-31T23:59:59.123456789");

    private AllTypes() {}

    static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        Random random = new Random(20_260_101L);
        int columns = row(random, 0, false).getArity();
        rows.add(withRequired(new Row(columns), random, 0));
        for (int n = 1; n < ROWS; n++) {
            rows.add(row(random, n, n % 3 == 0));
        }
        return rows;
    }

    /** Where nothing else is allowed: the two NOT NULL columns. */
    private static Row withRequired(Row row, Random random, int n) {
        row.setField(27, pick(INTS, random, n));
        row.setField(28, pick(STRINGS, random, n));
        return row;
    }

    private static Row row(Random random, int n, boolean withNulls) {
        Object[] fields = {
            pick(BOOLEANS, random, n), pick(TINYINTS, random, n), pick(SMALLINTS, random, n), pick(INTS, random, n),
            pick(LONGS, random, n), pick(FLOATS, random, n), pick(DOUBLES, random, n), pick(DECIMALS, random, n),
            pick(LARGE_DECIMALS, random, n), pick(INTEGRAL_DECIMALS, random, n), pick(CHARS, random, n), pick(STRINGS, random, n),
            pick(SHORT_STRINGS, random, n), pick(BINARIES, random, n), pick(BYTE_STRINGS, random, n), pick(DATES, random, n),
            pick(TIMES, random, n), pick(MILLI_TIMES, random, n), pick(TIMESTAMPS, random, n), micros(random, n),
            pick(NANO_TIMESTAMPS, random, n), seconds(random, n), instant(TIMESTAMPS, random, n), instant(NANO_TIMESTAMPS, random, n),
            array(random), map(random), nested(random, n), null, null, pick(BOOLEANS, random, n), pick(INTS, random, n),
            pick(LONGS, random, n), pick(DOUBLES, random, n), pick(DECIMALS, random, n), pick(STRINGS, random, n),
            pick(TIMESTAMPS, random, n)
        };
        if (withNulls) {
            for (int i = 0; i < fields.length; i++) {
                if (random.nextInt(3) == 0) {
                    fields[i] = null;
                }
            }
        }
        return withRequired(Row.of(fields), random, n);
    }

    /** First each value of the pool in turn, later random ones, so that all values and many combinations occur. */
    private static Object pick(List<Object> pool, Random random, int n) {
        return n < pool.size() ? pool.get(n) : pool.get(random.nextInt(pool.size()));
    }

    private static Object micros(Random random, int n) {
        LocalDateTime time = (LocalDateTime) pick(NANO_TIMESTAMPS, random, n);
        return time.withNano(time.getNano() / 1000 * 1000);
    }

    private static Object seconds(Random random, int n) {
        return ((LocalDateTime) pick(TIMESTAMPS, random, n)).withNano(0);
    }

    private static Object instant(List<Object> pool, Random random, int n) {
        return ((LocalDateTime) pick(pool, random, n)).toInstant(ZoneOffset.UTC);
    }

    private static Object array(Random random) {
        Integer[] values = new Integer[random.nextInt(4)];
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextInt(4) == 0 ? null : random.nextInt(10);
        }
        return values;
    }

    private static Object map(Random random) {
        switch (random.nextInt(3)) {
            case 0:
                return Collections.emptyMap();
            case 1:
                return Map.of("a", 1, "b", random.nextInt(5));
            default:
                return Collections.singletonMap("a", null);
        }
    }

    private static Object nested(Random random, int n) {
        Row inner = random.nextInt(4) == 0 ? null : Row.of(pick(LONGS, random, n));
        return Row.of(random.nextInt(5) == 0 ? null : pick(INTS, random, n), random.nextInt(5) == 0 ? null : pick(STRINGS, random, n), inner);
    }

    private static List<Object> decimals(String... texts) {
        List<Object> values = new ArrayList<>();
        for (String text : texts) {
            values.add(new BigDecimal(text));
        }
        return values;
    }

    private static List<Object> dates(String... texts) {
        List<Object> values = new ArrayList<>();
        for (String text : texts) {
            values.add(LocalDate.parse(text));
        }
        return values;
    }

    private static List<Object> timestamps(String... texts) {
        List<Object> values = new ArrayList<>();
        for (String text : texts) {
            values.add(LocalDateTime.parse(text));
        }
        return values;
    }
}
