package tech.streamfusion.random;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** What productions know of types: precision, length and scale are left to Flink. */
enum Kind {
    BOOL("BOOLEAN", "TRUE", "FALSE"),
    TINYINT("TINYINT", "CAST(1 AS TINYINT)", "CAST(127 AS TINYINT)", "CAST(-128 AS TINYINT)"),
    SMALLINT("SMALLINT", "CAST(1 AS SMALLINT)", "CAST(-300 AS SMALLINT)", "CAST(32767 AS SMALLINT)"),
    INT("INT", "1", "0", "-1", "7", "100", "2147483647", "-2147483648"),
    BIGINT("BIGINT", "CAST(1 AS BIGINT)", "12345678901", "9223372036854775807", "CAST(0 AS BIGINT)"),
    FLOAT("FLOAT", "CAST(1 AS FLOAT)", "CAST(0.1 AS FLOAT)", "CAST(-2.5 AS FLOAT)"),
    DOUBLE("DOUBLE", "1E0", "0.1E0", "-2.5E0", "1E300"),
    DECIMAL("DECIMAL(10, 2)", "1.5", "0.05", "-99999999.99", "CAST('12345678901234567890.123' AS DECIMAL(38, 18))", "2.5"),
    /** Any text. */
    STRING("STRING", "'a'", "''", "' a-b '", "U&'\\D83D\\DE00x'"),
    /** Text without characters beyond the BMP, which some functions would cut in halves. */
    BMP("STRING", "'a'", "''", "'2024-02-29'", "'100'", "'abc,d'", "'1969-12-31 23:59:59.999'"),
    BYTES("BYTES", "X'00FF'", "X''"),
    DATE("DATE", "DATE '2024-02-29'", "DATE '1969-12-31'"),
    TIME("TIME", "TIME '12:34:56'", "TIME '00:00:00'"),
    TIMESTAMP("TIMESTAMP(3)", "TIMESTAMP '2024-03-10 02:30:00.000'", "TIMESTAMP '1969-12-31 23:59:59.999'"),
    LTZ(
            "TIMESTAMP_LTZ(3)",
            "CAST(TIMESTAMP '2024-11-03 01:30:00.000' AS TIMESTAMP_LTZ(3))",
            "CAST(TIMESTAMP '1960-06-30 12:00:00.001' AS TIMESTAMP_LTZ(3))"),
    ARRAY("ARRAY<INT>", "ARRAY[1, 2]"),
    MAP("MAP<STRING, INT>", "MAP['a', 1]"),
    ROW("ROW<x INT, y STRING, z ROW<w BIGINT>>", "CAST(ROW(1, 'a', ROW(2)) AS ROW<x INT, y STRING, z ROW<w BIGINT>>)");

    static final List<Kind> INTEGRAL = List.of(TINYINT, SMALLINT, INT, BIGINT);
    static final List<Kind> EXACT = List.of(TINYINT, SMALLINT, INT, BIGINT, DECIMAL);
    static final List<Kind> APPROX = List.of(FLOAT, DOUBLE);
    static final List<Kind> NUM = List.of(TINYINT, SMALLINT, INT, BIGINT, DECIMAL, FLOAT, DOUBLE);
    static final List<Kind> TEXT = List.of(STRING, BMP);
    static final List<Kind> TEMPORAL = List.of(TIMESTAMP, LTZ);
    /** What can be compared and grouped by. */
    static final List<Kind> SCALAR =
            List.of(
                    BOOL, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL, STRING, BMP, DATE, TIME, TIMESTAMP, LTZ);
    /** Those of the scalars whose order is the same on both sides. */
    static final List<Kind> SORTED = SCALAR.stream().filter(kind -> kind != STRING).collect(Collectors.toUnmodifiableList());

    static final List<Kind> ANY = Arrays.asList(values());

    private final String type;
    private final String[] literals;

    Kind(String type, String... literals) {
        this.type = type;
        this.literals = literals;
    }

    /** The kinds of a name: itself, or a group. */
    static List<Kind> group(String name) {
        switch (name) {
            case "INTEGRAL":
                return INTEGRAL;
            case "EXACT":
                return EXACT;
            case "APPROX":
                return APPROX;
            case "NUM":
                return NUM;
            case "TEXT":
                return TEXT;
            case "TEMPORAL":
                return TEMPORAL;
            case "SCALAR":
                return SCALAR;
            case "SORTED":
                return SORTED;
            case "ANY":
                return ANY;
            default:
                return List.of(valueOf(name));
        }
    }

    /** Whether an expression of the other kind will do where this one is asked for. */
    boolean takes(Kind other) {
        return this == other || this == STRING && other == BMP;
    }

    String literal(Random random) {
        return random.nextInt(12) == 0 ? nullLiteral() : literals[random.nextInt(literals.length)];
    }

    /** The plainest value. */
    String simpleLiteral() {
        return literals[0];
    }

    String nullLiteral() {
        return "CAST(NULL AS " + type + ")";
    }
}
