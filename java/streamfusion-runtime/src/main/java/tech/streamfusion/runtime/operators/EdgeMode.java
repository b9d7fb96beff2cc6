package tech.streamfusion.runtime.operators;

/** What travels on an operator's input or output edge. */
public enum EdgeMode {
    /** Flink's {@code RowData}, a record each: the other end is a stock operator or an exchange. */
    ROWS,
    /** {@link tech.streamfusion.runtime.NativeBatch}: the other end is a chained native operator. */
    BATCHES
}
