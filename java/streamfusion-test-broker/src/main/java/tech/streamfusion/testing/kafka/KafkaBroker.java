package tech.streamfusion.testing.kafka;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Kafka broker (KRaft, controller and broker in one) inside this JVM, with transactions, one replica and automatic topic
 * creation off. It can be stopped and started again on the same port with the same data.
 *
 * <p>Kafka's server classes live in a class loader of their own, so the class path of the user keeps its own Scala and its
 * own kafka-clients.
 */
public final class KafkaBroker implements AutoCloseable {

    private static final String SERVER_CLASS = "tech.streamfusion.testing.kafka.KraftServer";
    private static final int NODE_ID = 1;

    private final URLClassLoader loader;
    private final Path directory;
    private final boolean deleteDirectory;
    private final Properties config = new Properties();
    private final int port;
    private AutoCloseable server;

    private KafkaBroker(Path directory, boolean deleteDirectory, Map<String, String> overrides) throws IOException {
        this.directory = directory;
        this.deleteDirectory = deleteDirectory;
        this.loader = serverLoader();
        int[] ports = freePorts(2);
        this.port = ports[0];
        config.setProperty("process.roles", "broker,controller");
        config.setProperty("node.id", Integer.toString(NODE_ID));
        config.setProperty("log.dirs", directory.toString());
        config.setProperty("listeners", "PLAINTEXT://127.0.0.1:" + ports[0] + ",CONTROLLER://127.0.0.1:" + ports[1]);
        config.setProperty("advertised.listeners", "PLAINTEXT://127.0.0.1:" + ports[0]);
        config.setProperty("controller.listener.names", "CONTROLLER");
        config.setProperty("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        config.setProperty("controller.quorum.voters", NODE_ID + "@127.0.0.1:" + ports[1]);
        config.setProperty("auto.create.topics.enable", "false");
        config.setProperty("default.replication.factor", "1");
        config.setProperty("offsets.topic.replication.factor", "1");
        config.setProperty("offsets.topic.num.partitions", "1");
        config.setProperty("transaction.state.log.replication.factor", "1");
        config.setProperty("transaction.state.log.min.isr", "1");
        config.setProperty("transaction.state.log.num.partitions", "4");
        config.setProperty("transaction.max.timeout.ms", "7200000");
        config.setProperty("group.initial.rebalance.delay.ms", "0");
        config.setProperty("num.recovery.threads.per.data.dir", "1");
        config.setProperty("log.cleaner.enable", "false");
        // A machine busy with other things must not look like a dead broker.
        config.setProperty("broker.session.timeout.ms", "120000");
        config.setProperty("log.retention.ms", "-1");
        overrides.forEach(config::setProperty);
    }

    /** Starts a broker with a temporary directory, deleted by {@link #close()}. */
    public static KafkaBroker start() {
        return start(Map.of());
    }

    /** @param overrides broker configuration by Kafka's names, e.g. {@code message.max.bytes} */
    public static KafkaBroker start(Map<String, String> overrides) {
        try {
            return start(Files.createTempDirectory("streamfusion-kafka"), true, overrides);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a broker that keeps its data in a given directory. */
    public static KafkaBroker startIn(Path directory, Map<String, String> overrides) {
        return start(directory, false, overrides);
    }

    private static KafkaBroker start(Path directory, boolean temporary, Map<String, String> overrides) {
        try {
            KafkaBroker broker = new KafkaBroker(directory, temporary, overrides);
            broker.restart();
            return broker;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    /** Stops the broker, in an orderly way; connections break, data and port stay. Nothing happens when it is stopped. */
    public synchronized void stop() {
        if (server == null) {
            return;
        }
        AutoCloseable running = server;
        server = null;
        inServerLoader(
                () -> {
                    running.close();
                    return null;
                });
    }

    /** Starts the stopped broker again on its port, with its data; returns when it accepts requests. */
    public synchronized void restart() {
        if (server != null) {
            throw new IllegalStateException("the broker is running");
        }
        server =
                inServerLoader(
                        () -> {
                            Constructor<?> start =
                                    Class.forName(SERVER_CLASS, true, loader).getDeclaredConstructor(Properties.class);
                            start.setAccessible(true);
                            return (AutoCloseable) start.newInstance(config);
                        });
    }

    /** Stops the broker and deletes its temporary directory. */
    @Override
    public void close() {
        stop();
        try {
            loader.close();
            if (deleteDirectory) {
                deleteRecursively(directory);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private <T> T inServerLoader(Callable<T> action) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return action.call();
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("Kafka broker in " + directory, e.getCause());
        } catch (Exception e) {
            throw new IllegalStateException("Kafka broker in " + directory, e);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** This module's classes and the jars that the build put beside them, apart from the application's class path. */
    private static URLClassLoader serverLoader() throws IOException {
        Path own;
        try {
            own = Paths.get(KafkaBroker.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
        String configured = System.getProperty("streamfusion.test.broker.lib");
        Path jars = configured != null ? Paths.get(configured) : own.resolveSibling("kafka-broker");
        List<URL> urls = new ArrayList<>();
        urls.add(own.toUri().toURL());
        try (Stream<Path> files = Files.list(jars)) {
            for (Path jar : files.sorted().collect(Collectors.toList())) {
                urls.add(jar.toUri().toURL());
            }
        }
        return new URLClassLoader("kafka-broker", urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
    }

    /**
     * Ports below the range that outgoing connections use: a client that keeps connecting to the port of a stopped broker
     * could otherwise be given that very port for its own end, connect to itself, and block the restart.
     */
    private static int[] freePorts(int count) throws IOException {
        Random random = new Random();
        int[] ports = new int[count];
        int found = 0;
        for (int attempt = 0; attempt < 1000 && found < count; attempt++) {
            int port = 20_000 + random.nextInt(12_000);
            try (ServerSocket socket = new ServerSocket()) {
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress("127.0.0.1", port));
            } catch (BindException e) {
                continue;
            }
            if (found == 0 || ports[found - 1] != port) {
                ports[found++] = port;
            }
        }
        if (found < count) {
            throw new IOException("no free port");
        }
        return ports;
    }

    private static void deleteRecursively(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        }
    }
}
