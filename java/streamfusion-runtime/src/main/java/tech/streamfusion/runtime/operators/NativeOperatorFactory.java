package tech.streamfusion.runtime.operators;

import java.util.Objects;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.table.data.RowData;
import tech.streamfusion.runtime.OperatorSpec;

/**
 * Makes a native operator of one input. The element types are {@code RowData} or {@code NativeBatch} as the spec's edges
 * say; the transformation's type information must agree ({@code InternalTypeInfo} or {@code NativeBatchTypeInfo}).
 */
public final class NativeOperatorFactory extends AbstractStreamOperatorFactory<Object>
        implements OneInputStreamOperatorFactory<Object, Object> {

    private static final long serialVersionUID = 1L;

    private final OperatorSpec spec;
    private final WatermarkAssignerSpec watermarks;
    private final KeyedStateSpec keyedState;
    private final MiniBatchSpec miniBatches;
    @Nullable private StreamOperatorFactory<RowData> stock;

    private NativeOperatorFactory(
            OperatorSpec spec, WatermarkAssignerSpec watermarks, KeyedStateSpec keyedState, MiniBatchSpec miniBatches) {
        this.spec = Objects.requireNonNull(spec, "spec");
        this.watermarks = watermarks;
        this.keyedState = keyedState;
        this.miniBatches = miniBatches;
    }

    /** Calc, DropUpdateBefore, ConstraintEnforcer and pass-through: what the plan in the spec says. */
    public static NativeOperatorFactory of(OperatorSpec spec) {
        return new NativeOperatorFactory(spec, null, null, null);
    }

    /** An operator of the engine that has keyed state, in place of one of Flink that has. */
    public static NativeOperatorFactory keyed(OperatorSpec spec, KeyedStateSpec state) {
        return new NativeOperatorFactory(spec, null, Objects.requireNonNull(state, "state"), null);
    }

    /**
     * Flink's {@code WatermarkAssignerOperator}; the spec's plan is a {@code WatermarkAssigner}.
     *
     * @param rowtimeField column that must not be NULL
     * @param idleTimeoutMillis {@code table.exec.source.idle-timeout}; 0 or less: never idle
     */
    public static NativeOperatorFactory watermarkAssigner(
            OperatorSpec spec, int rowtimeField, long idleTimeoutMillis) {
        return new NativeOperatorFactory(spec, new WatermarkAssignerSpec(rowtimeField, idleTimeoutMillis), null, null);
    }

    /**
     * Flink's mini-batch assigners; the spec's plan is a {@code MiniBatchAssigner}.
     *
     * @param rowTime by the input's watermarks, otherwise by the clock
     */
    public static NativeOperatorFactory miniBatchAssigner(OperatorSpec spec, long intervalMillis, boolean rowTime) {
        return new NativeOperatorFactory(spec, null, null, new MiniBatchSpec(intervalMillis, rowTime));
    }

    /**
     * @param newStock makes the stock operator that this one stands for, to take the rows of a batch that fails: what is
     *     emitted and thrown is Flink's then
     */
    public NativeOperatorFactory replayedBy(StreamOperatorFactory<RowData> newStock) {
        stock = newStock;
        return this;
    }

    public OperatorSpec spec() {
        return spec;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T extends StreamOperator<Object>> T createStreamOperator(StreamOperatorParameters<Object> parameters) {
        return (T) create(parameters);
    }

    private NativeOneInputOperator create(StreamOperatorParameters<Object> parameters) {
        if (keyedState != null) {
            return new NativeKeyedOperator(parameters, spec, keyedState);
        }
        if (miniBatches != null) {
            return new NativeMiniBatchAssignerOperator(parameters, spec, miniBatches);
        }
        return watermarks == null
                ? new NativeOneInputOperator(parameters, spec, stock)
                : new NativeWatermarkAssignerOperator(parameters, spec, stock, watermarks);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
        if (keyedState != null) {
            return NativeKeyedOperator.class;
        }
        if (miniBatches != null) {
            return NativeMiniBatchAssignerOperator.class;
        }
        return watermarks == null ? NativeOneInputOperator.class : NativeWatermarkAssignerOperator.class;
    }
}
