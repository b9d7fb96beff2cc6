package tech.streamfusion.kafka.connector.sink;

import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.Properties;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaSinkBuilder;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPostCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.lineage.LineageVertex;
import org.apache.flink.streaming.api.lineage.LineageVertexProvider;
import org.apache.flink.table.data.RowData;
import org.apache.kafka.clients.producer.ProducerRecord;
import tech.streamfusion.runtime.NativeBatch;

/**
 * Flink's {@link KafkaSink} with a writer that encodes in the engine. Committer, state, committables, their serializers and
 * the post-commit topology are the stock sink's.
 */
final class NativeKafkaSink
        implements Sink<NativeBatch>,
                SupportsWriterState<NativeBatch, KafkaWriterState>,
                SupportsCommitter<KafkaCommittable>,
                SupportsPostCommitTopology<KafkaCommittable>,
                LineageVertexProvider {

    private static final long serialVersionUID = 1L;

    private final KafkaSink<?> stock;
    private final DeliveryGuarantee guarantee;
    private final Properties properties;
    @Nullable private final String transactionalIdPrefix;
    private final TransactionNamingStrategy namingStrategy;
    private final KafkaRecordSerializationSchema<RowData> hostSerializer;
    private final SinkPlan plan;

    /** @param hostSerializer the stock sink's own, for {@link RowData}; decides what the engine leaves open */
    @SuppressWarnings("unchecked") // table sinks serialize RowData
    NativeKafkaSink(
            KafkaSink<?> stock,
            DeliveryGuarantee guarantee,
            Properties properties,
            @Nullable String transactionalIdPrefix,
            TransactionNamingStrategy namingStrategy,
            KafkaRecordSerializationSchema<?> hostSerializer,
            SinkPlan plan) {
        this.stock = stock;
        this.guarantee = guarantee;
        this.properties = properties;
        this.transactionalIdPrefix = transactionalIdPrefix;
        this.namingStrategy = namingStrategy;
        this.hostSerializer = (KafkaRecordSerializationSchema<RowData>) hostSerializer;
        this.plan = plan;
    }

    @Override
    public NativeKafkaWriter createWriter(WriterInitContext context) throws IOException {
        return restoreWriter(context, Collections.emptyList());
    }

    @Override
    public NativeKafkaWriter restoreWriter(WriterInitContext context, Collection<KafkaWriterState> recoveredState)
            throws IOException {
        SendSerializer serializer = new SendSerializer(hostSerializer);
        SupportsWriterState<ProducerRecord<byte[], byte[]>, KafkaWriterState> sending = sendingSink(serializer);
        StatefulSinkWriter<ProducerRecord<byte[], byte[]>, KafkaWriterState> writer =
                sending.restoreWriter(context, recoveredState);
        try {
            return new NativeKafkaWriter(plan, properties, serializer, writer, context);
        } catch (RuntimeException | Error e) {
            try {
                writer.close();
            } catch (Exception onClose) {
                e.addSuppressed(onClose);
            }
            throw e;
        }
    }

    /** A stock sink with this one's settings, whose writer sends ready records. */
    private KafkaSink<ProducerRecord<byte[], byte[]>> sendingSink(SendSerializer serializer) {
        KafkaSinkBuilder<ProducerRecord<byte[], byte[]>> builder = KafkaSink.builder();
        builder.setDeliveryGuarantee(guarantee)
                .setKafkaProducerConfig(properties)
                .setTransactionNamingStrategy(namingStrategy)
                .setRecordSerializer(serializer);
        if (transactionalIdPrefix != null) {
            builder.setTransactionalIdPrefix(transactionalIdPrefix);
        }
        return builder.build();
    }

    @Override
    public SimpleVersionedSerializer<KafkaWriterState> getWriterStateSerializer() {
        return stock.getWriterStateSerializer();
    }

    @Override
    public Committer<KafkaCommittable> createCommitter(CommitterInitContext context) {
        return stock.createCommitter(context);
    }

    @Override
    public SimpleVersionedSerializer<KafkaCommittable> getCommittableSerializer() {
        return stock.getCommittableSerializer();
    }

    @Override
    public void addPostCommitTopology(DataStream<CommittableMessage<KafkaCommittable>> committables) {
        stock.addPostCommitTopology(committables);
    }

    @Override
    public LineageVertex getLineageVertex() {
        return stock.getLineageVertex();
    }
}
