package tech.streamfusion.runtime.operators;

import java.util.concurrent.RunnableFuture;
import javax.annotation.Nullable;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.SavepointResources;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.SnapshotStrategyRunner;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.table.data.RowData;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.runtime.OperatorSpec;

/**
 * Runs an operator of the engine that has keyed state, in place of a stock {@code KeyedProcessOperator} or
 * {@code KeyedMapBundleOperator}. Flink's backend knows the states, because the stock function has registered them, and reads
 * what a job is restored from.
 *
 * <p>With the hashmap backend entries are in native memory. Snapshots combine the backend's meta data with the native
 * entries, in the canonical format that every backend of Flink reads.
 *
 * <p>With RocksDB entries stay where Flink has them; the engine reads and writes the same column families and keeps a part in
 * native memory. Snapshots are Flink's own. The engine's operator is closed before the backend is disposed of, on the same
 * thread, and is in nobody else's hands: it cannot touch a database that is gone.
 */
public class NativeKeyedOperator extends NativeOneInputOperator implements Triggerable<RowData, VoidNamespace> {

    private static final long serialVersionUID = 1L;

    /** By name, since Flink may run without the backend's classes. */
    private static final String ROCKSDB = "org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend";

    private final KeyedStateSpec state;
    /** Null with RocksDB. */
    @Nullable private transient HeapKeyedStateBackend<RowData> heap;

    NativeKeyedOperator(StreamOperatorParameters<Object> parameters, OperatorSpec spec, KeyedStateSpec state) {
        super(parameters, spec, null);
        this.state = state;
    }

    /** Keys are the engine's business: there is none per batch. */
    @Override
    public boolean hasKeyContext() {
        return false;
    }

    @Override
    public boolean hasKeyContext1() {
        return false;
    }

    @Override
    public boolean hasKeyContext2() {
        return false;
    }

    @Override
    boolean hasKeyedState() {
        return true;
    }

    @Override
    public void open() throws Exception {
        super.open();
        AbstractKeyedStateBackend<RowData> backend = supportedBackend();
        state.register(this, getRuntimeContext());
        KeyGroupRange groups = backend.getKeyGroupRange();
        NativeEngine.operatorOpenState(
                operator(), groups.getStartKeyGroup(), groups.getNumberOfKeyGroups(), backend.getNumberOfKeyGroups());
        if (backend instanceof HeapKeyedStateBackend) {
            heap = (HeapKeyedStateBackend<RowData>) backend;
            new HeapStateMover(heap, state.stateNames()).moveTo(operator());
        } else {
            RocksDbState.open(operator(), pool(), backend, state.stateNames(), managedMemoryShare());
        }
    }

    /** The planner has asked the job's configuration; a task manager may have another default. */
    private AbstractKeyedStateBackend<RowData> supportedBackend() {
        KeyedStateBackend<RowData> keyed = getKeyedStateBackend();
        if (keyed instanceof HeapKeyedStateBackend || keyed.getClass().getName().equals(ROCKSDB)) {
            return (AbstractKeyedStateBackend<RowData>) keyed;
        }
        throw new IllegalStateException(
                "Native keyed state needs the hashmap or rocksdb state backend, but this task manager has set up "
                        + keyed.getClass().getName()
                        + ": set state.backend.type in the job's configuration too, so that the planner sees it, or"
                        + " streamfusion.operator.group-aggregate.enabled to false");
    }

    @Override
    public void close() throws Exception {
        try {
            state.close();
        } finally {
            super.close();
        }
    }

    // ---- snapshots ----

    /** Called before the backend's own snapshot, and nothing is processed between the two. */
    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        if (heap == null) {
            NativeEngine.stateFlush(operator());
        }
    }

    @Override
    public OperatorSnapshotFutures snapshotState(
            long checkpointId, long timestamp, CheckpointOptions options, CheckpointStreamFactory factory)
            throws Exception {
        OperatorSnapshotFutures futures = super.snapshotState(checkpointId, timestamp, options, factory);
        if (heap == null) {
            return futures;
        }
        try {
            futures.getKeyedStateManagedFuture().cancel(true); // that of the empty heap
            futures.setKeyedStateManagedFuture(snapshot(checkpointId, timestamp, options, factory));
        } catch (Exception failure) {
            try {
                futures.cancel();
            } catch (Exception e) {
                failure.addSuppressed(e);
            }
            throw failure;
        }
        return futures;
    }

    private RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(
            long checkpointId, long timestamp, CheckpointOptions options, CheckpointStreamFactory factory)
            throws Exception {
        LocalRecoveryConfig local =
                getContainingTask().getEnvironment().getTaskStateManager().createLocalRecoveryConfig();
        SavepointResources<RowData> stock = ((CheckpointableKeyedStateBackend<RowData>) heap).savepoint();
        NativeSnapshotResources resources =
                NativeSnapshotResources.take(operator(), stock.getSnapshotResources(), state.stateNames());
        CloseableRegistry cancelables = getContainingTask().getCancelables();
        return new SnapshotStrategyRunner<>(
                        "Asynchronous native snapshot",
                        new NativeSnapshotStrategy(resources, local),
                        cancelables,
                        stock.getPreferredSnapshotExecutionType())
                .snapshot(checkpointId, timestamp, factory, options);
    }

    // ---- timers: the stock operator has the service, and sets none ----

    @Override
    public void onEventTime(InternalTimer<RowData, VoidNamespace> timer) {
        throw new IllegalStateException("An aggregate has no timers, but restored " + timer);
    }

    @Override
    public void onProcessingTime(InternalTimer<RowData, VoidNamespace> timer) {
        throw new IllegalStateException("An aggregate has no timers, but restored " + timer);
    }
}
