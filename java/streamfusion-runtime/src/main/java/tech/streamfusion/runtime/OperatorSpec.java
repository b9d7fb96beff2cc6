package tech.streamfusion.runtime;

import java.io.Serializable;
import org.apache.flink.table.types.logical.RowType;

/** What the planner decided about one native one-input operator; travels inside the job graph. */
public final class OperatorSpec implements Serializable {

    private static final long serialVersionUID = 1L;

    private final byte[] plan;
    private final HostKernelSpec[] hostKernels;
    private final RowType inputType;
    private final RowType outputType;
    private final boolean batchInput;
    private final boolean batchOutput;
    private final boolean memoryAccounting;

    /**
     * @param plan a serialized {@code streamfusion.plan.Operator}
     * @param hostKernels in the order of {@code HostCall.kernel}; empty when the plan has no host calls
     * @param batchInput the input's elements are {@link NativeBatch}es; otherwise rows, which the operator gathers itself
     * @param batchOutput the operator emits {@link NativeBatch}es; otherwise rows
     * @param memoryAccounting {@code streamfusion.memory.accounting.enabled}: native memory comes out of the managed memory
     *     that the operator declares
     */
    public OperatorSpec(
            byte[] plan,
            HostKernelSpec[] hostKernels,
            RowType inputType,
            RowType outputType,
            boolean batchInput,
            boolean batchOutput,
            boolean memoryAccounting) {
        this.plan = plan;
        this.hostKernels = hostKernels;
        this.inputType = inputType;
        this.outputType = outputType;
        this.batchInput = batchInput;
        this.batchOutput = batchOutput;
        this.memoryAccounting = memoryAccounting;
    }

    public byte[] plan() {
        return plan;
    }

    public HostKernelSpec[] hostKernels() {
        return hostKernels;
    }

    public RowType inputType() {
        return inputType;
    }

    public RowType outputType() {
        return outputType;
    }

    public boolean batchInput() {
        return batchInput;
    }

    public boolean batchOutput() {
        return batchOutput;
    }

    public boolean memoryAccounting() {
        return memoryAccounting;
    }
}
