package tech.streamfusion.runtime.operators;

import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.apache.flink.streaming.api.graph.NonChainedOutput;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.partitioner.StreamPartitioner;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.util.OutputTag;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.NativeEngine;

/**
 * The output side of a native operator whose edges carry batches. Inside the task batches go on as they are. To other tasks
 * they leave as records of moderate size, with marks as Flink's watermarks between them: a receiver with several channels has to
 * hold back watermarks until all of them have come as far, which Flink does for its own. In front of a hash exchange rows are
 * scattered, and wait a moment for more rows of their channel.
 *
 * <p>Stands in for Flink's own output: whatever goes through it keeps its place behind the rows that wait.
 */
final class BatchOutput implements Output<StreamRecord<Object>>, AutoCloseable {

    /**
     * Size at which a record gets no further rows. Small enough for its array to be an ordinary one for every collector and for
     * Flink not to spill it to disk, large enough for what every record costs not to matter.
     */
    static final int RECORD_BYTES = 192 << 10;

    /** Rows of a channel that are worth a record: no more than the receiver wants. */
    static final int SCATTERED_ROWS = 2048;

    private final Output<StreamRecord<Object>> output;
    private final Counter recordsOut;
    private final StreamRecord<Object> reused = new StreamRecord<>(null);
    private final int[] target = new int[2];
    private boolean leavesTask;
    private long scatter;
    private boolean rowsWait;
    @Nullable private FlushTimer timer;

    /**
     * @param output Flink's
     * @param recordsOut Flink counts one for each element
     */
    BatchOutput(Output<StreamRecord<Object>> output, Counter recordsOut) {
        this.output = output;
        this.recordsOut = recordsOut;
    }

    /**
     * Finds out where the operator's output goes.
     *
     * @param pool where rows wait for an exchange
     * @param rowType of the output, a native handle
     * @param timeoutMillis of network buffers, as {@link FlushTimer} takes it
     */
    void open(
            StreamConfig config,
            StreamTask<?, ?> task,
            long pool,
            long rowType,
            long timeoutMillis,
            ProcessingTimeService time) {
        ClassLoader classLoader = task.getEnvironment().getUserCodeClassLoader().asClassLoader();
        List<NonChainedOutput> edges = config.getOperatorNonChainedOutputs(classLoader);
        leavesTask = !edges.isEmpty();
        if (edges.stream().noneMatch(edge -> edge.getPartitioner() instanceof BatchKeyGroupPartitioner)) {
            return;
        }
        if (edges.size() > 1 || !config.getChainedOutputs(classLoader).isEmpty()) {
            throw new IllegalStateException(
                    config.getOperatorName() + " scatters rows for a hash exchange and must have no other output");
        }
        StreamPartitioner<?> partitioner = edges.get(0).getPartitioner();
        ResultPartitionWriter writer = writer(task, edges.get(0), classLoader);
        BatchKeyGroupPartitioner hash = (BatchKeyGroupPartitioner) partitioner;
        int maxParallelism = writer.getNumTargetKeyGroups();
        scatter =
                NativeEngine.scatterCreate(
                        pool,
                        rowType,
                        hash.keyFields(),
                        writer.getNumberOfSubpartitions(),
                        maxParallelism > 0 ? maxParallelism : hash.getMaxParallelism(),
                        SCATTERED_ROWS,
                        RECORD_BYTES);
        timer = new FlushTimer(timeoutMillis, time, this::flush);
    }

    /** The writers of a task are in the order of its outputs, see {@code StreamTask.createRecordWriters}. */
    private static ResultPartitionWriter writer(StreamTask<?, ?> task, NonChainedOutput edge, ClassLoader classLoader) {
        List<NonChainedOutput> outputs = task.getConfiguration().getVertexNonChainedOutputs(classLoader);
        Environment environment = task.getEnvironment();
        for (int i = 0; i < outputs.size(); i++) {
            if (outputs.get(i).getDataSetId().equals(edge.getDataSetId())) {
                return environment.getWriter(i);
            }
        }
        throw new IllegalStateException("The task has no output " + edge);
    }

    // ---- batches ----

    /** @param batch borrowed, with rows; its marks leave as what the edge needs */
    void emit(NativeBatch batch) {
        if (!leavesTask) {
            send(batch);
            return;
        }
        long[] marks = NativeEngine.batchMarks(batch.handle());
        int rows = batch.rowCount();
        int rowsPerRecord = scatter != 0 ? 0 : rowsPerRecord(batch);
        int from = 0;
        for (int i = 0; marks != null && i < marks.length; i += 2) {
            int to = (int) marks[i];
            emitRows(batch, from, to, rowsPerRecord);
            emitWatermark(new Watermark(marks[i + 1]));
            from = to;
        }
        emitRows(batch, from, rows, rowsPerRecord);
        if (rowsWait) {
            awaitMore();
        }
    }

    private static int rowsPerRecord(NativeBatch batch) {
        long bytesPerRow = Math.max(1, NativeEngine.batchRecordSize(batch.handle()) / batch.rowCount());
        return (int) Math.max(1, RECORD_BYTES / bytesPerRow);
    }

    private void emitRows(NativeBatch batch, int from, int to, int rowsPerRecord) {
        if (scatter != 0) {
            if (from < to) {
                NativeEngine.scatterAdd(scatter, batch.handle(), from, to - from);
                rowsWait = true;
                sendScattered(false);
            }
            return;
        }
        int rows;
        for (int row = from; row < to; row += rows) {
            rows = Math.min(rowsPerRecord, to - row);
            send(NativeBatch.ofRecord(NativeEngine.batchWriteRecord(batch.handle(), row, rows, false), rows));
        }
    }

    private void sendScattered(boolean all) {
        for (byte[] record = NativeEngine.scatterNext(scatter, all, target);
                record != null;
                record = NativeEngine.scatterNext(scatter, all, target)) {
            send(NativeBatch.ofScattered(record, target[1], target[0]));
        }
    }

    private void awaitMore() {
        if (timer.expectsMore()) {
            timer.start();
        } else {
            flush();
        }
    }

    private void send(NativeBatch batch) {
        recordsOut.inc(batch.rowCount() - 1L);
        output.collect(reused.replace(batch));
    }

    /** Sends what waits; before barriers and at the end. */
    void flush() {
        if (rowsWait) {
            sendScattered(true);
            rowsWait = false;
        }
    }

    /** Frees what is native; rows that wait are gone. Flink closes its own output. */
    @Override
    public void close() {
        if (scatter != 0) {
            NativeEngine.scatterClose(scatter);
            scatter = 0;
            rowsWait = false;
        }
    }

    // ---- everything else, behind the rows ----

    /** @param record a batch or a row, which goes on as it is */
    @Override
    public void collect(StreamRecord<Object> record) {
        flush();
        output.collect(record);
    }

    @Override
    public <X> void collect(OutputTag<X> tag, StreamRecord<X> record) {
        flush();
        output.collect(tag, record);
    }

    @Override
    public void emitWatermark(Watermark mark) {
        flush();
        output.emitWatermark(mark);
    }

    @Override
    public void emitWatermarkStatus(WatermarkStatus status) {
        flush();
        output.emitWatermarkStatus(status);
    }

    @Override
    public void emitLatencyMarker(LatencyMarker marker) {
        flush();
        output.emitLatencyMarker(marker);
    }

    @Override
    public void emitRecordAttributes(RecordAttributes attributes) {
        flush();
        output.emitRecordAttributes(attributes);
    }

    @Override
    public void emitWatermark(WatermarkEvent watermark) {
        flush();
        output.emitWatermark(watermark);
    }
}
