package tech.streamfusion.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.types.Row;
import tech.streamfusion.testing.Parity;

/** Tables, options and queries that run together; immutable. */
final class Script {

    private static final Parity.Comparison DEFAULT = Parity.Comparison.CHANGELOG;

    private final List<Table> tables;
    private final Map<String, String> options;
    private final Setup setup;
    private final List<Query> queries;

    Script(List<Table> tables, Map<String, String> options, Setup setup, List<Query> queries) {
        this.tables = List.copyOf(tables);
        this.options = new TreeMap<>(options);
        this.setup = setup;
        this.queries = List.copyOf(queries);
    }

    List<Table> tables() {
        return tables;
    }

    List<Query> queries() {
        return queries;
    }

    Script withQueries(List<Query> newQueries) {
        return new Script(tables, options, setup, newQueries);
    }

    Script withTables(List<Table> newTables) {
        return new Script(newTables, options, setup, queries);
    }

    /** Scripts with one setting less. */
    List<Script> plainer() {
        List<Script> out = new ArrayList<>();
        if (setup != Setup.PLAIN) {
            out.add(new Script(tables, options, Setup.PLAIN, queries));
        }
        for (String key : options.keySet()) {
            Map<String, String> fewer = new TreeMap<>(options);
            fewer.remove(key);
            out.add(new Script(tables, fewer, setup, queries));
        }
        return out;
    }

    String queriesSql() {
        return queries.stream().map(Query::sql).collect(Collectors.joining("\n"));
    }

    Parity parity() {
        Parity parity = Parity.test();
        tables.forEach(table -> parity.source(table.name(), table.columnsSql(), table.rows()));
        options.forEach(parity::option);
        setup.apply(parity);
        queries.forEach(query -> parity.query(query.sql(), query.comparison));
        return parity;
    }

    /** A JUnit test for the parity tests' module. */
    String test(String name) {
        StringBuilder out = new StringBuilder("@Test\nvoid " + name + "() {\n    Parity.test()\n");
        for (Table table : tables) {
            out.append("            .source(\n                    \"").append(table.name()).append("\",\n                    ");
            out.append(JavaText.string(table.columnsSql()));
            for (Row row : table.rows()) {
                out.append(",\n                    ").append(JavaText.row(row));
            }
            out.append(")\n");
        }
        options.forEach((key, value) -> out.append("            .option(\"" + key + "\", \"" + value + "\")\n"));
        if (setup != Setup.PLAIN) {
            out.append("            ").append(setup.java).append('\n');
        }
        for (Query query : queries) {
            out.append("            .query(").append(JavaText.string(query.sql()));
            if (query.comparison != DEFAULT) {
                out.append(", Parity.Comparison.").append(query.comparison);
            }
            out.append(")\n");
        }
        return out.append("            .run(Parity.NodesCheck.ALL_CALCS);\n}\n").toString();
    }
}
