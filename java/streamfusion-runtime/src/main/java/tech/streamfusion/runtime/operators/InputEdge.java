package tech.streamfusion.runtime.operators;

import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.function.ThrowingConsumer;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.data.BatchWriter;

/**
 * Gathers rows into batches. A batch goes on when it is full and when somebody flushes; and by a timer, so that no row
 * waits longer than a network buffer would, or than {@value #MAX_WAIT_MILLIS} ms: between chained operators stock Flink
 * does not wait at all, and at rates where that time does not fill a batch, smaller ones cost little.
 */
final class InputEdge implements AutoCloseable {

    static final long MAX_WAIT_MILLIS = 10;

    private final BatchWriter writer;
    private final long waitMillis;
    private final ProcessingTimeService time;
    private final ThrowingConsumer<NativeBatch, Exception> consumer;
    private boolean timerPending;

    /**
     * @param timeoutMillis of network buffers; 0: each row goes on at once; negative: they wait until they are full
     * @param consumer borrows each batch
     */
    InputEdge(
            BatchWriter writer,
            long timeoutMillis,
            ProcessingTimeService time,
            ThrowingConsumer<NativeBatch, Exception> consumer) {
        this.writer = writer;
        this.waitMillis = timeoutMillis < 0 ? MAX_WAIT_MILLIS : Math.min(timeoutMillis, MAX_WAIT_MILLIS);
        this.time = time;
        this.consumer = consumer;
    }

    void add(RowData row) throws Exception {
        writer.write(row);
        if (waitMillis == 0 || writer.isFull()) {
            flush();
        } else if (!timerPending) {
            timerPending = true;
            time.registerTimer(time.getCurrentProcessingTime() + waitMillis, timestamp -> onTimer());
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
