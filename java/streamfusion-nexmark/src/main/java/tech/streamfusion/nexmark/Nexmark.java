package tech.streamfusion.nexmark;

import java.util.List;
import java.util.Map;
import tech.streamfusion.testing.kafka.KafkaBroker;

/** The benchmark's entry point; see {@link Options#USAGE}. */
public final class Nexmark {

    private Nexmark() {}

    public static void main(String[] args) throws Exception {
        Options options;
        try {
            options = Options.parse(args);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.println(Options.USAGE);
            System.exit(2);
            return;
        }
        System.exit(run(options) ? 0 : 1);
    }

    private static boolean run(Options options) throws Exception {
        // Event time is record time, wherever "now" is on this machine.
        Map<String, String> config = Map.of("log.message.timestamp.after.max.ms", Long.toString(Long.MAX_VALUE));
        Console.progress("starting the broker");
        try (KafkaBroker broker = KafkaBroker.start(config);
                Topics topics = new Topics(broker.bootstrapServers())) {
            Benchmark benchmark = new Benchmark(options, broker.bootstrapServers(), topics);
            if (options.latency) {
                return latency(options, new Latency(options, broker.bootstrapServers(), topics, benchmark));
            }
            benchmark.fillInput();
            List<QueryResult> results = benchmark.runAll();
            Console.print("");
            Console.print(TextReport.table(results));
            if (options.limit) {
                Console.print("nanoseconds per event, wall/CPU, of the parts alone");
                results.stream().filter(result -> result.limit != null).map(Limits::line).forEach(Console::print);
                Console.print("");
            }
            JsonReport.write(options, results);
            HtmlReport.write(options, results);
            Console.print("reports: " + options.report.resolve("nexmark.json") + ", " + options.report.resolve("nexmark.html"));
            benchmark.problems().forEach(problem -> Console.print("PROBLEM " + problem));
            Console.print(TextReport.verdict(options, results, benchmark.problems()));
            return benchmark.problems().isEmpty();
        }
    }

    private static boolean latency(Options options, Latency latency) throws Exception {
        List<Latency.Result> results = latency.runAll();
        Console.print("");
        Console.print("milliseconds from input to output at " + options.rate + " events a second");
        Console.print(Latency.table(results));
        JsonReport.writeLatency(options, results);
        Console.print("report: " + options.report.resolve("nexmark-latency.json"));
        return true;
    }
}
