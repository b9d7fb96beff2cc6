package tech.streamfusion.planner.nodes;

import tech.streamfusion.planner.FallbackReason;

/** Thrown while a node is being translated: it stays with Flink, for the given reason. */
public final class Fallback extends Exception {

    private static final long serialVersionUID = 1L;

    private final FallbackReason.Rule rule;

    public Fallback(FallbackReason.Rule rule, String detail) {
        super(detail, null, false, false);
        this.rule = rule;
    }

    public FallbackReason.Rule rule() {
        return rule;
    }
}
