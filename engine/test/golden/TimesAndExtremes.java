import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.utils.DateTimeUtils;

/**
 * Prints kernels/shapes.cases: TO_TIMESTAMP with a pattern as Flink's DateTimeUtils answers it, for text that has the pattern's
 * shape (other text is the host's: NULL), GREATEST and LEAST as boxed values compare, HEX as Long.toHexString. Run with
 * flink-table-common and flink-core on the class path.
 */
public final class TimesAndExtremes {

    private static final Random RANDOM = new Random(20250301);

    private static final String[] PATTERNS = {
        "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd HH:mm:ss.SSS", "yyyy-MM-dd'T'HH:mm:ss.SSSSSS", "dd/MM/uuuu HH:mm", "yyyyMMddHHmmss",
        "yyyy-MM-dd", "HH:mm:ss", "MM-dd-yyyy HH", "yyyy.MM.dd 'at' HH:mm:ss.SSSSSSSSS", "HH", "yyyy-MM-dd HH:mm:ss.S"
    };

    public static void main(String[] args) {
        System.out.println("## TO_TIMESTAMP with patterns, GREATEST, LEAST and HEX, answered by Flink 2.2.1 and JDK 17.");
        for (String pattern : PATTERNS) {
            System.out.println("#call\tTO_TIMESTAMP_SHAPED\tTS(3)\tSTR\tSTR=" + pattern);
            for (int i = 0; i < 40; i++) {
                String text = text(pattern, i);
                System.out.println(text + "\t" + (isShaped(pattern, text) ? flink(text, pattern) : "\\N"));
            }
            System.out.println("\\N\t\\N");
        }
        doubles();
        longs();
        hex();
    }

    /** Text of the pattern's shape with fields mostly in range, sometimes with a character changed, added or dropped. */
    private static String text(String pattern, int i) {
        StringBuilder out = new StringBuilder();
        boolean quoted = false;
        for (int at = 0; at < pattern.length(); ) {
            char c = pattern.charAt(at);
            int end = at;
            while (end < pattern.length() && pattern.charAt(end) == c) {
                end++;
            }
            if (c == '\'') {
                quoted = !quoted;
                at++;
            } else if (!quoted && Character.isLetter(c)) {
                out.append(number(c, end - at));
                at = end;
            } else {
                out.append(c);
                at++;
            }
        }
        int place = RANDOM.nextInt(out.length());
        switch (i % 8) {
            case 5:
                out.setCharAt(place, "0+-: x9".charAt(RANDOM.nextInt(7)));
                break;
            case 6:
                out.insert(place, "01 ".charAt(RANDOM.nextInt(3)));
                break;
            case 7:
                out.deleteCharAt(place);
                break;
            default:
        }
        return out.toString();
    }

    private static String number(char letter, int width) {
        int limit = letter == 'M' ? 14 : letter == 'd' ? 33 : letter == 'H' ? 25 : letter == 'm' || letter == 's' ? 61 : 0;
        long value = limit > 0 ? RANDOM.nextInt(limit) : Math.floorMod(RANDOM.nextLong(), (long) Math.pow(10, width));
        if ((letter == 'y' || letter == 'u') && RANDOM.nextInt(3) > 0) {
            value = 1900 + RANDOM.nextInt(200);
        }
        return String.format("%0" + width + "d", value);
    }

    /** The rule of the kernel, by a way of its own: a regular expression and ranges. */
    private static boolean isShaped(String pattern, String text) {
        StringBuilder regex = new StringBuilder();
        StringBuilder letters = new StringBuilder();
        boolean quoted = false;
        for (int at = 0; at < pattern.length(); at++) {
            char c = pattern.charAt(at);
            if (c == '\'') {
                quoted = !quoted;
            } else if (quoted || !Character.isLetter(c)) {
                regex.append("\\Q").append(c).append("\\E");
            } else if (at == 0 || pattern.charAt(at - 1) != c) {
                int end = at;
                while (end < pattern.length() && pattern.charAt(end) == c) {
                    end++;
                }
                regex.append("([0-9]{").append(end - at).append("})");
                letters.append(c);
            }
        }
        java.util.regex.Matcher matcher = java.util.regex.Pattern.compile(regex.toString()).matcher(text);
        if (!matcher.matches()) {
            return false;
        }
        int month = 1;
        int day = 1;
        for (int i = 1; i <= matcher.groupCount(); i++) {
            int value = Integer.parseInt(matcher.group(i));
            switch (letters.charAt(i - 1)) {
                case 'y':
                case 'u':
                    if (value < 1) {
                        return false;
                    }
                    break;
                case 'M':
                    month = value;
                    break;
                case 'd':
                    day = value;
                    break;
                case 'H':
                    if (value > 23) {
                        return false;
                    }
                    break;
                case 'S':
                    break;
                default:
                    if (value > 59) {
                        return false;
                    }
            }
        }
        return month >= 1 && month <= 12 && day >= 1 && day <= java.time.Month.of(month).minLength();
    }

    private static String flink(String text, String pattern) {
        TimestampData time = DateTimeUtils.parseTimestampData(text, pattern);
        return time == null ? "\\N" : time.getMillisecond() + "," + time.getNanoOfMillisecond();
    }

    private static void doubles() {
        double[] values = {0.0, -0.0, 1, -1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, 3.5};
        for (boolean greatest : new boolean[] {true, false}) {
            System.out.println("#call\t" + (greatest ? "GREATEST" : "LEAST") + "\tDOUBLE\tDOUBLE\tDOUBLE\tDOUBLE");
            for (int i = 0; i < 60; i++) {
                List<Double> row = new ArrayList<>();
                StringJoiner line = new StringJoiner("\t");
                for (int k = 0; k < 3; k++) {
                    Double value = RANDOM.nextInt(12) == 0 ? null : values[RANDOM.nextInt(values.length)];
                    row.add(value);
                    line.add(value == null ? "\\N" : Long.toHexString(Double.doubleToLongBits(value)));
                }
                Double best = row.contains(null) ? null : best(row, greatest);
                System.out.println(line + "\t" + (best == null ? "\\N" : Long.toHexString(Double.doubleToLongBits(best))));
            }
        }
    }

    private static void longs() {
        for (String type : new String[] {"I8", "I16", "I32", "I64", "DATE", "TS(3)"}) {
            for (boolean greatest : new boolean[] {true, false}) {
                System.out.println("#call\t" + (greatest ? "GREATEST" : "LEAST") + "\t" + type + "\t" + type + "\t" + type);
                for (int i = 0; i < 12; i++) {
                    Long left = i == 5 ? null : (long) (byte) RANDOM.nextInt();
                    Long right = i == 7 ? null : (long) (byte) RANDOM.nextInt();
                    Long best = left == null || right == null ? null : best(List.of(left, right), greatest);
                    System.out.println(text(type, left) + "\t" + text(type, right) + "\t" + text(type, best));
                }
            }
        }
    }

    private static String text(String type, Long value) {
        return value == null ? "\\N" : type.startsWith("TS") ? value + ",0" : value.toString();
    }

    private static <T extends Comparable<T>> T best(List<T> values, boolean greatest) {
        T best = values.get(0);
        for (T value : values) {
            int compared = best.compareTo(value);
            if (greatest ? compared < 0 : compared > 0) {
                best = value;
            }
        }
        return best;
    }

    private static void hex() {
        long[] values = {0, 1, 15, 16, 255, 256, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE};
        for (String type : new String[] {"I64", "I32"}) {
            System.out.println("#call\tHEX\tSTR\t" + type);
            for (long value : values) {
                if (type.equals("I64") || value == (int) value) {
                    System.out.println(value + "\t" + Long.toHexString(value).toUpperCase(java.util.Locale.ROOT));
                }
            }
            System.out.println("\\N\t\\N");
        }
    }
}
