package tech.streamfusion.upstream;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Starts forks and watches them. */
final class ForkProcess {

    /**
     * As in the build of Flink's planner, but for the first two: most of a test's time is code that runs once, and the
     * machine may have two cores only.
     */
    private static final List<String> JVM_OPTIONS =
            List.of(
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Xms256m",
                    "--add-opens=java.base/java.lang=ALL-UNNAMED",
                    "--add-opens=java.base/java.util=ALL-UNNAMED",
                    "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
                    "--add-opens=java.base/java.time=ALL-UNNAMED",
                    "--add-opens=java.base/java.math=ALL-UNNAMED",
                    "--add-opens=java.base/java.nio=ALL-UNNAMED",
                    "-Djunit.platform.reflection.search.useLegacySemantics=true",
                    "-DforkNumber=01",
                    "-Duser.country=US",
                    "-Duser.language=en");

    private final Path log;
    private final Process process;

    /**
     * @param workDirectory what Flink's tests take as the directory of their module
     * @param classes a file with the classes to run
     * @param events where the fork appends its events
     * @param log where its output is appended
     * @param options more JVM options
     */
    ForkProcess(Path workDirectory, Path classes, Path events, Path log, List<String> options) throws IOException {
        this.log = log;
        Path arguments = classes.resolveSibling("java-arguments.txt");
        List<String> command = new ArrayList<>();
        command.add("-cp");
        command.add('"' + System.getProperty("java.class.path") + '"');
        Files.write(arguments, command, StandardCharsets.UTF_8);

        command.clear();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM_OPTIONS);
        command.addAll(options);
        command.add("-Dproject.basedir=" + workDirectory);
        command.add("@" + arguments);
        command.add(Fork.class.getName());
        command.add(classes.toString());
        command.add(events.toString());
        process =
                new ProcessBuilder(command)
                        .directory(workDirectory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start();
    }

    boolean waitFor(long millis) throws InterruptedException {
        return process.waitFor(millis, TimeUnit.MILLISECONDS);
    }

    int exitCode() {
        return process.exitValue();
    }

    /** Writes the stacks of all threads into the log, then ends the process. */
    void killWithStacks() throws IOException, InterruptedException {
        File jstack = Path.of(System.getProperty("java.home"), "bin", "jstack").toFile();
        if (jstack.canExecute()) {
            Process stacks =
                    new ProcessBuilder(jstack.getPath(), Long.toString(process.pid()))
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                            .start();
            if (!stacks.waitFor(30, TimeUnit.SECONDS)) {
                stacks.destroyForcibly();
            }
        }
        kill();
    }

    private void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /** For the end of this process: does not wait. */
    void killNow() {
        process.destroyForcibly();
    }
}
