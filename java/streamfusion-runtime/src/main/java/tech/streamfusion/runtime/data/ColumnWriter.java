package tech.streamfusion.runtime.data;

import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * Writes values of Flink's internal data structures straight into column memory, without boxing. Its buffers go to the
 * engine with {@link #describe}: depth-first, {@link #LONGS} longs a column.
 */
abstract class ColumnWriter {

    /** validity buffer or 0, NULL count, values buffer, aux buffer, bytes buffer of views; see columnFromBuffers. */
    static final int LONGS = 5;

    private final NativeBuffer validity;
    private boolean hasNulls;
    private int nulls;
    protected int length;

    ColumnWriter(long pool, int expectedRows) {
        this.validity = new NativeBuffer(pool, bitmapBytes(expectedRows));
    }

    /** @throws UnsupportedOperationException for a type without columnar form */
    static ColumnWriter of(LogicalType type, long pool, int expectedRows) {
        return ColumnWriters.create(type, pool, expectedRows);
    }

    final void write(RowData row, int pos) {
        if (row.isNullAt(pos)) {
            writeNull();
        } else {
            writeValue(row, pos);
            closeValue();
        }
    }

    final void write(ArrayData array, int pos) {
        if (array.isNullAt(pos)) {
            writeNull();
        } else {
            writeValue(array, pos);
            closeValue();
        }
    }

    final void writeNull() {
        writeNullValue();
        if (!hasNulls) {
            hasNulls = true;
            long size = bitmapBytes(length + 1);
            NativeMemory.fill(validity.ensure(size), size, (byte) -1);
        }
        setBit(false);
        nulls++;
        length++;
    }

    private void closeValue() {
        if (hasNulls) {
            setBit(true);
        }
        length++;
    }

    private void setBit(boolean valid) {
        // Whole words are written, so every eighth byte boundary starts with clean bits.
        long address = validity.ensure(bitmapBytes(length + 1)) + (length >> 3);
        int bit = 1 << (length & 7);
        int old = (length & 7) == 0 ? 0 : NativeMemory.getByte(address);
        NativeMemory.putByte(address, (byte) (valid ? old | bit : old & ~bit));
    }

    /** Rows written since the last {@link #describe}. */
    final int length() {
        return length;
    }

    protected abstract void writeValue(RowData row, int pos);

    protected abstract void writeValue(ArrayData array, int pos);

    /** Fills the value's place so that nothing behind it moves. */
    protected abstract void writeNullValue();

    /** Bytes of variable length so far. */
    long variableBytes() {
        return 0;
    }

    /** Hands all buffers over into {@code out} from {@code at}; returns the next free index. The writer is empty then. */
    final int describe(long[] out, int at) {
        out[at] = hasNulls ? validity.take(bitmapBytes(length)) : 0;
        out[at + 1] = nulls;
        int next = describeValues(out, at);
        hasNulls = false;
        nulls = 0;
        length = 0;
        return next;
    }

    /** Sets {@code out[at + 2 .. at + 4]} and appends the children. */
    protected abstract int describeValues(long[] out, int at);

    /** Columns in the depth-first description of this one, itself included. */
    int columns() {
        return 1;
    }

    void release() {
        validity.release();
        hasNulls = false;
        nulls = 0;
        length = 0;
    }

    static long bitmapBytes(long rows) {
        return (rows + 63) / 64 * 8;
    }
}
