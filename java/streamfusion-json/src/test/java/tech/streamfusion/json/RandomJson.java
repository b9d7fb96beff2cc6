package tech.streamfusion.json;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.DateType;
import org.apache.flink.table.types.logical.DayTimeIntervalType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.FloatType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.NullType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.SmallIntType;
import org.apache.flink.table.types.logical.TimeType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.TinyIntType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.table.types.logical.YearMonthIntervalType;

/** Row types and JSON records for them, from canonical to broken, reproducible from a seed. */
final class RandomJson {

    private static final String[] NAMES = {
        "a", "b", "id", "name", "dateTime", "event_type", "extra", "a_rather_long_field_name_beyond_32_bytes", "é", "x y", "A",
        "q\"uote"
    };

    /** What mutations put in: bytes and words that mean something to a parser. */
    private static final String[] WORDS = {
        "\"", "\\", "{", "}", "[", "]", ",", ":", " ", "\n", "\t", "0", "1", "-", ".", "e", "E", "+", "null", "true", "false",
        "NaN", "\\u0041", "\\ud83d", "\\ude00", "\\n", "\\x", "/", "//", "/*", "'", "\0", "\u007f", "é", "\uD83D\uDE00", "1e999",
        "1e-999", "9223372036854775808", "0.1", "\"1\"", "\"true\"", "\"\"", "{}", "[]", "T", "Z", "24:00:00", "-0", "00",
        "1234567890123456789012345678901234567890", "1.0E5", "\"a\":1,"
    };

    private final Random random;
    /** How often values are unusual though well-formed, in percent. */
    private int oddity;
    private boolean iso;

    RandomJson(long seed) {
        this.random = new Random(seed);
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    // ---- types ----

    RowType rowType() {
        return row(3);
    }

    private RowType row(int depth) {
        List<String> names = new ArrayList<>(List.of(NAMES));
        Collections.shuffle(names, random);
        List<RowType.RowField> fields = new ArrayList<>();
        int n = depth == 3 && oneIn(20) ? 0 : 1 + random.nextInt(6);
        for (int i = 0; i < n; i++) {
            fields.add(new RowType.RowField(names.get(i), type(depth - 1)));
        }
        if (depth == 3 && oneIn(15)) {
            for (int i = 0; i < 70; i++) {
                fields.add(new RowType.RowField("wide" + i, new IntType()));
            }
        }
        return new RowType(fields);
    }

    private LogicalType type(int depth) {
        switch (random.nextInt(depth > 0 ? 23 : 18)) {
            case 0:
                return new BooleanType();
            case 1:
                return new TinyIntType();
            case 2:
                return new SmallIntType();
            case 3:
                return oneIn(4)
                        ? new YearMonthIntervalType(YearMonthIntervalType.YearMonthResolution.YEAR_TO_MONTH)
                        : new IntType();
            case 4:
            case 5:
                return oneIn(4)
                        ? new DayTimeIntervalType(DayTimeIntervalType.DayTimeResolution.DAY_TO_SECOND)
                        : new BigIntType();
            case 6:
                return new FloatType();
            case 7:
                return new DoubleType();
            case 8:
                int precision = 1 + random.nextInt(38);
                return new DecimalType(precision, random.nextInt(precision + 1));
            case 9:
                return new VarBinaryType(VarBinaryType.MAX_LENGTH);
            case 10:
                return new DateType();
            case 11:
                return new TimeType(random.nextInt(4));
            case 12:
            case 13:
                return new TimestampType(random.nextInt(10));
            case 14:
                return new LocalZonedTimestampType(random.nextInt(10));
            case 15:
                return oneIn(4) ? new NullType() : new VarCharType(10);
            case 16:
            case 17:
                return VarCharType.STRING_TYPE;
            case 18:
            case 19:
                return row(depth);
            case 20:
                return new ArrayType(type(depth - 1));
            case 21:
                return new MapType(VarCharType.STRING_TYPE, type(depth - 1));
            default:
                return new MultisetType(VarCharType.STRING_TYPE);
        }
    }

    // ---- records ----

    /** As a canonical writer spells a row: all fields in order, plain values, no space. */
    byte[] canonical(RowType type, boolean isoTimestamps) {
        oddity = 0;
        iso = isoTimestamps;
        return object(type).getBytes(StandardCharsets.UTF_8);
    }

    /** Anything from canonical to broken. */
    byte[] record(RowType type, boolean isoTimestamps) {
        oddity = oneIn(3) ? 0 : random.nextInt(12);
        iso = isoTimestamps;
        byte[] record = object(type).getBytes(StandardCharsets.UTF_8);
        if (oneIn(3)) {
            for (int i = 1 + random.nextInt(2); i > 0; i--) {
                record = mutate(record);
            }
        }
        if (oneIn(200)) {
            record = "[".concat(new String(record, StandardCharsets.UTF_8)).concat(",{}]").getBytes(StandardCharsets.UTF_8);
        }
        return record;
    }

    private boolean odd() {
        return random.nextInt(100) < oddity;
    }

    private byte[] mutate(byte[] record) {
        int at = random.nextInt(record.length + 1);
        int cut = Math.min(record.length, at + (oneIn(3) ? 0 : random.nextInt(oneIn(4) ? 12 : 3)));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(record, 0, at);
        switch (random.nextInt(5)) {
            case 0:
                out.write(random.nextInt(256));
                break;
            case 1:
                return out.toByteArray();
            case 2:
                int from = random.nextInt(record.length + 1);
                out.write(record, from, Math.min(record.length - from, random.nextInt(20)));
                break;
            default:
                byte[] word = WORDS[random.nextInt(WORDS.length)].getBytes(StandardCharsets.UTF_8);
                out.write(word, 0, word.length);
        }
        out.write(record, cut, record.length - cut);
        return out.toByteArray();
    }

    private String space() {
        return odd() ? List.of(" ", "\n", "\t ", "  ").get(random.nextInt(4)) : "";
    }

    private String object(RowType type) {
        List<String> members = new ArrayList<>();
        for (RowType.RowField field : type.getFields()) {
            if (!odd()) {
                members.add(quoted(field.getName()) + space() + ":" + space() + value(field.getType()));
            }
            if (odd()) {
                members.add(quoted(NAMES[random.nextInt(NAMES.length)]) + ":" + value(type(1)));
            }
        }
        if (odd()) {
            Collections.shuffle(members, random);
        }
        return "{" + space() + String.join(space() + "," + space(), members) + space() + "}";
    }

    private String value(LogicalType type) {
        if (oneIn(8)) {
            return "null";
        }
        if (odd() && oneIn(3)) {
            return value(type(0));
        }
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return scalar(random.nextBoolean() ? "true" : "false");
            case TINYINT:
                return integer(8);
            case SMALLINT:
                return integer(16);
            case INTEGER:
            case INTERVAL_YEAR_MONTH:
                return integer(32);
            case BIGINT:
            case INTERVAL_DAY_TIME:
                return integer(64);
            case FLOAT:
                return scalar(oneIn(4) ? decimal() : Float.toString(floating().floatValue()));
            case DOUBLE:
                return scalar(oneIn(4) ? decimal() : Double.toString(floating()));
            case DECIMAL:
                return scalar(decimal());
            case VARCHAR:
                return !odd() ? quoted(text()) : oneIn(2) ? decimal() : oneIn(3) ? array(type(1)) : object(row(2));
            case VARBINARY:
                byte[] bytes = new byte[random.nextInt(20)];
                random.nextBytes(bytes);
                return quoted(Base64.getEncoder().encodeToString(bytes));
            case DATE:
                return quoted(date());
            case TIME_WITHOUT_TIME_ZONE:
                return quoted(time());
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return quoted(date() + (iso ? "T" : " ") + time());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return quoted(date() + (iso ? "T" : " ") + time() + "Z");
            case ROW:
                return object((RowType) type);
            case ARRAY:
                return array(type.getChildren().get(0));
            case MAP:
                return map(type.getChildren().get(1));
            case MULTISET:
                return map(new IntType());
            default:
                return "null";
        }
    }

    private String scalar(String text) {
        return odd() ? "\"" + text + "\"" : text;
    }

    private String integer(int bits) {
        long value = random.nextLong() >> (64 - bits) >> (oneIn(2) ? random.nextInt(bits) : 0);
        return scalar(odd() ? value + ".0" : Long.toString(oneIn(50) ? value >> 63 << (bits - 1) : value));
    }

    private Double floating() {
        switch (random.nextInt(4)) {
            case 0:
                return (double) random.nextInt(1000);
            case 1:
                return random.nextGaussian();
            case 2:
                return random.nextInt(100000) / 100.0;
            default:
                return random.nextGaussian() * Math.pow(10, random.nextInt(60) - 30);
        }
    }

    private String decimal() {
        BigDecimal value = new BigDecimal(new BigInteger(1 + random.nextInt(100), random), random.nextInt(20));
        String text = oneIn(2) ? value.toPlainString() : value.toString();
        return oneIn(2) && (value.signum() != 0 || odd()) ? "-" + text : text;
    }

    private String date() {
        if (odd()) {
            return String.format("%04d-%02d-%02d", random.nextInt(10000), random.nextInt(14), random.nextInt(33));
        }
        return LocalDate.ofEpochDay(random.nextInt(oneIn(5) ? 2932896 : 30000)).toString();
    }

    private String time() {
        String time =
                String.format(
                        "%02d:%02d:%02d", random.nextInt(odd() ? 26 : 24), random.nextInt(60), random.nextInt(odd() ? 62 : 60));
        int digits = random.nextInt(odd() ? 11 : 10);
        return digits == 0 ? time : time + "." + String.format("%010d", random.nextInt(1 << 30)).substring(0, digits);
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(oneIn(5) ? 90 : 12); i > 0; i--) {
            if (oneIn(60)) {
                text.appendCodePoint(random.nextInt(4) == 0 ? 0x1F600 + random.nextInt(50) : random.nextInt(0xD800));
            } else {
                text.append((char) ('a' + random.nextInt(26)));
            }
        }
        return text.toString();
    }

    /** As writers do, with the least escaping or more of it. */
    private String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < 0x20 || (oddity > 0 && oneIn(80))) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }

    private String array(LogicalType element) {
        List<String> values = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            values.add(value(element));
        }
        return "[" + String.join(space() + "," + space(), values) + space() + "]";
    }

    private String map(LogicalType value) {
        List<String> entries = new ArrayList<>();
        for (int i = random.nextInt(oneIn(20) ? 200 : 6); i > 0; i--) {
            entries.add(quoted((odd() ? "k" : "k" + i) + text()) + space() + ":" + space() + value(value));
        }
        return "{" + String.join("," + space(), entries) + "}";
    }
}
