package tech.streamfusion.random;

import java.util.function.Consumer;
import tech.streamfusion.testing.Parity;

/** How a script is run. */
enum Setup {
    PLAIN("", parity -> {}),
    /** Watermarks are compared as well. */
    WATERMARKS(".recordWatermarks()", Parity::recordWatermarks),
    /** Sinks want updates without what they replace. */
    UPSERT_SINKS(".upsertSinks()", Parity::upsertSinks),
    /** Rows come in any order. */
    PARALLEL(".parallelism(2)", parity -> parity.parallelism(2));

    /** As in a test. */
    final String java;
    private final Consumer<Parity> change;

    Setup(String java, Consumer<Parity> change) {
        this.java = java;
        this.change = change;
    }

    void apply(Parity parity) {
        change.accept(parity);
    }

    /** Whether only projections and filters over one table are compared, where the order of everything is determined. */
    boolean isForChains() {
        return this == WATERMARKS || this == UPSERT_SINKS;
    }
}
