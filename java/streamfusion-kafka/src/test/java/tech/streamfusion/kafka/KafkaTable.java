package tech.streamfusion.kafka;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.SourceTransformation;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;
import org.apache.flink.table.connector.sink.abilities.SupportsWritingMetadata;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.connector.source.abilities.SupportsWatermarkPushDown;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.runtime.connector.sink.SinkRuntimeProviderContext;
import org.apache.flink.table.runtime.connector.source.ScanRuntimeProviderContext;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.spi.NativeScanProvider;
import tech.streamfusion.runtime.spi.NativeSinkProvider;
import tech.streamfusion.runtime.spi.PlanEncoder;
import tech.streamfusion.runtime.spi.Translation;

/** A {@code kafka} or {@code upsert-kafka} table without SQL around it: its stock source and sink, and the native ones made from them. */
final class KafkaTable {

    private final LinkedHashMap<String, DataType> columns = new LinkedHashMap<>();
    private final LinkedHashMap<String, DataType> metadata = new LinkedHashMap<>();
    private final Map<String, String> options = new HashMap<>();
    private boolean[] read;
    private String watermarkColumn;
    private long idleTimeoutMillis;
    @Nullable private Duration drift;
    @Nullable private String primaryKey;

    static KafkaTable of(String bootstrapServers, String topic) {
        KafkaTable table = new KafkaTable();
        return table.option("connector", "kafka")
                .option("topic", topic)
                .option("properties.bootstrap.servers", bootstrapServers)
                .option("format", "json");
    }

    /** The same columns as an {@code upsert-kafka} table. */
    KafkaTable upserting(String keyColumn) {
        primaryKey = keyColumn;
        columns.put(keyColumn, columns.get(keyColumn).notNull());
        return without("format").option("connector", "upsert-kafka").option("key.format", "json").option("value.format", "json");
    }

    /** The usual reading options: from the start to what is there now. */
    KafkaTable bounded() {
        return option("scan.startup.mode", "earliest-offset").option("scan.bounded.mode", "latest-offset");
    }

    KafkaTable option(String key, String value) {
        options.put(key, value);
        return this;
    }

    KafkaTable without(String key) {
        options.remove(key);
        return this;
    }

    KafkaTable column(String name, DataType type) {
        columns.put(name, type);
        return this;
    }

    /** A metadata column of the same name as the key. */
    KafkaTable metadata(String key, DataType type) {
        metadata.put(key, type);
        return this;
    }

    KafkaTable copy() {
        KafkaTable copy = new KafkaTable();
        copy.columns.putAll(columns);
        copy.metadata.putAll(metadata);
        copy.options.putAll(options);
        copy.read = read;
        copy.watermarkColumn = watermarkColumn;
        copy.idleTimeoutMillis = idleTimeoutMillis;
        copy.drift = drift;
        copy.primaryKey = primaryKey;
        return copy;
    }

    /** Only these produced fields are read. */
    KafkaTable reading(boolean... fields) {
        read = fields;
        return this;
    }

    KafkaTable watermark(String column) {
        watermarkColumn = column;
        return this;
    }

    KafkaTable idleAfter(Duration timeout) {
        idleTimeoutMillis = timeout.toMillis();
        return this;
    }

    /** The partitions wait for each other when they are this far apart. */
    KafkaTable aligned(Duration maxDrift) {
        drift = maxDrift;
        return this;
    }

    RowType rowType() {
        return (RowType) dataType().getLogicalType();
    }

    private DataType dataType() {
        List<DataTypes.Field> fields = new java.util.ArrayList<>();
        columns.forEach((name, type) -> fields.add(DataTypes.FIELD(name, type)));
        metadata.forEach((name, type) -> fields.add(DataTypes.FIELD(name, type)));
        return DataTypes.ROW(fields.toArray(new DataTypes.Field[0])).notNull();
    }

    private ResolvedCatalogTable catalogTable() {
        Schema.Builder schema = Schema.newBuilder();
        List<Column> resolved = new java.util.ArrayList<>();
        columns.forEach(
                (name, type) -> {
                    schema.column(name, type);
                    resolved.add(Column.physical(name, type));
                });
        UniqueConstraint key = null;
        if (primaryKey != null) {
            schema.primaryKey(primaryKey);
            key = UniqueConstraint.primaryKey("key", List.of(primaryKey));
        }
        return new ResolvedCatalogTable(
                CatalogTable.newBuilder().schema(schema.build()).options(options).build(),
                new ResolvedSchema(resolved, List.of(), key, List.of()));
    }

    private static ObjectIdentifier name() {
        return ObjectIdentifier.of("default_catalog", "default_database", "t");
    }

    // ---- source ----

    DynamicTableSource tableSource() {
        DynamicTableSource source =
                FactoryUtil.createDynamicTableSource(
                        null,
                        name(),
                        catalogTable(),
                        Collections.emptyMap(),
                        new Configuration(),
                        KafkaTable.class.getClassLoader(),
                        false);
        ((SupportsReadingMetadata) source).applyReadableMetadata(List.copyOf(metadata.keySet()), dataType());
        if (watermarkColumn != null) {
            ((SupportsWatermarkPushDown) source).applyWatermark(stockWatermarks());
        }
        return source;
    }

    /** What the planner pushes into the source for this table. */
    private WatermarkStrategy<RowData> stockWatermarks() {
        int column = rowType().getFieldIndex(watermarkColumn);
        WatermarkStrategy<RowData> strategy = WatermarkStrategy.forGenerator(context -> new LargestValue(column));
        if (drift != null) {
            strategy = strategy.withWatermarkAlignment("group", drift, Duration.ofMillis(100));
        }
        return idleTimeoutMillis > 0 ? strategy.withIdleness(Duration.ofMillis(idleTimeoutMillis)) : strategy;
    }

    /** The largest value so far, emitted periodically, as the planner's generated code does. */
    private static final class LargestValue implements WatermarkGenerator<RowData> {
        private final int column;
        private long largest = Long.MIN_VALUE;

        LargestValue(int column) {
            this.column = column;
        }

        @Override
        public void onEvent(RowData row, long timestamp, WatermarkOutput output) {
            if (!row.isNullAt(column)) {
                largest = Math.max(largest, row.getLong(column));
            }
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            output.emitWatermark(new Watermark(largest));
        }
    }

    DataStream<RowData> stockStream(StreamExecutionEnvironment environment, String uid) {
        return stockStream(tableSource(), environment, uid);
    }

    private static DataStream<RowData> stockStream(
            DynamicTableSource source, StreamExecutionEnvironment environment, String uid) {
        DataStreamScanProvider provider =
                (DataStreamScanProvider)
                        ((ScanTableSource) source).getScanRuntimeProvider(ScanRuntimeProviderContext.INSTANCE);
        return provider.produceDataStream(
                new ProviderContext() {
                    @Override
                    public java.util.Optional<String> generateUid(String name) {
                        return java.util.Optional.of(uid);
                    }
                },
                environment);
    }

    Translation<NativeScanProvider.NativeScan> nativeScan() {
        DynamicTableSource source = tableSource();
        DataStream<RowData> stock = stockStream(source, StreamExecutionEnvironment.getExecutionEnvironment(), "source");
        return new KafkaScanProvider()
                .translate(new ScanContext(source, ((SourceTransformation<?, ?, ?>) stock.getTransformation()).getSource()));
    }

    private final class ScanContext implements NativeScanProvider.Context {
        private final DynamicTableSource source;
        private final Source<?, ?, ?> stock;

        ScanContext(DynamicTableSource source, Source<?, ?, ?> stock) {
            this.source = source;
            this.stock = stock;
        }

        @Override
        public DynamicTableSource source() {
            return source;
        }

        @Override
        public String tableName() {
            return name().asSummaryString();
        }

        @Override
        public Map<String, String> options() {
            return options;
        }

        @Override
        public Source<?, ?, ?> stockSource() {
            return stock;
        }

        @Override
        public WatermarkStrategy<?> stockWatermarkStrategy() {
            return watermarkColumn == null ? WatermarkStrategy.noWatermarks() : stockWatermarks();
        }

        @Override
        public RowType producedType() {
            return rowType();
        }

        @Override
        public boolean[] read() {
            boolean[] all = new boolean[rowType().getFieldCount()];
            Arrays.fill(all, true);
            return read == null ? all : read;
        }

        @Nullable
        @Override
        public int[][] readPaths() {
            return null;
        }

        @Nullable
        @Override
        public NativeScanProvider.WatermarkSpec watermark() {
            if (watermarkColumn == null) {
                return null;
            }
            int index = rowType().getFieldIndex(watermarkColumn);
            byte[] expression = new PlanBytes().column(rowType().getTypeAt(index), index);
            return new NativeScanProvider.WatermarkSpec() {
                @Override
                public byte[] expression() {
                    return expression;
                }

                @Override
                public long idleTimeoutMillis() {
                    return idleTimeoutMillis;
                }
            };
        }

        @Override
        public PlanEncoder encoder() {
            return new PlanBytes();
        }

        @Override
        public ClassLoader classLoader() {
            return KafkaTable.class.getClassLoader();
        }
    }

    // ---- sink ----

    DynamicTableSink tableSink() {
        DynamicTableSink sink =
                FactoryUtil.createDynamicTableSink(
                        null,
                        name(),
                        catalogTable(),
                        Collections.emptyMap(),
                        new Configuration(),
                        KafkaTable.class.getClassLoader(),
                        false);
        if (!metadata.isEmpty()) {
            ((SupportsWritingMetadata) sink).applyWritableMetadata(List.copyOf(metadata.keySet()), dataType());
        }
        return sink;
    }

    Sink<RowData> stockSink() {
        return ((SinkV2Provider) tableSink().getSinkRuntimeProvider(new SinkRuntimeProviderContext(false)))
                .createSink();
    }

    Translation<Sink<NativeBatch>> nativeSink() {
        return new KafkaSinkProvider().translate(new SinkContext());
    }

    private final class SinkContext implements NativeSinkProvider.Context {
        private final DynamicTableSink sink = tableSink();

        @Override
        public DynamicTableSink sink() {
            return sink;
        }

        @Override
        public String tableName() {
            return name().asSummaryString();
        }

        @Override
        public Map<String, String> options() {
            return options;
        }

        @Override
        public Sink<?> stockSink() {
            return KafkaTable.this.stockSink();
        }

        @Override
        public RowType consumedType() {
            return rowType();
        }

        @Override
        public int rowtimeIndex() {
            return -1;
        }

        @Override
        public boolean insertOnly() {
            return true;
        }

        @Override
        public PlanEncoder encoder() {
            return new PlanBytes();
        }

        @Override
        public ClassLoader classLoader() {
            return KafkaTable.class.getClassLoader();
        }
    }
}
