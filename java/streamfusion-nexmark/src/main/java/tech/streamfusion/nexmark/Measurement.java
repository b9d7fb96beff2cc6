package tech.streamfusion.nexmark;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** The runs of one query, size and side. */
final class Measurement {

    /** One run of a job. */
    static final class Run {
        final double seconds;
        final double cpuSeconds;
        final long peakBytes;

        Run(double seconds, double cpuSeconds, long peakBytes) {
            this.seconds = seconds;
            this.cpuSeconds = cpuSeconds;
            this.peakBytes = peakBytes;
        }
    }

    private final List<Run> runs = new ArrayList<>();

    void add(Run run) {
        runs.add(run);
    }

    double seconds() {
        return median(run -> run.seconds);
    }

    double cpuSeconds() {
        return median(run -> run.cpuSeconds);
    }

    long peakBytes() {
        return runs.stream().mapToLong(run -> run.peakBytes).max().orElse(0);
    }

    List<Run> runs() {
        return runs;
    }

    private double median(ToDoubleFunction<Run> value) {
        List<Double> sorted = runs.stream().map(value::applyAsDouble).sorted().collect(Collectors.toList());
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
