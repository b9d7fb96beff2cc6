package tech.streamfusion.planner.docs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.functions.AggregateFunction;
import org.apache.flink.table.functions.AsyncScalarFunction;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.table.functions.TableFunction;
import org.apache.flink.table.planner.codegen.CodeGenException;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecCalc;
import tech.streamfusion.planner.FallbackReason;
import tech.streamfusion.planner.Planning;
import tech.streamfusion.planner.PlanningReport;

/** Plans an example of everything that SQL offers and tells what becomes of it. */
final class FeatureCensus {

    private static final String COLUMNS =
            "ti TINYINT, si SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, dc DECIMAL(10, 2), dc2 DECIMAL(5, 1), b BOOLEAN, b2 BOOLEAN, "
                    + "s STRING, c CHAR(3), vc VARCHAR(5), bi BINARY(3), vb VARBINARY(5), bs BYTES, dt DATE, dt2 DATE, tm TIME, "
                    + "tm2 TIME, ts TIMESTAMP(3), ts2 TIMESTAMP(3), ltz TIMESTAMP_LTZ(3), arr ARRAY<INT>, arr2 ARRAY<INT>, "
                    + "sarr ARRAY<STRING>, m MAP<STRING, INT>, r ROW<x INT>, pt AS PROCTIME(), WATERMARK FOR ts AS ts";

    /** A column, or an expression, of each type that a CAST takes. */
    private static final Map<String, String> CAST_OPERANDS =
            Map.ofEntries(
                    Map.entry("CHAR", "c"),
                    Map.entry("VARCHAR", "s"),
                    Map.entry("BOOLEAN", "b"),
                    Map.entry("BINARY", "bi"),
                    Map.entry("VARBINARY", "bs"),
                    Map.entry("DECIMAL", "dc"),
                    Map.entry("TINYINT", "ti"),
                    Map.entry("SMALLINT", "si"),
                    Map.entry("INTEGER", "i"),
                    Map.entry("BIGINT", "l"),
                    Map.entry("FLOAT", "f"),
                    Map.entry("DOUBLE", "d"),
                    Map.entry("DATE", "dt"),
                    Map.entry("TIME", "tm"),
                    Map.entry("TIMESTAMP", "ts2"),
                    Map.entry("TIMESTAMP_LTZ", "ltz"),
                    Map.entry("INTERVAL_YEAR_MONTH", "(dt - dt2) YEAR TO MONTH"),
                    Map.entry("INTERVAL_DAY_TIME", "(ts - ts2) DAY TO SECOND"),
                    Map.entry("ARRAY", "arr"),
                    Map.entry("MAP", "m"),
                    Map.entry("ROW", "r"));

    private static final Map<String, String> CAST_TYPES =
            Map.ofEntries(
                    Map.entry("CHAR", "CHAR(9)"),
                    Map.entry("VARCHAR", "STRING"),
                    Map.entry("BINARY", "BINARY(9)"),
                    Map.entry("VARBINARY", "BYTES"),
                    Map.entry("DECIMAL", "DECIMAL(12, 4)"),
                    Map.entry("TIMESTAMP", "TIMESTAMP(6)"),
                    Map.entry("TIMESTAMP_LTZ", "TIMESTAMP_LTZ(6)"),
                    Map.entry("INTERVAL_YEAR_MONTH", "INTERVAL MONTH"),
                    Map.entry("INTERVAL_DAY_TIME", "INTERVAL SECOND(3)"),
                    Map.entry("ARRAY", "ARRAY<BIGINT>"),
                    Map.entry("MAP", "MAP<STRING, BIGINT>"),
                    Map.entry("ROW", "ROW<x BIGINT>"));

    private static final List<String> CAST_ORDER =
            List.of(
                    "CHAR", "VARCHAR", "BOOLEAN", "BINARY", "VARBINARY", "DECIMAL", "TINYINT", "SMALLINT", "INTEGER", "BIGINT",
                    "FLOAT", "DOUBLE", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ", "INTERVAL_YEAR_MONTH", "INTERVAL_DAY_TIME",
                    "ARRAY", "MAP", "ROW");

    /** Examples that Flink does not plan. */
    final List<String> problems = new ArrayList<>();

    private final TableEnvironment env = Planning.environment();

    /** A user's function. */
    public static class Scalar extends ScalarFunction {
        public String eval(String value) {
            return value;
        }
    }

    /** A user's function. */
    public static class Async extends AsyncScalarFunction {
        public void eval(CompletableFuture<String> result, String value) {
            result.complete(value);
        }
    }

    /** A user's function. */
    public static class Words extends TableFunction<String> {
        public void eval(String value) {
            collect(value);
        }
    }

    /** A user's function. */
    public static class Sum extends AggregateFunction<Long, long[]> {
        @Override
        public long[] createAccumulator() {
            return new long[1];
        }

        public void accumulate(long[] sum, Long value) {
            sum[0] += value;
        }

        @Override
        public Long getValue(long[] sum) {
            return sum[0];
        }
    }

    FeatureCensus() {
        for (String table : List.of("t", "u")) {
            env.executeSql("CREATE TABLE " + table + " (" + COLUMNS + ") WITH ('connector' = 'planned')");
        }
        env.createTemporarySystemFunction("my_scalar", Scalar.class);
        env.createTemporarySystemFunction("my_async", Async.class);
        env.createTemporarySystemFunction("my_table", Words.class);
        env.createTemporarySystemFunction("my_agg", Sum.class);
    }

    /** One line for each row of coverage/functions.txt. */
    String functions() throws IOException {
        StringBuilder table = new StringBuilder("| what | example | how |\n|---|---|---|\n");
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(
                                FeatureCensus.class.getResourceAsStream("/coverage/functions.txt"), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("## ")) {
                    table.append("| **").append(line.substring(3)).append("** | | |\n");
                } else if (!line.startsWith("#")) {
                    String[] parts = line.split("\t", 2);
                    table.append("| ").append(parts[0].replace("|", "\\|").replace("<", "&lt;")).append(" | ").append(row(parts[1])).append(" |\n");
                }
            }
        }
        return table.toString();
    }

    private String row(String example) {
        if (example.startsWith("- ")) {
            return "| " + example.substring(2);
        }
        String how;
        try {
            how = how(example.startsWith("SELECT ") ? example : "SELECT " + example + " FROM t");
        } catch (RuntimeException e) {
            problems.add(example + ": " + e.getMessage());
            how = "";
        }
        return "`" + example.replace("|", "\\|") + "` | " + how;
    }

    /** From (lines) to (columns). */
    String casts() {
        StringBuilder table = new StringBuilder("| from \\ to | ").append(String.join(" | ", CAST_ORDER)).append(" |\n");
        table.append("|---".repeat(CAST_ORDER.size() + 1)).append("|\n");
        for (String from : CAST_ORDER) {
            table.append("| ").append(from);
            for (String to : CAST_ORDER) {
                table.append(" | ").append(cast(from, to));
            }
            table.append(" |\n");
        }
        return table.toString();
    }

    private String cast(String from, String to) {
        String query = "SELECT CAST(" + CAST_OPERANDS.get(from) + " AS " + CAST_TYPES.getOrDefault(to, to) + ") FROM t";
        try {
            return how(query);
        } catch (ValidationException | CodeGenException e) {
            return "";
        }
    }

    /** Where the nodes and expressions of a query are evaluated. */
    private String how(String query) {
        String explained = env.explainSql(query);
        PlanningReport report = Planning.planner(env).lastReport();
        TreeSet<String> stock = new TreeSet<>();
        for (FallbackReason reason : report.fallbacks()) {
            String kind = reason.node().replaceAll("\\[.*", "");
            if (!kind.equals("TableSourceScan") && !kind.equals("Exchange")) {
                stock.add("`" + kind + "`");
            }
        }
        if (!stock.isEmpty()) {
            return "stock " + String.join(", ", stock);
        }
        if (explained.contains("hostKernels=[")) {
            return "host kernel";
        }
        return report.nativeNodes().isEmpty() ? "no operator of its own" : "C";
    }

    /** Simple names of Flink's streaming exec nodes. */
    static List<String> execNodes() throws Exception {
        URI planner = StreamExecCalc.class.getProtectionDomain().getCodeSource().getLocation().toURI();
        String folder = StreamExecCalc.class.getPackageName().replace('.', '/');
        List<String> names = new ArrayList<>();
        try (FileSystem jar = FileSystems.newFileSystem(Path.of(planner), (ClassLoader) null);
                Stream<Path> files = Files.list(jar.getPath(folder))) {
            for (Path file : files.collect(Collectors.toList())) {
                String name = file.getFileName().toString();
                if (name.matches("StreamExec\\w+\\.class")) {
                    Class<?> node = Class.forName(StreamExecCalc.class.getPackageName() + '.' + name.replace(".class", ""));
                    if (!java.lang.reflect.Modifier.isAbstract(node.getModifiers())) {
                        names.add(node.getSimpleName());
                    }
                }
            }
        }
        names.sort(null);
        return names;
    }
}
