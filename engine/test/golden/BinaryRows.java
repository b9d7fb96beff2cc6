import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.*;
import org.apache.flink.types.RowKind;

/**
 * Prints binary_rows.txt: rows as stock Flink serializes them, one a line as "form hash hex". The C test builds the same
 * values. Run with Flink 2.2.1's flink-table-runtime, flink-table-common, flink-core, flink-core-api and their dependencies
 * on the class path: {@code java -cp ... BinaryRows.java > binary_rows.txt}.
 */
public class BinaryRows {

    static final LogicalType TEXT = new VarCharType(VarCharType.MAX_LENGTH);
    static final RowType INNER = RowType.of(new IntType(), TEXT, new DecimalType(25, 0));
    static final RowType ELEMENT = RowType.of(new BigIntType(), new ArrayType(new SmallIntType()));
    static final MapType INNER_MAP = new MapType(TEXT, new DecimalType(25, 3));
    static final RowType TYPE =
            RowType.of(
                    new BooleanType(), new TinyIntType(), new SmallIntType(), new IntType(), new BigIntType(),
                    new FloatType(), new DoubleType(), new DecimalType(10, 2), new DecimalType(30, 5), TEXT,
                    new VarBinaryType(VarBinaryType.MAX_LENGTH), new DateType(), new TimeType(3), new TimestampType(3),
                    new TimestampType(9), new LocalZonedTimestampType(6), INNER, new ArrayType(new IntType()),
                    new ArrayType(TEXT), new ArrayType(new FloatType()), new MapType(TEXT, new BigIntType()),
                    new MultisetType(TEXT), new ArrayType(ELEMENT), new MapType(new IntType(), INNER_MAP),
                    new YearMonthIntervalType(YearMonthIntervalType.YearMonthResolution.MONTH),
                    new DayTimeIntervalType(DayTimeIntervalType.DayTimeResolution.SECOND));

    static StringData text(int i) {
        return StringData.fromString("x".repeat(i % 20) + (i % 2 == 1 ? "\u00e9" : ""));
    }

    static BigInteger big(int i) {
        return BigInteger.TEN.pow(20).multiply(BigInteger.valueOf(i - 3)).add(BigInteger.valueOf(i));
    }

    static DecimalData decimal(BigInteger unscaled, int precision, int scale) {
        return DecimalData.fromBigDecimal(new BigDecimal(unscaled, scale), precision, scale);
    }

    static Object value(int f, int i) {
        if ((i * 31 + f * 7) % 5 == 0) {
            return null;
        }
        long millis = i * 86400123L - 5;
        switch (f) {
            case 0: return i % 2 == 1;
            case 1: return (byte) (i * 37);
            case 2: return (short) (i * 1234);
            case 3: return i * 1000003;
            case 4: return i * 1000000007L * 131;
            case 5: return i % 4 == 3 ? Float.intBitsToFloat(0x7fc12345) : i / 4f;
            case 6: return i % 4 == 3 ? Double.longBitsToDouble(0xfff8000000000001L) : i / 8.0;
            case 7: return DecimalData.fromUnscaledLong(i * 12345L, 10, 2);
            case 8: return decimal(big(i), 30, 5);
            case 9: return text(i);
            case 10: return new byte[i % 12];
            case 11: return i * 100 - 200;
            case 12: return i * 1001;
            case 13: return TimestampData.fromEpochMillis(millis);
            case 14: return TimestampData.fromEpochMillis(millis, i * 1001);
            case 15: return TimestampData.fromEpochMillis(millis, i * 1000);
            case 16:
                return i % 3 == 0
                        ? GenericRowData.of(i, null, null)
                        : GenericRowData.of(null, text(i), decimal(big(i), 25, 0));
            case 17: return new GenericArrayData(elements(i, k -> k % 3 == 2 ? null : (Object) (k - 1)));
            case 18: return new GenericArrayData(elements(i, k -> k % 3 == 2 ? null : text(3 * k)));
            case 19:
                return new GenericArrayData(elements(i, k -> k % 2 == 1 ? Float.intBitsToFloat(0x7fc12345) : (Object) (k / 2f)));
            case 20: return map(i, k -> text(4 * k), k -> k % 3 == 2 ? null : (Object) (k * 10L));
            case 21: return map(i, k -> text(2 * k), k -> k + 1);
            case 22:
                return new GenericArrayData(elements(i, k -> k == 1 ? null : GenericRowData.of(
                        (long) k, new GenericArrayData(elements(k + 1, j -> (short) j)))));
            case 23: return map(i, k -> k, k -> k == 0 ? null : map(k, j -> text(9 * j), j -> decimal(big(j), 25, 3)));
            case 24: return i;
            case 25: return i * 1000L;
            default: throw new IllegalArgumentException();
        }
    }

    interface At {
        Object get(int k);
    }

    static Object[] elements(int i, At at) {
        Object[] array = new Object[i % 6];
        for (int k = 0; k < array.length; k++) {
            array[k] = at.get(k);
        }
        return array;
    }

    static GenericMapData map(int i, At key, At value) {
        Map<Object, Object> map = new LinkedHashMap<>();
        for (int k = 0; k < i % 6; k++) {
            map.put(key.get(k), value.get(k));
        }
        return new GenericMapData(map);
    }

    static void print(String form, BinaryRowData row) {
        byte[] bytes = row.getSegments()[0].getArray();
        StringBuilder hex = new StringBuilder();
        for (int i = 0; i < row.getSizeInBytes(); i++) {
            hex.append(String.format("%02x", bytes[row.getOffset() + i]));
        }
        System.out.println(form + " " + row.hashCode() + " " + hex);
    }

    public static void main(String[] args) {
        for (int i = 0; i < 24; i++) {
            GenericRowData row = new GenericRowData(RowKind.fromByteValue((byte) (i % 4)), TYPE.getFieldCount());
            for (int f = 0; f < TYPE.getFieldCount(); f++) {
                row.setField(f, value(f, i));
            }
            print("serializer", new RowDataSerializer(TYPE).toBinaryRow(row));
            // what CodeGenUtils.binaryWriterWriteNull and its like generate for a key (decimal 30, timestamp 9, text, int)
            BinaryRowData key = new BinaryRowData(4);
            BinaryRowWriter writer = new BinaryRowWriter(key);
            writer.reset();
            writer.writeDecimal(0, (DecimalData) value(8, i), 30);
            writer.writeTimestamp(1, (TimestampData) value(14, i), 9);
            if (value(9, i) == null) {
                writer.setNullAt(2);
            } else {
                writer.writeString(2, StringData.fromBytes(value(9, i).toString().getBytes(StandardCharsets.UTF_8)));
            }
            if (value(3, i) == null) {
                writer.setNullAt(3);
            } else {
                writer.writeInt(3, (Integer) value(3, i));
            }
            writer.complete();
            print("projection", key);
        }
    }
}
