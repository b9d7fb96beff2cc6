package tech.streamfusion.nexmark;

import java.util.Locale;

/** What a person sees while the benchmark runs. */
final class Console {

    private static final long START = System.nanoTime();

    private Console() {}

    static void progress(String text) {
        System.out.println(String.format(Locale.ROOT, "[%6.1f s] %s", (System.nanoTime() - START) / 1e9, text));
    }

    static void print(String text) {
        System.out.println(text);
    }
}
