package tech.streamfusion.runtime.data;

import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.NativeEngine;

/**
 * Turns Flink's rows into batches: rows in binary form are handed over as bytes, for all others typed writers fill column
 * memory; one call per batch either way. Keeps nothing of a row. Single-threaded.
 */
public final class BatchWriter implements AutoCloseable {

    /** A batch is full at this many bytes of strings and binaries, whatever its rows. */
    private static final long MAX_VARIABLE_BYTES = 8L << 20;

    private static final int CHECK_BYTES_EVERY = 64;

    private final long rowType;
    private final int batchSize;
    private final BinaryRowRange binary;
    private final RowType type;
    private RowDataSerializer serializer;
    private final ColumnWriter[] columns;
    private final NativeBuffer rowKinds;
    private final long[] description;
    private boolean hasRowKinds;
    private int rows; // written by the typed writers

    /**
     * @param pool native pool, borrowed while the writer lives
     * @param rowTypeHandle the row type's {@code sf_type}, borrowed while the writer lives
     * @param batchSize rows after which {@link #isFull}
     */
    public BatchWriter(RowType rowType, long rowTypeHandle, long pool, int batchSize) {
        this.type = rowType;
        this.rowType = rowTypeHandle;
        this.batchSize = batchSize;
        this.binary = new BinaryRowRange(pool, rowTypeHandle);
        this.columns = new ColumnWriter[rowType.getFieldCount()];
        int described = 0;
        for (int i = 0; i < columns.length; i++) {
            LogicalType type = rowType.getTypeAt(i);
            columns[i] = ColumnWriter.of(type, pool, batchSize);
            described += columns[i].columns();
        }
        this.description = new long[described * ColumnWriter.LONGS];
        this.rowKinds = new NativeBuffer(pool, batchSize);
    }

    /** A batch is all bytes or all typed: its first row decides, and the few others that there may be follow it. */
    public void write(RowData row) {
        if (row instanceof BinaryRowData && rows == 0) {
            binary.add((BinaryRowData) row);
        } else if (binary.rows() > 0) {
            binary.add(serializer().toBinaryRow(row));
        } else {
            writeFields(row);
        }
    }

    private RowDataSerializer serializer() {
        if (serializer == null) {
            serializer = new RowDataSerializer(type);
        }
        return serializer;
    }

    private void writeFields(RowData row) {
        for (int i = 0; i < columns.length; i++) {
            columns[i].write(row, i);
        }
        writeRowKind(row.getRowKind());
        rows++;
    }

    private void writeRowKind(RowKind kind) {
        if (!hasRowKinds) {
            if (kind == RowKind.INSERT) {
                return;
            }
            hasRowKinds = true;
            NativeMemory.fill(rowKinds.ensure(rows + 1L), rows, RowKind.INSERT.toByteValue());
        }
        NativeMemory.putByte(rowKinds.ensure(rows + 1L) + rows, kind.toByteValue());
    }

    public int rows() {
        return rows + binary.rows();
    }

    public boolean isEmpty() {
        return rows() == 0;
    }

    public boolean isFull() {
        return rows() >= batchSize
                || binary.size() >= MAX_VARIABLE_BYTES
                || (rows > 0 && rows % CHECK_BYTES_EVERY == 0 && variableBytes() >= MAX_VARIABLE_BYTES);
    }

    private long variableBytes() {
        long sum = 0;
        for (ColumnWriter column : columns) {
            sum += column.variableBytes();
        }
        return sum;
    }

    /** The rows so far as a batch that the caller owns; the writer is empty afterwards, also on failure. */
    public NativeBatch finish() {
        if (binary.rows() > 0) {
            return new NativeBatch(binary.finish());
        }
        int at = 0;
        for (ColumnWriter column : columns) {
            at = column.describe(description, at);
        }
        long kinds = hasRowKinds ? rowKinds.take(rows) : 0;
        int n = rows;
        rows = 0;
        hasRowKinds = false;
        return new NativeBatch(NativeEngine.batchFromBuffers(rowType, n, description, kinds));
    }

    /** Drops unfinished rows and their memory. */
    @Override
    public void close() {
        for (ColumnWriter column : columns) {
            column.release();
        }
        rowKinds.release();
        binary.release();
        rows = 0;
        hasRowKinds = false;
    }
}
