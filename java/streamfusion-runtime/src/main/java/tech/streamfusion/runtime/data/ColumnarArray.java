package tech.streamfusion.runtime.data;

import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RawValueData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.types.variant.Variant;

/** A range of a native column. */
final class ColumnarArray implements ArrayData {

    private final ColumnReader elements;
    private final ColumnReader.Scope scope;
    private final int start;
    private final int size;

    ColumnarArray(ColumnReader elements, ColumnReader.Scope scope, int start, int size) {
        this.elements = elements;
        this.scope = scope;
        this.start = start;
        this.size = size;
    }

    private ColumnReader elements() {
        scope.check();
        return elements;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public boolean isNullAt(int pos) {
        return elements().isNull(start + pos);
    }

    @Override
    public boolean getBoolean(int pos) {
        return elements().getBoolean(start + pos);
    }

    @Override
    public byte getByte(int pos) {
        return elements().getByte(start + pos);
    }

    @Override
    public short getShort(int pos) {
        return elements().getShort(start + pos);
    }

    @Override
    public int getInt(int pos) {
        return elements().getInt(start + pos);
    }

    @Override
    public long getLong(int pos) {
        return elements().getLong(start + pos);
    }

    @Override
    public float getFloat(int pos) {
        return elements().getFloat(start + pos);
    }

    @Override
    public double getDouble(int pos) {
        return elements().getDouble(start + pos);
    }

    @Override
    public StringData getString(int pos) {
        return elements().getString(start + pos);
    }

    @Override
    public DecimalData getDecimal(int pos, int precision, int scale) {
        return elements().getDecimal(start + pos, precision, scale);
    }

    @Override
    public TimestampData getTimestamp(int pos, int precision) {
        return elements().getTimestamp(start + pos, precision);
    }

    @Override
    public <T> RawValueData<T> getRawValue(int pos) {
        throw new UnsupportedOperationException("RAW values have no columnar form");
    }

    @Override
    public Variant getVariant(int pos) {
        throw new UnsupportedOperationException("VARIANT values have no columnar form");
    }

    @Override
    public byte[] getBinary(int pos) {
        return elements().getBinary(start + pos);
    }

    @Override
    public ArrayData getArray(int pos) {
        return elements().getArray(start + pos);
    }

    @Override
    public MapData getMap(int pos) {
        return elements().getMap(start + pos);
    }

    @Override
    public RowData getRow(int pos, int numFields) {
        return elements().getRow(start + pos);
    }

    /** As BinaryArrayData. */
    private void checkNoNull() {
        for (int i = 0; i < size; i++) {
            if (isNullAt(i)) {
                throw new RuntimeException("Primitive array must not contain a null value.");
            }
        }
    }

    @Override
    public boolean[] toBooleanArray() {
        checkNoNull();
        boolean[] values = new boolean[size];
        for (int i = 0; i < size; i++) {
            values[i] = getBoolean(i);
        }
        return values;
    }

    @Override
    public byte[] toByteArray() {
        checkNoNull();
        byte[] values = new byte[size];
        for (int i = 0; i < size; i++) {
            values[i] = getByte(i);
        }
        return values;
    }

    @Override
    public short[] toShortArray() {
        checkNoNull();
        short[] values = new short[size];
        for (int i = 0; i < size; i++) {
            values[i] = getShort(i);
        }
        return values;
    }

    @Override
    public int[] toIntArray() {
        checkNoNull();
        int[] values = new int[size];
        for (int i = 0; i < size; i++) {
            values[i] = getInt(i);
        }
        return values;
    }

    @Override
    public long[] toLongArray() {
        checkNoNull();
        long[] values = new long[size];
        for (int i = 0; i < size; i++) {
            values[i] = getLong(i);
        }
        return values;
    }

    @Override
    public float[] toFloatArray() {
        checkNoNull();
        float[] values = new float[size];
        for (int i = 0; i < size; i++) {
            values[i] = getFloat(i);
        }
        return values;
    }

    @Override
    public double[] toDoubleArray() {
        checkNoNull();
        double[] values = new double[size];
        for (int i = 0; i < size; i++) {
            values[i] = getDouble(i);
        }
        return values;
    }
}
