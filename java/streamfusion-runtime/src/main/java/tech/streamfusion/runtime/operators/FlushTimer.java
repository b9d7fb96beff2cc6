package tech.streamfusion.runtime.operators;

import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Sends what waits for company, so that no row waits longer than a network buffer would, or than {@value #MAX_WAIT_MILLIS} ms:
 * at rates where that time does not fill a batch, smaller ones cost little.
 */
final class FlushTimer {

    static final long MAX_WAIT_MILLIS = 10;

    private final long waitMillis;
    private final ProcessingTimeService time;
    private final ThrowingRunnable<Exception> flush;
    private boolean pending;
    private boolean seen;
    private long lastSeen;

    /** @param timeoutMillis of network buffers; 0: nothing waits; negative: buffers wait until they are full */
    FlushTimer(long timeoutMillis, ProcessingTimeService time, ThrowingRunnable<Exception> flush) {
        this.waitMillis = timeoutMillis < 0 ? MAX_WAIT_MILLIS : Math.min(timeoutMillis, MAX_WAIT_MILLIS);
        this.time = time;
        this.flush = flush;
    }

    /** Whether nothing ever waits. */
    boolean isImmediate() {
        return waitMillis == 0;
    }

    /** Notes an arrival; false when more are not to be expected soon, so that waiting would only cost time. */
    boolean expectsMore() {
        long now = time.getCurrentProcessingTime();
        boolean soon = seen && now - lastSeen <= waitMillis;
        seen = true;
        lastSeen = now;
        return soon && waitMillis > 0;
    }

    /** Something waits from now on. One timer runs at a time; what comes just before it fires goes early, which is harmless. */
    void start() {
        if (!pending) {
            pending = true;
            time.registerTimer(time.getCurrentProcessingTime() + waitMillis, timestamp -> fire());
        }
    }

    private void fire() throws Exception {
        pending = false;
        flush.run();
    }
}
