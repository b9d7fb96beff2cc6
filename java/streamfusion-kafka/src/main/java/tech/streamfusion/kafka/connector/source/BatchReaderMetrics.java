package tech.streamfusion.kafka.connector.source;

import org.apache.flink.connector.kafka.source.metrics.KafkaSourceReaderMetrics;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.kafka.common.TopicPartition;

/** Stock metrics, except that an offset counts as current when its batch is emitted, not when it is decoded. */
final class BatchReaderMetrics extends KafkaSourceReaderMetrics {

    BatchReaderMetrics(SourceReaderMetricGroup group) {
        super(group);
    }

    /** Called for every record on its way into a batch. */
    @Override
    public void recordCurrentOffset(TopicPartition partition, long offset) {}

    void recordEmittedOffset(TopicPartition partition, long offset) {
        super.recordCurrentOffset(partition, offset);
    }
}
