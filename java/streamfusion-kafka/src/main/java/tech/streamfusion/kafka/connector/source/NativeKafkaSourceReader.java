package tech.streamfusion.kafka.connector.source;

import java.util.Properties;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.flink.connector.kafka.source.reader.KafkaSourceReader;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.connector.kafka.source.reader.fetcher.KafkaSourceFetcherManager;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tech.streamfusion.runtime.NativeBatch;

/** Flink's Kafka reader over {@link BatchSplitReader}; splits, offsets, commits and availability are the stock reader's. */
@SuppressWarnings("try") // close() may throw InterruptedException, as the interface has it
final class NativeKafkaSourceReader extends KafkaSourceReader<NativeBatch> {

    private final RecordDecoder decoder;

    private NativeKafkaSourceReader(
            FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>> queue,
            KafkaSourceFetcherManager fetchers,
            Properties properties,
            SourceReaderContext context,
            BatchReaderMetrics metrics,
            RecordDecoder decoder) {
        super(
                queue,
                fetchers,
                new BatchEmitter(context, metrics),
                configuration(properties),
                context,
                metrics);
        this.decoder = decoder;
    }

    static NativeKafkaSourceReader create(
            Properties properties,
            @Nullable String rackId,
            KafkaRecordDeserializationSchema<?> hostDeserializer,
            ScanPlan plan,
            SourceReaderContext context) {
        FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>> queue =
                new FutureCompletingBlockingQueue<>();
        BatchReaderMetrics metrics = new BatchReaderMetrics(context.metricGroup());
        RecordDecoder decoder =
                RecordDecoder.open(
                        plan, new HostRows(hostDeserializer, plan), context.getUserCodeClassLoader().asClassLoader());
        KafkaSourceFetcherManager fetchers =
                new KafkaSourceFetcherManager(
                        queue,
                        () -> new BatchSplitReader(properties, context, metrics, rackId, decoder),
                        finishedSplits -> {});
        return new NativeKafkaSourceReader(queue, fetchers, properties, context, metrics, decoder);
    }

    /** As KafkaSource.toConfiguration. */
    private static Configuration configuration(Properties properties) {
        Configuration configuration = new Configuration();
        properties.stringPropertyNames().forEach(key -> configuration.setString(key, properties.getProperty(key)));
        return configuration;
    }

    @Override
    public void close() throws Exception {
        try {
            super.close();
        } finally {
            decoder.close();
        }
    }
}
