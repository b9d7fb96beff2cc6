package tech.streamfusion.runtime.operators;

import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.OutputTag;

/** What a replayed stock operator emits into: rows and watermarks, in the form in which the native operator emits them. */
abstract class ReplayOutput implements Output<StreamRecord<RowData>> {

    private long lastWatermark;

    /** @param lastWatermark the native operator's; the stock operator starts anew and would emit earlier ones again */
    ReplayOutput(long lastWatermark) {
        this.lastWatermark = lastWatermark;
    }

    /** @param row valid during the call */
    abstract void emitRow(RowData row);

    abstract void emitWatermark(long timestamp);

    @Override
    public final void collect(StreamRecord<RowData> element) {
        emitRow(element.getValue());
    }

    @Override
    public final void emitWatermark(Watermark mark) {
        if (mark.getTimestamp() > lastWatermark) {
            lastWatermark = mark.getTimestamp();
            emitWatermark(lastWatermark);
        }
    }

    /** The native operator has sent the status before the batch. */
    @Override
    public final void emitWatermarkStatus(WatermarkStatus status) {}

    @Override
    public final <X> void collect(OutputTag<X> tag, StreamRecord<X> element) {
        throw new UnsupportedOperationException("Calc and watermark assigner have no side output");
    }

    /** No markers, attributes or events go in, so none come out. */
    @Override
    public final void emitLatencyMarker(LatencyMarker marker) {}

    @Override
    public final void emitRecordAttributes(RecordAttributes attributes) {}

    @Override
    public final void emitWatermark(WatermarkEvent watermark) {}

    @Override
    public final void close() {}
}
