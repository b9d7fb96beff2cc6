package tech.streamfusion.runtime.operators;

import java.io.Serializable;

/** When a mini-batch assigner ends bundles. */
final class MiniBatchSpec implements Serializable {

    private static final long serialVersionUID = 1L;

    final long intervalMillis;
    final boolean rowTime;

    MiniBatchSpec(long intervalMillis, boolean rowTime) {
        this.intervalMillis = intervalMillis;
        this.rowTime = rowTime;
    }
}
