package tech.streamfusion.runtime.operators;

import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.core.memory.ManagedMemoryUseCase;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import tech.streamfusion.runtime.MemoryReservation;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.runtime.NativeMemoryLimitException;
import tech.streamfusion.runtime.OperatorSpec;
import tech.streamfusion.runtime.data.BatchWriter;
import tech.streamfusion.runtime.data.RowEmitter;

/**
 * Runs one operator of the engine as one Flink operator. Rows become batches at its input edge and batches rows at its
 * output edge where the spec says so; everything that Flink sends besides records keeps its place among the rows.
 *
 * <p>Records leave without a timestamp, as from a generated stock Calc.
 */
public class NativeOneInputOperator extends AbstractStreamOperator<Object>
        implements OneInputStreamOperator<Object, Object> {

    private static final long serialVersionUID = 1L;

    /** Rows that the input edge gathers. */
    static final int BATCH_SIZE = 4096;

    private final OperatorSpec spec;
    @Nullable private final StreamOperatorFactory<RowData> stock;

    private transient OperatorResources resources;
    private transient OperatorGauges gauges;
    private transient OperatorInput input;
    private transient RowEmitter emitter;
    private transient BatchOutput batchOutput;
    private transient StreamRecord<Object> outputRecord;
    private transient long lastWatermark;

    /** @param stock makes the operator that stands in when a batch fails; null: the engine's failure is the last word */
    NativeOneInputOperator(
            StreamOperatorParameters<Object> parameters,
            OperatorSpec spec,
            @Nullable StreamOperatorFactory<RowData> stock) {
        super(parameters);
        this.spec = spec;
        this.stock = stock;
        CurrentSubtask.set(getContainingTask().getIndexInSubtaskGroup());
    }

    // ---- life cycle ----

    @Override
    public void open() throws Exception {
        super.open();
        lastWatermark = Long.MIN_VALUE;
        outputRecord = new StreamRecord<>(null);
        resources = new OperatorResources(spec);
        resources.open(
                displayName(),
                spec.memoryAccounting() ? reservation() : null,
                getRuntimeContext(),
                getUserCodeClassloader(),
                getProcessingTimeService());
        gauges = new OperatorGauges(operator(), pool());
        gauges.register(getRuntimeContext().getMetricGroup(), hasKeyedState());
        long timeout = bufferTimeout(getContainingTask().getJobConfiguration());
        openInput(timeout);
        openOutput(timeout);
    }

    private void openInput(long timeout) {
        if (spec.batchInput()) {
            input =
                    new BatchInput(
                            resources.pool(),
                            resources.inputType(),
                            metrics.getIOMetricGroup().getNumRecordsInCounter(),
                            timeout,
                            getProcessingTimeService(),
                            this::processBatch);
        } else {
            BatchWriter writer =
                    new BatchWriter(spec.inputType(), resources.inputType(), resources.pool(), BATCH_SIZE);
            input = new InputEdge(writer, timeout, getProcessingTimeService(), this::processBatch);
        }
    }

    private void openOutput(long timeout) {
        if (!spec.batchOutput()) {
            emitter = new RowEmitter(resources.pool(), resources.outputType(), spec.outputType().getFieldCount());
            return;
        }
        batchOutput = new BatchOutput(output, metrics.getIOMetricGroup().getNumRecordsOutCounter());
        batchOutput.open(
                config,
                getContainingTask(),
                resources.pool(),
                resources.outputType(),
                timeout,
                getProcessingTimeService());
        output = batchOutput;
    }

    /** Names the operator in messages; a chain's task name says less. */
    private String displayName() {
        String name = config.getOperatorName();
        return name == null ? getOperatorName() : name;
    }

    private MemoryReservation reservation() {
        return new ManagedMemoryReservation(
                displayName(), getContainingTask().getEnvironment().getMemoryManager(), managedMemoryShare());
    }

    /** Bytes of managed memory that are this operator's. */
    protected final long managedMemoryShare() {
        Environment environment = getContainingTask().getEnvironment();
        double fraction =
                config.getManagedMemoryFractionOperatorUseCaseOfSlot(
                        ManagedMemoryUseCase.OPERATOR,
                        environment.getJobConfiguration(),
                        environment.getTaskManagerInfo().getConfiguration(),
                        getUserCodeClassloader());
        return fraction > 0 ? environment.getMemoryManager().computeMemorySize(fraction) : 0;
    }

    private static long bufferTimeout(Configuration job) {
        return job.get(ExecutionOptions.BUFFER_TIMEOUT_ENABLED)
                ? job.get(ExecutionOptions.BUFFER_TIMEOUT).toMillis()
                : ExecutionOptions.DISABLED_NETWORK_BUFFER_TIMEOUT;
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        flush();
        emitAll(NativeEngine.operatorBeforeBarrier(operator()));
        flushOutput();
        super.prepareSnapshotPreBarrier(checkpointId);
        gauges.refresh();
    }

    @Override
    public void finish() throws Exception {
        flush();
        emitAll(NativeEngine.operatorFinish(operator()));
        flushOutput();
        super.finish();
    }

    @Override
    public void close() throws Exception {
        CurrentSubtask.clear();
        try {
            if (input != null) {
                input.close();
            }
            if (batchOutput != null) {
                batchOutput.close();
            }
            if (emitter != null) {
                emitter.close();
                emitter = null;
            }
            if (resources != null) {
                resources.close();
            }
        } finally {
            super.close();
        }
    }

    /** Whether {@link #open} of the subclass opens keyed state in the engine. */
    boolean hasKeyedState() {
        return false;
    }

    protected final long operator() {
        return resources.operator();
    }

    protected final long pool() {
        return resources.pool();
    }

    // ---- records ----

    @Override
    public void processElement(StreamRecord<Object> element) throws Exception {
        input.add(element.getValue());
    }

    /** Takes a borrowed batch through the engine and passes on what comes out. */
    private void processBatch(NativeBatch batch) throws Exception {
        long first;
        try {
            first = NativeEngine.operatorProcess(operator(), 0, batch.handle());
        } catch (NativeMemoryLimitException e) {
            throw e;
        } catch (Exception failure) {
            if (!(failure instanceof InterruptedException)) { // out of a host kernel: the task is being cancelled
                replay(batch);
            }
            throw failure;
        }
        emitAll(first);
        gauges.refreshIfDue();
    }

    /** Emits what stock Flink emits of a batch that has failed here, and throws what it throws. */
    private void replay(NativeBatch batch) throws Exception {
        if (stock == null) {
            return;
        }
        try (ReplayedRows rows = new ReplayedRows()) {
            try {
                StockReplay.run(
                        stock, getContainingTask(), config, batch, spec.inputType().getFieldCount(), rows.output);
            } finally {
                rows.flush();
            }
        }
    }

    /** Rows that wait at the input go first. */
    protected final void flush() throws Exception {
        if (input != null) {
            input.flush();
        }
    }

    private void flushOutput() {
        if (batchOutput != null) {
            batchOutput.flush();
        }
    }

    /** @param first first owned batch that an engine call has returned, or 0 */
    protected final void emitAll(long first) {
        for (long handle = first; handle != 0; handle = NativeEngine.operatorPoll(operator())) {
            NativeBatch batch = new NativeBatch(handle);
            try {
                if (emitter != null) {
                    emitter.emit(batch, this::emitRow, this::emitWatermark);
                } else {
                    emitBatch(batch);
                }
            } finally {
                batch.release();
            }
        }
    }

    private void emitRow(RowData row) {
        output.collect(outputRecord.replace(row));
    }

    private void emitBatch(NativeBatch batch) {
        if (batch.rowCount() == 0) { // rows have gone before, so its marks can go as what they are
            emitMarks(batch);
            return;
        }
        noteMarks(batch);
        batchOutput.emit(batch);
    }

    /** Keeps the last watermark that leaves inside a batch, for the case that a stock operator goes on from there. */
    private void noteMarks(NativeBatch batch) {
        long[] marks = NativeEngine.batchMarks(batch.handle());
        if (marks != null && marks.length > 0) {
            lastWatermark = marks[marks.length - 1];
        }
    }

    private void emitMarks(NativeBatch batch) {
        long[] marks = NativeEngine.batchMarks(batch.handle());
        for (int i = 1; marks != null && i < marks.length; i += 2) {
            emitWatermark(marks[i]);
        }
    }

    protected final void emitWatermark(long timestamp) {
        lastWatermark = timestamp;
        output.emitWatermark(new Watermark(timestamp));
    }

    // ---- what flows between records ----

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        flush();
        emitAll(NativeEngine.operatorWatermark(operator(), mark.getTimestamp()));
        super.processWatermark(mark);
    }

    @Override
    public void processWatermark(WatermarkEvent watermark) throws Exception {
        flush();
        super.processWatermark(watermark);
    }

    @Override
    public void processWatermarkStatus(WatermarkStatus status) throws Exception {
        flush();
        super.processWatermarkStatus(status);
    }

    @Override
    public void processLatencyMarker(LatencyMarker marker) throws Exception {
        flush();
        super.processLatencyMarker(marker);
    }

    @Override
    public void processRecordAttributes(RecordAttributes attributes) throws Exception {
        flush();
        super.processRecordAttributes(attributes);
    }

    // ---- rows of a stock operator ----

    /** Takes rows from a stock operator and emits them as this operator does: as rows, or gathered into batches. */
    private final class ReplayedRows implements AutoCloseable {

        private final RowDataSerializer serializer = new RowDataSerializer(spec.outputType());
        private final BatchWriter writer =
                spec.batchOutput()
                        ? new BatchWriter(spec.outputType(), resources.outputType(), resources.pool(), BATCH_SIZE)
                        : null;
        final ReplayOutput output =
                new ReplayOutput(lastWatermark) {
                    @Override
                    void emitRow(RowData row) {
                        add(row);
                    }

                    @Override
                    void emitWatermark(long timestamp) {
                        flush();
                        NativeOneInputOperator.this.emitWatermark(timestamp);
                    }
                };

        private void add(RowData row) {
            if (writer == null) {
                NativeOneInputOperator.this.emitRow(serializer.toBinaryRow(row).copy());
                return;
            }
            writer.write(row);
            if (writer.isFull()) {
                flush();
            }
        }

        void flush() {
            if (writer == null || writer.isEmpty()) {
                return;
            }
            NativeBatch batch = writer.finish();
            try {
                emitBatch(batch);
            } finally {
                batch.release();
            }
        }

        @Override
        public void close() {
            if (writer != null) {
                writer.close();
            }
        }
    }
}
