package tech.streamfusion.loader;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstallationTest {

    private static final String CORE = "tech/streamfusion/runtime/NativeEngine.class";

    @TempDir Path directory;

    @Test
    void matchingJarsPassUnderAnyName() throws IOException {
        final URL core = jar("renamed.jar", "streamfusion-runtime", "1", "2.2", CORE);
        final URL kafka = jar("zz.jar", "streamfusion-kafka", "1", "2.2", null);
        assertThatCode(() -> verify("2.2.0", core, kafka)).doesNotThrowAnyException();
        assertThatCode(() -> verify("2.2.1", core)).doesNotThrowAnyException();
    }

    @Test
    void otherFlinkVersionsAreRefused() throws IOException {
        final URL core = jar("core.jar", "streamfusion-runtime", "1", "2.2", CORE);
        for (String version : new String[] {"2.1.0", "2.2.2", "2.2-SNAPSHOT", "3.0.0", "<unknown>"}) {
            assertThatThrownBy(() -> verify(version, core))
                    .isInstanceOf(IncompatibleInstallationException.class)
                    .hasMessageContaining("[2.2.0, 2.2.1]")
                    .hasMessageContaining("'" + version + "'");
        }
    }

    @Test
    void renamedExtensionOfAnotherLineIsNamed() throws IOException {
        final URL core = jar("core.jar", "streamfusion-runtime", "1", "2.2", CORE);
        final URL other = jar("innocent.jar", "streamfusion-json", "1", "1.18", null);
        assertThatThrownBy(() -> verify("2.2.1", core, other))
                .isInstanceOf(IncompatibleInstallationException.class)
                .hasMessageContaining("innocent.jar")
                .hasMessageContaining("streamfusion-json")
                .hasMessageContaining("1.18");
    }

    @Test
    void otherVersionIsNamed() throws IOException {
        final URL core = jar("core.jar", "streamfusion-runtime", "2", "2.2", CORE);
        assertThatThrownBy(() -> verify("2.2.1", core))
                .hasMessageContaining("core.jar")
                .hasMessageContaining("StreamFusion 2, the loader is 1");
    }

    @Test
    void missingDuplicateAndUnmarkedCoresAreRefused() throws IOException {
        assertThatThrownBy(() -> verify("2.2.1")).hasMessageContaining("streamfusion-core.jar is not");
        final URL one = jar("one.jar", "streamfusion-runtime", "1", "2.2", CORE);
        final URL two = jar("two.jar", "streamfusion-runtime", "1", "2.2", CORE);
        assertThatThrownBy(() -> verify("2.2.1", one, two)).hasMessageContaining("More than one");
        final URL unmarked = jar("unmarked.jar", null, null, null, CORE);
        assertThatThrownBy(() -> verify("2.2.1", unmarked))
                .hasMessageContaining("unmarked.jar")
                .hasMessageContaining("StreamFusion-Module");
    }

    private static void verify(String flinkVersion, URL... jars) throws IOException {
        try (URLClassLoader classLoader = new URLClassLoader(jars, null)) {
            Installation.verify(classLoader, flinkVersion, "1", "2.2");
        }
    }

    private URL jar(String name, String module, String version, String line, String entry) throws IOException {
        final Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        if (module != null) {
            manifest.getMainAttributes().putValue(Installation.MODULE, module);
            manifest.getMainAttributes().putValue(Installation.VERSION, version);
            manifest.getMainAttributes().putValue(Installation.FLINK_LINE, line);
        }
        final Path file = directory.resolve(name);
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out, manifest)) {
            if (entry != null) {
                jar.putNextEntry(new ZipEntry(entry));
                jar.closeEntry();
            }
        }
        return file.toUri().toURL();
    }
}
