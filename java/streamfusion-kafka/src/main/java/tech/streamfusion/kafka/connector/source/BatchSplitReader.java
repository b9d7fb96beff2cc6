package tech.streamfusion.kafka.connector.source;

import java.io.IOException;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.kafka.source.reader.KafkaPartitionSplitReader;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Flink's split reader with a consumer that materialises no record: only where its bytes are is noted. */
@SuppressWarnings("try") // close() may throw InterruptedException, as the interface has it
final class BatchSplitReader extends KafkaPartitionSplitReader {

    /**
     * Records of one poll where the user sets no limit. A poll returns what has arrived and waits for no more, so this
     * bounds the batch and delays nothing.
     */
    private static final String MAX_POLL_RECORDS = "8192";

    /**
     * Bytes of one partition in one answer where the user sets no limit. Kafka's own 1 MiB is drained within two
     * milliseconds here, so that the fetcher would wait for the broker; a JVM with regions of 1 MiB also spends two
     * of them on such an answer. {@code fetch.max.bytes} bounds the whole answer as before.
     */
    private static final String MAX_PARTITION_FETCH_BYTES = Integer.toString(2 << 20);

    /** The system sizes the socket's buffer; Kafka's own 64 KiB would wake the fetcher sixteen times for a MiB. */
    private static final String RECEIVE_BUFFER_BYTES = "-1";

    private final SliceDeserializer.Target target;
    private final RecordDecoder decoder;

    /** The task thread gives back what it has emitted; there are never more than the reader's queue holds, and two. */
    private final Queue<FetchedBytes> free = new ConcurrentLinkedQueue<>();

    BatchSplitReader(
            Properties properties,
            SourceReaderContext context,
            BatchReaderMetrics metrics,
            @Nullable String rackId,
            RecordDecoder decoder) {
        this(properties, context, metrics, rackId, decoder, new SliceDeserializer.Target());
    }

    private BatchSplitReader(
            Properties properties,
            SourceReaderContext context,
            BatchReaderMetrics metrics,
            @Nullable String rackId,
            RecordDecoder decoder,
            SliceDeserializer.Target target) {
        super(consumerProperties(properties, target), context, metrics, rackId);
        this.target = target;
        this.decoder = decoder;
    }

    private static Properties consumerProperties(Properties properties, SliceDeserializer.Target target) {
        Properties consumer = new Properties();
        consumer.putAll(properties);
        consumer.putIfAbsent(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_POLL_RECORDS);
        consumer.putIfAbsent(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, MAX_PARTITION_FETCH_BYTES);
        consumer.putIfAbsent(ConsumerConfig.RECEIVE_BUFFER_CONFIG, RECEIVE_BUFFER_BYTES);
        SliceDeserializer.install(consumer, target);
        return consumer;
    }

    @Override
    public RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> fetch() throws IOException {
        FetchedBytes bytes = free.poll();
        target.bytes = bytes == null ? new FetchedBytes() : bytes;
        return new BatchRecords(super.fetch(), target.bytes, decoder, this::recycle);
    }

    private void recycle(FetchedBytes emitted) {
        emitted.clear();
        free.add(emitted);
    }
}
