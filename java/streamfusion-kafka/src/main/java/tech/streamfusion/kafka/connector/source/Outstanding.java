package tech.streamfusion.kafka.connector.source;

import java.util.HashSet;
import java.util.Set;
import javax.annotation.Nullable;
import tech.streamfusion.runtime.NativeBatch;

/** Runs that the fetcher has decoded and the task has not emitted; what is left when the reader closes is released. */
final class Outstanding {

    private final Set<BatchRecord> runs = new HashSet<>();
    private boolean closed;

    synchronized void add(BatchRecord run) {
        if (closed) {
            release(run);
        } else {
            runs.add(run);
        }
    }

    /** The run's batch, now the caller's; null when it has none. */
    @Nullable
    synchronized NativeBatch take(BatchRecord run) {
        runs.remove(run);
        return run.take();
    }

    synchronized void close() {
        closed = true;
        runs.forEach(Outstanding::release);
        runs.clear();
    }

    private static void release(BatchRecord run) {
        NativeBatch batch = run.take();
        if (batch != null) {
            batch.release();
        }
    }
}
