package tech.streamfusion.kafka.connector.sink;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.metrics.Counter;
import tech.streamfusion.kafka.KafkaNative;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.NativeEngine;

/**
 * Keeps the last row of each key until there are enough of them, for some time, or up to a checkpoint. Source:
 * ReducingUpsertWriter, whose map hands out the rows in no particular order.
 */
@SuppressWarnings("try") // close() may throw InterruptedException, as the interface has it
final class ReducingWriter
        implements StatefulSinkWriter<NativeBatch, KafkaWriterState>, CommittingSinkWriter<NativeBatch, KafkaCommittable> {

    private final NativeKafkaWriter writer;
    private final ProcessingTimeService time;
    private final long intervalMillis;
    private final Counter recordsIn;
    private final long pool;
    private final long rowType;
    private final long reducer;

    /** Of the last write, for what a timer flushes. */
    @Nullable private Context lastContext;

    private long lastFlush = System.currentTimeMillis();
    private boolean closed;

    /** Takes over {@code writer} when it succeeds. */
    ReducingWriter(NativeKafkaWriter writer, SinkPlan plan, FlushPlan flush, WriterInitContext context) {
        this.writer = writer;
        this.time = context.getProcessingTimeService();
        this.intervalMillis = flush.intervalMillis;
        this.recordsIn = context.metricGroup().getIOMetricGroup().getNumRecordsInCounter();
        this.pool = NativeEngine.poolCreate("Kafka sink buffer " + plan.tableName, -1, null);
        this.rowType = NativeEngine.typeCreate(plan.consumedTypePlan);
        try {
            this.reducer = KafkaNative.reducerCreate(pool, rowType, flush.keyColumns, flush.maxKeys);
        } catch (RuntimeException | Error e) {
            NativeEngine.typeRelease(rowType);
            NativeEngine.poolRelease(pool);
            throw e;
        }
        registerFlush();
    }

    private void registerFlush() {
        if (closed) {
            return;
        }
        time.registerTimer(
                lastFlush + intervalMillis,
                now -> {
                    if (now >= lastFlush + intervalMillis) {
                        flushRows();
                    }
                    registerFlush();
                });
    }

    @Override
    public void write(NativeBatch element, Context context) throws IOException, InterruptedException {
        lastContext = context;
        NativeBatch batch = element.resident(pool, rowType);
        try {
            int rows = batch.rowCount();
            recordsIn.inc(rows - 1L); // the operator has counted one
            int next = 0;
            while (next < rows) {
                next = KafkaNative.reducerAdd(reducer, batch.handle(), next);
                if (KafkaNative.reducerFull(reducer)) {
                    flushRows();
                }
            }
        } finally {
            batch.release();
        }
    }

    private void flushRows() throws IOException, InterruptedException {
        if (closed) {
            return;
        }
        NativeBatch rows = new NativeBatch(KafkaNative.reducerTake(reducer));
        try {
            writer.writeResident(rows, lastContext);
        } finally {
            rows.release();
        }
        lastFlush = System.currentTimeMillis();
    }

    @Override
    public void flush(boolean endOfInput) throws IOException, InterruptedException {
        flushRows();
        writer.flush(endOfInput);
    }

    @Override
    public Collection<KafkaCommittable> prepareCommit() throws IOException, InterruptedException {
        return writer.prepareCommit();
    }

    @Override
    public List<KafkaWriterState> snapshotState(long checkpointId) throws IOException {
        return writer.snapshotState(checkpointId);
    }

    @Override
    public void close() throws Exception {
        if (closed) {
            return;
        }
        closed = true;
        try {
            writer.close();
        } finally {
            KafkaNative.reducerRelease(reducer);
            NativeEngine.typeRelease(rowType);
            NativeEngine.poolRelease(pool);
        }
    }
}
