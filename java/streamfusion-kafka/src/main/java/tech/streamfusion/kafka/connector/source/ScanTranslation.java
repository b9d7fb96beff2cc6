package tech.streamfusion.kafka.connector.source;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import javax.annotation.Nullable;
import org.apache.flink.api.common.eventtime.WatermarkAlignmentParams;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.streaming.connectors.kafka.table.KafkaDynamicSource;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.function.SerializableSupplier;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import tech.streamfusion.kafka.TableFormats;
import tech.streamfusion.kafka.connector.PrivateFields;
import tech.streamfusion.kafka.connector.UnexpectedConnectorException;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.spi.NativeFormat;
import tech.streamfusion.runtime.spi.NativeScanProvider;
import tech.streamfusion.runtime.spi.Translation;

/** Decides whether a Kafka table source has a native counterpart, and builds it. */
public final class ScanTranslation {

    private final NativeScanProvider.Context context;
    private final KafkaDynamicSource table;
    private final Map<String, String> options;
    private final RowType physicalType;
    private final int[] keyProjection;
    private final int[] valueProjection;
    @Nullable private final String keyPrefix;
    private final List<String> metadataKeys;
    private final RowType producedType;

    private ScanTranslation(NativeScanProvider.Context context) throws UnexpectedConnectorException {
        this.context = context;
        this.table = (KafkaDynamicSource) context.source();
        this.options = context.options();
        this.physicalType = (RowType) field("physicalDataType", DataType.class).getLogicalType();
        this.keyProjection = field("keyProjection", int[].class);
        this.valueProjection = field("valueProjection", int[].class);
        this.keyPrefix = field("keyPrefix", String.class);
        List<String> keys = new ArrayList<>();
        for (Object key : field("metadataKeys", List.class)) {
            keys.add((String) key);
        }
        this.metadataKeys = keys;
        this.producedType = context.producedType();
    }

    public static Translation<NativeScanProvider.NativeScan> translate(NativeScanProvider.Context context)
            throws UnexpectedConnectorException {
        DynamicTableSource source = context.source();
        if (source.getClass() != KafkaDynamicSource.class) {
            return Translation.fallback("table source " + source.getClass().getName());
        }
        return new ScanTranslation(context).translate();
    }

    private Translation<NativeScanProvider.NativeScan> translate() throws UnexpectedConnectorException {
        if (!(context.stockSource() instanceof KafkaSource)) {
            return Translation.fallback("source class " + context.stockSource().getClass().getName());
        }
        if (context.watermark() != null && "on-event".equalsIgnoreCase(options.get("scan.watermark.emit.strategy"))) {
            return Translation.fallback("option scan.watermark.emit.strategy = on-event");
        }
        KafkaSource<?> stock = (KafkaSource<?>) context.stockSource();
        Properties properties = PrivateFields.read(KafkaSource.class, stock, "props", Properties.class);
        if (properties.containsKey(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG)) {
            return Translation.fallback("option properties." + ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG);
        }
        Optional<String> shape = field("upsertMode", Boolean.class) ? lostByDeletions() : Optional.empty();
        shape = shape.or(this::unexpectedShape);
        if (shape.isPresent()) {
            return Translation.fallback(shape.get());
        }
        Translation<ScanPlan> plan = plan();
        if (!plan.isNative()) {
            return Translation.fallback(plan.reason());
        }
        NativeKafkaSource source =
                new NativeKafkaSource(
                        stock,
                        properties,
                        rackIdSupplier(stock),
                        PrivateFields.read(
                                KafkaSource.class, stock, "deserializationSchema", KafkaRecordDeserializationSchema.class),
                        plan.get());
        return Translation.of(new Scan(source, watermarkStrategy()));
    }

    @Nullable
    private static SerializableSupplier<?> rackIdSupplier(KafkaSource<?> stock) throws UnexpectedConnectorException {
        return PrivateFields.read(KafkaSource.class, stock, "rackIdSupplier", SerializableSupplier.class);
    }

    /**
     * A record without value is the deletion of its key, whose row is NULL elsewhere, whatever the columns' types say. What an
     * operator makes of that is up to Flink's generated code.
     */
    private Optional<String> lostByDeletions() {
        for (int i = 0; i < physicalType.getFieldCount(); i++) {
            int column = i;
            if (context.read()[i]
                    && !physicalType.getTypeAt(i).isNullable()
                    && Arrays.stream(keyProjection).noneMatch(key -> key == column)) {
                return Optional.of("NOT NULL on column '" + physicalType.getFieldNames().get(i) + "', which is outside of the key");
            }
        }
        return Optional.empty();
    }

    /** The produced row must be the physical row followed by the connector's metadata. */
    private Optional<String> unexpectedShape() {
        int physical = physicalType.getFieldCount();
        if (producedType.getFieldCount() != physical + metadataKeys.size()) {
            return Optional.of("metadata columns of the format");
        }
        for (String key : metadataKeys) {
            if (MetadataColumn.of(key).isEmpty()) {
                return Optional.of("metadata column '" + key + "'");
            }
        }
        return Optional.empty();
    }

    // ---- the plan ----

    private Translation<ScanPlan> plan() {
        int physical = physicalType.getFieldCount();
        boolean[] read = context.read();
        int[] partOf = new int[producedType.getFieldCount()];
        int[] columnOf = new int[partOf.length];
        Arrays.fill(partOf, ScanPlan.NOWHERE);
        boolean hasKey = TableFormats.keyFormat(options) != null;
        if (hasKey) {
            place(keyProjection, ScanPlan.KEY, partOf, columnOf);
        }
        // a field in key and value is the value's (DynamicKafkaDeserializationSchema.OutputProjectionCollector)
        place(valueProjection, ScanPlan.VALUE, partOf, columnOf);
        List<MetadataColumn> metadata = new ArrayList<>();
        List<RowType.RowField> metadataFields = new ArrayList<>();
        for (int i = 0; i < metadataKeys.size(); i++) {
            if (read[physical + i]) {
                partOf[physical + i] = ScanPlan.METADATA;
                columnOf[physical + i] = metadata.size();
                metadata.add(MetadataColumn.of(metadataKeys.get(i)).orElseThrow());
                metadataFields.add(producedType.getFields().get(physical + i));
            }
        }
        Translation<ScanPlan.FormatPlan> value =
                format(
                        TableFormats.valueFormat(options),
                        TableFormats.valueOptions(options),
                        valueProjection,
                        ScanPlan.VALUE,
                        partOf,
                        null);
        if (!value.isNative()) {
            return Translation.fallback(value.reason());
        }
        ScanPlan.FormatPlan key = null;
        if (hasKey) {
            Translation<ScanPlan.FormatPlan> keyFormat =
                    format(
                            TableFormats.keyFormat(options),
                            TableFormats.keyOptions(options),
                            keyProjection,
                            ScanPlan.KEY,
                            partOf,
                            keyPrefix);
            if (!keyFormat.isNative()) {
                return Translation.fallback(keyFormat.reason());
            }
            key = keyFormat.get();
        }
        try {
            RowType metadataType = new RowType(false, metadataFields);
            return Translation.of(
                    new ScanPlan(
                            context.tableName(),
                            producedType,
                            context.encoder().type(producedType),
                            value.get(),
                            key,
                            metadata.toArray(new MetadataColumn[0]),
                            metadataType,
                            context.encoder().type(metadataType),
                            partOf,
                            columnOf,
                            context.watermark(),
                            context.encoder().session()));
        } catch (UnsupportedOperationException e) {
            return Translation.fallback(e.getMessage());
        }
    }

    private static void place(int[] projection, int part, int[] partOf, int[] columnOf) {
        for (int i = 0; i < projection.length; i++) {
            partOf[projection[i]] = part;
            columnOf[projection[i]] = i;
        }
    }

    private Translation<ScanPlan.FormatPlan> format(
            String identifier,
            Configuration formatOptions,
            int[] projection,
            int part,
            int[] partOf,
            @Nullable String prefix) {
        Optional<NativeFormat> format = TableFormats.find(identifier, context.classLoader());
        if (format.isEmpty()) {
            return Translation.fallback("format '" + identifier + "' (no native module for it)");
        }
        RowType rowType = projected(projection, prefix);
        Translation<Map<String, String>> resolved = format.get().decoderOptions(rowType, formatOptions);
        if (!resolved.isNative()) {
            return Translation.fallback("format '" + identifier + "': " + resolved.reason());
        }
        boolean[] read = new boolean[projection.length];
        for (int i = 0; i < read.length; i++) {
            read[i] = partOf[projection[i]] == part && context.read()[projection[i]];
        }
        try {
            byte[] plan =
                    context.encoder().format(identifier, rowType, read, paths(projection, read), resolved.get());
            return Translation.of(new ScanPlan.FormatPlan(identifier, plan, context.encoder().type(rowType)));
        } catch (UnsupportedOperationException e) {
            return Translation.fallback("format '" + identifier + "': " + e.getMessage());
        }
    }

    private RowType projected(int[] projection, @Nullable String prefix) {
        List<RowType.RowField> fields = new ArrayList<>();
        for (int index : projection) {
            RowType.RowField field = physicalType.getFields().get(index);
            String name = field.getName();
            fields.add(
                    prefix == null ? field : new RowType.RowField(name.substring(prefix.length()), field.getType()));
        }
        return new RowType(false, fields);
    }

    /** The narrowing paths that start at a field of this projection, renumbered. */
    @Nullable
    private int[][] paths(int[] projection, boolean[] read) {
        int[][] all = context.readPaths();
        if (all == null) {
            return null;
        }
        List<int[]> own = new ArrayList<>();
        for (int i = 0; i < projection.length; i++) {
            for (int[] path : all) {
                if (read[i] && path[0] == projection[i]) {
                    int[] renumbered = path.clone();
                    renumbered[0] = i;
                    own.add(renumbered);
                }
            }
        }
        return own.toArray(new int[0][]);
    }

    // ---- watermarks ----

    private WatermarkStrategy<NativeBatch> watermarkStrategy() {
        NativeScanProvider.WatermarkSpec spec = context.watermark();
        if (spec == null) {
            return WatermarkStrategy.noWatermarks();
        }
        WatermarkStrategy<NativeBatch> strategy = WatermarkStrategy.forGenerator(new BatchWatermarks.Supplier());
        WatermarkAlignmentParams alignment = context.stockWatermarkStrategy().getAlignmentParameters();
        if (alignment.isEnabled()) {
            strategy =
                    strategy.withWatermarkAlignment(
                            alignment.getWatermarkGroup(),
                            Duration.ofMillis(alignment.getMaxAllowedWatermarkDrift()),
                            Duration.ofMillis(alignment.getUpdateInterval()));
        }
        if (spec.idleTimeoutMillis() > 0) {
            strategy = strategy.withIdleness(Duration.ofMillis(spec.idleTimeoutMillis()));
        }
        return strategy;
    }

    private <T> T field(String name, Class<T> type) throws UnexpectedConnectorException {
        return PrivateFields.read(KafkaDynamicSource.class, table, name, type);
    }

    private static final class Scan implements NativeScanProvider.NativeScan {
        private final NativeKafkaSource source;
        private final WatermarkStrategy<NativeBatch> watermarkStrategy;

        Scan(NativeKafkaSource source, WatermarkStrategy<NativeBatch> watermarkStrategy) {
            this.source = source;
            this.watermarkStrategy = watermarkStrategy;
        }

        @Override
        public Source<NativeBatch, ?, ?> source() {
            return source;
        }

        @Override
        public WatermarkStrategy<NativeBatch> watermarkStrategy() {
            return watermarkStrategy;
        }
    }
}
