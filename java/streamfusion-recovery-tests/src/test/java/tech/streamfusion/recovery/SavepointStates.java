package tech.streamfusion.recovery;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.state.api.OperatorIdentifier;
import org.apache.flink.state.api.SavepointReader;
import org.apache.flink.state.api.functions.KeyedStateReaderFunction;
import org.apache.flink.state.api.runtime.SavepointLoader;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;

/** The keyed states of a canonical savepoint, as Flink's State Processor API reads them. */
final class SavepointStates {

    private static final int LIMIT = 100_000;

    private SavepointStates() {}

    /** The keyed states of an operator, by its ID, as the operator has registered them. */
    static Map<String, List<State>> registered(String savepoint) throws IOException {
        final Map<String, List<State>> out = new TreeMap<>();
        final CheckpointMetadata metadata = SavepointLoader.loadSavepointMetadata(savepoint);
        for (OperatorState operator : metadata.getOperatorStates()) {
            for (OperatorSubtaskState subtask : operator.getStates()) {
                for (KeyedStateHandle handle : subtask.getManagedKeyedState()) {
                    out.put(operator.getOperatorID().toHexString(), states((KeyGroupsStateHandle) handle));
                }
            }
        }
        return out;
    }

    private static List<State> states(KeyGroupsStateHandle handle) throws IOException {
        final KeyedBackendSerializationProxy<RowData> proxy =
                new KeyedBackendSerializationProxy<>(Checkpoints.class.getClassLoader());
        try (FSDataInputStream in = handle.openInputStream()) {
            proxy.read(new DataInputViewStreamWrapper(in));
        }
        final List<State> out = new ArrayList<>();
        for (StateMetaInfoSnapshot snapshot : proxy.getStateMetaInfoSnapshots()) {
            if (snapshot.getBackendStateType() == StateMetaInfoSnapshot.BackendStateType.KEY_VALUE) {
                out.add(new State(snapshot));
            }
        }
        return out;
    }

    /** Keys and values of an operator's states, in the bytes of their serializers, one line an entry. */
    static TreeSet<String> read(String savepoint, String operator, TypeInformation<RowData> keys, List<State> states)
            throws Exception {
        final StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setParallelism(1);
        return new TreeSet<>(
                SavepointReader.read(environment, savepoint, new HashMapStateBackend())
                        .readKeyedState(OperatorIdentifier.forUidHash(operator), new Reader(states), keys, Types.STRING)
                        .executeAndCollect(LIMIT));
    }

    /** A value or map state. */
    static final class State implements Serializable {

        private static final long serialVersionUID = 1L;

        private final String name;
        private final String type;
        private final TypeSerializer<Object> value;

        @SuppressWarnings("unchecked")
        private State(StateMetaInfoSnapshot snapshot) {
            name = snapshot.getName();
            type = snapshot.getOption(StateMetaInfoSnapshot.CommonOptionsKeys.KEYED_STATE_TYPE);
            value =
                    (TypeSerializer<Object>)
                            snapshot.getTypeSerializerSnapshot(StateMetaInfoSnapshot.CommonSerializerKeys.VALUE_SERIALIZER)
                                    .restoreSerializer();
        }

        @Override
        public String toString() {
            return name + ' ' + type + ' ' + value.getClass().getSimpleName();
        }

        @SuppressWarnings({"unchecked", "rawtypes"}) // the savepoint says what the types are
        private MapSerializer<Object, Object> map() {
            return (MapSerializer) value;
        }
    }

    private static final class Reader extends KeyedStateReaderFunction<RowData, String> {

        private static final long serialVersionUID = 1L;

        private final State[] states;
        private transient List<ValueState<Object>> values;
        private transient List<MapState<Object, Object>> maps;

        Reader(List<State> states) {
            this.states = states.toArray(new State[0]);
        }

        @Override
        public void open(OpenContext context) {
            values = new ArrayList<>();
            maps = new ArrayList<>();
            for (State state : states) {
                if (state.type.equals("VALUE")) {
                    values.add(getRuntimeContext().getState(new ValueStateDescriptor<>(state.name, state.value)));
                    maps.add(null);
                } else {
                    values.add(null);
                    maps.add(
                            getRuntimeContext()
                                    .getMapState(
                                            new MapStateDescriptor<>(
                                                    state.name,
                                                    state.map().getKeySerializer(),
                                                    state.map().getValueSerializer())));
                }
            }
        }

        @Override
        public void readKey(RowData key, Context context, Collector<String> out) throws Exception {
            for (int i = 0; i < states.length; i++) {
                final State state = states[i];
                final String prefix = state.name + " of " + (key.getArity() == 0 ? "" : key.getString(0)) + ": ";
                if (values.get(i) != null) {
                    final Object value = values.get(i).value();
                    if (value != null) {
                        out.collect(prefix + bytes(state.value, value));
                    }
                } else {
                    for (Map.Entry<Object, Object> entry : maps.get(i).entries()) {
                        out.collect(
                                prefix
                                        + bytes(state.map().getKeySerializer(), entry.getKey())
                                        + " -> "
                                        + bytes(state.map().getValueSerializer(), entry.getValue()));
                    }
                }
            }
        }

        private static String bytes(TypeSerializer<Object> serializer, Object value) throws IOException {
            final DataOutputSerializer out = new DataOutputSerializer(64);
            serializer.serialize(value, out);
            return Base64.getEncoder().encodeToString(out.getCopyOfBuffer());
        }
    }
}
