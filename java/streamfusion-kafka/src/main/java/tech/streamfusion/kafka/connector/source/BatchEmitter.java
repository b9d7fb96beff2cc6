package tech.streamfusion.kafka.connector.source;

import java.io.IOException;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.connector.base.source.reader.RecordEmitter;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplitState;
import org.apache.flink.metrics.Counter;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tech.streamfusion.runtime.NativeBatch;

/** Emits batches in the task thread and advances the split. Source: KafkaRecordEmitter. */
final class BatchEmitter implements RecordEmitter<ConsumerRecord<byte[], byte[]>, NativeBatch, KafkaPartitionSplitState> {

    private final BatchReaderMetrics metrics;
    private final Counter recordsIn;
    private final Counter recordsOut;

    BatchEmitter(SourceReaderContext context, BatchReaderMetrics metrics) {
        this.metrics = metrics;
        this.recordsIn = context.metricGroup().getIOMetricGroup().getNumRecordsInCounter();
        this.recordsOut = context.metricGroup().getIOMetricGroup().getNumRecordsOutCounter();
    }

    @Override
    public void emitRecord(
            ConsumerRecord<byte[], byte[]> element, SourceOutput<NativeBatch> output, KafkaPartitionSplitState split)
            throws Exception {
        BatchRecord run = (BatchRecord) element;
        try {
            // the reader has counted one
            recordsIn.inc(run.records() - 1L);
            if (run.failure() != null) {
                throw run.failure();
            }
            emit(run, output);
            split.setCurrentOffset(run.offset() + 1);
            metrics.recordEmittedOffset(split.getTopicPartition(), run.offset());
        } catch (Exception e) {
            throw new IOException("Failed to deserialize consumer record due to", e);
        }
    }

    private void emit(BatchRecord run, SourceOutput<NativeBatch> output) {
        NativeBatch batch = run.batch();
        if (batch == null) {
            return;
        }
        try {
            // the output counts one
            recordsOut.inc(batch.rowCount() - 1L);
            output.collect(batch, run.batchTimestamp());
        } finally {
            batch.release();
        }
    }
}
