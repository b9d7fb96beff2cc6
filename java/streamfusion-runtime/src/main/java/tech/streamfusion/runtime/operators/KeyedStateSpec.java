package tech.streamfusion.runtime.operators;

import java.io.Serializable;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;

/** What a native operator must know about the keyed state of the stock operator that it stands for. */
public final class KeyedStateSpec implements Serializable {

    private static final long serialVersionUID = 1L;

    private final KeyedProcessFunction<RowData, RowData, RowData> function;
    private final String[] stateNames;

    /**
     * @param function the stock function: it registers its states with Flink's backend when it is opened, and does nothing else
     * @param stateNames names of the engine's states, in the order of their numbers
     */
    public KeyedStateSpec(KeyedProcessFunction<RowData, RowData, RowData> function, List<String> stateNames) {
        this.function = function;
        this.stateNames = stateNames.toArray(new String[0]);
    }

    KeyedProcessFunction<RowData, RowData, RowData> function() {
        return function;
    }

    String[] stateNames() {
        return stateNames;
    }
}
