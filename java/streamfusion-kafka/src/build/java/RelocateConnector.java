import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;

/**
 * Build step: copies the compiled classes that link to the Kafka connector into a second package, there linked to the Kafka
 * client as flink-sql-connector-kafka relocates it. Argument: the directory of compiled classes.
 */
public final class RelocateConnector {

    private static final String OWN = "tech/streamfusion/kafka/connector/";
    private static final String OWN_RELOCATED = "tech/streamfusion/kafka/relocated/";
    private static final String CLIENT = "org/apache/kafka/";
    private static final String CLIENT_RELOCATED = "org/apache/flink/kafka/shaded/org/apache/kafka/";

    private static final Remapper RENAMES =
            new Remapper() {
                @Override
                public String map(String name) {
                    if (name.startsWith(OWN)) {
                        return OWN_RELOCATED + name.substring(OWN.length());
                    }
                    return name.startsWith(CLIENT) ? CLIENT_RELOCATED + name.substring(CLIENT.length()) : name;
                }
            };

    private RelocateConnector() {}

    public static void main(String[] arguments) throws IOException {
        Path classes = Paths.get(arguments[0]);
        Path own = classes.resolve(OWN);
        List<Path> files;
        try (Stream<Path> tree = Files.walk(own)) {
            files = tree.filter(file -> file.toString().endsWith(".class")).collect(Collectors.toList());
        }
        for (Path file : files) {
            Path target = classes.resolve(OWN_RELOCATED).resolve(own.relativize(file));
            if (Files.exists(target)
                    && Files.getLastModifiedTime(target).compareTo(Files.getLastModifiedTime(file)) >= 0) {
                continue;
            }
            ClassWriter writer = new ClassWriter(0);
            new ClassReader(Files.readAllBytes(file)).accept(new ClassRemapper(writer, RENAMES), 0);
            Files.createDirectories(target.getParent());
            Files.write(target, writer.toByteArray());
        }
    }
}
