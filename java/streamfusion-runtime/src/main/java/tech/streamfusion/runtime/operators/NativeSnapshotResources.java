package tech.streamfusion.runtime.operators;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.FullSnapshotResources;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyValueStateIterator;
import org.apache.flink.runtime.state.StreamCompressionDecorator;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.table.data.RowData;
import tech.streamfusion.runtime.NativeEngine;

/** A snapshot with the meta data, timers and foreign states of a heap backend, and the entries of native state. */
final class NativeSnapshotResources implements FullSnapshotResources<RowData> {

    private final FullSnapshotResources<RowData> heap;
    private final int[] stateIds;
    private final long snapshot;
    private final AtomicBoolean released = new AtomicBoolean();

    private NativeSnapshotResources(FullSnapshotResources<RowData> heap, int[] stateIds, long snapshot) {
        this.heap = heap;
        this.stateIds = stateIds;
        this.snapshot = snapshot;
    }

    /** @param heap taken over, also on failure */
    static NativeSnapshotResources take(long operator, FullSnapshotResources<RowData> heap, String[] stateNames) {
        try {
            int[] stateIds = new int[stateNames.length];
            for (int i = 0; i < stateNames.length; i++) {
                stateIds[i] = idOf(stateNames[i], heap.getMetaInfoSnapshots());
            }
            return new NativeSnapshotResources(heap, stateIds, NativeEngine.stateSnapshot(operator));
        } catch (RuntimeException e) {
            heap.release();
            throw e;
        }
    }

    private static int idOf(String name, List<StateMetaInfoSnapshot> states) {
        if (name.equals(KeyedStateSpec.NO_STATE)) {
            return -1;
        }
        for (int i = 0; i < states.size(); i++) {
            StateMetaInfoSnapshot state = states.get(i);
            if (state.getName().equals(name)
                    && state.getBackendStateType() == StateMetaInfoSnapshot.BackendStateType.KEY_VALUE) {
                return i;
            }
        }
        throw new IllegalStateException("The stock function has not registered the state " + name);
    }

    @Override
    public void release() {
        if (released.compareAndSet(false, true)) {
            NativeEngine.snapshotRelease(snapshot);
            heap.release();
        }
    }

    @Override
    public List<StateMetaInfoSnapshot> getMetaInfoSnapshots() {
        return heap.getMetaInfoSnapshots();
    }

    @Override
    public KeyValueStateIterator createKVStateIterator() throws IOException {
        return new NativeStateIterator(snapshot, stateIds, heap.createKVStateIterator());
    }

    @Override
    public KeyGroupRange getKeyGroupRange() {
        return heap.getKeyGroupRange();
    }

    @Override
    public TypeSerializer<RowData> getKeySerializer() {
        return heap.getKeySerializer();
    }

    @Override
    public StreamCompressionDecorator getStreamCompressionDecorator() {
        return heap.getStreamCompressionDecorator();
    }
}
