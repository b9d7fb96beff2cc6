package tech.streamfusion.planner;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.source.DynamicTableSource;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.spi.NativeScanProvider;
import tech.streamfusion.runtime.spi.NativeSinkProvider;
import tech.streamfusion.runtime.spi.Translation;

/** The native module of connector {@code planned}; remembers what it was asked. */
public final class TestProviders {

    static final List<NativeScanProvider.Context> SCANS = new ArrayList<>();
    static final List<NativeSinkProvider.Context> SINKS = new ArrayList<>();

    private TestProviders() {}

    /** Found as a service. */
    public static final class Scans implements NativeScanProvider {
        @Override
        public boolean accepts(DynamicTableSource source) {
            return source instanceof TestTableFactory.TestSource;
        }

        @Override
        public Translation<NativeScan> translate(Context context) {
            SCANS.add(context);
            return Translation.of(
                    new NativeScan() {
                        @Override
                        @SuppressWarnings({"unchecked", "rawtypes"})
                        public Source<NativeBatch, ?, ?> source() {
                            return (Source) new NumberSequenceSource(0, 1);
                        }

                        @Override
                        public WatermarkStrategy<NativeBatch> watermarkStrategy() {
                            return WatermarkStrategy.noWatermarks();
                        }
                    });
        }
    }

    /** Found as a service. */
    public static final class Sinks implements NativeSinkProvider {
        @Override
        public boolean accepts(DynamicTableSink sink) {
            return sink instanceof TestTableFactory.TestSink;
        }

        @Override
        public Translation<Sink<NativeBatch>> translate(Context context) {
            SINKS.add(context);
            return Translation.of(new DiscardingSink<>());
        }
    }
}
