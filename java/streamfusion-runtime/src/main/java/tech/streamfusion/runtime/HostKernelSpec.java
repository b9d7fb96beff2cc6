package tech.streamfusion.runtime;

import java.io.Serializable;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedFunction;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/**
 * One host kernel as planned: a sub-expression that Flink's code generator turned into source text and references. Task
 * managers compile it with Flink's own compiler and need no planner classes.
 *
 * <p>The function gets one row per evaluated row, holding the arguments of the {@code HostCall} in order ({@link
 * #argumentType()}; possibly no field), and collects exactly one row with one field of {@link #resultType()}. That row
 * object is reused. It is a rich function: set the runtime context and open it before use, close it afterwards. Its
 * {@code Context} serves {@code timerService().currentProcessingTime()}; nothing else of it is used.
 */
public final class HostKernelSpec implements Serializable {

    private static final long serialVersionUID = 1L;

    private final GeneratedFunction<ProcessFunction<RowData, RowData>> function;
    private final RowType argumentType;
    private final LogicalType resultType;

    public HostKernelSpec(
            GeneratedFunction<ProcessFunction<RowData, RowData>> function, RowType argumentType, LogicalType resultType) {
        this.function = function;
        this.argumentType = argumentType;
        this.resultType = resultType;
    }

    public GeneratedFunction<ProcessFunction<RowData, RowData>> function() {
        return function;
    }

    public RowType argumentType() {
        return argumentType;
    }

    public LogicalType resultType() {
        return resultType;
    }
}
