package tech.streamfusion.nexmark;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** How a query is run: state backend, with or without mini-batch, in how many tasks. */
final class Setup {

    /** Flink's name of the backend. */
    final String backend;

    final boolean miniBatch;
    final int parallelism;

    private Setup(String backend, boolean miniBatch, int parallelism) {
        this.backend = backend;
        this.miniBatch = miniBatch;
        this.parallelism = parallelism;
    }

    /** All combinations. */
    static List<Setup> of(List<String> backends, List<Boolean> miniBatch, List<Integer> parallelism) {
        List<Setup> setups = new ArrayList<>();
        for (String backend : backends) {
            for (boolean batches : miniBatch) {
                for (int tasks : parallelism) {
                    setups.add(new Setup(backend, batches, tasks));
                }
            }
        }
        return setups;
    }

    /** The nodes of an own query that must be native: the only place that knows. */
    Set<String> intendedNodes(Query query) {
        Set<String> nodes = new HashSet<>(Set.of("NativeTableSourceScan", "NativeCalc"));
        if (!query.userAggregate) { // alone behind a stock aggregate it would not pay
            nodes.add("NativeSink");
        }
        if (query.updating && !query.userAggregate) {
            nodes.add("NativeExchange");
            nodes.addAll(
                    miniBatch
                            ? Set.of("NativeLocalGroupAggregate", "NativeGlobalGroupAggregate")
                            : Set.of("NativeGroupAggregate"));
        }
        if (miniBatch && !query.userAggregate) {
            nodes.add("NativeMiniBatchAssigner");
        }
        return nodes;
    }

    /** What a message to a worker says about it. */
    Message describe(Message request) {
        return request.with("parallelism", parallelism).with("state", backend).with("miniBatch", miniBatch);
    }

    /** For people; empty for what queries without state run with. */
    @Override
    public String toString() {
        List<String> parts = new ArrayList<>();
        if (!backend.equals("hashmap")) {
            parts.add(backend);
        }
        if (miniBatch) {
            parts.add("mini-batch");
        }
        if (parallelism > 1) {
            parts.add("p" + parallelism);
        }
        return parts.stream().collect(Collectors.joining(" "));
    }
}
