package tech.streamfusion.runtime.data;

import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RawValueData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.types.RowKind;
import org.apache.flink.types.variant.Variant;

/**
 * A row inside native columns. Strings and binaries come out as heap copies; nested values are views that refuse to be
 * read once their batch is gone.
 */
final class ColumnarRow implements RowData {

    private final ColumnReader[] columns;
    private final ColumnReader.Scope scope;
    private int row;
    private RowKind kind = RowKind.INSERT;

    ColumnarRow(ColumnReader[] columns, ColumnReader.Scope scope, int row) {
        this.columns = columns;
        this.scope = scope;
        this.row = row;
    }

    void setRow(int index) {
        this.row = index;
    }

    private ColumnReader column(int pos) {
        scope.check();
        return columns[pos];
    }

    @Override
    public int getArity() {
        return columns.length;
    }

    @Override
    public RowKind getRowKind() {
        return kind;
    }

    @Override
    public void setRowKind(RowKind value) {
        this.kind = value;
    }

    @Override
    public boolean isNullAt(int pos) {
        return column(pos).isNull(row);
    }

    @Override
    public boolean getBoolean(int pos) {
        return column(pos).getBoolean(row);
    }

    @Override
    public byte getByte(int pos) {
        return column(pos).getByte(row);
    }

    @Override
    public short getShort(int pos) {
        return column(pos).getShort(row);
    }

    @Override
    public int getInt(int pos) {
        return column(pos).getInt(row);
    }

    @Override
    public long getLong(int pos) {
        return column(pos).getLong(row);
    }

    @Override
    public float getFloat(int pos) {
        return column(pos).getFloat(row);
    }

    @Override
    public double getDouble(int pos) {
        return column(pos).getDouble(row);
    }

    @Override
    public StringData getString(int pos) {
        return column(pos).getString(row);
    }

    @Override
    public DecimalData getDecimal(int pos, int precision, int scale) {
        return column(pos).getDecimal(row, precision, scale);
    }

    @Override
    public TimestampData getTimestamp(int pos, int precision) {
        return column(pos).getTimestamp(row, precision);
    }

    @Override
    public <T> RawValueData<T> getRawValue(int pos) {
        throw new UnsupportedOperationException("RAW values have no columnar form");
    }

    @Override
    public byte[] getBinary(int pos) {
        return column(pos).getBinary(row);
    }

    @Override
    public ArrayData getArray(int pos) {
        return column(pos).getArray(row);
    }

    @Override
    public MapData getMap(int pos) {
        return column(pos).getMap(row);
    }

    @Override
    public RowData getRow(int pos, int numFields) {
        return column(pos).getRow(row);
    }

    @Override
    public Variant getVariant(int pos) {
        throw new UnsupportedOperationException("VARIANT values have no columnar form");
    }
}
