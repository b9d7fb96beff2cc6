package tech.streamfusion.planner.nodes;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Predicate;
import tech.streamfusion.planner.FallbackReason.Rule;

/** Finds the connector module that takes a table. */
final class Providers {

    private Providers() {}

    /**
     * @param table the source or sink; its own class loader may hold the module, as may the job's
     * @throws Fallback when a module is installed but cannot be loaded
     */
    static <P> Optional<P> find(Class<P> spi, Object table, ClassLoader jobLoader, Predicate<P> accepts)
            throws Fallback {
        Set<ClassLoader> loaders = Collections.newSetFromMap(new IdentityHashMap<>());
        for (ClassLoader loader : new ClassLoader[] {table.getClass().getClassLoader(), jobLoader, spi.getClassLoader()}) {
            if (loader == null || !loaders.add(loader)) {
                continue;
            }
            try {
                for (Iterator<P> it = ServiceLoader.load(spi, loader).iterator(); it.hasNext(); ) {
                    P provider = it.next();
                    if (accepts.test(provider)) {
                        return Optional.of(provider);
                    }
                }
            } catch (ServiceConfigurationError | LinkageError e) {
                throw new Fallback(Rule.INSTALLATION, "a connector module cannot be loaded: " + e);
            }
        }
        return Optional.empty();
    }
}
