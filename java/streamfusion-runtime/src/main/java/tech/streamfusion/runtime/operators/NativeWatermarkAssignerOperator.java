package tech.streamfusion.runtime.operators;

import javax.annotation.Nullable;
import org.apache.flink.api.common.operators.ProcessingTimeService.ProcessingTimeCallback;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.util.PausableRelativeClock;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.table.data.RowData;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.runtime.OperatorSpec;

/**
 * Flink's {@code WatermarkAssignerOperator}: the engine computes watermarks and puts those that are due between two rows
 * into the batch; the periodic emission and idleness live here, by the same clocks and intervals as in Flink.
 */
public final class NativeWatermarkAssignerOperator extends NativeOneInputOperator implements ProcessingTimeCallback {

    private static final long serialVersionUID = 1L;

    private final WatermarkAssignerSpec watermarks;

    private transient long watermarkInterval;
    private transient long timerInterval;
    private transient long lastPeriodicEmit;
    private transient long sinceLastIdleCheck;
    private transient long processed;
    private transient long processedAtIdleCheck;
    private transient boolean idle;
    private transient boolean finalWatermarkSent;
    private transient PausableRelativeClock activityClock;

    NativeWatermarkAssignerOperator(
            StreamOperatorParameters<Object> parameters,
            OperatorSpec spec,
            @Nullable StreamOperatorFactory<RowData> stock,
            WatermarkAssignerSpec watermarks) {
        super(parameters, spec, stock);
        this.watermarks = watermarks;
    }

    @Override
    public void open() throws Exception {
        super.open();
        processedAtIdleCheck = -1;
        activityClock = new PausableRelativeClock(getProcessingTimeService().getClock());
        getContainingTask()
                .getEnvironment()
                .getMetricGroup()
                .getIOMetricGroup()
                .registerBackPressureListener(activityClock);
        watermarkInterval = getExecutionConfig().getAutoWatermarkInterval();
        long now = getProcessingTimeService().getCurrentProcessingTime();
        lastPeriodicEmit = now;
        sinceLastIdleCheck = now;
        if (watermarkInterval > 0 || canBeIdle()) {
            timerInterval = timerInterval(watermarkInterval, watermarks.idleTimeoutMillis);
            getProcessingTimeService().registerTimer(now + timerInterval, this);
        }
    }

    @Override
    public void close() throws Exception {
        try {
            if (activityClock != null) {
                getContainingTask()
                        .getEnvironment()
                        .getMetricGroup()
                        .getIOMetricGroup()
                        .unregisterBackPressureListener(activityClock);
                activityClock = null;
            }
        } finally {
            super.close();
        }
    }

    @Override
    public void processElement(StreamRecord<Object> element) throws Exception {
        Object value = element.getValue();
        processed += value instanceof NativeBatch ? ((NativeBatch) value).rowCount() : 1;
        wakeUp();
        super.processElement(element);
    }

    private void wakeUp() {
        if (canBeIdle() && idle) {
            emitStatus(WatermarkStatus.ACTIVE);
        }
    }

    @Override
    public void onProcessingTime(long timestamp) throws Exception {
        // The timer may come late, and the two clocks differ by the time under back pressure.
        long now = getProcessingTimeService().getCurrentProcessingTime();
        long activityNow = activityClock.relativeTimeMillis();
        if (watermarkInterval > 0 && lastPeriodicEmit + watermarkInterval <= now) {
            lastPeriodicEmit = now;
            flush();
            emitAll(NativeEngine.operatorTimer(operator(), now));
        }
        if (processed != processedAtIdleCheck) {
            sinceLastIdleCheck = activityNow;
            processedAtIdleCheck = processed;
        }
        if (canBeIdle() && !idle && sinceLastIdleCheck + watermarks.idleTimeoutMillis <= activityNow) {
            flush();
            emitStatus(WatermarkStatus.IDLE);
        }
        getProcessingTimeService().registerTimer(now + timerInterval, this);
    }

    /** Watermarks of the input are ignored, except the one that ends it. */
    @Override
    public void processWatermark(Watermark mark) throws Exception {
        if (mark.getTimestamp() == Long.MAX_VALUE && !finalWatermarkSent) {
            finalWatermarkSent = true;
            flush();
            wakeUp();
            emitAll(NativeEngine.operatorWatermark(operator(), Long.MAX_VALUE));
        }
    }

    @Override
    public void processWatermarkStatus(WatermarkStatus status) throws Exception {
        flush();
        emitStatus(status);
    }

    private void emitStatus(WatermarkStatus status) {
        idle = status.isIdle();
        output.emitWatermarkStatus(status);
    }

    @Override
    public void finish() throws Exception {
        super.finish();
        processWatermark(Watermark.MAX_WATERMARK);
    }

    private boolean canBeIdle() {
        return watermarks.idleTimeoutMillis > 0;
    }

    /** As WatermarkAssignerOperator.calculateProcessingTimeTimerInterval: exact for the smaller, good enough for the other. */
    static long timerInterval(long watermarkInterval, long idleTimeout) {
        if (watermarkInterval <= 0) {
            return idleTimeout;
        }
        if (idleTimeout <= 0) {
            return watermarkInterval;
        }
        long smaller = Math.min(watermarkInterval, idleTimeout);
        long larger = Math.max(watermarkInterval, idleTimeout);
        return Math.max(smaller * 5 < larger ? smaller : smaller / 5, 1);
    }
}
