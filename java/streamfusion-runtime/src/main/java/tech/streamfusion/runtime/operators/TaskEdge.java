package tech.streamfusion.runtime.operators;

import java.util.function.Consumer;
import java.util.function.LongConsumer;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.NativeEngine;

/**
 * Hands a batch to other tasks: rows as records of moderate size, marks as Flink's watermarks between them. A receiver with
 * several channels has to hold back watermarks until all of them have come as far, which Flink does for its own.
 */
final class TaskEdge {

    /**
     * Size at which a record gets no further rows. Small enough for its array to be an ordinary one for every collector and for
     * Flink not to spill it to disk, large enough for what every record costs not to matter.
     */
    static final int RECORD_BYTES = 192 << 10;

    private TaskEdge() {}

    /** @param batch borrowed, with rows; the records own nothing native */
    static void emit(NativeBatch batch, Consumer<NativeBatch> records, LongConsumer watermarks) {
        long[] marks = NativeEngine.batchMarks(batch.handle());
        int rows = batch.rowCount();
        long bytesPerRow = Math.max(1, NativeEngine.batchRecordSize(batch.handle()) / rows);
        int rowsPerRecord = (int) Math.max(1, RECORD_BYTES / bytesPerRow);
        int from = 0;
        for (int i = 0; marks != null && i < marks.length; i += 2) {
            int to = (int) marks[i];
            emitRows(batch, from, to, rowsPerRecord, records);
            watermarks.accept(marks[i + 1]);
            from = to;
        }
        emitRows(batch, from, rows, rowsPerRecord, records);
    }

    private static void emitRows(NativeBatch batch, int from, int to, int rowsPerRecord, Consumer<NativeBatch> records) {
        int rows;
        for (int row = from; row < to; row += rows) {
            rows = Math.min(rowsPerRecord, to - row);
            records.accept(NativeBatch.ofRecord(NativeEngine.batchWriteRecord(batch.handle(), row, rows, false), rows));
        }
    }
}
