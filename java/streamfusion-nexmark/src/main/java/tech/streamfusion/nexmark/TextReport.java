package tech.streamfusion.nexmark;

import java.util.List;
import java.util.Locale;

/** The results for a terminal. */
final class TextReport {

    private TextReport() {}

    static String table(List<QueryResult> results) {
        StringBuilder out = new StringBuilder();
        int width = results.stream().mapToInt(result -> result.label().length()).max().orElse(0);
        String query = "%-" + Math.max(6, width) + "s";
        out.append(
                String.format(
                        Locale.ROOT,
                        query + " %10s | %8s %8s | %8s %8s | %5s %5s | %7s %7s | %9s %9s | %s%n",
                        "query", "events", "stock s", "cpu s", "native s", "cpu s", "wall", "cpu", "steady", "cpu",
                        "stock MiB", "native", "equal"));
        for (QueryResult result : results) {
            for (long events : result.bySize.keySet()) {
                boolean last = events == result.largest();
                out.append(
                        String.format(
                                Locale.ROOT,
                                query + " %10d | %8s %8s | %8s %8s | %5s %5s | %7s %7s | %9s %9s | %s%n",
                                result.label(),
                                events,
                                value(result, events, Side.STOCK, false),
                                value(result, events, Side.STOCK, true),
                                value(result, events, Side.NATIVE, false),
                                value(result, events, Side.NATIVE, true),
                                number(result.wallRatio(events)),
                                number(result.cpuRatio(events)),
                                last ? number(result.steadyWallRatio()) : "",
                                last ? number(result.steadyCpuRatio()) : "",
                                peak(result, events, Side.STOCK),
                                peak(result, events, Side.NATIVE),
                                result.outputsEqual.containsKey(events)
                                        ? result.outputsEqual.get(events) ? "yes" : "NO"
                                        : "-"));
            }
        }
        return out.toString();
    }

    static String verdict(Options options, List<QueryResult> results, List<String> problems) {
        if (!problems.isEmpty()) {
            return "FAILED: " + problems.size() + " problem(s), see above";
        }
        if (options.sides.size() < 2) {
            return "DONE: one side only, nothing compared";
        }
        double worst = results.stream().mapToDouble(TextReport::speedup).min().orElse(Double.NaN);
        double best = results.stream().mapToDouble(TextReport::speedup).max().orElse(Double.NaN);
        return String.format(
                Locale.ROOT, "OK: outputs equal, all intended nodes native, speedup %.1f to %.1f times", worst, best);
    }

    private static double speedup(QueryResult result) {
        double steady = result.steadyWallRatio();
        return Double.isNaN(steady) ? result.wallRatio(result.largest()) : steady;
    }

    private static String value(QueryResult result, long events, Side side, boolean cpu) {
        if (!result.has(events, side)) {
            return "-";
        }
        Measurement measurement = result.at(events, side);
        return number(cpu ? measurement.cpuSeconds() : measurement.seconds());
    }

    private static String peak(QueryResult result, long events, Side side) {
        return result.has(events, side) ? Long.toString(result.at(events, side).peakBytes() >> 20) : "-";
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.2f", value);
    }
}
