package tech.streamfusion.runtime.data;

import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import tech.streamfusion.runtime.NativeEngine;

/** Writes one native column value by value; reused from column to column. */
public final class ResultColumnWriter {

    private static final int EXPECTED_ROWS = 4096;

    private final ColumnWriter column;
    private final long[] description;

    /** @param pool native pool, borrowed while the writer lives */
    public ResultColumnWriter(LogicalType type, long pool) {
        column = ColumnWriter.of(type, pool, EXPECTED_ROWS);
        description = new long[column.columns() * ColumnWriter.LONGS];
    }

    public int length() {
        return column.length();
    }

    /** Fills up to {@code length} rows with NULLs. */
    public void skipTo(int length) {
        while (column.length() < length) {
            column.writeNull();
        }
    }

    /** Appends field {@code pos} of the row. */
    public void write(RowData row, int pos) {
        column.write(row, pos);
    }

    /** The column as an owned {@code sf_column}; the writer is empty afterwards. */
    public long finish(long typeHandle) {
        int length = column.length();
        column.describe(description, 0);
        return NativeEngine.columnFromBuffers(typeHandle, length, description);
    }

    /** Drops what was written, and its memory. */
    public void reset() {
        column.release();
    }
}
