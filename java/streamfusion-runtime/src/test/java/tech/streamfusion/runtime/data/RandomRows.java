package tech.streamfusion.runtime.data;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BinaryType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.CharType;
import org.apache.flink.table.types.logical.DateType;
import org.apache.flink.table.types.logical.DayTimeIntervalType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.FloatType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.SmallIntType;
import org.apache.flink.table.types.logical.TimeType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.TinyIntType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.table.types.logical.YearMonthIntervalType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.apache.flink.types.RowKind;

/** Rows of every type that has a columnar form, extremes and NULLs included, reproducible from a seed. */
public final class RandomRows {

    /** One field of each type that Flink serializes, and nested ones two levels deep. */
    public static final RowType ALL_TYPES =
            RowType.of(
                    new BooleanType(),
                    new TinyIntType(),
                    new SmallIntType(),
                    new IntType(),
                    new BigIntType(),
                    new FloatType(),
                    new DoubleType(),
                    new DecimalType(7, 3),
                    new DecimalType(18, 0),
                    new DecimalType(38, 10),
                    new CharType(5),
                    VarCharType.STRING_TYPE,
                    new BinaryType(4),
                    new VarBinaryType(VarBinaryType.MAX_LENGTH),
                    new DateType(),
                    new TimeType(3),
                    new TimestampType(3),
                    new TimestampType(9),
                    new LocalZonedTimestampType(0),
                    new LocalZonedTimestampType(6),
                    new YearMonthIntervalType(YearMonthIntervalType.YearMonthResolution.YEAR_TO_MONTH),
                    new DayTimeIntervalType(DayTimeIntervalType.DayTimeResolution.DAY_TO_SECOND),
                    RowType.of(new IntType(), VarCharType.STRING_TYPE, RowType.of(new DecimalType(30, 2))),
                    new ArrayType(new BigIntType()),
                    new ArrayType(new ArrayType(VarCharType.STRING_TYPE)),
                    new ArrayType(RowType.of(new BooleanType(), new TimestampType(6))),
                    new MapType(VarCharType.STRING_TYPE.copy(false), new DoubleType()),
                    new MapType(new IntType(false), new ArrayType(new SmallIntType())),
                    new MultisetType(VarCharType.STRING_TYPE.copy(false)));

    private final Random random;

    public RandomRows(long seed) {
        this.random = new Random(seed);
    }

    public RowData row(RowType type) {
        GenericRowData row = fields(type);
        row.setRowKind(RowKind.values()[random.nextInt(4)]);
        return row;
    }

    private GenericRowData fields(RowType type) {
        GenericRowData row = new GenericRowData(type.getFieldCount());
        for (int i = 0; i < type.getFieldCount(); i++) {
            row.setField(i, value(type.getTypeAt(i)));
        }
        return row;
    }

    private Object value(LogicalType type) {
        if (type.isNullable() && random.nextInt(4) == 0) {
            return null;
        }
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return random.nextBoolean();
            case TINYINT:
                return (byte) random.nextInt();
            case SMALLINT:
                return (short) random.nextInt();
            case INTEGER:
            case INTERVAL_YEAR_MONTH:
                return random.nextInt(8) == 0 ? Integer.MIN_VALUE : random.nextInt();
            case DATE:
                return random.nextInt(100_000) - 50_000;
            case TIME_WITHOUT_TIME_ZONE:
                return random.nextInt(86_400_000);
            case BIGINT:
            case INTERVAL_DAY_TIME:
                return random.nextInt(8) == 0 ? Long.MIN_VALUE : random.nextLong();
            case FLOAT:
                return random.nextInt(8) == 0 ? -0.0f : Float.intBitsToFloat(random.nextInt() & 0xff7fffff);
            case DOUBLE:
                return random.nextInt(8) == 0 ? Double.NaN : random.nextGaussian() * 1e100;
            case DECIMAL:
                return decimal((DecimalType) type);
            case CHAR:
                return StringData.fromString(text(5));
            case VARCHAR:
                return StringData.fromString(text(random.nextInt(30)));
            case BINARY:
            case VARBINARY:
                byte[] bytes = new byte[type.is(LogicalTypeRoot.BINARY) ? 4 : random.nextInt(20)];
                random.nextBytes(bytes);
                return bytes;
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return timestamp(LogicalTypeChecks.getPrecision(type));
            case ROW:
                return fields((RowType) type);
            case ARRAY:
                return array(type.getChildren().get(0), random.nextInt(4));
            case MAP:
                return map(type.getChildren().get(0), type.getChildren().get(1));
            case MULTISET:
                return map(((MultisetType) type).getElementType(), new IntType(false));
            default:
                return null;
        }
    }

    private DecimalData decimal(DecimalType type) {
        int digits = 1 + random.nextInt(type.getPrecision());
        BigInteger unscaled = new BigInteger(BigInteger.TEN.pow(digits).bitLength() - 1, random);
        BigDecimal value = new BigDecimal(random.nextBoolean() ? unscaled.negate() : unscaled, type.getScale());
        return DecimalData.fromBigDecimal(value, type.getPrecision(), type.getScale());
    }

    private TimestampData timestamp(int precision) {
        long millis = random.nextInt() * 100_000L;
        if (TimestampData.isCompact(precision)) {
            return TimestampData.fromEpochMillis(millis);
        }
        int unit = precision == 9 ? 1 : 1_000;
        return TimestampData.fromEpochMillis(millis, random.nextInt(1_000_000 / unit) * unit);
    }

    private GenericArrayData array(LogicalType element, int size) {
        Object[] values = new Object[size];
        for (int i = 0; i < size; i++) {
            values[i] = value(element);
        }
        return new GenericArrayData(values);
    }

    private GenericMapData map(LogicalType key, LogicalType value) {
        Map<Object, Object> entries = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            entries.put(value(key), value(value));
        }
        return new GenericMapData(entries);
    }

    private String text(int length) {
        StringBuilder text = new StringBuilder();
        while (text.codePointCount(0, text.length()) < length) {
            text.appendCodePoint(random.nextInt(5) == 0 ? 0x1F600 + random.nextInt(50) : 'a' + random.nextInt(600));
        }
        return text.toString();
    }
}
