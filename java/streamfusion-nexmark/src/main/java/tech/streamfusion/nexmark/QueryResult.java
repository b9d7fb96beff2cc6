package tech.streamfusion.nexmark;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** Everything measured for one query in one setup: per number of events and side. */
final class QueryResult {

    final Query query;
    final Setup setup;
    final Map<Long, Map<Side, Measurement>> bySize = new TreeMap<>();
    /** Per size: whether all outputs were equal; absent when only one side ran. */
    final Map<Long, Boolean> outputsEqual = new TreeMap<>();
    final Map<Long, Long> outputRecords = new TreeMap<>();
    String nativeNodes = "";
    /** The parts measured alone, see {@link Limits}; null: not measured. */
    Map<String, Double> limit;

    QueryResult(Query query, Setup setup) {
        this.query = query;
        this.setup = setup;
    }

    /** The query and what is special about how it was run. */
    String label() {
        String how = setup.toString();
        return how.isEmpty() ? query.name : query.name + " " + how;
    }

    Measurement at(long events, Side side) {
        return bySize.computeIfAbsent(events, e -> new EnumMap<>(Side.class)).computeIfAbsent(side, s -> new Measurement());
    }

    boolean has(long events, Side side) {
        return bySize.containsKey(events) && bySize.get(events).containsKey(side);
    }

    private boolean bothSides(long events) {
        return has(events, Side.STOCK) && has(events, Side.NATIVE);
    }

    /** Stock's seconds over native's, or NaN when a side is missing. */
    double wallRatio(long events) {
        return bothSides(events) ? at(events, Side.STOCK).seconds() / at(events, Side.NATIVE).seconds() : Double.NaN;
    }

    double cpuRatio(long events) {
        return bothSides(events) ? at(events, Side.STOCK).cpuSeconds() / at(events, Side.NATIVE).cpuSeconds() : Double.NaN;
    }

    /** Nanoseconds per event between the smallest and the largest size; NaN with one size only. */
    double steadyWallNanos(Side side) {
        long small = smallest();
        long large = largest();
        if (small == large || !has(small, side) || !has(large, side)) {
            return Double.NaN;
        }
        return (at(large, side).seconds() - at(small, side).seconds()) * 1e9 / (large - small);
    }

    double steadyCpuNanos(Side side) {
        long small = smallest();
        long large = largest();
        if (small == large || !has(small, side) || !has(large, side)) {
            return Double.NaN;
        }
        return (at(large, side).cpuSeconds() - at(small, side).cpuSeconds()) * 1e9 / (large - small);
    }

    /** The ratio in which start-up and final commit cancel out. */
    double steadyWallRatio() {
        return steadyWallNanos(Side.STOCK) / steadyWallNanos(Side.NATIVE);
    }

    double steadyCpuRatio() {
        return steadyCpuNanos(Side.STOCK) / steadyCpuNanos(Side.NATIVE);
    }

    long smallest() {
        return bySize.keySet().stream().min(Long::compare).orElse(0L);
    }

    long largest() {
        return bySize.keySet().stream().max(Long::compare).orElse(0L);
    }
}
