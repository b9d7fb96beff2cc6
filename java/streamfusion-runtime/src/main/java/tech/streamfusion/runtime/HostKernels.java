package tech.streamfusion.runtime;

/** The host kernels of one operator: Flink-generated functions evaluated over columns, one call per batch. */
public interface HostKernels {

    /**
     * Called by the engine. Columns are described as in {@link NativeEngine#batchDescribe}; {@code selectedAddress} points
     * to {@code selectedCount} ascending int32 rows, or is 0 for all rows.
     *
     * @param resultType the borrowed {@code sf_type} of the result
     * @return an owned native column handle of the result type and {@code length} rows
     * @throws Exception from the kernel's code; comes out of the call into the engine unchanged
     */
    long call(int kernel, long[] columns, long resultType, int length, long selectedAddress, int selectedCount)
            throws Exception;
}
