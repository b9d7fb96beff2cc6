package tech.streamfusion.nexmark;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A JVM of its own for the jobs of one side, so that its CPU time and memory are those of the job and nothing else. */
final class WorkerProcess implements AutoCloseable {

    /** What Flink's own start scripts open on JDK 17. */
    private static final List<String> OPENS =
            List.of(
                    "java.base/java.lang",
                    "java.base/java.net",
                    "java.base/java.io",
                    "java.base/java.nio",
                    "java.base/sun.nio.ch",
                    "java.base/java.lang.reflect",
                    "java.base/java.text",
                    "java.base/java.time",
                    "java.base/java.math",
                    "java.base/java.util",
                    "java.base/java.util.concurrent",
                    "java.base/java.util.concurrent.atomic",
                    "java.base/java.util.concurrent.locks");

    private final Process process;
    private final BufferedReader fromWorker;
    private final BufferedWriter toWorker;
    private final Path log;

    /** @param slots of its cluster */
    WorkerProcess(Side side, Options options, int slots, Path log) throws IOException {
        this.log = log;
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        // Both, as Flink starts its task managers: a heap that is still growing collects far more often.
        command.add("-Xmx" + options.workerHeap);
        command.add("-Xms" + options.workerHeap);
        command.addAll(options.workerJvmArgs);
        for (String opened : OPENS) {
            command.add("--add-opens=" + opened + "=ALL-UNNAMED");
        }
        command.add("-cp");
        command.add(classPath(side, options));
        command.add(Worker.class.getName());
        command.add(Integer.toString(slots));
        process =
                new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start();
        fromWorker = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        toWorker = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    }

    /** Jars of the accelerator come first, as with its loader in Flink's lib/; the stock side has none of them. */
    private static String classPath(Side side, Options options) throws IOException {
        try (Stream<Path> files = Files.list(options.lib)) {
            List<Path> jars =
                    files.filter(p -> p.toString().endsWith(".jar")).sorted().collect(Collectors.toList());
            List<String> entries = new ArrayList<>();
            if (side == Side.NATIVE) {
                jars.stream().filter(WorkerProcess::isAccelerator).forEach(p -> entries.add(p.toString()));
                if (entries.isEmpty()) {
                    throw new IOException("no accelerator jars in " + options.lib);
                }
            }
            jars.stream().filter(p -> !isAccelerator(p)).forEach(p -> entries.add(p.toString()));
            return String.join(File.pathSeparator, entries);
        }
    }

    private static boolean isAccelerator(Path jar) {
        String name = jar.getFileName().toString();
        return name.startsWith("streamfusion-")
                && !name.startsWith("streamfusion-nexmark")
                && !name.startsWith("streamfusion-test");
    }

    /** Sends a request without waiting for the answer. */
    void send(Message request) throws IOException {
        toWorker.write(request.toLine());
        toWorker.newLine();
        toWorker.flush();
    }

    Message receive() throws IOException {
        for (String line = fromWorker.readLine(); line != null; line = fromWorker.readLine()) {
            Message answer = Message.parse(line);
            if (answer != null) {
                return answer;
            }
        }
        throw new IOException("the worker died (" + process.info() + "); its log: " + log);
    }

    Message call(Message request) throws IOException {
        send(request);
        return receive();
    }

    @Override
    public void close() throws IOException {
        toWorker.close();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        fromWorker.close();
    }
}
