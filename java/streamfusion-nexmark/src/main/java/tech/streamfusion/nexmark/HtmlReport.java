package tech.streamfusion.nexmark;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;

/** {@code nexmark.html}: one page without outside parts, a bar chart of the speedups and the table of figures. */
final class HtmlReport {

    private static final int BAR = 18;
    private static final int GROUP = 2 * BAR + 18;
    private static final int CHARACTER = 8;
    private static final int WIDTH = 640;

    private HtmlReport() {}

    static void write(Options options, List<QueryResult> results) throws IOException {
        StringBuilder page = new StringBuilder();
        page.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Nexmark</title>\n<style>\n")
                .append("body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:60em;padding:0 1em;color:#222}\n")
                .append("table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n")
                .append("th,td{padding:.25em .7em;text-align:right;border-bottom:1px solid #ddd}\n")
                .append("th:first-child,td:first-child{text-align:left}.no{color:#b00020;font-weight:bold}\n")
                .append("svg text{font:13px system-ui,sans-serif;fill:#222}\n</style></head><body>\n");
        page.append("<h1>Nexmark, stock Flink and StreamFusion</h1>\n<p>")
                .append(
                        String.format(
                                Locale.ROOT,
                                "Kafka to Kafka, JSON, exactly-once, table shape %s, producer settings %s, median of"
                                        + " %d round(s). Bars show how many times less the accelerated side needs; with two"
                                        + " sizes, per event in steady state.",
                                options.shape,
                                options.largeBatches ? "large batches" : "default",
                                options.rounds))
                .append("</p>\n");
        chart(page, results);
        table(page, results);
        page.append("</body></html>\n");
        Files.createDirectories(options.report);
        Files.write(options.report.resolve("nexmark.html"), page.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static void chart(StringBuilder page, List<QueryResult> results) {
        double most = 1;
        for (QueryResult result : results) {
            most = Math.max(most, finite(wall(result), 0));
            most = Math.max(most, finite(cpu(result), 0));
        }
        double scale = WIDTH / Math.ceil(most);
        int left = 12 + CHARACTER * results.stream().mapToInt(result -> result.label().length()).max().orElse(0);
        int height = results.size() * GROUP + 40;
        page.append(
                String.format(
                        Locale.ROOT,
                        "<svg role=\"img\" aria-label=\"speedup per query\" width=\"%d\" height=\"%d\">%n",
                        left + WIDTH + 60,
                        height));
        for (int tick = 0; tick <= (int) Math.ceil(most); tick++) {
            double x = left + tick * scale;
            page.append(
                    String.format(
                            Locale.ROOT,
                            "<line x1=\"%.1f\" y1=\"0\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\"/><text x=\"%.1f\" y=\"%d\""
                                    + " text-anchor=\"middle\">%d</text>%n",
                            x, x, height - 24, tick == 1 ? "#888" : "#e4e4e4", x, height - 8, tick));
        }
        for (int i = 0; i < results.size(); i++) {
            int y = i * GROUP + 8;
            page.append(
                    String.format(Locale.ROOT, "<text x=\"4\" y=\"%d\">%s</text>%n", y + BAR + 4, escape(results.get(i).label())));
            bar(page, left, y, wall(results.get(i)), scale, "#2364aa", "wall");
            bar(page, left, y + BAR, cpu(results.get(i)), scale, "#73a942", "CPU");
        }
        page.append("</svg>\n");
    }

    private static void bar(StringBuilder page, int left, int y, double value, double scale, String colour, String label) {
        if (Double.isNaN(value) || value <= 0) {
            return;
        }
        page.append(
                String.format(
                        Locale.ROOT,
                        "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/><text x=\"%.1f\" y=\"%d\">%.2f %s</text>%n",
                        left, y, value * scale, BAR - 2, colour, left + value * scale + 6, y + BAR - 5, value, label));
    }

    private static void table(StringBuilder page, List<QueryResult> results) {
        page.append("<table><tr><th>query</th><th>state</th><th>mini-batch</th><th>parallelism</th><th>events</th><th>stock s</th><th>CPU s</th><th>peak MiB</th><th>native s</th>")
                .append("<th>CPU s</th><th>peak MiB</th><th>wall</th><th>CPU</th><th>steady wall</th><th>steady CPU</th>")
                .append("<th>outputs equal</th><th>native nodes</th></tr>\n");
        for (QueryResult result : results) {
            for (long events : result.bySize.keySet()) {
                page.append("<tr>");
                cell(page, result.query.name);
                cell(page, result.setup.backend);
                cell(page, result.setup.miniBatch ? "on" : "off");
                cell(page, Integer.toString(result.setup.parallelism));
                cell(page, String.format(Locale.ROOT, "%,d", events));
                side(page, result, events, Side.STOCK);
                side(page, result, events, Side.NATIVE);
                cell(page, number(result.wallRatio(events)));
                cell(page, number(result.cpuRatio(events)));
                cell(page, number(result.steadyWallRatio()));
                cell(page, number(result.steadyCpuRatio()));
                Boolean equal = result.outputsEqual.get(events);
                page.append(equal == null ? "<td>–</td>" : equal ? "<td>yes</td>" : "<td class=\"no\">no</td>");
                cell(page, result.nativeNodes.replace(",", " "));
                page.append("</tr>\n");
            }
        }
        page.append("</table>\n");
    }

    private static void side(StringBuilder page, QueryResult result, long events, Side side) {
        boolean has = result.has(events, side);
        cell(page, has ? number(result.at(events, side).seconds()) : "–");
        cell(page, has ? number(result.at(events, side).cpuSeconds()) : "–");
        cell(page, has ? Long.toString(result.at(events, side).peakBytes() >> 20) : "–");
    }

    private static double wall(QueryResult result) {
        return finite(result.steadyWallRatio(), result.wallRatio(result.largest()));
    }

    private static double cpu(QueryResult result) {
        return finite(result.steadyCpuRatio(), result.cpuRatio(result.largest()));
    }

    private static double finite(double value, double otherwise) {
        return Double.isNaN(value) || Double.isInfinite(value) ? otherwise : value;
    }

    private static void cell(StringBuilder page, String text) {
        page.append("<td>").append(escape(text)).append("</td>");
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, "%.2f", value);
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
