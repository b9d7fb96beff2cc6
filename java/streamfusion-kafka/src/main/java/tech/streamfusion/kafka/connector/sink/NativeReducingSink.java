package tech.streamfusion.kafka.connector.sink;

import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import tech.streamfusion.runtime.NativeBatch;

/**
 * Flink's ReducingUpsertSink around the native sink. Like it, and unlike the sink inside, it has no post-commit topology, which
 * would be another shape of the graph.
 */
final class NativeReducingSink
        implements Sink<NativeBatch>,
                SupportsWriterState<NativeBatch, KafkaWriterState>,
                SupportsCommitter<KafkaCommittable> {

    private static final long serialVersionUID = 1L;

    private final NativeKafkaSink sink;
    private final SinkPlan plan;
    private final FlushPlan flush;

    NativeReducingSink(NativeKafkaSink sink, SinkPlan plan, FlushPlan flush) {
        this.sink = sink;
        this.plan = plan;
        this.flush = flush;
    }

    @Override
    public ReducingWriter createWriter(WriterInitContext context) throws IOException {
        return restoreWriter(context, Collections.emptyList());
    }

    @Override
    public ReducingWriter restoreWriter(WriterInitContext context, Collection<KafkaWriterState> recoveredState)
            throws IOException {
        NativeKafkaWriter writer = sink.restoreWriter(context, recoveredState);
        try {
            return new ReducingWriter(writer, plan, flush, context);
        } catch (RuntimeException | Error e) {
            try {
                writer.close();
            } catch (Exception onClose) {
                e.addSuppressed(onClose);
            }
            throw e;
        }
    }

    @Override
    public SimpleVersionedSerializer<KafkaWriterState> getWriterStateSerializer() {
        return sink.getWriterStateSerializer();
    }

    @Override
    public Committer<KafkaCommittable> createCommitter(CommitterInitContext context) {
        return sink.createCommitter(context);
    }

    @Override
    public SimpleVersionedSerializer<KafkaCommittable> getCommittableSerializer() {
        return sink.getCommittableSerializer();
    }
}
