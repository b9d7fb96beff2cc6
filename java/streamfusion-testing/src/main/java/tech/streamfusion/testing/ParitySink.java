package tech.streamfusion.testing;

import java.io.Serializable;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.types.RowKind;

/** Records every change in its order of arrival, on request with record timestamps and watermarks. */
final class ParitySink implements DynamicTableSink {

    private final String data;
    private final DataType rowType;
    private final boolean watermarks;
    private final boolean timestamps;
    private final boolean upsert;

    ParitySink(String data, DataType rowType, boolean watermarks, boolean timestamps, boolean upsert) {
        this.data = data;
        this.rowType = rowType;
        this.watermarks = watermarks;
        this.timestamps = timestamps;
        this.upsert = upsert;
    }

    /** All that there is, or as a store with keys: updates without what they replace. */
    @Override
    public ChangelogMode getChangelogMode(ChangelogMode requestedMode) {
        if (!upsert) {
            return requestedMode;
        }
        ChangelogMode.Builder mode = ChangelogMode.newBuilder();
        for (RowKind kind : requestedMode.getContainedKinds()) {
            if (kind != RowKind.UPDATE_BEFORE) {
                mode.addContainedKind(kind);
            }
        }
        return mode.build();
    }

    @Override
    public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
        Recorder recorder = new Recorder(data, rowType.getLogicalType().getChildren(), watermarks, timestamps);
        return SinkV2Provider.of(new RecordingSink(recorder));
    }

    @Override
    public DynamicTableSink copy() {
        return new ParitySink(data, rowType, watermarks, timestamps, upsert);
    }

    @Override
    public String asSummaryString() {
        return "parity sink";
    }

    private static final class RecordingSink implements Sink<RowData> {

        private static final long serialVersionUID = 1L;

        private final Recorder recorder;

        RecordingSink(Recorder recorder) {
            this.recorder = recorder;
        }

        @Override
        public SinkWriter<RowData> createWriter(WriterInitContext context) {
            return recorder;
        }
    }

    private static final class Recorder implements SinkWriter<RowData>, Serializable {

        private static final long serialVersionUID = 1L;

        private final String data;
        private final List<LogicalType> types;
        private final boolean watermarks;
        private final boolean timestamps;

        Recorder(String data, List<LogicalType> types, boolean watermarks, boolean timestamps) {
            this.data = data;
            this.types = types;
            this.watermarks = watermarks;
            this.timestamps = timestamps;
        }

        @Override
        public void write(RowData row, Context context) {
            String text = RowText.of(row, types);
            TestData.changes(data)
                    .add(Change.row(row.getRowKind(), timestamps ? text + "@" + context.timestamp() : text));
        }

        @Override
        public void writeWatermark(Watermark watermark) {
            if (watermarks) {
                TestData.changes(data).add(Change.watermark(watermark.getTimestamp()));
            }
        }

        @Override
        public void flush(boolean endOfInput) {}

        @Override
        public void close() {}
    }
}
