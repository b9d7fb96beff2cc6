package tech.streamfusion.runtime.data;

import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.NativeEngine;

/**
 * Reads native columns as Flink rows, without copying what is not asked for. One row object serves all rows; strings and
 * binaries are heap copies, nested values are views that must not be used after {@link #unbind}.
 */
public final class BatchReader {

    private final ColumnReader.Scope scope = new ColumnReader.Scope();
    private final ColumnReader[] columns;
    private final ColumnarRow row;
    private long[] description = new long[0];
    private long rowKinds;

    public BatchReader(int columnCount) {
        columns = new ColumnReader[columnCount];
        for (int i = 0; i < columnCount; i++) {
            columns[i] = new ColumnReader(scope);
        }
        row = new ColumnarRow(columns, scope, 0);
    }

    /** Makes {@link #row} read this batch, which the caller keeps alive until {@link #unbind}. */
    public void bind(NativeBatch batch) {
        int longs = NativeEngine.batchDescribe(batch.handle(), description);
        if (longs > description.length) {
            description = new long[longs];
            NativeEngine.batchDescribe(batch.handle(), description);
        }
        bind(description);
        rowKinds = NativeEngine.batchRowKinds(batch.handle());
    }

    /** The same for columns in the form of {@link NativeEngine#batchDescribe}, all insertions. */
    public void bind(long[] columnDescription) {
        int next = 0;
        for (ColumnReader column : columns) {
            next = column.bind(columnDescription, next);
        }
        rowKinds = 0;
        scope.open();
    }

    /** Row {@code index} of what is bound; valid until the next call. */
    public RowData row(int index) {
        row.setRow(index);
        row.setRowKind(
                rowKinds == 0 ? RowKind.INSERT : RowKind.fromByteValue(NativeMemory.getByte(rowKinds + index)));
        return row;
    }

    public void unbind() {
        scope.close();
        rowKinds = 0;
    }
}
