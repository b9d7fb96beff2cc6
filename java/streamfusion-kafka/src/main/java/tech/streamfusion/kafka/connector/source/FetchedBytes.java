package tech.streamfusion.kafka.connector.source;

/** Where the keys and values of one fetch are. */
final class FetchedBytes {

    final Slices keys = new Slices();
    final Slices values = new Slices();

    /** Forgets all, so that fetch buffers can go. */
    void clear() {
        keys.clear();
        values.clear();
    }
}
