package tech.streamfusion.nexmark;

import java.util.Locale;

/** What runs the query. */
enum Side {
    /** Apache Flink alone: the accelerator's jars are not even on the class path. */
    STOCK,
    /** The same Flink with the accelerator's jars. */
    NATIVE;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
