package tech.streamfusion.runtime.operators;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.flink.runtime.state.KeyValueStateIterator;
import tech.streamfusion.runtime.NativeEngine;

/** The entries of a native snapshot and of a heap snapshot, key group by key group, the native ones first in each. */
final class NativeStateIterator implements KeyValueStateIterator {

    private final long snapshot;
    private final int[] stateIds;
    private final KeyValueStateIterator heap;

    private ByteBuffer chunk = ByteBuffer.allocate(0);
    private boolean nativeLeft = true;
    private int nativeGroup;
    private int nativeState;
    private byte[] nativeKey;
    private byte[] nativeValue;

    private boolean onNative;
    private boolean newGroup;
    private boolean newState;

    /**
     * @param snapshot borrowed handle
     * @param stateIds of the engine's states, among those of the heap
     * @param heap closed with this
     */
    NativeStateIterator(long snapshot, int[] stateIds, KeyValueStateIterator heap) {
        this.snapshot = snapshot;
        this.stateIds = stateIds;
        this.heap = heap;
        advanceNative();
        choose();
        newGroup = true;
        newState = true;
    }

    private void advanceNative() {
        if (!chunk.hasRemaining()) {
            byte[] bytes = NativeEngine.snapshotRead(snapshot);
            if (bytes == null) {
                nativeLeft = false;
                return;
            }
            chunk = ByteBuffer.wrap(bytes);
        }
        nativeGroup = chunk.getShort() & 0xffff;
        nativeState = stateIds[chunk.getShort()];
        nativeKey = new byte[chunk.getInt()];
        chunk.get(nativeKey);
        nativeValue = new byte[chunk.getInt()];
        chunk.get(nativeValue);
    }

    private void choose() {
        onNative = nativeLeft && (!heap.isValid() || nativeGroup <= heap.keyGroup());
    }

    @Override
    public void next() throws IOException {
        int group = keyGroup();
        int state = kvStateId();
        if (onNative) {
            advanceNative();
        } else {
            heap.next();
        }
        choose();
        if (isValid()) {
            newGroup = keyGroup() != group;
            newState = newGroup || kvStateId() != state;
        }
    }

    @Override
    public int keyGroup() {
        return onNative ? nativeGroup : heap.keyGroup();
    }

    @Override
    public byte[] key() {
        return onNative ? nativeKey : heap.key();
    }

    @Override
    public byte[] value() {
        return onNative ? nativeValue : heap.value();
    }

    @Override
    public int kvStateId() {
        return onNative ? nativeState : heap.kvStateId();
    }

    @Override
    public boolean isNewKeyValueState() {
        return newState;
    }

    @Override
    public boolean isNewKeyGroup() {
        return newGroup;
    }

    @Override
    public boolean isValid() {
        return onNative || heap.isValid();
    }

    @Override
    public void close() {
        heap.close();
    }
}
