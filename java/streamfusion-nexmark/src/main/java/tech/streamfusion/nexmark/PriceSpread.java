package tech.streamfusion.nexmark;

import org.apache.flink.table.functions.AggregateFunction;

/** The user-defined aggregate function of the query {@code spread}: the largest value less the smallest one. */
public final class PriceSpread extends AggregateFunction<Long, PriceSpread.Range> {

    private static final long serialVersionUID = 1L;

    /** Of the values so far. */
    public static final class Range {
        public long smallest = Long.MAX_VALUE;
        public long largest = Long.MIN_VALUE;
    }

    @Override
    public Range createAccumulator() {
        return new Range();
    }

    public void accumulate(Range range, Long value) {
        if (value != null) {
            range.smallest = Math.min(range.smallest, value);
            range.largest = Math.max(range.largest, value);
        }
    }

    @Override
    public Long getValue(Range range) {
        return range.smallest > range.largest ? null : range.largest - range.smallest;
    }
}
