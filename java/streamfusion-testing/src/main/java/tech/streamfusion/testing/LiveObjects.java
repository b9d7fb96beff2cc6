package tech.streamfusion.testing;

import java.util.concurrent.TimeUnit;
import tech.streamfusion.runtime.NativeEngine;

/** The engine's count of native objects, as a leak check. */
public final class LiveObjects {

    private static final long PATIENCE_MILLIS = 5_000;

    private LiveObjects() {}

    /** Waits a little for tasks that are still being torn down, then fails when objects are left (or too many freed). */
    public static void assertReturnsTo(long expected) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        while (NativeEngine.liveObjects() != expected && System.nanoTime() < deadline) {
            try {
                Thread.sleep(10);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        long now = NativeEngine.liveObjects();
        if (now != expected) {
            throw new AssertionError("native objects: " + expected + " before, " + now + " after");
        }
    }
}
