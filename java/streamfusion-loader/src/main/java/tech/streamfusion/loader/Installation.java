package tech.streamfusion.loader;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import org.apache.flink.runtime.util.EnvironmentInformation;

/**
 * Checks, before any planner class is loaded, that this Flink is one that StreamFusion knows and that all StreamFusion jars
 * on the class path were built for it, together. Jars are recognised by their manifest, never by their file name.
 *
 * <p>Anything that does not fit is an error with the remedy: planner internals of another Flink line could produce wrong
 * plans, which is worse than not starting.
 */
public final class Installation {

    /** Flink versions whose planner was tested; nothing else is admitted. */
    public static final Set<String> SUPPORTED_FLINK_VERSIONS = Set.of("2.2.0", "2.2.1");

    static final String MODULE = "StreamFusion-Module";
    static final String VERSION = "StreamFusion-Version";
    static final String FLINK_LINE = "StreamFusion-Flink-Line";

    private static final String CORE_MODULE = "streamfusion-runtime";
    private static final String CORE_CLASS = "tech/streamfusion/runtime/NativeEngine.class";

    private Installation() {}

    /** Throws {@link IncompatibleInstallationException} when something does not fit. */
    public static void verify(ClassLoader classLoader) {
        final Properties identity = identity();
        verify(
                classLoader,
                EnvironmentInformation.getVersion(),
                identity.getProperty("version"),
                identity.getProperty("flink.line"));
    }

    static void verify(ClassLoader classLoader, String flinkVersion, String version, String flinkLine) {
        if (!SUPPORTED_FLINK_VERSIONS.contains(flinkVersion)) {
            throw new IncompatibleInstallationException(
                    "StreamFusion "
                            + version
                            + " supports Flink "
                            + new TreeSet<>(SUPPORTED_FLINK_VERSIONS)
                            + ", but this is Flink '"
                            + flinkVersion
                            + "'. Remove 00-streamfusion-loader.jar from lib/, or install a StreamFusion for this Flink.");
        }
        final List<String> modules = new ArrayList<>();
        for (URL url : resources(classLoader, "META-INF/MANIFEST.MF")) {
            final Attributes attributes = manifest(url);
            if (attributes.getValue(MODULE) != null) {
                check(url, attributes, version, flinkLine);
                modules.add(attributes.getValue(MODULE));
            }
        }
        checkCore(classLoader, modules);
    }

    private static void check(URL url, Attributes attributes, String version, String flinkLine) {
        final String module = attributes.getValue(MODULE);
        final String line = attributes.getValue(FLINK_LINE);
        if (!flinkLine.equals(line)) {
            throw new IncompatibleInstallationException(
                    location(url)
                            + " ("
                            + module
                            + ") was built for Flink line "
                            + line
                            + ", the loader for "
                            + flinkLine
                            + ". Install loader, core and extensions of one build.");
        }
        if (!version.equals(attributes.getValue(VERSION))) {
            throw new IncompatibleInstallationException(
                    location(url)
                            + " ("
                            + module
                            + ") is StreamFusion "
                            + attributes.getValue(VERSION)
                            + ", the loader is "
                            + version
                            + ". Install loader, core and extensions of one build.");
        }
    }

    private static void checkCore(ClassLoader classLoader, List<String> modules) {
        final List<URL> cores = resources(classLoader, CORE_CLASS);
        if (cores.isEmpty()) {
            throw new IncompatibleInstallationException(
                    "00-streamfusion-loader.jar is in lib/ but streamfusion-core.jar is not. Add it, or remove the loader; "
                            + "bin/install-flink.sh installs both.");
        }
        if (cores.size() > 1) {
            throw new IncompatibleInstallationException(
                    "More than one StreamFusion core is on the class path: " + cores + ". Keep one.");
        }
        if (!modules.contains(CORE_MODULE)) {
            throw new IncompatibleInstallationException(
                    location(cores.get(0))
                            + " holds StreamFusion classes but its manifest lacks "
                            + MODULE
                            + ", so its Flink line is unknown. Use an unmodified StreamFusion jar.");
        }
    }

    private static Properties identity() {
        final Properties properties = new Properties();
        try (InputStream in = Installation.class.getResourceAsStream("identity.properties")) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties;
    }

    private static List<URL> resources(ClassLoader classLoader, String name) {
        try {
            return Collections.list(classLoader.getResources(name));
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot list " + name + " on the class path", e);
        }
    }

    private static Attributes manifest(URL url) {
        try {
            final URLConnection connection = url.openConnection();
            connection.setUseCaches(false); // a cached JarFile would stay open for the life of the process
            try (InputStream in = connection.getInputStream()) {
                return new Manifest(in).getMainAttributes();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + url, e);
        }
    }

    private static String location(URL url) {
        try {
            final URLConnection connection = url.openConnection();
            return connection instanceof JarURLConnection
                    ? ((JarURLConnection) connection).getJarFileURL().getPath()
                    : url.toString();
        } catch (IOException e) {
            return url.toString();
        }
    }
}
