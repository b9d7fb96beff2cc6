package tech.streamfusion.planner.nodes;

import org.apache.flink.table.types.logical.RowType;
import tech.streamfusion.plan.Operator;
import tech.streamfusion.runtime.HostKernelSpec;
import tech.streamfusion.runtime.OperatorSpec;
import tech.streamfusion.runtime.operators.KeyedStateSpec;
import tech.streamfusion.runtime.operators.NativeOperatorFactory;

/** What surrounds a native operator: the one place that makes the runtime's factories. */
final class OperatorEdges {

    private final HostKernelSpec[] kernels;
    private final RowType inputType;
    private final RowType outputType;
    private final boolean batchInput;
    private final boolean batchOutput;
    private final boolean memoryAccounting;

    OperatorEdges(
            HostKernelSpec[] kernels,
            RowType inputType,
            RowType outputType,
            boolean batchInput,
            boolean batchOutput,
            boolean memoryAccounting) {
        this.kernels = kernels;
        this.inputType = inputType;
        this.outputType = outputType;
        this.batchInput = batchInput;
        this.batchOutput = batchOutput;
        this.memoryAccounting = memoryAccounting;
    }

    NativeOperatorFactory operator(Operator plan) {
        return NativeOperatorFactory.of(spec(plan));
    }

    NativeOperatorFactory keyed(Operator plan, KeyedStateSpec state) {
        return NativeOperatorFactory.keyed(spec(plan), state);
    }

    NativeOperatorFactory miniBatchAssigner(Operator plan, long intervalMillis, boolean rowTime) {
        return NativeOperatorFactory.miniBatchAssigner(spec(plan), intervalMillis, rowTime);
    }

    /** @param idleTimeoutMillis 0 or less: never idle */
    NativeOperatorFactory watermarkAssigner(Operator plan, int rowtimeField, long idleTimeoutMillis) {
        return NativeOperatorFactory.watermarkAssigner(spec(plan), rowtimeField, idleTimeoutMillis);
    }

    private OperatorSpec spec(Operator plan) {
        return new OperatorSpec(
                plan.toByteArray(), kernels, inputType, outputType, batchInput, batchOutput, memoryAccounting);
    }
}
