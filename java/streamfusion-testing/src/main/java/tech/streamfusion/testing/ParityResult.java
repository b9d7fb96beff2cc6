package tech.streamfusion.testing;

import java.util.List;
import java.util.stream.Collectors;

/** What both sides agreed on. */
public final class ParityResult {

    private final SideRun stock;
    private final SideRun accelerated;

    ParityResult(SideRun stock, SideRun accelerated) {
        this.stock = stock;
        this.accelerated = accelerated;
    }

    /** The changes that reached the first sink, stock's order. */
    public List<Change> changes() {
        return stock.sinks.get(0);
    }

    /** The changes of the first sink as text, e.g. {@code +I(1, 'a', NULL)}. */
    public List<String> lines() {
        return changes().stream().map(Change::toString).collect(Collectors.toList());
    }

    /** Exec nodes of the accelerated plan, from the sink up. */
    public List<String> nodes() {
        return accelerated.nodes;
    }

    /** EXPLAIN of the accelerated side. */
    public String explained() {
        return accelerated.explained;
    }

    /** Class and message of the root cause when the run was expected to fail. */
    public String failure() {
        return stock.rootCauseText();
    }
}
