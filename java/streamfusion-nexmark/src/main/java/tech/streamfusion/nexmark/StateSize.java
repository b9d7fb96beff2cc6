package tech.streamfusion.nexmark;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Entry point of bin/state-size: the memory and the checkpoints of many keys, on both sides. */
public final class StateSize {

    static final String USAGE =
            String.join(
                    "\n",
                    "usage: bin/state-size [options]",
                    "",
                    "Fills the state of COUNT(*), SUM(v) GROUP BY k on the hashmap backend, on stock Flink and with StreamFusion, and",
                    "prints bytes per key (Java heap after collection, and native memory) and how long checkpoints stop the task.",
                    "",
                    "  --keys N          default 10000000",
                    "  --side SIDE       stock, native or both (default)",
                    "  --heap SIZE       -Xmx of each measured process, default 10g",
                    "  --no-build        use what was built before",
                    "  -h, --help        this text");

    private StateSize() {}

    public static void main(String[] args) throws Exception {
        long keys = 10_000_000;
        List<String> forwarded = new ArrayList<>(List.of("--heap", "10g", "--jvm-arg", "-D" + WorkerCluster.MANAGED_MEMORY + "=6g"));
        try {
            for (int i = 0; i < args.length; i += 2) {
                if (i + 1 == args.length) {
                    throw new IllegalArgumentException("unknown option or value missing: " + args[i]);
                }
                if (args[i].equals("--keys")) {
                    keys = Long.parseLong(args[i + 1]);
                } else if (List.of("--side", "--heap", "--lib").contains(args[i])) {
                    forwarded.addAll(Arrays.asList(args[i], args[i + 1]));
                } else {
                    throw new IllegalArgumentException("unknown option " + args[i]);
                }
            }
            run(Options.parse(forwarded.toArray(new String[0])), keys);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.println(USAGE);
            System.exit(2);
        }
    }

    private static void run(Options options, long keys) throws Exception {
        List<String> lines = new ArrayList<>();
        for (Side side : options.sides) {
            Console.progress(side + ": filling the state with " + keys + " keys");
            Path log = Files.createTempFile("state-size-" + side, ".log");
            Message request =
                    new Message()
                            .with("command", "state")
                            .with("sql", "SET 'streamfusion.planner.minimum-gain' = '0';\n" + StateProbe.script(keys))
                            .with("parallelism", 1)
                            .with("state", "hashmap")
                            .with("miniBatch", false)
                            .with("checkpointInterval", "1 h");
            try (WorkerProcess worker = new WorkerProcess(side, options, 2, log)) {
                Message answer = worker.call(request);
                if (answer.has("error")) {
                    throw new IllegalStateException(side + " failed, its log is " + log + "\n" + answer.get("error"));
                }
                lines.add(StateProbe.line(side, keys, answer));
            }
        }
        lines.forEach(Console::print);
    }
}
