package tech.streamfusion.nexmark;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.flink.util.TimeUtils;

/** The command line of the benchmark. */
final class Options {

    static final String USAGE =
            String.join(
                    "\n",
                    "usage: bin/nexmark [options]",
                    "",
                    "Runs Nexmark queries from Kafka to Kafka on stock Flink and with StreamFusion, alternately, checks that",
                    "the outputs are equal and prints seconds, CPU seconds and their ratios. Reports: build/reports/nexmark.json",
                    "and nexmark.html.",
                    "",
                    "  --queries LIST    own queries, default q0,q1,q2,q10,q14,q21,q22; also q4, q15, q16 and q17, whose results",
                    "                    are updated: of their upsert-kafka topics the last value of each key is compared;",
                    "                    and spread, with a user-defined aggregate function",
                    "  --sql FILE        a foreign SQL file in place of own queries; tables events, person, auction and bid",
                    "                    exist; ${sink} stands for the options of the output table, ${upsertSink} for those",
                    "                    of an upsert-kafka table",
                    "  --events LIST     numbers of events, default 500000,2000000; two sizes give the steady-state ratio",
                    "  --shape SHAPE     nested (as the public benchmark, default) or millis (epoch milliseconds)",
                    "  --rounds N        rounds per query and size, default 3; medians are reported",
                    "  --warm-up N       seconds of jobs of the smallest size before the first round of each side, default 60",
                    "  --side SIDE       stock, native or both (default)",
                    "  --state LIST      state backends: memory (default), rocksdb",
                    "  --mini-batch LIST off (default), on",
                    "  --checkpoints D   time from one checkpoint to the next, default 1s",
                    "  --parallelism LIST",
                    "                    default 1; also the number of partitions. All combinations of the three are run",
                    "  --producer KIND   large (batch.size 512 KB, linger 50 ms, the same on both sides; default) or default",
                    "                    (the connector's 16 KB)",
                    "  --limit           also measure polling, decoding, encoding and producing alone",
                    "  --rate N          events a second; with --latency measures input to output timestamps instead",
                    "  --latency         see --rate (1000 when not given)",
                    "  --seconds N       length of a latency run, default 30",
                    "  --heap SIZE       -Xmx and -Xms of each measured process, default 1g",
                    "  --jvm-arg ARG     further JVM argument of the measured processes; may be repeated",
                    "  --report DIR      where the reports go, default build/reports",
                    "  --no-build        use what was built before",
                    "  -h, --help        this text");

    List<String> queries = List.of("q0", "q1", "q2", "q10", "q14", "q21", "q22");
    Path sqlFile;
    List<Long> events = List.of(500_000L, 2_000_000L);
    Shape shape = Shape.NESTED;
    int rounds = 3;

    /**
     * Filled with short jobs, not one long job: the JIT compiler throws away what it compiled for the first job of a
     * process when the second one loads its classes again, and compiles deployment and commit only after several of
     * them. A time, not a number of jobs, since those of the faster side are shorter: after four jobs (ten seconds of it)
     * its third measured round was still a quarter faster than the first.
     */
    int warmUpSeconds = 60;

    Set<Side> sides = EnumSet.allOf(Side.class);
    List<String> backends = List.of("hashmap");
    List<Boolean> miniBatch = List.of(false);
    String checkpointInterval = "1s";
    List<Integer> parallelism = List.of(1);
    boolean largeBatches = true;
    boolean limit;
    boolean latency;
    int rate = 1000;
    int seconds = 30;
    String workerHeap = "1g";
    List<String> workerJvmArgs = new ArrayList<>();
    Path report = Paths.get("build/reports");
    Path lib;

    static Options parse(String[] args) {
        Options options = new Options();
        for (int i = 0; i < args.length; i++) {
            String name = args[i];
            if (name.equals("--limit")) {
                options.limit = true;
            } else if (name.equals("--latency")) {
                options.latency = true;
            } else if (i + 1 == args.length) {
                throw new IllegalArgumentException("unknown option or value missing: " + name);
            } else {
                options.set(name, args[++i]);
            }
        }
        if (options.lib == null) {
            throw new IllegalArgumentException("--lib (a directory with the jars) is needed; bin/nexmark gives it");
        }
        return options;
    }

    private void set(String name, String value) {
        switch (name) {
            case "--queries":
                queries = Arrays.asList(value.split(","));
                break;
            case "--sql":
                sqlFile = Paths.get(value);
                queries = List.of(sqlFile.getFileName().toString().replaceFirst("\\.sql$", ""));
                break;
            case "--events":
                events = each(value, Long::valueOf);
                events.sort(null);
                break;
            case "--shape":
                shape = Shape.of(value);
                break;
            case "--rounds":
                rounds = Integer.parseInt(value);
                break;
            case "--side":
                sides = side(value);
                break;
            case "--warm-up":
                warmUpSeconds = Integer.parseInt(value);
                break;
            case "--checkpoints":
                TimeUtils.parseDuration(value);
                checkpointInterval = value;
                break;
            case "--parallelism":
                parallelism = each(value, Integer::valueOf);
                break;
            case "--state":
                backends = each(value, Options::backend);
                break;
            case "--mini-batch":
                miniBatch = each(value, Options::onOrOff);
                break;
            case "--producer":
                if (!value.equals("large") && !value.equals("default")) {
                    throw new IllegalArgumentException("--producer is large or default, not " + value);
                }
                largeBatches = value.equals("large");
                break;
            case "--rate":
                rate = Integer.parseInt(value);
                break;
            case "--seconds":
                seconds = Integer.parseInt(value);
                break;
            case "--heap":
                workerHeap = value;
                break;
            case "--jvm-arg":
                workerJvmArgs.add(value);
                break;
            case "--report":
                report = Paths.get(value);
                break;
            case "--lib":
                lib = Paths.get(value);
                break;
            default:
                throw new IllegalArgumentException("unknown option " + name);
        }
    }

    private static <T> List<T> each(String list, Function<String, T> parser) {
        return Arrays.stream(list.split(",")).map(parser).collect(Collectors.toList());
    }

    private static String backend(String value) {
        if (value.equals("memory")) {
            return "hashmap";
        }
        if (value.equals("rocksdb")) {
            return value;
        }
        throw new IllegalArgumentException("--state is memory or rocksdb, not " + value);
    }

    private static boolean onOrOff(String value) {
        if (!value.equals("on") && !value.equals("off")) {
            throw new IllegalArgumentException("--mini-batch is on or off, not " + value);
        }
        return value.equals("on");
    }

    /** All that the queries are to be run with. */
    List<Setup> setups() {
        return Setup.of(backends, miniBatch, parallelism);
    }

    private static Set<Side> side(String value) {
        switch (value) {
            case "both":
                return EnumSet.allOf(Side.class);
            case "stock":
                return EnumSet.of(Side.STOCK);
            case "native":
                return EnumSet.of(Side.NATIVE);
            default:
                throw new IllegalArgumentException("--side is stock, native or both, not " + value);
        }
    }

    /** Producer settings of the sink table, the same on both sides; empty: the connector's own. */
    Map<String, String> producerSettings() {
        return largeBatches
                ? Map.of("properties.batch.size", Integer.toString(512 << 10), "properties.linger.ms", "50")
                : Map.of();
    }
}
