package tech.streamfusion.kafka.connector.source;

import java.util.Properties;
import javax.annotation.Nullable;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.lineage.LineageVertex;
import org.apache.flink.streaming.api.lineage.LineageVertexProvider;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.flink.util.function.SerializableSupplier;
import tech.streamfusion.runtime.NativeBatch;

/**
 * Flink's {@link KafkaSource} with a reader that decodes in the engine. Everything else is the stock source's: enumerator,
 * splits, checkpoints and their serializers, so that state moves between the two in both directions.
 */
final class NativeKafkaSource
        implements Source<NativeBatch, KafkaPartitionSplit, KafkaSourceEnumState>, LineageVertexProvider {

    private static final long serialVersionUID = 1L;

    private final KafkaSource<?> stock;
    private final Properties properties;
    @Nullable private final SerializableSupplier<?> rackIdSupplier;
    private final KafkaRecordDeserializationSchema<?> hostDeserializer;
    private final ScanPlan plan;

    /** @param hostDeserializer the stock source's own, which produces {@link RowData}; decides what the engine leaves open */
    NativeKafkaSource(
            KafkaSource<?> stock,
            Properties properties,
            @Nullable SerializableSupplier<?> rackIdSupplier,
            KafkaRecordDeserializationSchema<?> hostDeserializer,
            ScanPlan plan) {
        this.stock = stock;
        this.properties = properties;
        this.rackIdSupplier = rackIdSupplier;
        this.hostDeserializer = hostDeserializer;
        this.plan = plan;
    }

    @Override
    public Boundedness getBoundedness() {
        return stock.getBoundedness();
    }

    @Override
    public SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> createEnumerator(
            SplitEnumeratorContext<KafkaPartitionSplit> context) {
        return stock.createEnumerator(context);
    }

    @Override
    public SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> restoreEnumerator(
            SplitEnumeratorContext<KafkaPartitionSplit> context, KafkaSourceEnumState checkpoint)
            throws java.io.IOException {
        return stock.restoreEnumerator(context, checkpoint);
    }

    @Override
    public SimpleVersionedSerializer<KafkaPartitionSplit> getSplitSerializer() {
        return stock.getSplitSerializer();
    }

    @Override
    public SimpleVersionedSerializer<KafkaSourceEnumState> getEnumeratorCheckpointSerializer() {
        return stock.getEnumeratorCheckpointSerializer();
    }

    @Override
    public SourceReader<NativeBatch, KafkaPartitionSplit> createReader(SourceReaderContext context) throws Exception {
        hostDeserializer.open(new HostContext(context));
        String rackId = rackIdSupplier == null ? null : (String) rackIdSupplier.get();
        return NativeKafkaSourceReader.create(properties, rackId, hostDeserializer, plan, context);
    }

    @Override
    public LineageVertex getLineageVertex() {
        return stock.getLineageVertex();
    }

    /** As in {@link KafkaSource#createReader}. */
    private static final class HostContext implements DeserializationSchema.InitializationContext {
        private final SourceReaderContext reader;

        HostContext(SourceReaderContext reader) {
            this.reader = reader;
        }

        @Override
        public MetricGroup getMetricGroup() {
            return reader.metricGroup().addGroup("deserializer");
        }

        @Override
        public UserCodeClassLoader getUserCodeClassLoader() {
            return reader.getUserCodeClassLoader();
        }
    }
}
