package tech.streamfusion.distribution;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A private copy of a Flink home with StreamFusion installed, and a session cluster of one JobManager and one TaskManager
 * as real processes. The copy links Flink's jars, so it is cheap; scripts and configuration are its own.
 */
final class FlinkDistribution implements AutoCloseable {

    private static final Path ROOT = Path.of(System.getProperty("streamfusion.root"));

    private final Path home;
    private final int restPort = freePort();
    private final List<Process> processes = new ArrayList<>();

    private FlinkDistribution(Path home) {
        this.home = home;
    }

    /** Copies the fetched distribution into {@code directory} and adds the given jars of the connector directory. */
    static FlinkDistribution copyTo(Path directory, String... connectorJarPrefixes) throws Exception {
        final Path source = sourceHome();
        for (String part : new String[] {"bin", "conf", "lib", "opt", "plugins"}) {
            try (Stream<Path> files = Files.walk(source.resolve(part))) {
                for (Path file : (Iterable<Path>) files::iterator) {
                    final Path target = directory.resolve(source.relativize(file).toString());
                    if (Files.isDirectory(file)) {
                        Files.createDirectories(target);
                    } else if (file.toString().endsWith(".jar")) {
                        Files.createSymbolicLink(target, file);
                    } else {
                        Files.copy(file, target);
                    }
                }
            }
        }
        Files.createDirectories(directory.resolve("log"));
        final Path connectors = Path.of(System.getProperty("streamfusion.connector.jars"));
        try (Stream<Path> jars = Files.list(connectors)) {
            for (Path jar : (Iterable<Path>) jars::iterator) {
                final String name = jar.getFileName().toString();
                if (Arrays.stream(connectorJarPrefixes).anyMatch(name::startsWith)) {
                    Files.createSymbolicLink(directory.resolve("lib").resolve(name), jar);
                }
            }
        }
        return new FlinkDistribution(directory);
    }

    private static Path sourceHome() throws Exception {
        final String configured = System.getProperty("streamfusion.flink.home");
        if (configured != null && !configured.isEmpty()) {
            return Path.of(configured);
        }
        final String output = run(ROOT, Map.of(), Duration.ofMinutes(8), ROOT.resolve("bin/fetch-flink.sh").toString());
        final String[] lines = output.strip().split("\n");
        return Path.of(lines[lines.length - 1]);
    }

    Path lib() {
        return home.resolve("lib");
    }

    /** Runs bin/install-flink.sh on this home. */
    String install(String... options) throws Exception {
        final List<String> command = new ArrayList<>();
        command.add(ROOT.resolve("bin/install-flink.sh").toString());
        command.addAll(Arrays.asList(options));
        command.add(home.toString());
        return run(ROOT, Map.of(), Duration.ofMinutes(8), command.toArray(new String[0]));
    }

    /**
     * Writes the configuration and starts the cluster; returns when a slot is offered.
     *
     * @param options further lines of the configuration
     */
    void start(String... options) throws Exception {
        configure(options);
        processes.add(background("jobmanager"));
        processes.add(background("taskmanager"));
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
        while (!slotsAvailable()) {
            for (Process process : processes) {
                if (!process.isAlive()) {
                    throw new IllegalStateException("A Flink process ended at start:\n" + logs());
                }
            }
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("No TaskManager registered within 90 s:\n" + logs());
            }
            Thread.sleep(200);
        }
    }

    /** Ends the task manager as {@code kill -9} does, and starts another one in its place. */
    void killTaskManager() throws Exception {
        final Process process = processes.get(processes.size() - 1);
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
        processes.set(processes.size() - 1, background("taskmanager"));
    }

    void configure(String... more) throws IOException {
        final String options =
                String.join(
                        " ",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--add-opens=java.base/java.nio=ALL-UNNAMED",
                        "--add-opens=java.base/java.util=ALL-UNNAMED",
                        "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
                        "--add-opens=java.base/java.time=ALL-UNNAMED");
        Files.writeString(
                home.resolve("conf/config.yaml"),
                String.join(
                        "\n",
                        "jobmanager.rpc.address: 127.0.0.1",
                        "jobmanager.rpc.port: " + freePort(),
                        "jobmanager.bind-host: 127.0.0.1",
                        "jobmanager.memory.process.size: 1024m",
                        "rest.address: 127.0.0.1",
                        "rest.bind-address: 127.0.0.1",
                        "rest.port: " + restPort,
                        "taskmanager.host: 127.0.0.1",
                        "taskmanager.bind-host: 127.0.0.1",
                        "taskmanager.numberOfTaskSlots: 2",
                        "taskmanager.memory.process.size: 1536m",
                        "execution.checkpointing.interval: 500ms",
                        "env.java.opts.all: \"" + options + "\"",
                        String.join("\n", more),
                        ""));
    }

    private Process background(String script) throws IOException {
        final ProcessBuilder builder =
                new ProcessBuilder(home.resolve("bin/" + script + ".sh").toString(), "start-foreground");
        builder.environment().putAll(environment());
        builder.redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(home.resolve("log/" + script + ".out").toFile()));
        return builder.start();
    }

    /** Runs statements with the stock SQL client and returns what it printed. */
    String sql(String script) throws Exception {
        final Path file = Files.createTempFile(home, "script", ".sql");
        Files.writeString(file, script);
        return run(
                home, environment(), Duration.ofMinutes(3), home.resolve("bin/sql-client.sh").toString(), "-f", file.toString());
    }

    /** GET on the JobManager's REST endpoint. */
    String rest(String path) throws Exception {
        final HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + restPort + path)).build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    private boolean slotsAvailable() {
        try {
            final String overview = rest("/overview");
            return overview.contains("\"slots-available\"") && !overview.contains("\"slots-available\":0");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (Exception notUpYet) {
            return false;
        }
    }

    /** Everything that the cluster and the client logged. */
    String logs() throws IOException {
        final StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.list(home.resolve("log"))) {
            for (Path file : (Iterable<Path>) files.sorted()::iterator) {
                text.append("==== ").append(file.getFileName()).append('\n').append(Files.readString(file));
            }
        }
        return text.toString();
    }

    @Override
    public void close() {
        for (Process process : processes) {
            // the script replaces itself by the JVM, but be sure to end what it may have started instead
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        for (Process process : processes) {
            process.onExit().orTimeout(20, TimeUnit.SECONDS).join();
        }
    }

    private Map<String, String> environment() {
        return Map.of(
                "FLINK_CONF_DIR", home.resolve("conf").toString(),
                "FLINK_LOG_DIR", home.resolve("log").toString(),
                "JAVA_HOME", System.getProperty("java.home"));
    }

    private static String run(Path directory, Map<String, String> environment, Duration limit, String... command)
            throws Exception {
        final ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().putAll(environment);
        final Path output = Files.createTempFile("streamfusion-it", ".out");
        builder.redirectErrorStream(true).redirectOutput(output.toFile());
        final Process process = builder.start();
        process.getOutputStream().close();
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException(
                        String.join(" ", command) + " did not end within " + limit + ":\n" + Files.readString(output));
            }
            final String text = Files.readString(output);
            if (process.exitValue() != 0) {
                throw new IllegalStateException(
                        String.join(" ", command) + " exited with " + process.exitValue() + ":\n" + text);
            }
            return text;
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            Files.delete(output);
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
