package tech.streamfusion.planner.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import tech.streamfusion.planner.nodes.NodeTranslator;
import tech.streamfusion.planner.nodes.Translators;
import tech.streamfusion.runtime.NativeEngine;

/**
 * docs/coverage-and-fallbacks.md states what the code's own lists say: node translators, the engine's functions, and what
 * becomes of an example of everything that SQL offers. Run with
 * {@code -Dstreamfusion.docs.write=true} to bring the generated sections up to date.
 */
class CoveragePageTest {

    private static final Path PAGE =
            Path.of(System.getProperty("streamfusion.root", "../.."), "docs", "coverage-and-fallbacks.md");

    @Test
    void pageAgreesWithTheCode() throws Exception {
        final String page = Files.readString(PAGE);
        final FeatureCensus census = new FeatureCensus();
        String expected = withSection(page, "nodes", nodes());
        expected = withSection(expected, "functions", functions());
        expected = withSection(expected, "census", census.functions());
        expected = withSection(expected, "casts", census.casts());
        assertThat(census.problems).isEmpty();
        if (Boolean.getBoolean("streamfusion.docs.write")) {
            Files.writeString(PAGE, expected);
        } else {
            assertThat(page).as("run with -Dstreamfusion.docs.write=true").isEqualTo(expected);
        }
    }

    private static String withSection(String page, String name, String content) {
        final String begin = "<!-- generated: " + name + " -->\n";
        final String end = "<!-- end: " + name + " -->";
        final int from = page.indexOf(begin);
        final int to = page.indexOf(end);
        assertThat(from).as("marker %s", begin).isNotNegative();
        assertThat(to).as("marker %s", end).isGreaterThan(from);
        return page.substring(0, from + begin.length()) + content + page.substring(to);
    }

    private static String nodes() throws Exception {
        final StringBuilder table = new StringBuilder("| node | option name | what is native |\n|---|---|---|\n");
        final List<String> stock = FeatureCensus.execNodes();
        assertThat(stock).contains("StreamExecJoin", "StreamExecMatch");
        for (NodeTranslator translator : Translators.all()) {
            assertThat(stock.remove(translator.stockClass().getSimpleName())).isTrue();
            table.append("| `")
                    .append(translator.stockClass().getSimpleName())
                    .append("` | `")
                    .append(translator.operator())
                    .append("` | ")
                    .append(translator.coverage())
                    .append(" |\n");
        }
        stock.forEach(name -> table.append("| `").append(name).append("` | | stock |\n"));
        return table.toString();
    }

    /** One line a function; its signatures in the registry's order of names. */
    private static String functions() {
        final Map<String, TreeSet<String>> signatures = new TreeMap<>();
        for (int i = 0; ; i++) {
            final String[] entry = NativeEngine.exprFunction(i);
            if (entry == null) {
                break;
            }
            signatures.computeIfAbsent(entry[0], name -> new TreeSet<>()).add(entry[1]);
        }
        assertThat(signatures).containsKeys("PLUS", "CASE", "SUBSTRING");
        final StringBuilder table = new StringBuilder("| function | native for |\n|---|---|\n");
        signatures.forEach(
                (name, lines) ->
                        table.append("| `")
                                .append(name)
                                .append("` | ")
                                .append(String.join("<br>", lines).replace("|", "\\|"))
                                .append(" |\n"));
        return table.toString();
    }
}
