package tech.streamfusion.kafka.connector.sink;

import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.connector.kafka.lineage.KafkaDatasetFacet;
import org.apache.flink.connector.kafka.lineage.KafkaDatasetFacetProvider;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.table.data.RowData;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * What stands where the stock writer has its serializer: hands ready records through, and the table's serializer to those
 * who need a single row serialized. A null element sends nothing, which leaves of the stock writer's {@code write} just its
 * check for failures of earlier sends.
 */
final class SendSerializer
        implements KafkaRecordSerializationSchema<ProducerRecord<byte[], byte[]>>, KafkaDatasetFacetProvider {

    private static final long serialVersionUID = 1L;

    private final KafkaRecordSerializationSchema<RowData> hostSerializer;
    private transient KafkaSinkContext sinkContext;

    SendSerializer(KafkaRecordSerializationSchema<RowData> hostSerializer) {
        this.hostSerializer = hostSerializer;
    }

    @Override
    public void open(SerializationSchema.InitializationContext context, KafkaSinkContext openedContext)
            throws Exception {
        sinkContext = openedContext;
        hostSerializer.open(context, openedContext);
    }

    @Nullable
    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            @Nullable ProducerRecord<byte[], byte[]> element, KafkaSinkContext context, Long timestamp) {
        return element;
    }

    /** The record that stock Flink makes of a row. */
    @Nullable
    ProducerRecord<byte[], byte[]> hostRecord(RowData row, Long timestamp) {
        return hostSerializer.serialize(row, sinkContext, timestamp);
    }

    KafkaSinkContext sinkContext() {
        return sinkContext;
    }

    /** Pooled transactions ask for the topics. */
    @Override
    public Optional<KafkaDatasetFacet> getKafkaDatasetFacet() {
        return hostSerializer instanceof KafkaDatasetFacetProvider
                ? ((KafkaDatasetFacetProvider) hostSerializer).getKafkaDatasetFacet()
                : Optional.empty();
    }
}
