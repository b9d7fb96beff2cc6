package tech.streamfusion.random;

import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.OutputTag;
import tech.streamfusion.runtime.operators.NativeOperatorFactory;

/** What a native operator emits, on its way to the next one, with a fault. */
final class FaultyOutput implements Output<StreamRecord<Object>> {

    /** What goes wrong. */
    enum Fault {
        UPDATE_BEFORE_LOST(TableGenerator.Mode.CHANGELOG),
        DELETE_LOST(TableGenerator.Mode.CHANGELOG),
        UPDATE_AFTER_AS_INSERT(TableGenerator.Mode.CHANGELOG),
        EVERY_FIFTH_ROW_TWICE(TableGenerator.Mode.INSERT_ONLY),
        EVERY_THIRD_WATERMARK_LOST(TableGenerator.Mode.EVENT_TIME),
        WATERMARK_ONE_LATE(TableGenerator.Mode.EVENT_TIME);

        /** Of tables where it shows. */
        final TableGenerator.Mode mode;

        Fault(TableGenerator.Mode mode) {
            this.mode = mode;
        }
    }

    /** Makes the operators of another factory with such an output. */
    static final class Factory extends AbstractStreamOperatorFactory<Object>
            implements OneInputStreamOperatorFactory<Object, Object> {

        private static final long serialVersionUID = 1L;

        private final NativeOperatorFactory delegate;
        private final Fault fault;

        Factory(NativeOperatorFactory delegate, Fault fault) {
            this.delegate = delegate;
            this.fault = fault;
        }

        @Override
        public <T extends StreamOperator<Object>> T createStreamOperator(StreamOperatorParameters<Object> parameters) {
            return delegate.createStreamOperator(
                    new StreamOperatorParameters<>(
                            parameters.getContainingTask(),
                            parameters.getStreamConfig(),
                            new FaultyOutput(parameters.getOutput(), fault),
                            parameters::getProcessingTimeService,
                            parameters.getOperatorEventDispatcher(),
                            parameters.getMailboxExecutor()));
        }

        @Override
        @SuppressWarnings("rawtypes")
        public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
            return delegate.getStreamOperatorClass(classLoader);
        }
    }

    private final Output<StreamRecord<Object>> output;
    private final Fault fault;
    private int rows;
    private int marks;

    private FaultyOutput(Output<StreamRecord<Object>> output, Fault fault) {
        this.output = output;
        this.fault = fault;
    }

    @Override
    public void collect(StreamRecord<Object> record) {
        RowData row = (RowData) record.getValue();
        RowKind kind = row.getRowKind();
        switch (fault) {
            case UPDATE_BEFORE_LOST:
                emit(record, kind == RowKind.UPDATE_BEFORE ? 0 : 1);
                break;
            case DELETE_LOST:
                emit(record, kind == RowKind.DELETE ? 0 : 1);
                break;
            case UPDATE_AFTER_AS_INSERT:
                row.setRowKind(kind == RowKind.UPDATE_AFTER ? RowKind.INSERT : kind);
                emit(record, 1);
                break;
            case EVERY_FIFTH_ROW_TWICE:
                emit(record, ++rows % 5 == 0 ? 2 : 1);
                break;
            default:
                emit(record, 1);
        }
    }

    private void emit(StreamRecord<Object> record, int times) {
        for (int i = 0; i < times; i++) {
            output.collect(record);
        }
    }

    @Override
    public void emitWatermark(Watermark mark) {
        boolean last = mark.getTimestamp() == Long.MAX_VALUE;
        if (fault == Fault.WATERMARK_ONE_LATE && !last) {
            output.emitWatermark(new Watermark(mark.getTimestamp() + 1));
        } else if (fault != Fault.EVERY_THIRD_WATERMARK_LOST || last || ++marks % 3 != 0) {
            output.emitWatermark(mark);
        }
    }

    @Override
    public void emitWatermarkStatus(WatermarkStatus status) {
        output.emitWatermarkStatus(status);
    }

    @Override
    public <X> void collect(OutputTag<X> tag, StreamRecord<X> record) {
        output.collect(tag, record);
    }

    @Override
    public void emitLatencyMarker(LatencyMarker marker) {
        output.emitLatencyMarker(marker);
    }

    @Override
    public void emitRecordAttributes(RecordAttributes attributes) {
        output.emitRecordAttributes(attributes);
    }

    @Override
    public void emitWatermark(WatermarkEvent watermark) {
        output.emitWatermark(watermark);
    }

    @Override
    public void close() {
        output.close();
    }
}
