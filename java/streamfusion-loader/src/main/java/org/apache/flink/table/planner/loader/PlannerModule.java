package org.apache.flink.table.planner.loader;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ConfigurationUtils;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.core.classloading.ComponentClassLoader;
import org.apache.flink.table.api.TableException;
import org.apache.flink.table.delegation.ExecutorFactory;
import org.apache.flink.table.delegation.PlannerFactory;
import org.apache.flink.table.factories.FactoryUtil;
import tech.streamfusion.loader.Installation;

/**
 * Stands in for Flink's class of this name (in flink-table-api-java), which it shadows because the loader jar sorts first
 * in {@code lib/}. Like Flink's it gives the planner a class loader of its own; in front of Flink's planner jar it puts
 * StreamFusion's, whose planner factory wins. The surface is the one that Flink's delegate factories, the Hive dialect and
 * the SQL gateway call.
 *
 * <p>Before the class loader exists, {@link Installation} checks that this Flink and all StreamFusion jars fit together.
 */
public class PlannerModule {

    private static final String FLINK_PLANNER = "flink-table-planner.jar";
    private static final String STREAMFUSION_PLANNER = "streamfusion-planner.jar";

    /**
     * Packages that come from the owner: what Flink itself keeps there (logging, Janino and commons shipped with
     * flink-table-runtime, Hadoop for the Hive dialect), and StreamFusion's run-time side, which must be one and the same
     * class for planner, connectors and tasks.
     */
    private static final List<String> OWNER_FIRST =
            List.of(
                    "org.codehaus.janino",
                    "org.codehaus.commons",
                    "org.apache.commons.lang3",
                    "org.apache.commons.math3",
                    "org.apache.commons.text",
                    "org.apache.hadoop",
                    "tech.streamfusion.runtime",
                    "tech.streamfusion.loader");

    private static final String[] COMPONENT_FIRST = {"org.apache.flink"};

    /** Only improves the message of a ClassNotFoundException. */
    private static final Map<String, String> MODULE_OF_PACKAGE =
            Map.of(
                    "org.apache.flink.table.runtime", "flink-table-runtime",
                    "org.apache.flink.formats.raw", "flink-table-runtime",
                    "org.codehaus.janino", "flink-table-runtime",
                    "org.codehaus.commons", "flink-table-runtime",
                    "org.apache.flink.table.shaded.com.jayway", "flink-table-runtime",
                    "tech.streamfusion.runtime", "streamfusion-core");

    private final PlannerClassLoader classLoader;

    private PlannerModule() {
        final ClassLoader owner = PlannerModule.class.getClassLoader();
        Installation.verify(owner);
        try {
            final Path directory =
                    Files.createDirectories(
                            Paths.get(ConfigurationUtils.parseTempDirectories(new Configuration())[0]).toAbsolutePath());
            classLoader =
                    new PlannerClassLoader(
                            new URL[] {
                                extract(owner, STREAMFUSION_PLANNER, directory), extract(owner, FLINK_PLANNER, directory)
                            },
                            owner);
        } catch (IOException e) {
            throw new TableException("StreamFusion could not set up the class loader of Flink's table planner.", e);
        }
    }

    private static URL extract(ClassLoader owner, String resource, Path directory) throws IOException {
        try (InputStream in = owner.getResourceAsStream(resource)) {
            if (in == null) {
                throw new TableException(
                        "The resource '"
                                + resource
                                + "' is not on the class path. Flink's lib/ needs flink-table-planner-loader and an intact "
                                + "00-streamfusion-loader.jar; run bin/install-flink.sh again.");
            }
            final Path file = Files.createTempFile(directory, resource.replace(".jar", "_"), ".jar");
            file.toFile().deleteOnExit();
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
            return file.toUri().toURL();
        }
    }

    /** The planner's class loader. */
    public URLClassLoader getSubmoduleClassLoader() {
        return classLoader;
    }

    /** Makes a further jar visible to the planner (the Hive dialect does). */
    public void addUrlToClassLoader(URL url) {
        classLoader.addURL(url);
    }

    public ExecutorFactory loadExecutorFactory() {
        return FactoryUtil.discoverFactory(classLoader, ExecutorFactory.class, ExecutorFactory.DEFAULT_IDENTIFIER);
    }

    public PlannerFactory loadPlannerFactory() {
        return FactoryUtil.discoverFactory(classLoader, PlannerFactory.class, PlannerFactory.DEFAULT_IDENTIFIER);
    }

    /**
     * The one instance. A failed check is thrown from every call with the same message, rather than once as an
     * initializer error and then as NoClassDefFoundError.
     */
    public static PlannerModule getInstance() {
        if (Holder.FAILURE != null) {
            throw new TableException(Holder.FAILURE.getMessage(), Holder.FAILURE);
        }
        return Holder.INSTANCE;
    }

    private static final class Holder {
        private static final PlannerModule INSTANCE;
        private static final RuntimeException FAILURE;

        static {
            PlannerModule instance = null;
            RuntimeException failure = null;
            try {
                instance = new PlannerModule();
            } catch (RuntimeException e) {
                failure = e;
            }
            INSTANCE = instance;
            FAILURE = failure;
        }
    }

    private static final class PlannerClassLoader extends ComponentClassLoader {
        PlannerClassLoader(URL[] jars, ClassLoader owner) {
            super(jars, owner, ownerFirst(), COMPONENT_FIRST, MODULE_OF_PACKAGE);
        }

        private static String[] ownerFirst() {
            final List<String> packages = new ArrayList<>(OWNER_FIRST);
            Collections.addAll(packages, CoreOptions.PARENT_FIRST_LOGGING_PATTERNS);
            return packages.toArray(new String[0]);
        }

        @Override
        public void addURL(URL url) {
            super.addURL(url);
        }

        static {
            ClassLoader.registerAsParallelCapable();
        }

        @Override
        public String toString() {
            return "PlannerClassLoader" + Arrays.toString(getURLs());
        }
    }
}
