package tech.streamfusion.runtime.operators;

import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.util.function.ThrowingConsumer;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.NativeEngine;

/**
 * Takes batches. Small ones off the network, which exchanges with many channels make, are joined while more of them arrive: what
 * an operator pays per batch counts little against the rows then.
 */
final class BatchInput implements OperatorInput {

    /** A batch of so many rows is worth an operator's while. */
    static final int ENOUGH_ROWS = 512;

    private static final int MAX_BATCHES = 64;

    private final long pool;
    private final long rowType;
    private final Counter recordsIn;
    private final FlushTimer timer;
    private final ThrowingConsumer<NativeBatch, Exception> consumer;
    private final NativeBatch[] waiting = new NativeBatch[MAX_BATCHES];
    private int waitingBatches;
    private int waitingRows;

    /**
     * @param rowType of the input, a native handle
     * @param timeoutMillis of network buffers, as {@link FlushTimer} takes it
     * @param recordsIn Flink counts one for each element
     * @param consumer borrows each batch
     */
    BatchInput(
            long pool,
            long rowType,
            Counter recordsIn,
            long timeoutMillis,
            ProcessingTimeService time,
            ThrowingConsumer<NativeBatch, Exception> consumer) {
        this.pool = pool;
        this.rowType = rowType;
        this.recordsIn = recordsIn;
        this.timer = new FlushTimer(timeoutMillis, time, this::flush);
        this.consumer = consumer;
    }

    @Override
    public void add(Object element) throws Exception {
        NativeBatch given = (NativeBatch) element;
        boolean small = given.isRecord() && given.rowCount() < ENOUGH_ROWS && timer.expectsMore();
        NativeBatch batch = given.resident(pool, rowType);
        try {
            recordsIn.inc(batch.rowCount() - 1L);
            if (small) {
                keep(batch);
            } else {
                flush();
                consumer.accept(batch);
            }
        } finally {
            batch.release();
        }
    }

    private void keep(NativeBatch batch) throws Exception {
        waiting[waitingBatches++] = batch.retain();
        waitingRows += batch.rowCount();
        if (waitingRows >= ENOUGH_ROWS || waitingBatches == MAX_BATCHES) {
            flush();
        } else {
            timer.start();
        }
    }

    @Override
    public void flush() throws Exception {
        if (waitingBatches == 0) {
            return;
        }
        NativeBatch joined = joined();
        try {
            consumer.accept(joined);
        } finally {
            joined.release();
        }
    }

    /** Whatever happens, nothing waits afterwards. */
    private NativeBatch joined() {
        long[] handles = new long[waitingBatches];
        for (int i = 0; i < waitingBatches; i++) {
            handles[i] = waiting[i].handle();
        }
        try {
            return new NativeBatch(NativeEngine.batchConcat(pool, handles, handles.length));
        } finally {
            close();
        }
    }

    @Override
    public void close() {
        for (int i = 0; i < waitingBatches; i++) {
            waiting[i].release();
            waiting[i] = null;
        }
        waitingBatches = 0;
        waitingRows = 0;
    }
}
