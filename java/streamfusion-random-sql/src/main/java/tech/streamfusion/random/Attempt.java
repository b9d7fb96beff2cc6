package tech.streamfusion.random;

import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import javax.annotation.Nullable;
import tech.streamfusion.testing.Outcome;

/** A script that a pool's thread compares, with an end to Flink's optimizer, which runs in circles on a few queries. */
final class Attempt {

    private static final long LIMIT_SECONDS = 120;

    private final Script script;
    private final Future<Outcome> outcome;
    private volatile Thread thread;
    private volatile long startNanos;

    Attempt(Script script, ExecutorService workers, Function<Script, Outcome> compare) {
        this.script = script;
        this.outcome =
                workers.submit(
                        () -> {
                            startNanos = System.nanoTime();
                            thread = Thread.currentThread();
                            try {
                                return compare.apply(script);
                            } finally {
                                thread = null;
                            }
                        });
    }

    Script script() {
        return script;
    }

    /** What came of it; null where nothing was compared, which {@code compare} may decide too. */
    @Nullable
    Outcome result() {
        while (true) {
            try {
                return outcome.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                Thread running = thread;
                if (running != null && System.nanoTime() - startNanos > TimeUnit.SECONDS.toNanos(LIMIT_SECONDS)) {
                    endOptimizer(running);
                    return null;
                }
            } catch (InterruptedException | ExecutionException e) {
                throw new IllegalStateException("a script could not be compared", e);
            }
        }
    }

    /** The optimizer looks at no flag and no interrupt; it holds nothing that others need, so that its thread may be stopped. */
    @SuppressWarnings({"deprecation", "removal"})
    private void endOptimizer(Thread running) {
        StackTraceElement[] stack = running.getStackTrace();
        if (Arrays.stream(stack).noneMatch(frame -> frame.getClassName().startsWith("org.apache.calcite.plan."))) {
            IllegalStateException hangs = new IllegalStateException("not over after " + LIMIT_SECONDS + " s: " + script.queriesSql());
            hangs.setStackTrace(stack);
            throw hangs;
        }
        running.stop();
        try {
            outcome.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof ThreadDeath)) {
                throw new IllegalStateException("a script could not be compared", e);
            }
        }
    }
}
