package tech.streamfusion.runtime.operators;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import tech.streamfusion.runtime.NativeBatch;

/** The test harness keeps emitted elements as copies; a kept batch is a retained one. */
final class RetainingSerializer extends TypeSerializerSingleton<NativeBatch> {

    private static final long serialVersionUID = 1L;

    @Override
    public NativeBatch copy(NativeBatch from) {
        return from.isRecord() ? from : from.retain();
    }

    @Override
    public NativeBatch copy(NativeBatch from, NativeBatch reuse) {
        return copy(from);
    }

    @Override
    public boolean isImmutableType() {
        return false;
    }

    @Override
    public NativeBatch createInstance() {
        return null;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(NativeBatch batch, DataOutputView target) throws IOException {
        throw new IOException("not in this test");
    }

    @Override
    public NativeBatch deserialize(DataInputView source) throws IOException {
        throw new IOException("not in this test");
    }

    @Override
    public NativeBatch deserialize(NativeBatch reuse, DataInputView source) throws IOException {
        throw new IOException("not in this test");
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        throw new IOException("not in this test");
    }

    @Override
    public TypeSerializerSnapshot<NativeBatch> snapshotConfiguration() {
        throw new UnsupportedOperationException("not in this test");
    }
}
