package tech.streamfusion.runtime.spi;

import java.util.function.Function;

/** Either a native counterpart or the reason why there is none. */
public final class Translation<T> {

    private final T value;
    private final String reason;

    private Translation(T value, String reason) {
        this.value = value;
        this.reason = reason;
    }

    public static <T> Translation<T> of(T value) {
        return new Translation<>(value, null);
    }

    /** @param reason names what is not covered (option, type, class), as users read it in EXPLAIN and the log */
    public static <T> Translation<T> fallback(String reason) {
        return new Translation<>(null, reason);
    }

    public boolean isNative() {
        return reason == null;
    }

    public T get() {
        if (reason != null) {
            throw new IllegalStateException("fell back: " + reason);
        }
        return value;
    }

    public String reason() {
        return reason;
    }

    public <R> Translation<R> map(Function<T, R> function) {
        return reason == null ? of(function.apply(value)) : fallback(reason);
    }
}
