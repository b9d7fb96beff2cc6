package tech.streamfusion.runtime.operators;

import java.util.concurrent.TimeUnit;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import tech.streamfusion.runtime.NativeEngine;

/**
 * What an operator reports of its native side. The task's thread takes the numbers, at most once a second; reporters see what it
 * has taken last, and never reach native code.
 */
final class OperatorGauges {

    /** Of all metrics here but those that stock operators have too. */
    private static final String GROUP = "streamfusion";

    private static final String[] NAMES = {
        "nativeBytes",
        "stateKeys",
        "stateMapEntries",
        "stateCacheBytes",
        "stateCacheHits",
        "stateCacheReads",
        "stateCacheWrites",
        "stateCacheFlushes"
    };
    private static final int BUNDLE_ROWS = 8;
    private static final int BUNDLE_KEYS = 9;
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long operator;
    private final long pool;
    private volatile long[] counts;
    private long taken;

    /** Takes the first numbers; the handles are borrowed, and used by this thread alone. */
    OperatorGauges(long operator, long pool) {
        this.operator = operator;
        this.pool = pool;
        refresh();
    }

    /** @param state whether the operator has keyed state */
    void register(MetricGroup group, boolean state) {
        MetricGroup own = group.addGroup(GROUP);
        for (int i = 0; i < (state ? NAMES.length : 1); i++) {
            int index = i;
            own.gauge(NAMES[i], (Gauge<Long>) () -> counts[index]);
        }
        if (counts[BUNDLE_ROWS] >= 0) { // as AbstractMapBundleOperator
            group.gauge("bundleSize", (Gauge<Integer>) () -> (int) counts[BUNDLE_ROWS]);
            group.gauge("bundleRatio", (Gauge<Double>) this::bundleRatio);
        }
    }

    private double bundleRatio() {
        long[] now = counts;
        return now[BUNDLE_KEYS] == 0 ? 0.0 : 1.0 * now[BUNDLE_ROWS] / now[BUNDLE_KEYS];
    }

    void refreshIfDue() {
        if (System.nanoTime() - taken >= INTERVAL_NANOS) {
            refresh();
        }
    }

    void refresh() {
        long[] now = new long[NativeEngine.COUNTS];
        NativeEngine.operatorCounts(operator, pool, now);
        counts = now;
        taken = System.nanoTime();
    }
}
