package tech.streamfusion.testing.kafka;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;

/** One run of a combined controller and broker; lives in the class loader that {@link KafkaBroker} makes for it. */
final class KraftServer implements AutoCloseable {

    private final KafkaRaftServer server;

    /** Formats the log directory when it is new and returns when the broker accepts requests. */
    KraftServer(Properties config) throws Exception {
        Path directory = Paths.get(config.getProperty("log.dirs"));
        if (!Files.exists(directory.resolve("meta.properties"))) {
            format(directory, Integer.parseInt(config.getProperty("node.id")));
        }
        server = new KafkaRaftServer(KafkaConfig.fromProps(config), Time.SYSTEM);
        server.startup();
    }

    private static void format(Path directory, int nodeId) throws Exception {
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        try (PrintStream print = new PrintStream(log, true, StandardCharsets.UTF_8)) {
            new Formatter()
                    .setClusterId("c3RyZWFtZnVzaW9uLXRlcw")
                    .setNodeId(nodeId)
                    .addDirectory(directory.toString())
                    .setMetadataLogDirectory(directory.toString())
                    .setControllerListenerName("CONTROLLER")
                    .setPrintStream(print)
                    .run();
        } catch (Exception e) {
            throw new IllegalStateException("formatting " + directory + ": " + log, e);
        }
    }

    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
    }
}
