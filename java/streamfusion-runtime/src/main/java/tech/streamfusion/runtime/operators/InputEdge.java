package tech.streamfusion.runtime.operators;

import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.function.ThrowingConsumer;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.data.BatchWriter;

/** Gathers rows into batches. A batch goes on when it is full, when somebody flushes, and by a timer. */
final class InputEdge implements OperatorInput {

    private final BatchWriter writer;
    private final FlushTimer timer;
    private final ThrowingConsumer<NativeBatch, Exception> consumer;

    /**
     * @param timeoutMillis of network buffers, as {@link FlushTimer} takes it
     * @param consumer borrows each batch
     */
    InputEdge(
            BatchWriter writer,
            long timeoutMillis,
            ProcessingTimeService time,
            ThrowingConsumer<NativeBatch, Exception> consumer) {
        this.writer = writer;
        this.timer = new FlushTimer(timeoutMillis, time, this::flush);
        this.consumer = consumer;
    }

    @Override
    public void add(Object row) throws Exception {
        writer.write((RowData) row);
        if (timer.isImmediate() || writer.isFull()) {
            flush();
        } else {
            timer.start();
        }
    }

    @Override
    public void flush() throws Exception {
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
