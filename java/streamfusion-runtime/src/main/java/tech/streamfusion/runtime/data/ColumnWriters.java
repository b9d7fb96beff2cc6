package tech.streamfusion.runtime.data;

import java.math.BigInteger;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinarySegmentUtils;
import org.apache.flink.table.data.binary.BinaryStringData;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/** The writers of each layout of {@code column.h}. */
final class ColumnWriters {

    private ColumnWriters() {}

    static ColumnWriter create(LogicalType type, long pool, int rows) {
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return new BooleanWriter(pool, rows);
            case TINYINT:
                return new ByteWriter(pool, rows);
            case SMALLINT:
                return new ShortWriter(pool, rows);
            case INTEGER:
            case DATE:
            case TIME_WITHOUT_TIME_ZONE:
            case INTERVAL_YEAR_MONTH:
                return new IntWriter(pool, rows);
            case BIGINT:
            case INTERVAL_DAY_TIME:
                return new LongWriter(pool, rows);
            case FLOAT:
                return new FloatWriter(pool, rows);
            case DOUBLE:
                return new DoubleWriter(pool, rows);
            case DECIMAL:
                return new DecimalWriter((DecimalType) type, pool, rows);
            case CHAR:
            case VARCHAR:
                return new StringWriter(pool, rows);
            case BINARY:
            case VARBINARY:
                return new BinaryWriter(pool, rows);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return new TimestampWriter(LogicalTypeChecks.getPrecision(type), pool, rows);
            case ROW:
                return new RowWriter(((RowType) type).getChildren().toArray(new LogicalType[0]), pool, rows);
            case ARRAY:
                return new ArrayWriter(type.getChildren().get(0), pool, rows);
            case MAP:
                return new MapWriter(type.getChildren().get(0), type.getChildren().get(1), pool, rows);
            case MULTISET:
                return new MapWriter(((MultisetType) type).getElementType(), new IntType(false), pool, rows);
            case NULL:
                return new NullWriter(pool, rows);
            default:
                throw new UnsupportedOperationException("no columnar form for " + type.asSummaryString());
        }
    }

    /** Values of one width in one buffer. */
    private abstract static class FixedWriter extends ColumnWriter {
        private final NativeBuffer values;
        private final int width;

        FixedWriter(long pool, int rows, int width) {
            super(pool, rows);
            this.width = width;
            this.values = new NativeBuffer(pool, (long) rows * width);
        }

        /** Address of the value to write. */
        protected final long place() {
            return values.ensure((length + 1L) * width) + (long) length * width;
        }

        @Override
        protected void writeNullValue() {
            NativeMemory.fill(place(), width, (byte) 0);
        }

        @Override
        protected int describeValues(long[] out, int at) {
            out[at + 2] = values.take((long) length * width);
            out[at + 3] = 0;
            out[at + 4] = 0;
            return at + LONGS;
        }

        @Override
        void release() {
            super.release();
            values.release();
        }
    }

    private static final class BooleanWriter extends FixedWriter {
        BooleanWriter(long pool, int rows) {
            super(pool, rows, 1);
        }

        @Override
        protected void writeValue(RowData row, int pos) {
            NativeMemory.putByte(place(), (byte) (row.getBoolean(pos) ? 1 : 0));
        }

        @Override
        protected void writeValue(ArrayData array, int pos) {
            NativeMemory.putByte(place(), (byte) (array.getBoolean(pos) ? 1 : 0));
        }
    }

    private static final class ByteWriter extends FixedWriter {
        ByteWriter(long pool, int rows) {
            super(pool, rows, 1);
        }

        @Override
        protected void writeValue(RowData row, int pos) {
            NativeMemory.putByte(place(), row.getByte(pos));
        }

        @Override
        protected void writeValue(ArrayData array, int pos) {
            NativeMemory.putByte(place(), array.getByte(pos));
        }
    }

    private static final class ShortWriter extends FixedWriter {
        ShortWriter(long pool, int rows) {
            super(pool, rows, 2);
        }

        @Override
        protected void writeValue(RowData row, int pos) {
            NativeMemory.putShort(place(), row.getShort(pos));
        }

        @Override
        protected void writeValue(ArrayData array, int pos) {
            NativeMemory.putShort(place(), array.getShort(pos));
        }
    }

    private static final class IntWriter extends FixedWriter {
        IntWriter(long pool, int rows) {
            super(pool, rows, 4);
        }

        @Override
        protected void writeValue(RowData row, int pos) {
            NativeMemory.putInt(place(), row.getInt(pos));
        }

        @Override
        protected void writeValue(ArrayData array, int pos) {
            NativeMemory.putInt(place(), array.getInt(pos));
        }
    }

    private static final class LongWriter extends FixedWriter {
        LongWriter(long pool, int rows) {
            super(pool, rows, 8);
        }

        @Override
        protected void writeValue(RowData row, int pos) {
            NativeMemory.putLong(place(), row.getLong(pos));
        }

        @Override
        protected void writeValue(ArrayData array, int pos) {
            NativeMemory.putLong(place(), array.getLong(pos));
        }
    }

    private static final class FloatWriter extends FixedWriter {
        FloatWriter(long pool, int rows) {
            super(pool, rows, 4);
        }

        @Override
        protected void writeValue(RowData row, int pos) {
            NativeMemory.putInt(place(), Float.floatToRawIntBits(row.getFloat(pos)));
        }

        @Override
        protected void writeValue(ArrayData array, int pos) {
            NativeMemory.putInt(place(), Float.floatToRawIntBits(array.getFloat(pos)));
        }
    }

    private static final class DoubleWriter extends FixedWriter {
        DoubleWriter(long pool, int rows) {
            super(pool, rows, 8);
        }

        @Override
        protected void writeValue(RowData row, int pos) {
            NativeMemory.putLong(place(), Double.doubleToRawLongBits(row.getDouble(pos)));
        }

        @Override
        protected void writeValue(ArrayData array, int pos) {
            NativeMemory.putLong(place(), Double.doubleToRawLongBits(array.getDouble(pos)));
        }
    }

    /** INT64 up to 18 digits, INT128 beyond. */
    private static final class DecimalWriter extends FixedWriter {
        private final int precision;
        private final int scale;

        DecimalWriter(DecimalType type, long pool, int rows) {
            super(pool, rows, DecimalData.isCompact(type.getPrecision()) ? 8 : 16);
            this.precision = type.getPrecision();
            this.scale = type.getScale();
        }

        @Override
        protected void writeValue(RowData row, int pos) {
            put(row.getDecimal(pos, precision, scale));
        }

        @Override
        protected void writeValue(ArrayData array, int pos) {
            put(array.getDecimal(pos, precision, scale));
        }

        private void put(DecimalData value) {
            long place = place();
            if (DecimalData.isCompact(precision)) {
                NativeMemory.putLong(place, value.toUnscaledLong());
            } else {
                BigInteger unscaled = value.toBigDecimal().unscaledValue();
                NativeMemory.putLong(place, unscaled.longValue());
                NativeMemory.putLong(place + 8, unscaled.shiftRight(64).longValue());
            }
        }
    }

    /** Milliseconds; beyond precision 3 the nanoseconds of the millisecond in aux. */
    private static final class TimestampWriter extends FixedWriter {
        private final int precision;
        private final NativeBuffer nanos;

        TimestampWriter(int precision, long pool, int rows) {
            super(pool, rows, 8);
            this.precision = precision;
            this.nanos = TimestampData.isCompact(precision) ? null : new NativeBuffer(pool, rows * 4L);
        }

        @Override
        protected void writeValue(RowData row, int pos) {
            put(row.getTimestamp(pos, precision));
        }

        @Override
        protected void writeValue(ArrayData array, int pos) {
            put(array.getTimestamp(pos, precision));
        }

        @Override
        protected void writeNullValue() {
            put(TimestampData.fromEpochMillis(0));
        }

        private void put(TimestampData value) {
            NativeMemory.putLong(place(), value.getMillisecond());
            if (nanos != null) {
                NativeMemory.putInt(nanos.ensure((length + 1) * 4L) + length * 4L, value.getNanoOfMillisecond());
            }
        }

        @Override
        protected int describeValues(long[] out, int at) {
            long aux = nanos == null ? 0 : nanos.take(length * 4L);
            int next = super.describeValues(out, at);
            out[at + 3] = aux;
            return next;
        }

        @Override
        void release() {
            super.release();
            if (nanos != null) {
                nanos.release();
            }
        }
    }

    /** Views whose addresses are offsets into the bytes buffer until the engine makes them addresses. */
    private abstract static class ViewWriter extends FixedWriter {
        private final NativeBuffer bytes;
        private long used;

        ViewWriter(long pool, int rows) {
            super(pool, rows, 16);
            this.bytes = new NativeBuffer(pool, rows * 16L);
        }

        /** Writes the view of {@code size} bytes and returns where they go. */
        protected final long view(int size) {
            long place = place();
            NativeMemory.putLong(place, used);
            NativeMemory.putLong(place + 8, size);
            long target = bytes.ensure(used + size) + used;
            used += size;
            return target;
        }

        @Override
        long variableBytes() {
            return used;
        }

        @Override
        protected int describeValues(long[] out, int at) {
            int next = super.describeValues(out, at);
            out[at + 4] = bytes.take(used);
            used = 0;
            return next;
        }

        @Override
        void release() {
            super.release();
            bytes.release();
            used = 0;
        }
    }

    private static final class StringWriter extends ViewWriter {
        StringWriter(long pool, int rows) {
            super(pool, rows);
        }

        @Override
        protected void writeValue(RowData row, int pos) {
            put(row.getString(pos));
        }

        @Override
        protected void writeValue(ArrayData array, int pos) {
            put(array.getString(pos));
        }

        private void put(StringData value) {
            if (!(value instanceof BinaryStringData)) {
                byte[] utf8 = value.toBytes();
                NativeMemory.copyIn(utf8, 0, view(utf8.length), utf8.length);
                return;
            }
            BinaryStringData string = (BinaryStringData) value;
            string.ensureMaterialized();
            int size = string.getSizeInBytes();
            if (string.getSegments().length == 1) {
                NativeMemory.copyIn(string.getSegments()[0], string.getOffset(), view(size), size);
            } else {
                byte[] joined = BinarySegmentUtils.copyToBytes(string.getSegments(), string.getOffset(), size);
                NativeMemory.copyIn(joined, 0, view(size), size);
            }
        }
    }

    private static final class BinaryWriter extends ViewWriter {
        BinaryWriter(long pool, int rows) {
            super(pool, rows);
        }

        @Override
        protected void writeValue(RowData row, int pos) {
            put(row.getBinary(pos));
        }

        @Override
        protected void writeValue(ArrayData array, int pos) {
            put(array.getBinary(pos));
        }

        private void put(byte[] value) {
            NativeMemory.copyIn(value, 0, view(value.length), value.length);
        }
    }

    private static final class NullWriter extends ColumnWriter {
        NullWriter(long pool, int rows) {
            super(pool, rows);
        }

        @Override
        protected void writeValue(RowData row, int pos) {
            throw new IllegalStateException("a value of type NULL");
        }

        @Override
        protected void writeValue(ArrayData array, int pos) {
            throw new IllegalStateException("a value of type NULL");
        }

        @Override
        protected void writeNullValue() {}

        @Override
        protected int describeValues(long[] out, int at) {
            out[at + 2] = 0;
            out[at + 3] = 0;
            out[at + 4] = 0;
            return at + LONGS;
        }
    }

    /** Children as long as the parent. */
    private static final class RowWriter extends ColumnWriter {
        private final ColumnWriter[] fields;

        RowWriter(LogicalType[] types, long pool, int rows) {
            super(pool, rows);
            fields = new ColumnWriter[types.length];
            for (int i = 0; i < types.length; i++) {
                fields[i] = create(types[i], pool, rows);
            }
        }

        @Override
        protected void writeValue(RowData row, int pos) {
            put(row.getRow(pos, fields.length));
        }

        @Override
        protected void writeValue(ArrayData array, int pos) {
            put(array.getRow(pos, fields.length));
        }

        private void put(RowData value) {
            for (int i = 0; i < fields.length; i++) {
                fields[i].write(value, i);
            }
        }

        @Override
        protected void writeNullValue() {
            for (ColumnWriter field : fields) {
                field.writeNull();
            }
        }

        @Override
        long variableBytes() {
            long sum = 0;
            for (ColumnWriter field : fields) {
                sum += field.variableBytes();
            }
            return sum;
        }

        @Override
        protected int describeValues(long[] out, int at) {
            out[at + 2] = 0;
            out[at + 3] = 0;
            out[at + 4] = 0;
            int next = at + LONGS;
            for (ColumnWriter field : fields) {
                next = field.describe(out, next);
            }
            return next;
        }

        @Override
        int columns() {
            int sum = 1;
            for (ColumnWriter field : fields) {
                sum += field.columns();
            }
            return sum;
        }

        @Override
        void release() {
            super.release();
            for (ColumnWriter field : fields) {
                field.release();
            }
        }
    }

    /** int32 offsets into children. */
    private abstract static class OffsetsWriter extends ColumnWriter {
        private final NativeBuffer offsets;

        OffsetsWriter(long pool, int rows) {
            super(pool, rows);
            this.offsets = new NativeBuffer(pool, (rows + 1) * 4L);
        }

        /** Closes the entry whose elements end at {@code end} of the children. */
        protected final void end(int end) {
            long place = offsets.ensure((length + 2) * 4L) + length * 4L;
            if (length == 0) {
                NativeMemory.putInt(place, 0);
            }
            NativeMemory.putInt(place + 4, end);
        }

        protected final void describeOffsets(long[] out, int at) {
            if (length == 0) {
                NativeMemory.putInt(offsets.ensure(4), 0);
            }
            out[at + 2] = 0;
            out[at + 3] = offsets.take((length + 1) * 4L);
            out[at + 4] = 0;
        }

        @Override
        void release() {
            super.release();
            offsets.release();
        }
    }

    private static final class ArrayWriter extends OffsetsWriter {
        private final ColumnWriter element;

        ArrayWriter(LogicalType elementType, long pool, int rows) {
            super(pool, rows);
            element = create(elementType, pool, rows);
        }

        @Override
        protected void writeValue(RowData row, int pos) {
            put(row.getArray(pos));
        }

        @Override
        protected void writeValue(ArrayData array, int pos) {
            put(array.getArray(pos));
        }

        private void put(ArrayData value) {
            for (int i = 0, n = value.size(); i < n; i++) {
                element.write(value, i);
            }
            end(element.length());
        }

        @Override
        protected void writeNullValue() {
            end(element.length());
        }

        @Override
        long variableBytes() {
            return element.variableBytes();
        }

        @Override
        protected int describeValues(long[] out, int at) {
            describeOffsets(out, at);
            return element.describe(out, at + LONGS);
        }

        @Override
        int columns() {
            return 1 + element.columns();
        }

        @Override
        void release() {
            super.release();
            element.release();
        }
    }

    private static final class MapWriter extends OffsetsWriter {
        private final ColumnWriter keys;
        private final ColumnWriter values;

        MapWriter(LogicalType keyType, LogicalType valueType, long pool, int rows) {
            super(pool, rows);
            keys = create(keyType, pool, rows);
            values = create(valueType, pool, rows);
        }

        @Override
        protected void writeValue(RowData row, int pos) {
            put(row.getMap(pos));
        }

        @Override
        protected void writeValue(ArrayData array, int pos) {
            put(array.getMap(pos));
        }

        private void put(MapData value) {
            ArrayData keyArray = value.keyArray();
            ArrayData valueArray = value.valueArray();
            for (int i = 0, n = value.size(); i < n; i++) {
                keys.write(keyArray, i);
                values.write(valueArray, i);
            }
            end(keys.length());
        }

        @Override
        protected void writeNullValue() {
            end(keys.length());
        }

        @Override
        long variableBytes() {
            return keys.variableBytes() + values.variableBytes();
        }

        @Override
        protected int describeValues(long[] out, int at) {
            describeOffsets(out, at);
            return values.describe(out, keys.describe(out, at + LONGS));
        }

        @Override
        int columns() {
            return 1 + keys.columns() + values.columns();
        }

        @Override
        void release() {
            super.release();
            keys.release();
            values.release();
        }
    }
}
