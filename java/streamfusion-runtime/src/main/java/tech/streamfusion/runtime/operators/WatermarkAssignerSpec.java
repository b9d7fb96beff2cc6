package tech.streamfusion.runtime.operators;

import java.io.Serializable;

/** What the Java half of a watermark assigner needs; the watermark expression is in the plan. */
final class WatermarkAssignerSpec implements Serializable {

    private static final long serialVersionUID = 1L;

    final int rowtimeField;
    final long idleTimeoutMillis;

    WatermarkAssignerSpec(int rowtimeField, long idleTimeoutMillis) {
        this.rowtimeField = rowtimeField;
        this.idleTimeoutMillis = idleTimeoutMillis;
    }
}
