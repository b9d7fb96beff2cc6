package tech.streamfusion.kafka.connector.sink;

import java.io.Serializable;

/** When an upsert sink that buffers its rows writes them; travels inside the sink. */
final class FlushPlan implements Serializable {

    private static final long serialVersionUID = 1L;

    final int[] keyColumns;
    final int maxKeys;
    final long intervalMillis;

    FlushPlan(int[] keyColumns, int maxKeys, long intervalMillis) {
        this.keyColumns = keyColumns;
        this.maxKeys = maxKeys;
        this.intervalMillis = intervalMillis;
    }
}
