package tech.streamfusion.runtime;

/** A native operator needs more memory than it may have; the message names the operator, bytes and option to raise. */
public class NativeMemoryLimitException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public NativeMemoryLimitException(String message) {
        super(message);
    }
}
