package tech.streamfusion.upstream;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/** The command line of {@link Suite}; {@code bin/upstream-suite --help} describes it. */
final class SuiteOptions {

    /** Sets, classes and methods to run; empty means all sets unless {@link #slice} is on. */
    final List<String> words = new ArrayList<>();

    final List<String> jvmOptions = new ArrayList<>();
    Path module = Path.of("");
    Path workDirectory = Path.of("");
    Path reports = Path.of("");
    boolean slice;
    boolean stock;
    boolean goOn;
    String minimumGain = "0";
    String heap = "1536m";
    int classTimeoutSeconds = 600;

    static SuiteOptions parse(String... arguments) {
        SuiteOptions out = new SuiteOptions();
        for (Iterator<String> it = Arrays.asList(arguments).iterator(); it.hasNext(); ) {
            String argument = it.next();
            switch (argument) {
                case "--slice":
                    out.slice = true;
                    break;
                case "--stock":
                    out.stock = true;
                    break;
                case "--continue":
                    out.goOn = true;
                    break;
                case "--module":
                    out.useModule(Path.of(value(argument, it)).toAbsolutePath());
                    break;
                case "--reports":
                    out.reports = Path.of(value(argument, it)).toAbsolutePath();
                    break;
                case "--minimum-gain":
                    out.minimumGain = value(argument, it);
                    break;
                case "--heap":
                    out.heap = value(argument, it);
                    break;
                case "--jvm-option":
                    out.jvmOptions.add(value(argument, it));
                    break;
                case "--class-timeout":
                    out.classTimeoutSeconds = Integer.parseInt(value(argument, it));
                    break;
                default:
                    if (argument.startsWith("-")) {
                        throw new IllegalArgumentException("unknown option " + argument);
                    }
                    out.words.add(argument);
            }
        }
        return out;
    }

    /** The directory of this Maven module. */
    void useModule(Path directory) {
        module = directory;
        workDirectory = directory.resolve("target/work");
    }

    private static String value(String option, Iterator<String> rest) {
        if (!rest.hasNext()) {
            throw new IllegalArgumentException(option + " needs a value");
        }
        return rest.next();
    }

    String describe() {
        return stock ? "stock planner" : "StreamFusion's planner with a minimum gain of " + minimumGain;
    }
}
