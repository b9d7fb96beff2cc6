package tech.streamfusion.runtime.operators;

import org.apache.flink.api.common.operators.ProcessingTimeService.ProcessingTimeCallback;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.runtime.OperatorSpec;

/**
 * Flink's {@code ProcTimeMiniBatchAssignerOperator}, whose clock lives here, and {@code RowTimeMiniBatchAssginerOperator},
 * which is the engine's alone. Watermarks of the input are the engine's to drop or to pass on.
 */
public final class NativeMiniBatchAssignerOperator extends NativeOneInputOperator implements ProcessingTimeCallback {

    private static final long serialVersionUID = 1L;

    private final MiniBatchSpec batches;

    private transient long currentBatch;

    NativeMiniBatchAssignerOperator(
            StreamOperatorParameters<Object> parameters, OperatorSpec spec, MiniBatchSpec batches) {
        super(parameters, spec, null);
        this.batches = batches;
    }

    @Override
    public void open() throws Exception {
        super.open();
        if (!batches.rowTime) {
            currentBatch = 0;
            long now = getProcessingTimeService().getCurrentProcessingTime();
            getProcessingTimeService().registerTimer(now + batches.intervalMillis, this);
            getRuntimeContext().getMetricGroup().gauge("currentBatch", (Gauge<Long>) () -> currentBatch);
        }
    }

    @Override
    public void processElement(StreamRecord<Object> element) throws Exception {
        if (!batches.rowTime) {
            startBatch(getProcessingTimeService().getCurrentProcessingTime());
        }
        super.processElement(element);
    }

    @Override
    public void onProcessingTime(long timestamp) throws Exception {
        long start = startBatch(getProcessingTimeService().getCurrentProcessingTime());
        getProcessingTimeService().registerTimer(start + batches.intervalMillis, this);
    }

    /** Emits the watermark of the batch that {@code now} belongs to, unless it has gone; returns it. */
    private long startBatch(long now) throws Exception {
        long start = now - now % batches.intervalMillis;
        if (start > currentBatch) {
            flush();
            currentBatch = start;
            emitWatermark(start);
        }
        return start;
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        flush();
        if (mark.getTimestamp() == Long.MAX_VALUE) {
            currentBatch = Long.MAX_VALUE;
        }
        emitAll(NativeEngine.operatorWatermark(operator(), mark.getTimestamp()));
    }
}
