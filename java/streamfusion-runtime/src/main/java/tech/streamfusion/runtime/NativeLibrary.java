package tech.streamfusion.runtime;

/** Finds, extracts and loads the native library once per process and class loader. */
final class NativeLibrary {

    private NativeLibrary() {}

    static void load() {
        throw new UnsatisfiedLinkError("not built yet");
    }
}
