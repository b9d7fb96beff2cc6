package tech.streamfusion.runtime.operators;

import java.util.concurrent.RunnableFuture;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.FullSnapshotResources;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SavepointResources;
import org.apache.flink.runtime.state.SavepointSnapshotStrategy;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.SnapshotStrategyRunner;
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
 * {@code KeyedMapBundleOperator}, on the hashmap
 * backend. Flink's backend knows the states, because the stock function has registered them, and reads what a job is restored
 * from; their entries are in native memory. Snapshots combine the backend's meta data with the native entries, in the
 * canonical format that every backend of Flink reads.
 */
public class NativeKeyedOperator extends NativeOneInputOperator implements Triggerable<RowData, VoidNamespace> {

    private static final long serialVersionUID = 1L;

    private final KeyedStateSpec state;
    private transient HeapKeyedStateBackend<RowData> backend;

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
    public void open() throws Exception {
        super.open();
        backend = heapBackend();
        state.register(this, getRuntimeContext());
        KeyGroupRange groups = backend.getKeyGroupRange();
        NativeEngine.operatorOpenState(
                operator(), groups.getStartKeyGroup(), groups.getNumberOfKeyGroups(), backend.getNumberOfKeyGroups());
        new HeapStateMover(backend, state.stateNames()).moveTo(operator());
    }

    /** The planner has asked the job's configuration; a task manager may have another default. */
    private HeapKeyedStateBackend<RowData> heapBackend() {
        KeyedStateBackend<RowData> keyed = getKeyedStateBackend();
        if (keyed instanceof HeapKeyedStateBackend) {
            return (HeapKeyedStateBackend<RowData>) keyed;
        }
        throw new IllegalStateException(
                "Native keyed state needs the hashmap state backend, but this task manager has set up "
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

    @Override
    public OperatorSnapshotFutures snapshotState(
            long checkpointId, long timestamp, CheckpointOptions options, CheckpointStreamFactory factory)
            throws Exception {
        OperatorSnapshotFutures futures = super.snapshotState(checkpointId, timestamp, options, factory);
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
        CheckpointableKeyedStateBackend<RowData> heap = backend;
        SavepointResources<RowData> stock = heap.savepoint();
        FullSnapshotResources<RowData> resources =
                NativeSnapshotResources.take(operator(), stock.getSnapshotResources(), state.stateNames());
        CloseableRegistry cancelables = getContainingTask().getCancelables();
        return new SnapshotStrategyRunner<>(
                        "Asynchronous native snapshot",
                        new SavepointSnapshotStrategy<>(resources),
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
