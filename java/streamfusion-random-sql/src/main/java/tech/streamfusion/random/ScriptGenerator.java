package tech.streamfusion.random;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import tech.streamfusion.testing.Parity.Comparison;

/** Random scripts; the same for the same seed. */
final class ScriptGenerator {

    private static final int DEPTH = 3;
    private static final String MINI_BATCH = "table.exec.mini-batch.enabled";
    private static final String[] ZONES = {
        "UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Monrovia", "Asia/Tokyo"
    };

    private final Focus focus;
    private final Grammar grammar;
    private final Random random;
    private final int queriesPerScript;
    private int scripts;

    ScriptGenerator(long seed, int queriesPerScript) {
        this(seed, queriesPerScript, Focus.NONE);
    }

    ScriptGenerator(long seed, int queriesPerScript, Focus focus) {
        this.focus = focus;
        this.grammar = new Grammar(focus);
        this.random = new Random(seed);
        this.queriesPerScript = queriesPerScript;
    }

    /** Every fifteenth script is a single query that may fail. */
    Script next() {
        boolean mayFail = ++scripts % 15 == 0;
        TableGenerator generator = new TableGenerator(random);
        TableGenerator.Mode[] modes = TableGenerator.Mode.values();
        List<Table> tables = new ArrayList<>();
        TableGenerator.Mode mode = focus.mode != null ? focus.mode : modes[random.nextInt(modes.length)];
        tables.add(generator.table("t", mode));
        Setup setup = mayFail ? Setup.PLAIN : setup(mode);
        tables.add(generator.table("u", second(mode, setup)));
        Map<String, String> options = options(setup);
        List<Query> queries = new ArrayList<>();
        int count = mayFail ? 1 : queriesPerScript;
        while (queries.size() < count) {
            queries.add(query(tables, setup, options.containsKey(MINI_BATCH), mayFail));
        }
        return new Script(tables, options, setup, queries);
    }

    private Setup setup(TableGenerator.Mode mode) {
        if (focus.mode == TableGenerator.Mode.EVENT_TIME) {
            return Setup.WATERMARKS;
        }
        switch (random.nextInt(4)) {
            case 0:
            case 1:
                return Setup.PLAIN;
            case 2:
                return mode == TableGenerator.Mode.INSERT_ONLY ? Setup.PARALLEL : Setup.PLAIN;
            default:
                return mode == TableGenerator.Mode.EVENT_TIME
                        ? Setup.WATERMARKS
                        : mode == TableGenerator.Mode.CHANGELOG && focus.mode != mode ? Setup.UPSERT_SINKS : Setup.PLAIN;
        }
    }

    /** What the other table is: the same where both must be, insertions or a changelog elsewhere. */
    private TableGenerator.Mode second(TableGenerator.Mode first, Setup setup) {
        if (setup == Setup.PARALLEL || first == TableGenerator.Mode.EVENT_TIME) {
            return first;
        }
        return random.nextBoolean() ? TableGenerator.Mode.INSERT_ONLY : TableGenerator.Mode.CHANGELOG;
    }

    private Map<String, String> options(Setup setup) {
        Map<String, String> out = new HashMap<>();
        out.put("table.local-time-zone", ZONES[random.nextInt(ZONES.length)]);
        out.put("pipeline.auto-watermark-interval", "0 ms");
        out.put("table.optimizer.reuse-sub-plan-enabled", "false");
        if (random.nextInt(3) == 0) {
            out.put("pipeline.object-reuse", "true");
        }
        if (random.nextInt(3) == 0) {
            out.put("state.backend.type", "rocksdb");
        }
        if (setup != Setup.WATERMARKS && random.nextInt(3) == 0) { // its own watermarks are those of the clock
            out.put(MINI_BATCH, "true");
            out.put("table.exec.mini-batch.allow-latency", "1000 h");
            out.put("table.exec.mini-batch.size", String.valueOf(1 + random.nextInt(20)));
            out.put("table.optimizer.distinct-agg.split.enabled", String.valueOf(random.nextBoolean()));
        }
        if (random.nextInt(5) > 0) {
            out.put("table.generated-code.max-length", "20000"); // splitting code takes Flink longer than compiling it
        }
        return out;
    }

    private Query query(List<Table> tables, Setup setup, boolean miniBatch, boolean mayFail) {
        boolean chain = setup.isForChains() || mayFail;
        if (chain || random.nextInt(100) < 70) {
            Table table = tables.get(chain ? 0 : random.nextInt(tables.size()));
            Relation input = new TableReference(table);
            if (random.nextInt(4) == 0) {
                input = select(input, anyKinds(2 + random.nextInt(4)), names("i", 6), false, mayFail);
            }
            return new Query(top(input, mayFail), setup == Setup.PARALLEL ? Comparison.MATERIALIZED : Comparison.CHANGELOG);
        }
        Shape shape = shape(tables, setup, miniBatch);
        Relation shaped = shaped(shape, tables);
        Comparison comparison = setup == Setup.PARALLEL ? Comparison.MATERIALIZED : shape.comparison;
        return new Query(random.nextInt(3) == 0 ? shaped : top(shaped, mayFail), comparison);
    }

    private Select top(Relation input, boolean mayFail) {
        return select(input, anyKinds(3 + random.nextInt(5)), names("e", 8), focus.filters || random.nextInt(3) == 0, mayFail);
    }

    private Select select(Relation input, List<Kind> kinds, List<String> names, boolean filtered, boolean mayFail) {
        ExpressionGenerator expressions = new ExpressionGenerator(grammar, random, input.columns(), mayFail);
        List<Fragment> projection = new ArrayList<>();
        kinds.forEach(kind -> projection.add(expressions.expression(kind, DEPTH)));
        Fragment condition = filtered ? expressions.expression(Kind.BOOL, DEPTH) : null;
        return new Select(input, names.subList(0, kinds.size()), projection, condition);
    }

    private Shape shape(List<Table> tables, Setup setup, boolean miniBatch) {
        boolean ordered = setup != Setup.PARALLEL;
        List<Shape> fitting =
                Shape.ALL.stream()
                        .filter(shape -> shape.needs.areMetBy(tables.get(0), tables.get(1), ordered))
                        .filter(shape -> !miniBatch || !shape.isRegularJoin())
                        .collect(Collectors.toList());
        int ticket = random.nextInt(fitting.stream().mapToInt(shape -> shape.weight).sum());
        for (Shape shape : fitting) {
            ticket -= shape.weight;
            if (ticket < 0) {
                return shape;
            }
        }
        throw new IllegalStateException("weights");
    }

    private Relation shaped(Shape shape, List<Table> tables) {
        Map<String, Kind> kinds = new HashMap<>();
        for (String[] column : shape.inputColumns) {
            if (!column[1].equals(Shape.ROWTIME)) {
                List<Kind> group = Kind.group(column[1]);
                kinds.put(column[1], group.get(random.nextInt(group.size())));
            }
        }
        List<Relation> inputs = new ArrayList<>();
        for (int i = 0; i < shape.inputs(); i++) {
            inputs.add(input(shape, tables.get(i), kinds));
        }
        List<Column> columns = new ArrayList<>();
        for (String[] column : shape.outputColumns) {
            Kind kind = kinds.containsKey(column[1]) ? kinds.get(column[1]) : Kind.valueOf(column[1]);
            columns.add(new Column(column[0], kind));
        }
        return new Shaped(shape.template, columns, inputs);
    }

    /** A subquery with the columns that the shape asks for. */
    private Select input(Shape shape, Table table, Map<String, Kind> kinds) {
        Relation from = new TableReference(table);
        ExpressionGenerator expressions = new ExpressionGenerator(grammar, random, from.columns(), false);
        List<String> names = new ArrayList<>();
        List<Fragment> projection = new ArrayList<>();
        for (String[] column : shape.inputColumns) {
            names.add(column[0]);
            projection.add(
                    column[1].equals(Shape.ROWTIME)
                            ? Fragment.leaf(Kind.TIMESTAMP, table.rowtime())
                            : expressions.expression(kinds.get(column[1]), 2));
        }
        Fragment condition = random.nextInt(3) == 0 ? expressions.expression(Kind.BOOL, 2) : null;
        return new Select(from, names, projection, condition);
    }

    private List<Kind> anyKinds(int count) {
        List<Kind> out = new ArrayList<>();
        while (out.size() < count) {
            List<Kind> kinds = grammar.focusKinds().isEmpty() || random.nextBoolean() ? Kind.ANY : grammar.focusKinds();
            out.add(kinds.get(random.nextInt(kinds.size())));
        }
        return out;
    }

    private static List<String> names(String prefix, int count) {
        List<String> out = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            out.add(prefix + i);
        }
        return out;
    }
}
