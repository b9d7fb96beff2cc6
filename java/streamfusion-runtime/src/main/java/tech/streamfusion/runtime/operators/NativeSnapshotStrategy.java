package tech.streamfusion.runtime.operators;

import javax.annotation.Nonnull;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointStreamWithResultProvider;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.FullSnapshotAsyncWriter;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.SnapshotStrategy;
import org.apache.flink.table.data.RowData;

/**
 * Writes native state in the canonical format, for checkpoints as for savepoints. Of a checkpoint a copy stays on the task
 * manager's own disk when the job has local recovery, as that of a stock heap backend would.
 */
final class NativeSnapshotStrategy implements SnapshotStrategy<KeyedStateHandle, NativeSnapshotResources> {

    private final NativeSnapshotResources resources;
    private final LocalRecoveryConfig local;

    NativeSnapshotStrategy(NativeSnapshotResources resources, LocalRecoveryConfig local) {
        this.resources = resources;
        this.local = local;
    }

    /** They are taken before: nothing may be processed between the two halves of a snapshot. */
    @Override
    public NativeSnapshotResources syncPrepareResources(long checkpointId) {
        return resources;
    }

    @Override
    public SnapshotResultSupplier<KeyedStateHandle> asyncSnapshot(
            NativeSnapshotResources resources,
            long checkpointId,
            long timestamp,
            @Nonnull CheckpointStreamFactory factory,
            @Nonnull CheckpointOptions options) {
        boolean copy = local.isLocalBackupEnabled() && !options.getCheckpointType().isSavepoint();
        // The type makes the handle one of canonical contents, which every backend restores.
        return new FullSnapshotAsyncWriter<>(
                SavepointType.savepoint(SavepointFormatType.CANONICAL),
                () -> copy ? duplicating(checkpointId, factory) : simple(factory),
                resources);
    }

    private static CheckpointStreamWithResultProvider simple(CheckpointStreamFactory factory) throws Exception {
        return CheckpointStreamWithResultProvider.createSimpleStream(CheckpointedStateScope.EXCLUSIVE, factory);
    }

    private CheckpointStreamWithResultProvider duplicating(long checkpointId, CheckpointStreamFactory factory)
            throws Exception {
        return CheckpointStreamWithResultProvider.createDuplicatingStream(
                checkpointId,
                CheckpointedStateScope.EXCLUSIVE,
                factory,
                local.getLocalStateDirectoryProvider().orElseThrow(LocalRecoveryConfig.localRecoveryNotEnabled()));
    }
}
