package tech.streamfusion.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Test;

class NativeLibraryTest {

    @Test
    void tellsWhatItIs() {
        assertThat(NativeEngine.buildInfo()).startsWith("streamfusion 0.1.0 for Flink 2.2");
    }

    @Test
    void extractsOnceByContent() throws Exception {
        Path first = NativeLibrary.resolve(NativeLibrary.class, "libstreamfusion.so");
        Object stamp = Files.getLastModifiedTime(first);
        assertThat(NativeLibrary.resolve(NativeLibrary.class, "libstreamfusion.so")).isEqualTo(first);
        assertThat(Files.getLastModifiedTime(first)).isEqualTo(stamp);
        assertThat(Files.getPosixFilePermissions(first.getParent().getParent())).hasSize(3);
    }

    @Test
    void repairsAFileOfWrongContent() throws Exception {
        Path file = NativeLibrary.resolve(NativeLibrary.class, "libstreamfusion.so");
        byte[] content = Files.readAllBytes(file);
        Path other = Files.write(Files.createTempFile(file.getParent(), "wrong", ".tmp"), new byte[] {1});
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
        assertThat(Files.readAllBytes(NativeLibrary.resolve(NativeLibrary.class, "libstreamfusion.so")))
                .isEqualTo(content);
    }

    @Test
    void twoClassLoadersBothGetIt() throws Exception {
        long here = NativeEngine.liveObjects();
        URL[] classes = {NativeEngine.class.getProtectionDomain().getCodeSource().getLocation()};
        for (int i = 0; i < 2; i++) {
            try (URLClassLoader loader = new URLClassLoader(classes, new OnlyParent(getClass().getClassLoader()))) {
                Class<?> other = loader.loadClass(NativeEngine.class.getName());
                assertThat(other).isNotSameAs(NativeEngine.class);
                Method info = other.getMethod("buildInfo");
                assertThat(info.invoke(null)).isEqualTo(NativeEngine.buildInfo());
            }
        }
        assertThat(NativeEngine.liveObjects()).isEqualTo(here);
    }

    @Test
    void namesWhatIsMissing() {
        assertThatThrownBy(() -> NativeLibrary.resolve(NativeLibrary.class, "libnone.so"))
                .isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessageContaining("/tech/streamfusion/native/" + NativeLibrary.platform() + "/libnone.so");
    }

    @Test
    void aDirectoryMayStandInForTheJar() throws Exception {
        Path directory = Files.createTempDirectory("streamfusion-test");
        Path file = Files.createFile(directory.resolve("libnone.so"));
        System.setProperty(NativeLibrary.PATH_PROPERTY, directory.toString());
        try {
            assertThat(NativeLibrary.resolve(NativeLibrary.class, "libnone.so")).isEqualTo(file);
        } finally {
            System.clearProperty(NativeLibrary.PATH_PROPERTY);
            Files.delete(file);
            Files.delete(directory);
        }
    }

    /** Hides this module's classes, so that a child loader defines them again. */
    private static final class OnlyParent extends ClassLoader {
        OnlyParent(ClassLoader parent) {
            super(parent);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("tech.streamfusion.")) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }

        @Override
        public URL getResource(String name) {
            return name.startsWith("tech/streamfusion/") ? null : super.getResource(name);
        }
    }
}
