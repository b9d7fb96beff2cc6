package tech.streamfusion.kafka.connector.source;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.kafka.source.reader.KafkaPartitionSplitReader;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Flink's split reader with a consumer that materialises no record; what a poll returned is decoded at once, in the fetcher
 * thread, one batch per split.
 */
@SuppressWarnings("try") // close() may throw InterruptedException, as the interface has it
final class BatchSplitReader extends KafkaPartitionSplitReader {

    /**
     * Records of one poll where the user sets no limit. A poll returns what has arrived and waits for no more, so this
     * bounds the batch and delays nothing.
     */
    private static final String MAX_POLL_RECORDS = "8192";

    /** A batch ends here, so that a poll over big records does not need all of their bytes at once. */
    private static final long MAX_BATCH_BYTES = 32L << 20;

    private final Slices keys;
    private final Slices values;
    private final RecordDecoder decoder;
    private final Outstanding outstanding;

    BatchSplitReader(
            Properties properties,
            SourceReaderContext context,
            BatchReaderMetrics metrics,
            @Nullable String rackId,
            RecordDecoder decoder,
            Outstanding outstanding) {
        this(properties, context, metrics, rackId, decoder, outstanding, new Slices(), new Slices());
    }

    private BatchSplitReader(
            Properties properties,
            SourceReaderContext context,
            BatchReaderMetrics metrics,
            @Nullable String rackId,
            RecordDecoder decoder,
            Outstanding outstanding,
            Slices keys,
            Slices values) {
        super(consumerProperties(properties, keys, values), context, metrics, rackId);
        this.keys = keys;
        this.values = values;
        this.decoder = decoder;
        this.outstanding = outstanding;
    }

    private static Properties consumerProperties(Properties properties, Slices keys, Slices values) {
        Properties consumer = new Properties();
        consumer.putAll(properties);
        consumer.putIfAbsent(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_POLL_RECORDS);
        SliceDeserializer.install(consumer, keys, values);
        return consumer;
    }

    @Override
    public RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> fetch() throws IOException {
        try {
            return decode(super.fetch());
        } finally {
            keys.clear();
            values.clear();
        }
    }

    private BatchRecords decode(RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> fetched) {
        BatchRecords decoded = new BatchRecords(fetched.finishedSplits());
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        String split;
        while ((split = fetched.nextSplit()) != null) {
            long bytes = 0;
            ConsumerRecord<byte[], byte[]> record;
            while ((record = fetched.nextRecordFromSplit()) != null) {
                long size = Math.max(0, record.serializedValueSize()) + (long) Math.max(0, record.serializedKeySize());
                if (bytes + size > MAX_BATCH_BYTES && !records.isEmpty()) {
                    decode(split, records, decoded);
                    bytes = 0;
                }
                records.add(record);
                bytes += size;
            }
            if (!records.isEmpty()) {
                decode(split, records, decoded);
            }
        }
        return decoded;
    }

    private void decode(String split, List<ConsumerRecord<byte[], byte[]>> records, BatchRecords decoded) {
        for (BatchRecord run : decoder.decode(records, keys, values)) {
            outstanding.add(run);
            decoded.add(split, run);
        }
        records.clear();
    }
}
