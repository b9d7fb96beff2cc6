package tech.streamfusion.loader;

/** StreamFusion's jars do not fit each other or this Flink; the message says which one and what to do. */
public class IncompatibleInstallationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public IncompatibleInstallationException(String message) {
        super(message);
    }
}
