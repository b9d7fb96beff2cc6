package tech.streamfusion.planner.nodes;

import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;

/** A stock node that has a native counterpart, as long as its neighbours and the cost rule agree. */
public abstract class Candidate {

    private final ExecNode<?> stock;

    Candidate(ExecNode<?> stock) {
        this.stock = stock;
    }

    public final ExecNode<?> stock() {
        return stock;
    }

    /** Whether it can turn rows into batches at its input; otherwise every input must be native. */
    public boolean acceptsRows() {
        return true;
    }

    /** Whether it can turn batches into rows at its output; otherwise every consumer must be native. */
    public boolean emitsRows() {
        return true;
    }

    /** Estimated nanoseconds per row that the native form saves, conversions at the edges aside. */
    public abstract double savedNanos();

    /**
     * The node to put in place of the stock one; its input edges are not set.
     *
     * @param batchInput whether the input carries batches
     * @param batchOutput whether all consumers take batches
     */
    public abstract ExecNode<?> build(boolean batchInput, boolean batchOutput);
}
