package tech.streamfusion.runtime;

/** The host kernels of one operator: Flink-generated functions evaluated over columns, one call per batch. */
public interface HostKernels {

    /**
     * Called by the engine. Columns are described as in {@link NativeEngine#batchDescribe}; {@code selectedAddress} points
     * to {@code selectedCount} ascending int32 rows, or is 0 for all rows.
     *
     * @return an owned native column handle of the kernel's result type and {@code length} rows
     */
    long call(int kernel, long[] columns, int length, long selectedAddress, int selectedCount);
}
