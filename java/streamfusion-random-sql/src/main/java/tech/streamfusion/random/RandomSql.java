package tech.streamfusion.random;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** The command line of {@code bin/random-sql}. */
public final class RandomSql {

    static final String USAGE =
            String.join(
                    "\n",
                    "usage: bin/random-sql [--minutes N] [--seed S] [--queries N] [--report DIR] [--no-build]",
                    "",
                    "Runs random queries over random data on stock Flink and accelerated and compares what reaches the sinks.",
                    "A difference is shrunk and printed as a test for java/streamfusion-parity-tests.",
                    "",
                    "  --minutes N   how long, default 5; decimals are allowed",
                    "  --seed S      default: the time; a run with the same seed makes the same queries",
                    "  --queries N   end after so many compared queries",
                    "  --report DIR  where random-sql.txt goes, default build/reports",
                    "  --no-build    use what was built before",
                    "  -h, --help    this text",
                    "",
                    "Exit status: 0 no difference, 1 differences, 2 wrong arguments, 3 the run itself failed.");

    private double minutes = 5;
    private long seed = System.currentTimeMillis();
    private int queries = Integer.MAX_VALUE;
    private Path report = Paths.get("build/reports");

    private RandomSql() {}

    public static void main(String[] args) {
        RandomSql command = new RandomSql();
        try {
            if (!command.parse(args)) {
                System.out.println(USAGE);
                return;
            }
        } catch (IllegalArgumentException e) {
            System.err.println("random-sql: " + e.getMessage() + "\n" + USAGE);
            System.exit(2);
        }
        try {
            System.exit(command.run() ? 0 : 1);
        } catch (IOException | RuntimeException e) {
            e.printStackTrace();
            System.exit(3); // the cluster's threads would keep the process alive
        }
    }

    /** False when help is asked for. */
    private boolean parse(String[] args) {
        for (int i = 0; i < args.length; i++) {
            if (args[i].equals("-h") || args[i].equals("--help")) {
                return false;
            }
            if (i + 1 == args.length) {
                throw new IllegalArgumentException("value missing or unknown: " + args[i]);
            }
            String value = args[++i];
            switch (args[i - 1]) {
                case "--minutes":
                    minutes = Double.parseDouble(value);
                    break;
                case "--seed":
                    seed = Long.parseLong(value);
                    break;
                case "--queries":
                    queries = Integer.parseInt(value);
                    break;
                case "--report":
                    report = Paths.get(value);
                    break;
                default:
                    throw new IllegalArgumentException("unknown: " + args[i - 1]);
            }
        }
        return true;
    }

    /** Of the whole process: how fast a run is depends on what else the machine does. */
    private static double cpuSeconds() {
        return ProcessHandle.current().info().totalCpuDuration().map(time -> time.toMillis() / 1e3).orElse(Double.NaN);
    }

    private boolean run() throws IOException {
        System.out.println("seed " + seed);
        long start = System.nanoTime();
        Campaign campaign = new Campaign(seed, System.out::println);
        campaign.run((long) (minutes * 60), queries);
        double seconds = (System.nanoTime() - start) / 1e9;
        Files.createDirectories(report);
        Path file = report.resolve("random-sql.txt");
        Files.writeString(file, campaign.report());
        boolean same = campaign.differences().isEmpty();
        System.out.printf(
                "%s%n%.0f s, %.0f s of CPU time, %.1f queries a second; report: %s%n",
                campaign.summary(), seconds, cpuSeconds(), campaign.compared() / seconds, file);
        System.out.println(same ? "No difference." : "DIFFERENCES FOUND: " + campaign.differences().size());
        return same;
    }
}
