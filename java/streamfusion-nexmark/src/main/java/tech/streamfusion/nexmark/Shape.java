package tech.streamfusion.nexmark;

import java.util.Locale;

/** How event time is represented in the events' JSON. */
enum Shape {
    /** As the public benchmark: the rowtime is chosen among the TIMESTAMP(3) fields of the three nested rows. */
    NESTED("TIMESTAMP(3)"),
    /** Epoch milliseconds everywhere, with a field {@code ts} at the top from which the rowtime is made. */
    MILLIS("TIMESTAMP_LTZ(3)");

    /** SQL type of the events' time; ${rowtime} in query files. */
    final String rowtimeType;

    Shape(String rowtimeType) {
        this.rowtimeType = rowtimeType;
    }

    static Shape of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
