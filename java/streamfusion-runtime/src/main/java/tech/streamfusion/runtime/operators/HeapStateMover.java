package tech.streamfusion.runtime.operators;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.runtime.state.FullSnapshotResources;
import org.apache.flink.runtime.state.KeyValueStateIterator;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.table.data.RowData;
import tech.streamfusion.runtime.NativeEngine;

/** Moves what a heap backend has restored into native memory, through the bytes of Flink's own canonical snapshot. */
final class HeapStateMover {

    private static final int CHUNK = 256 << 10;

    private final HeapKeyedStateBackend<RowData> backend;
    private final List<String> stateNames;

    /** @param stateNames the engine's states; others stay in the heap */
    HeapStateMover(HeapKeyedStateBackend<RowData> backend, String[] stateNames) {
        this.backend = backend;
        this.stateNames = Arrays.asList(stateNames);
    }

    /** @param operator a native operator with open, empty state */
    void moveTo(long operator) throws Exception {
        if (backend.numKeyValueStateEntries() == 0) {
            return;
        }
        FullSnapshotResources<RowData> resources = backend.savepoint().getSnapshotResources();
        List<StateMetaInfoSnapshot> states = resources.getMetaInfoSnapshots();
        try (KeyValueStateIterator entries = resources.createKVStateIterator()) {
            copy(entries, states, operator);
        } finally {
            resources.release();
        }
        for (StateMetaInfoSnapshot state : states) {
            if (stateNames.contains(state.getName())) {
                clear(state);
            }
        }
    }

    private void copy(KeyValueStateIterator entries, List<StateMetaInfoSnapshot> states, long operator)
            throws Exception {
        List<Chunk> chunks = new ArrayList<>();
        for (StateMetaInfoSnapshot state : states) {
            int index = stateNames.indexOf(state.getName());
            chunks.add(index < 0 ? null : new Chunk(operator, index));
        }
        for (; entries.isValid(); entries.next()) {
            Chunk chunk = chunks.get(entries.kvStateId());
            if (chunk != null) {
                chunk.add(entries.key(), entries.value());
            }
        }
        for (Chunk chunk : chunks) {
            if (chunk != null) {
                chunk.flush();
            }
        }
    }

    /** Entries of one state on their way. */
    private static final class Chunk {

        private final long operator;
        private final int state;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final DataOutputStream out = new DataOutputStream(bytes);

        Chunk(long operator, int state) {
            this.operator = operator;
            this.state = state;
        }

        void add(byte[] key, byte[] value) throws Exception {
            out.writeInt(key.length);
            out.write(key);
            out.writeInt(value.length);
            out.write(value);
            if (bytes.size() >= CHUNK) {
                flush();
            }
        }

        void flush() {
            if (bytes.size() > 0) {
                NativeEngine.stateRestore(operator, state, bytes.toByteArray(), bytes.size());
                bytes.reset();
            }
        }
    }

    /** The state has been registered: the backend looks at nothing but the name. */
    private void clear(StateMetaInfoSnapshot state) throws Exception {
        String type = state.getOption(StateMetaInfoSnapshot.CommonOptionsKeys.KEYED_STATE_TYPE);
        if (StateDescriptor.Type.MAP.name().equals(type)) {
            clear(new MapStateDescriptor<>(state.getName(), IntSerializer.INSTANCE, IntSerializer.INSTANCE));
        } else {
            clear(new ValueStateDescriptor<>(state.getName(), IntSerializer.INSTANCE));
        }
    }

    private <S extends State> void clear(StateDescriptor<S, ?> descriptor) throws Exception {
        backend.applyToAllKeys(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                descriptor,
                (RowData key, S entry) -> entry.clear());
    }
}
