package tech.streamfusion.runtime.operators;

import java.io.Serializable;
import java.util.List;
import org.apache.flink.api.common.functions.DefaultOpenContext;
import org.apache.flink.api.common.functions.Function;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.functions.util.FunctionUtils;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.context.ExecutionContextImpl;
import org.apache.flink.table.runtime.operators.bundle.MapBundleFunction;

/** What a native operator must know about the keyed state of the stock operator that it stands for. */
public final class KeyedStateSpec implements Serializable {

    private static final long serialVersionUID = 1L;

    /** In place of a name: the engine's state has no entries, and Flink does not know it. */
    public static final String NO_STATE = "";

    private final Function function;
    private final String[] stateNames;

    private KeyedStateSpec(Function function, List<String> stateNames) {
        this.function = function;
        this.stateNames = stateNames.toArray(new String[0]);
    }

    /**
     * The state of a {@code KeyedProcessOperator}.
     *
     * @param function the stock function: it registers its states with Flink's backend when it is opened, and does nothing else
     * @param stateNames names of the engine's states, in the order of their numbers
     */
    public static KeyedStateSpec of(
            KeyedProcessFunction<RowData, RowData, RowData> function, List<String> stateNames) {
        return new KeyedStateSpec(function, stateNames);
    }

    /** The same of a {@code KeyedMapBundleOperator}. */
    public static KeyedStateSpec ofBundles(MapBundleFunction<?, ?, ?, ?> function, List<String> stateNames) {
        return new KeyedStateSpec(function, stateNames);
    }

    /** Registers what the stock operator registers with the backend when it is opened. */
    void register(NativeKeyedOperator operator, RuntimeContext context) throws Exception {
        if (function instanceof MapBundleFunction) {
            ((MapBundleFunction<?, ?, ?, ?>) function).open(new ExecutionContextImpl(operator, context));
            return;
        }
        operator.getInternalTimerService("user-timers", VoidNamespaceSerializer.INSTANCE, operator);
        FunctionUtils.setFunctionRuntimeContext(function, context);
        FunctionUtils.openFunction(function, DefaultOpenContext.INSTANCE);
    }

    void close() throws Exception {
        if (function instanceof MapBundleFunction) {
            ((MapBundleFunction<?, ?, ?, ?>) function).close();
        } else {
            FunctionUtils.closeFunction(function);
        }
    }

    String[] stateNames() {
        return stateNames;
    }
}
