package tech.streamfusion.planner;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.abilities.SupportsWatermarkPushDown;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.types.RowKind;

/** Connector {@code planned}: tables that can be planned but never run. */
public final class TestTableFactory implements DynamicTableSourceFactory, DynamicTableSinkFactory {

    private static final ConfigOption<String> CHANGELOG =
            ConfigOptions.key("changelog").stringType().defaultValue("insert");

    @Override
    public String factoryIdentifier() {
        return "planned";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return new HashSet<>(List.of(CHANGELOG, FactoryUtil.SOURCE_PARALLELISM, FactoryUtil.SINK_PARALLELISM));
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        return new TestSource(
                helper.getOptions().get(CHANGELOG),
                helper.getOptions().getOptional(FactoryUtil.SOURCE_PARALLELISM).orElse(null));
    }

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        return new TestSink(helper.getOptions().getOptional(FactoryUtil.SINK_PARALLELISM).orElse(null));
    }

    /** Takes watermarks, like Kafka's. */
    static final class TestSource implements ScanTableSource, SupportsWatermarkPushDown {
        private final String changelog;
        private final Integer parallelism;
        private WatermarkStrategy<RowData> watermarks = WatermarkStrategy.noWatermarks();

        TestSource(String changelog, Integer parallelism) {
            this.changelog = changelog;
            this.parallelism = parallelism;
        }

        @Override
        public ChangelogMode getChangelogMode() {
            return changelog.equals("insert") ? ChangelogMode.insertOnly() : ChangelogMode.all();
        }

        @Override
        public void applyWatermark(WatermarkStrategy<RowData> watermarkStrategy) {
            watermarks = watermarkStrategy;
        }

        @Override
        public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
            return new DataStreamScanProvider() {
                @Override
                @SuppressWarnings({"unchecked", "rawtypes"})
                public DataStream<RowData> produceDataStream(ProviderContext names, StreamExecutionEnvironment env) {
                    DataStream stream =
                            env.fromSource(new NumberSequenceSource(0, 1), (WatermarkStrategy) watermarks, "planned");
                    names.generateUid("planned").ifPresent(stream.getTransformation()::setUid);
                    return stream;
                }

                @Override
                public boolean isBounded() {
                    return true;
                }

                @Override
                public Optional<Integer> getParallelism() {
                    return Optional.ofNullable(parallelism);
                }
            };
        }

        @Override
        public DynamicTableSource copy() {
            TestSource copy = new TestSource(changelog, parallelism);
            copy.watermarks = watermarks;
            return copy;
        }

        @Override
        public String asSummaryString() {
            return "planned source";
        }
    }

    static final class TestSink implements DynamicTableSink {
        private final Integer parallelism;

        TestSink(Integer parallelism) {
            this.parallelism = parallelism;
        }

        @Override
        public ChangelogMode getChangelogMode(ChangelogMode requestedMode) {
            ChangelogMode.Builder mode = ChangelogMode.newBuilder();
            for (RowKind kind : requestedMode.getContainedKinds()) {
                mode.addContainedKind(kind);
            }
            return mode.build();
        }

        @Override
        public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
            return SinkV2Provider.of(new DiscardingSink<>(), parallelism);
        }

        @Override
        public DynamicTableSink copy() {
            return new TestSink(parallelism);
        }

        @Override
        public String asSummaryString() {
            return "planned sink";
        }
    }
}
