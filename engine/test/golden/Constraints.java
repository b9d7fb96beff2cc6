import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.flink.table.api.config.ExecutionConfigOptions.NestedEnforcer;
import org.apache.flink.table.api.config.ExecutionConfigOptions.NotNullEnforcer;
import org.apache.flink.table.api.config.ExecutionConfigOptions.TypeLengthEnforcer;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.operators.sink.constraint.ConstraintEnforcerExecutor;
import org.apache.flink.table.types.logical.*;

/**
 * Prints constraints.txt: what stock Flink's ConstraintEnforcerExecutor does with single rows. A line is {@code notNull
 * lengths row -> outcome}; rows are fields in hex, "-" for NULL; the outcome is "drop", "row" with fields, or the exception's
 * class and message. Class path as for BinaryRows.java, with flink-table-api-java.
 */
public class Constraints {

    static final RowType TYPE =
            new RowType(
                    List.of(
                            new RowType.RowField("id", new BigIntType(false)),
                            new RowType.RowField("c", new CharType(true, 3)),
                            new RowType.RowField("v%s", new VarCharType(false, 4)),
                            new RowType.RowField("b", new BinaryType(true, 2)),
                            new RowType.RowField("free", new VarCharType(true, VarCharType.MAX_LENGTH)),
                            new RowType.RowField("vb", new VarBinaryType(true, 3))));

    static final String[] TEXTS = {"", "a", "abc", "abcd", "abcde", "\u00e4", "\u00e4\u00f6\u00fc\u00df", "\ud83d\ude00x",
        "\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00", "\u20ac\u20ac\u20ac", null};

    static String hex(byte[] bytes) {
        StringBuilder out = new StringBuilder("x");
        for (byte b : bytes) {
            out.append(String.format("%02x", b));
        }
        return out.toString();
    }

    static String text(RowData row) {
        StringBuilder out = new StringBuilder(row.isNullAt(0) ? "-" : hex(String.valueOf(row.getLong(0)).getBytes()));
        for (int f = 1; f < 6; f++) {
            out.append(' ');
            if (row.isNullAt(f)) {
                out.append('-');
            } else {
                boolean binary = f == 3 || f == 5;
                out.append(hex(binary ? row.getBinary(f) : row.getString(f).toBytes()));
            }
        }
        return out.toString();
    }

    static String outcome(ConstraintEnforcerExecutor executor, RowData row) {
        try {
            RowData result = executor.enforce(row);
            return result == null ? "drop" : "row " + text(result);
        } catch (NullPointerException e) {
            return "null-pointer";
        } catch (RuntimeException e) {
            return e.getClass().getSimpleName() + " " + e.getMessage();
        }
    }

    public static void main(String[] args) {
        long seed = 1;
        for (NotNullEnforcer notNull : NotNullEnforcer.values()) {
            for (TypeLengthEnforcer lengths : TypeLengthEnforcer.values()) {
                ConstraintEnforcerExecutor executor =
                        ConstraintEnforcerExecutor.create(TYPE, notNull, lengths, NestedEnforcer.IGNORE).get();
                for (int i = 0; i < 60; i++) {
                    GenericRowData row = new GenericRowData(6);
                    seed = seed * 6364136223846793005L + 1442695040888963407L;
                    long bits = seed >>> 16;
                    row.setField(0, bits % 7 == 0 ? null : (Object) (bits % 100));
                    for (int f = 1; f < 6; f++) {
                        bits = bits / 11 + 1;
                        String value = TEXTS[(int) (bits % 11)];
                        // keep NULLs rare where lengths are checked, so that not every row ends there
                        if (value == null && f != 4 && bits % 3 != 0) {
                            value = "abc";
                        }
                        boolean binary = f == 3 || f == 5;
                        row.setField(f, value == null ? null : binary
                                ? (Object) value.getBytes(StandardCharsets.UTF_8) : StringData.fromString(value));
                    }
                    String before = text(row);
                    System.out.println(notNull + " " + lengths + " " + before + " -> " + outcome(executor, row));
                }
            }
        }
    }
}
