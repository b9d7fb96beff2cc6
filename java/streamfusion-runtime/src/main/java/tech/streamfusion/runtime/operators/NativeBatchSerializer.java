package tech.streamfusion.runtime.operators;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import tech.streamfusion.runtime.NativeBatch;

/**
 * Serializer of the batch edges inside a task. Copies hand out the same object: batches are immutable and lent for the
 * duration of the call (see {@link NativeBatch}). Batches do not travel over the network; the planner puts rows there.
 */
public final class NativeBatchSerializer extends TypeSerializerSingleton<NativeBatch> {

    private static final long serialVersionUID = 1L;

    public static final NativeBatchSerializer INSTANCE = new NativeBatchSerializer();

    @Override
    public boolean isImmutableType() {
        return true;
    }

    /** There is no empty batch to hand out; callers only use the result as a place to reuse. */
    @Override
    public NativeBatch createInstance() {
        return null;
    }

    @Override
    public NativeBatch copy(NativeBatch from) {
        return from;
    }

    @Override
    public NativeBatch copy(NativeBatch from, NativeBatch reuse) {
        return from;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(NativeBatch batch, DataOutputView target) throws IOException {
        throw unsupported();
    }

    @Override
    public NativeBatch deserialize(DataInputView source) throws IOException {
        throw unsupported();
    }

    @Override
    public NativeBatch deserialize(NativeBatch reuse, DataInputView source) throws IOException {
        throw unsupported();
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        throw unsupported();
    }

    private static IOException unsupported() {
        return new IOException(
                "A native batch cannot leave its task: the edge between two native operators was not chained. Enable "
                        + "operator chaining (pipeline.operator-chaining.enabled) or disable StreamFusion for this job "
                        + "(streamfusion.native.enabled=false).");
    }

    @Override
    public TypeSerializerSnapshot<NativeBatch> snapshotConfiguration() {
        return new Snapshot();
    }

    /** No configuration. */
    @SuppressWarnings("WeakerAccess")
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<NativeBatch> {
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
