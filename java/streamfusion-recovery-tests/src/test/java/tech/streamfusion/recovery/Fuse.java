package tech.streamfusion.recovery;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.table.functions.ScalarFunction;

/** Passes its argument through; fails the task once whenever it has been lit. */
public class Fuse extends ScalarFunction {

    private static final long serialVersionUID = 1L;
    private static final AtomicBoolean LIT = new AtomicBoolean();

    public static void light() {
        LIT.set(true);
    }

    static void putOut() {
        LIT.set(false);
    }

    static boolean isLit() {
        return LIT.get();
    }

    public Long eval(Long value) {
        if (LIT.compareAndSet(true, false)) {
            throw new IllegalStateException("fuse: injected failure");
        }
        return value;
    }

    @Override
    public boolean isDeterministic() {
        return false;
    }
}
