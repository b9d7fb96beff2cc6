package tech.streamfusion.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import tech.streamfusion.runtime.NativeEngine;

/**
 * Runs one SQL script on stock Flink and accelerated and asserts that nothing tells the two apart: the changes that reach
 * the sinks, the failures, the stream graph and the operator ids; and that the intended nodes were native and all native
 * memory was given back.
 *
 * <pre>{@code
 * Parity.test()
 *     .source("t", "a INT, b STRING", row(1, "x"), row(null, ""))
 *     .query("SELECT a + 1, UPPER(b) FROM t")
 *     .expectNative("Calc")
 *     .run();
 * }</pre>
 */
public final class Parity {

    /** How the changes of the two sides are compared. */
    public enum Comparison {
        /** The same changes in the same order: stock is deterministic here. */
        CHANGELOG,
        /** The same changes in any order: several inputs meet. */
        UNORDERED,
        /** The same rows after all changes, as a multiset. */
        MATERIALIZED,
        /** Not at all: one of several tasks fails, and the others have got more or less far by then. */
        FAILURE_ALONE
    }

    /** Another way to say which nodes must be native. */
    public enum NodesCheck {
        /** Every Calc, watermark assigner and drop-update-before of the plan; at least one. */
        ALL_CALCS("Calc", "WatermarkAssigner", "DropUpdateBefore"),
        /** The same, and every aggregate without windows and what belongs to it. */
        ALL_AGGREGATES(
                "Calc", "WatermarkAssigner", "DropUpdateBefore", "GroupAggregate", "MiniBatchAssigner",
                "LocalGroupAggregate", "GlobalGroupAggregate", "IncrementalGroupAggregate", "Expand");

        private final List<String> alwaysNative;

        NodesCheck(String... alwaysNative) {
            this.alwaysNative = List.of(alwaysNative);
        }
    }

    private static final String COORDINATOR_WAS_FASTER =
            "org.apache.flink.runtime.operators.coordination.TaskNotRunningException";
    static final String ENABLED = "streamfusion.native.enabled";
    static final String MINIMUM_GAIN = "streamfusion.planner.minimum-gain";

    final List<String> statements = new ArrayList<>();
    final List<String> inserts = new ArrayList<>();
    final List<Query> queries = new ArrayList<>();
    final Map<String, List<Row>> rows = new LinkedHashMap<>();
    final Map<String, String> columns = new LinkedHashMap<>();
    final Map<String, String> options = new TreeMap<>();
    final Map<String, String> acceleratedOptions = new TreeMap<>();
    int parallelism = 1;
    boolean objectReuse;
    UnaryOperator<String> planChange;
    boolean recordWatermarks;
    boolean recordTimestamps;
    boolean upsertSinks;
    private Comparison comparison = Comparison.CHANGELOG;
    private List<String> expectedNative;
    private NodesCheck nodesCheck;

    /** A SELECT, with the columns of its sink or null for those of the query, and its comparison or null for the script's. */
    static final class Query {
        final String sql;
        final String sinkColumns;
        final Comparison comparison;

        Query(String sql, String sinkColumns, Comparison comparison) {
            this.sql = sql;
            this.sinkColumns = sinkColumns;
            this.comparison = comparison;
        }
    }

    private Parity() {
        acceleratedOptions.put(ENABLED, "true");
        acceleratedOptions.put(MINIMUM_GAIN, "0");
    }

    public static Parity test() {
        return new Parity();
    }

    public static Row row(Object... fields) {
        return Row.of(fields);
    }

    public static Row change(RowKind kind, Object... fields) {
        return Row.ofKind(kind, fields);
    }

    /**
     * A table that emits these rows (external values as Flink's connectors take them: {@code LocalDateTime}, {@code
     * Instant}, {@code BigDecimal}, {@code byte[]}, {@code Row}, arrays, maps) in their order.
     *
     * @param columnsSql what stands between the parentheses of CREATE TABLE: also computed columns, watermark, key
     */
    public Parity source(String name, String columnsSql, Row... data) {
        return source(name, columnsSql, Arrays.asList(data));
    }

    public Parity source(String name, String columnsSql, List<Row> data) {
        if (data.isEmpty()) {
            throw new IllegalArgumentException("a source needs rows; filter them away for an empty result");
        }
        columns.put(name, columnsSql);
        rows.put(name, data);
        return this;
    }

    /** A statement to run beforehand: a view, a function, another table. See {@link #insert} for what it may contain. */
    public Parity statement(String sql) {
        statements.add(sql);
        return this;
    }

    /**
     * An INSERT into a table that a statement has made; the caller compares what it writes. In it and in the statements
     * {@code ${side}} stands for {@code stock} or {@code native}.
     */
    public Parity insert(String sql) {
        inserts.add(sql);
        return this;
    }

    /** Inserts the query into a sink with its columns. */
    public Parity query(String sql) {
        queries.add(new Query(sql, null, null));
        return this;
    }

    /** Inserts the query into a sink with its columns, whose changes are compared in their own way. */
    public Parity query(String sql, Comparison ownComparison) {
        queries.add(new Query(sql, null, ownComparison));
        return this;
    }

    /** Inserts the query into a sink with the given columns, as in CREATE TABLE. */
    public Parity query(String sql, String sinkColumnsSql) {
        queries.add(new Query(sql, sinkColumnsSql, null));
        return this;
    }

    /** Any option of Flink, for both sides. */
    public Parity option(String key, String value) {
        options.put(key, value);
        return this;
    }

    /** An option for the accelerated side alone. */
    public Parity acceleratedOption(String key, String value) {
        acceleratedOptions.put(key, value);
        return this;
    }

    /** Default 1; with more, compare materialised results. */
    public Parity parallelism(int newParallelism) {
        parallelism = newParallelism;
        return this;
    }

    public Parity objectReuse(boolean reuse) {
        objectReuse = reuse;
        return this;
    }

    /** Watermarks are changes like rows; the auto-watermark interval is 0, so that they depend on the rows alone. */
    public Parity recordWatermarks() {
        recordWatermarks = true;
        return option("pipeline.auto-watermark-interval", "0 ms");
    }

    /**
     * Runs the only query as a compiled plan, both sides the same, after this change of its JSON: for shapes that Flink's
     * optimizer does not make yet.
     */
    public Parity compiledPlan(UnaryOperator<String> change) {
        planChange = change;
        return this;
    }

    /** Compares the timestamps of records too. */
    public Parity recordTimestamps() {
        recordTimestamps = true;
        return this;
    }

    /** Sinks want no UPDATE_BEFORE. */
    public Parity upsertSinks() {
        upsertSinks = true;
        return this;
    }

    public Parity compare(Comparison newComparison) {
        comparison = newComparison;
        return this;
    }

    /** The exact multiset of native nodes, by the names of the stock nodes; empty: everything falls back. */
    public Parity expectNative(String... nodes) {
        expectedNative = new ArrayList<>(Arrays.asList(nodes));
        expectedNative.sort(null);
        return this;
    }

    /** Runs both sides; both must succeed and agree. */
    public ParityResult run() {
        long before = NativeEngine.liveObjects();
        SideRun stock = runStock();
        if (stock.failure != null) {
            throw new AssertionError("stock Flink fails", stock.failure);
        }
        SideRun accelerated = runAccelerated(before);
        if (accelerated.failure != null) {
            throw new AssertionError(
                    "fails only when accelerated\n" + accelerated.explained, accelerated.failure);
        }
        checkNodes(stock, accelerated);
        checkGraphs(stock, accelerated);
        for (int i = 0; i < stock.sinks.size(); i++) {
            Comparisons.assertSame(comparison(i), stock.sinks.get(i), accelerated.sinks.get(i));
        }
        return new ParityResult(stock, accelerated);
    }

    /** Runs both sides with a check of the native nodes that needs no exact list. */
    public ParityResult run(NodesCheck check) {
        expectedNative = null;
        nodesCheck = check;
        return run();
    }

    /**
     * Runs both sides; both must fail, for the same reason (class and message of the root cause), after the same changes.
     */
    public ParityResult runFailing() {
        long before = NativeEngine.liveObjects();
        SideRun stock = runStock();
        if (stock.failure == null) {
            throw new AssertionError("stock Flink does not fail; it emits " + stock.sinks);
        }
        SideRun accelerated = runAccelerated(before);
        if (accelerated.failure == null) {
            throw new AssertionError(
                    "fails only on stock Flink: " + stock.rootCauseText() + "\naccelerated emits " + accelerated.sinks);
        }
        if (!stock.rootCauseText().equals(accelerated.rootCauseText())) {
            throw new AssertionError(
                    "different failures\nstock: " + stock.rootCauseText() + "\naccelerated: " + accelerated.rootCauseText(),
                    accelerated.failure);
        }
        if (!stock.nodes.isEmpty()) {
            checkNodes(stock, accelerated);
            checkGraphs(stock, accelerated);
        }
        for (int i = 0; i < stock.sinks.size(); i++) {
            Comparisons.assertSame(comparison(i), stock.sinks.get(i), accelerated.sinks.get(i));
        }
        return new ParityResult(stock, accelerated);
    }

    /** Runs the stock side, for comparisons that are values and make no demands on what is native. */
    public Trial trial() {
        if (queries.isEmpty()) {
            throw new IllegalStateException("no query");
        }
        return new Trial(this);
    }

    private SideRun runStock() {
        if (queries.isEmpty() && inserts.isEmpty()) {
            throw new IllegalStateException("no query");
        }
        return unlessCoordinatorWasFaster(new ScriptRunner(this, Map.of(ENABLED, "false"))::run);
    }

    private SideRun runAccelerated(long before) {
        if (expectedNative == null && nodesCheck == null) {
            throw new IllegalStateException("say with expectNative which nodes are native");
        }
        SideRun run = unlessCoordinatorWasFaster(new ScriptRunner(this, acceleratedOptions)::run);
        LiveObjects.assertReturnsTo(before);
        return run;
    }

    /**
     * Runs the script again when its failure is that a source coordinator spoke to a task that had just failed: the job manager,
     * stock's too, then reports this in place of the task's own failure, when that is the later one to arrive.
     */
    static SideRun unlessCoordinatorWasFaster(Supplier<SideRun> runner) {
        SideRun run = runner.get();
        for (int i = 0; i < 3 && run.failure != null && run.rootCauseText().startsWith(COORDINATOR_WAS_FASTER); i++) {
            run = runner.get();
        }
        return run;
    }

    /** A statement as the side with these options runs it. */
    static String ofSide(String statement, Map<String, String> sideOptions) {
        return statement.replace("${side}", Boolean.parseBoolean(sideOptions.get(ENABLED)) ? "native" : "stock");
    }

    private void checkNodes(SideRun stock, SideRun accelerated) {
        List<String> found = PlanNodes.nativeOnes(accelerated.nodes);
        if (expectedNative == null) {
            List<String> possible = new ArrayList<>(stock.nodes);
            possible.retainAll(nodesCheck.alwaysNative);
            possible.sort(null);
            found.retainAll(nodesCheck.alwaysNative); // whether others can be depends on their neighbours
            if (!found.equals(possible) || found.isEmpty()) {
                throw new AssertionError("native: " + found + " of " + possible + "\n" + accelerated.explained);
            }
            return;
        }
        if (!found.equals(expectedNative)) {
            throw new AssertionError(
                    "native nodes: expected " + expectedNative + ", found " + found + "\n" + accelerated.explained);
        }
    }

    Comparison comparison(int query) {
        Comparison own = queries.get(query).comparison;
        return own == null ? comparison : own;
    }

    static void checkGraphs(SideRun stock, SideRun accelerated) {
        Comparisons.assertSameLines("stream graphs", stock.streamGraph, accelerated.streamGraph);
        Comparisons.assertSameLines("job graphs and operator ids", stock.jobGraph, accelerated.jobGraph);
    }
}
