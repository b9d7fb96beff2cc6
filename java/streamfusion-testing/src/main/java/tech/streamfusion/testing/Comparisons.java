package tech.streamfusion.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.types.RowKind;

/** Comparisons with messages that show the first differences only. */
final class Comparisons {

    private static final int SHOWN = 10;

    private Comparisons() {}

    static void assertSame(Parity.Comparison comparison, List<Change> stock, List<Change> accelerated) {
        if (comparison == Parity.Comparison.CHANGELOG) {
            assertSameLines("changes", lines(stock), lines(accelerated));
        } else if (comparison == Parity.Comparison.UNORDERED) {
            assertSameLines("sorted changes", sorted(lines(stock)), sorted(lines(accelerated)));
        } else if (comparison == Parity.Comparison.MATERIALIZED) {
            assertSameLines("materialised rows", materialized(stock), materialized(accelerated));
        }
    }

    static void assertSameLines(String what, List<String> stock, List<String> accelerated) {
        if (stock.equals(accelerated)) {
            return;
        }
        StringBuilder message =
                new StringBuilder(what + " differ (" + stock.size() + " on stock, " + accelerated.size() + " accelerated)");
        int shown = 0;
        for (int i = 0; i < Math.max(stock.size(), accelerated.size()) && shown < SHOWN; i++) {
            String a = i < stock.size() ? stock.get(i) : "(none)";
            String b = i < accelerated.size() ? accelerated.get(i) : "(none)";
            if (!a.equals(b)) {
                message.append("\n  at ").append(i).append("\n    stock       ").append(a).append("\n    accelerated ").append(b);
                shown++;
            }
        }
        throw new AssertionError(message.toString());
    }

    private static List<String> lines(List<Change> changes) {
        List<String> lines = new ArrayList<>();
        for (Change change : changes) {
            lines.add(change.toString());
        }
        return lines;
    }

    private static List<String> sorted(List<String> lines) {
        lines.sort(null);
        return lines;
    }

    /** What is left when retractions are taken off, sorted, each row with its count. */
    static List<String> materialized(List<Change> changes) {
        Map<String, Integer> counts = new TreeMap<>();
        for (Change change : changes) {
            if (change.kind() != null) {
                boolean adds = change.kind() == RowKind.INSERT || change.kind() == RowKind.UPDATE_AFTER;
                counts.merge(change.text(), adds ? 1 : -1, Integer::sum);
            }
        }
        List<String> lines = new ArrayList<>();
        counts.forEach(
                (row, count) -> {
                    if (count != 0) {
                        lines.add(row + " x" + count);
                    }
                });
        return lines;
    }
}
