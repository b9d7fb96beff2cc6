package tech.streamfusion.runtime.operators;

import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.function.ThrowingConsumer;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.data.BatchWriter;

/**
 * Gathers rows into batches. A batch goes on when it is full and when somebody flushes; and by a timer, so that no row
 * waits longer than a network buffer would.
 */
final class InputEdge implements AutoCloseable {

    private final BatchWriter writer;
    private final long timeoutMillis;
    private final ProcessingTimeService time;
    private final ThrowingConsumer<NativeBatch, Exception> consumer;
    private boolean timerPending;

    /**
     * @param timeoutMillis 0: each row goes on at once; negative: rows wait until the batch is full or flushed
     * @param consumer borrows each batch
     */
    InputEdge(
            BatchWriter writer,
            long timeoutMillis,
            ProcessingTimeService time,
            ThrowingConsumer<NativeBatch, Exception> consumer) {
        this.writer = writer;
        this.timeoutMillis = timeoutMillis;
        this.time = time;
        this.consumer = consumer;
    }

    void add(RowData row) throws Exception {
        writer.write(row);
        if (timeoutMillis == 0 || writer.isFull()) {
            flush();
        } else if (timeoutMillis > 0 && !timerPending) {
            timerPending = true;
            time.registerTimer(time.getCurrentProcessingTime() + timeoutMillis, timestamp -> onTimer());
        }
    }

    /** One timer runs at a time; a row that comes just before it fires goes on early, which is harmless. */
    private void onTimer() throws Exception {
        timerPending = false;
        flush();
    }

    void flush() throws Exception {
        if (writer.isEmpty()) {
            return;
        }
        NativeBatch batch = writer.finish();
        try {
            consumer.accept(batch);
        } finally {
            batch.release();
        }
    }

    @Override
    public void close() {
        writer.close();
    }
}
