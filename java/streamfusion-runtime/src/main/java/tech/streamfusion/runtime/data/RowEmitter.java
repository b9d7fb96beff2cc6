package tech.streamfusion.runtime.data;

import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.NativeEngine;

/**
 * Turns batches into Flink's rows. The engine writes the binary form of a chunk of rows, which is copied to the heap in
 * one step; each row is a new {@code BinaryRowData} over it. So rows that leave are what Flink's own network input hands
 * out: free to be kept, cheap to copy and to serialize.
 */
public final class RowEmitter implements AutoCloseable {

    private static final int MAX_CHUNK_ROWS = 4096;

    private final int arity;
    private final long writer;
    private int[] ends = new int[256];

    /**
     * @param pool native pool, kept alive by the emitter
     * @param rowTypeHandle the rows' {@code sf_type}
     */
    public RowEmitter(long pool, long rowTypeHandle, int arity) {
        this.arity = arity;
        this.writer = NativeEngine.rowWriterCreate(pool, rowTypeHandle);
    }

    /** Passes on all rows and marks of a borrowed batch in their order. */
    public void emit(NativeBatch batch, Consumer<RowData> rows, LongConsumer watermarks) {
        long[] marks = NativeEngine.batchMarks(batch.handle());
        int rowCount = batch.rowCount();
        int mark = 0;
        int row = 0;
        while (row < rowCount) {
            int room = Math.min(rowCount - row, MAX_CHUNK_ROWS);
            if (ends.length < room) {
                ends = new int[room];
            }
            byte[] bytes = NativeEngine.rowWriterWrite(writer, batch.handle(), row, ends);
            MemorySegment segment = MemorySegmentFactory.wrap(bytes);
            int start = 0;
            for (int i = 0; start < bytes.length; i++, row++) {
                mark = emitMarks(marks, mark, row, watermarks);
                BinaryRowData binary = new BinaryRowData(arity);
                binary.pointTo(segment, start, ends[i] - start);
                rows.accept(binary);
                start = ends[i];
            }
        }
        emitMarks(marks, mark, rowCount, watermarks);
    }

    private static int emitMarks(long[] marks, int from, int row, LongConsumer watermarks) {
        int mark = from;
        while (marks != null && 2 * mark < marks.length && marks[2 * mark] <= row) {
            watermarks.accept(marks[2 * mark + 1]);
            mark++;
        }
        return mark;
    }

    @Override
    public void close() {
        NativeEngine.rowWriterClose(writer);
    }
}
