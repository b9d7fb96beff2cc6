package tech.streamfusion.nexmark;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Comparator;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;

/** Runs jobs on request of the coordinator, in a process of its own, and measures them from the inside. */
public final class Worker {

    private static final Pattern NATIVE_NODE = Pattern.compile("\\bNative\\w+");

    private final WorkerCluster cluster;
    private JobID running;

    private Worker(WorkerCluster cluster) {
        this.cluster = cluster;
    }

    /** @param args number of task slots */
    public static void main(String[] args) throws Exception {
        PrintStream answers = System.out;
        System.setOut(System.err);
        Path checkpoints = Files.createTempDirectory("nexmark-checkpoints");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(checkpoints)));
        new Worker(WorkerCluster.start(Integer.parseInt(args[0]), checkpoints)).serve(answers);
        System.exit(0); // ends the cluster
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (IOException | UncheckedIOException e) {
            System.err.println("left behind: " + directory + ": " + e);
        }
    }

    private void serve(PrintStream answers) throws IOException {
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            Message request = Message.parse(line);
            if (request == null) {
                continue;
            }
            Message answer;
            try {
                answer = answer(request);
            } catch (Exception | LinkageError e) {
                StringWriter trace = new StringWriter();
                e.printStackTrace(new PrintWriter(trace));
                answer = new Message().with("error", trace);
            }
            answers.println(answer.toLine());
            answers.flush();
        }
    }

    private Message answer(Message request) throws Exception {
        switch (request.get("command")) {
            case "run":
                return run(request);
            case "start":
                running = cluster.submit(Job.of(request).plan());
                return new Message().with("started", true);
            case "cancel":
                cancel();
                return new Message().with("cancelled", true);
            case "state":
                return new StateProbe(cluster).measure(request);
            case "limit":
                return Limits.measure(request, Job.of(request).tables);
            default:
                return new Message().with("error", "unknown command " + request.get("command"));
        }
    }

    private Message run(Message request) throws Exception {
        Job job = Job.of(request);
        String explained = job.explain();
        System.gc();
        resetPeakMemory();
        OperatingSystemMXBean process = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        long cpuBefore = process.getProcessCpuTime();
        long wallBefore = System.nanoTime();
        cluster.run(job.plan());
        long wall = System.nanoTime() - wallBefore;
        long cpu = process.getProcessCpuTime() - cpuBefore;
        return new Message()
                .with("wallNanos", wall)
                .with("cpuNanos", cpu)
                .with("peakBytes", peakMemory())
                .with("nativeNodes", nativeNodes(explained))
                .with("plan", explained);
    }

    private void cancel() throws Exception {
        if (running == null) {
            throw new IllegalStateException("no job is running");
        }
        cluster.cancel(running);
        running = null;
    }

    /** The node names of the execution plan that are the accelerator's, sorted. */
    static String nativeNodes(String explained) {
        String plan = explained.substring(Math.max(0, explained.indexOf("== Optimized Execution Plan ==")));
        TreeSet<String> names = new TreeSet<>();
        Matcher matcher = NATIVE_NODE.matcher(plan);
        while (matcher.find()) {
            names.add(matcher.group());
        }
        return String.join(",", names);
    }

    private static void resetPeakMemory() {
        try {
            Files.write(Paths.get("/proc/self/clear_refs"), new byte[] {'5'});
        } catch (IOException e) {
            System.err.println("peak memory is that of the whole process: " + e);
        }
    }

    /** Peak resident bytes since the last reset, 0 where the system does not tell. */
    private static long peakMemory() throws IOException {
        Path status = Paths.get("/proc/self/status");
        if (Files.exists(status)) {
            for (String line : Files.readAllLines(status)) {
                if (line.startsWith("VmHWM:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
                }
            }
        }
        return 0;
    }
}
