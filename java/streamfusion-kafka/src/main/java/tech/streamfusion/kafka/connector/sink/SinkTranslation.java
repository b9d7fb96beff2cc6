package tech.streamfusion.kafka.connector.sink;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Pattern;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaPartitioner;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.flink.streaming.connectors.kafka.partitioner.FlinkFixedPartitioner;
import org.apache.flink.streaming.connectors.kafka.table.KafkaDynamicSink;
import org.apache.flink.streaming.connectors.kafka.table.SinkBufferFlushMode;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.kafka.TableFormats;
import tech.streamfusion.kafka.connector.PrivateFields;
import tech.streamfusion.kafka.connector.UnexpectedConnectorException;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.spi.NativeFormat;
import tech.streamfusion.runtime.spi.NativeSinkProvider;
import tech.streamfusion.runtime.spi.Translation;

/** Decides whether a Kafka table sink has a native counterpart, and builds it. */
public final class SinkTranslation {

    private final NativeSinkProvider.Context context;
    private final KafkaDynamicSink table;
    private final Map<String, String> options;
    private final RowType physicalType;
    private final List<String> metadataKeys;

    private SinkTranslation(NativeSinkProvider.Context context) throws UnexpectedConnectorException {
        this.context = context;
        this.table = (KafkaDynamicSink) context.sink();
        this.options = context.options();
        this.physicalType = (RowType) field("physicalDataType", DataType.class).getLogicalType();
        List<String> keys = new ArrayList<>();
        for (Object key : field("metadataKeys", List.class)) {
            keys.add((String) key);
        }
        this.metadataKeys = keys;
    }

    public static Translation<Sink<NativeBatch>> translate(NativeSinkProvider.Context context)
            throws UnexpectedConnectorException {
        if (context.sink().getClass() != KafkaDynamicSink.class) {
            return Translation.fallback("table sink " + context.sink().getClass().getName());
        }
        return new SinkTranslation(context).translate();
    }

    private Translation<Sink<NativeBatch>> translate() throws UnexpectedConnectorException {
        SinkBufferFlushMode flushMode = field("flushMode", SinkBufferFlushMode.class);
        Sink<?> stockSink = flushMode.isEnabled() ? withoutBuffer(context.stockSink()) : context.stockSink();
        if (!(stockSink instanceof KafkaSink)) {
            return Translation.fallback("sink class " + stockSink.getClass().getName());
        }
        if (context.consumedType().getFieldCount() != physicalType.getFieldCount() + metadataKeys.size()) {
            return Translation.fallback("columns other than the table's and its metadata");
        }
        if (isForeignChangelog()) {
            return Translation.fallback("a changelog into a table that is not upsert-kafka");
        }
        Translation<SinkPlan> plan = plan();
        if (!plan.isNative()) {
            return Translation.fallback(plan.reason());
        }
        NativeKafkaSink sink = sink((KafkaSink<?>) stockSink, plan.get());
        return Translation.of(flushMode.isEnabled() ? buffered(sink, plan.get(), flushMode) : sink);
    }

    private static NativeKafkaSink sink(KafkaSink<?> stock, SinkPlan plan) throws UnexpectedConnectorException {
        return new NativeKafkaSink(
                stock,
                stockField(stock, "deliveryGuarantee", DeliveryGuarantee.class),
                stockField(stock, "kafkaProducerConfig", Properties.class),
                stockField(stock, "transactionalIdPrefix", String.class),
                stockField(stock, "transactionNamingStrategy", TransactionNamingStrategy.class),
                stockField(stock, "recordSerializer", KafkaRecordSerializationSchema.class),
                plan);
    }

    /** The sink inside of a ReducingUpsertSink, a class that is not public. */
    private static Sink<?> withoutBuffer(Sink<?> stock) throws UnexpectedConnectorException {
        return PrivateFields.read(stock.getClass(), stock, "wrappedSink", Sink.class);
    }

    private Sink<NativeBatch> buffered(NativeKafkaSink sink, SinkPlan plan, SinkBufferFlushMode mode)
            throws UnexpectedConnectorException {
        int[] keys = field("keyProjection", int[].class);
        return new NativeReducingSink(sink, plan, new FlushPlan(keys, mode.getBatchSize(), mode.getBatchIntervalMs()));
    }

    /** Only upsert tables turn deletions into records without value; what a changelog format writes is the format's. */
    private boolean isForeignChangelog() throws UnexpectedConnectorException {
        return !context.insertOnly() && !field("upsertMode", Boolean.class);
    }

    private Translation<SinkPlan> plan() throws UnexpectedConnectorException {
        Translation<SinkPlan.FormatPlan> value =
                format(
                        TableFormats.valueFormat(options),
                        TableFormats.valueOptions(options),
                        field("valueProjection", int[].class),
                        null);
        if (!value.isNative()) {
            return Translation.fallback(value.reason());
        }
        SinkPlan.FormatPlan key = null;
        if (TableFormats.keyFormat(options) != null) {
            Translation<SinkPlan.FormatPlan> translated =
                    format(
                            TableFormats.keyFormat(options),
                            TableFormats.keyOptions(options),
                            field("keyProjection", int[].class),
                            field("keyPrefix", String.class));
            if (!translated.isNative()) {
                return Translation.fallback(translated.reason());
            }
            key = translated.get();
        }
        return Translation.of(
                new SinkPlan(
                        context.tableName(),
                        context.consumedType(),
                        context.encoder().type(context.consumedType()),
                        topics(),
                        field("topicPattern", Pattern.class),
                        partitioning(),
                        value.get(),
                        key,
                        metadataColumn("headers"),
                        metadataColumn("timestamp"),
                        metadataColumn("topic"),
                        field("upsertMode", Boolean.class)));
    }

    @Nullable
    private List<String> topics() throws UnexpectedConnectorException {
        List<?> topics = field("topics", List.class);
        if (topics == null) {
            return null;
        }
        List<String> names = new ArrayList<>();
        for (Object topic : topics) {
            names.add((String) topic);
        }
        return names;
    }

    private SinkPlan.Partitioning partitioning() throws UnexpectedConnectorException {
        KafkaPartitioner<?> partitioner = field("partitioner", KafkaPartitioner.class);
        if (partitioner == null) {
            return SinkPlan.Partitioning.PRODUCER;
        }
        return partitioner.getClass() == FlinkFixedPartitioner.class
                ? SinkPlan.Partitioning.FIXED
                : SinkPlan.Partitioning.ROW_BY_ROW;
    }

    private int metadataColumn(String key) {
        int index = metadataKeys.indexOf(key);
        return index < 0 ? -1 : physicalType.getFieldCount() + index;
    }

    private Translation<SinkPlan.FormatPlan> format(
            String identifier, Configuration formatOptions, int[] columns, @Nullable String prefix) {
        Optional<NativeFormat> format = TableFormats.find(identifier, context.classLoader());
        if (format.isEmpty()) {
            return Translation.fallback("format '" + identifier + "' (no native module for it)");
        }
        List<RowType.RowField> fields = new ArrayList<>();
        for (int column : columns) {
            RowType.RowField field = physicalType.getFields().get(column);
            String name = field.getName();
            fields.add(
                    prefix == null ? field : new RowType.RowField(name.substring(prefix.length()), field.getType()));
        }
        RowType rowType = new RowType(false, fields);
        Translation<Map<String, String>> resolved = format.get().encoderOptions(rowType, formatOptions);
        if (!resolved.isNative()) {
            return Translation.fallback("format '" + identifier + "': " + resolved.reason());
        }
        try {
            byte[] plan = context.encoder().format(identifier, rowType, null, null, resolved.get());
            return Translation.of(new SinkPlan.FormatPlan(identifier, plan, columns));
        } catch (UnsupportedOperationException e) {
            return Translation.fallback("format '" + identifier + "': " + e.getMessage());
        }
    }

    private <T> T field(String name, Class<T> type) throws UnexpectedConnectorException {
        return PrivateFields.read(KafkaDynamicSink.class, table, name, type);
    }

    private static <T> T stockField(KafkaSink<?> stock, String name, Class<T> type)
            throws UnexpectedConnectorException {
        return PrivateFields.read(KafkaSink.class, stock, name, type);
    }
}
