package tech.streamfusion.random;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/** Makes a script smaller while it stays interesting. */
final class Shrinker {

    private final Predicate<Script> interesting;
    private int attempts;

    /**
     * @param interesting usually: still different
     * @param attempts how many scripts may be tried
     */
    Shrinker(Predicate<Script> interesting, int attempts) {
        this.interesting = interesting;
        this.attempts = attempts;
    }

    /** @param script interesting */
    Script shrink(Script script) {
        Script current = fewerQueries(script);
        current = simplerQuery(current);
        current = fewerRows(current);
        current = fewerTablesAndColumns(current);
        current = plainer(current);
        return fewerTablesAndColumns(fewerRows(current));
    }

    private boolean accepts(Script script) {
        return attempts-- > 0 && interesting.test(script);
    }

    private Script fewerQueries(Script script) {
        if (script.queries().size() == 1) {
            return script;
        }
        for (Query query : script.queries()) {
            Script single = script.withQueries(List.of(query));
            if (accepts(single)) {
                return single;
            }
        }
        return script;
    }

    private Script simplerQuery(Script script) {
        Script current = script;
        boolean again = current.queries().size() == 1;
        while (again) {
            again = false;
            Query query = current.queries().get(0);
            for (Relation simpler : query.relation.simpler()) {
                Script candidate = current.withQueries(List.of(new Query(simpler, query.comparison)));
                if (accepts(candidate)) {
                    current = candidate;
                    again = true;
                    break;
                }
            }
        }
        return current;
    }

    /** Halves, quarters and so on are left out as long as the rest is interesting. */
    private Script fewerRows(Script script) {
        Script current = script;
        for (int t = 0; t < script.tables().size(); t++) {
            int chunk = Math.max(1, current.tables().get(t).rows().size() / 2);
            while (chunk > 0) {
                int from = 0;
                while (from < current.tables().get(t).rows().size()) {
                    List<Row> rows = current.tables().get(t).rows();
                    List<Row> rest = new ArrayList<>(rows.subList(0, from));
                    rest.addAll(rows.subList(Math.min(rows.size(), from + chunk), rows.size()));
                    Script candidate = rest.isEmpty() ? null : withTable(current, t, current.tables().get(t).withRows(rest));
                    if (candidate != null && isChangelog(rest) && accepts(candidate)) {
                        current = candidate;
                    } else {
                        from += chunk;
                    }
                }
                chunk /= 2;
            }
        }
        return current;
    }

    /** Whether updates come in pairs; what is taken back without having been there is no concern of a Calc. */
    private static boolean isChangelog(List<Row> rows) {
        boolean inside = false;
        for (Row row : rows) {
            if (inside != (row.getKind() == RowKind.UPDATE_AFTER)) {
                return false;
            }
            inside = row.getKind() == RowKind.UPDATE_BEFORE;
        }
        return !inside;
    }

    private Script fewerTablesAndColumns(Script script) {
        Script current = script;
        String sql = script.queriesSql();
        List<Table> used = new ArrayList<>();
        for (Table table : script.tables()) {
            if (sql.matches("(?s).*FROM \\(*" + table.name() + "\\b.*")) {
                used.add(table);
            }
        }
        current = acceptTables(current, used);
        List<Table> narrow = new ArrayList<>();
        current.tables().forEach(table -> narrow.add(table.withColumnsOf(sql)));
        current = acceptTables(current, narrow);
        List<Table> untimed = new ArrayList<>();
        current.tables().forEach(table -> untimed.add(table.withoutWatermark().withColumnsOf(sql)));
        return acceptTables(current, untimed);
    }

    private Script acceptTables(Script script, List<Table> tables) {
        Script candidate = script.withTables(tables);
        return !tables.isEmpty() && accepts(candidate) ? candidate : script;
    }

    private Script plainer(Script script) {
        Script current = script;
        boolean again = true;
        while (again) {
            again = false;
            for (Script candidate : current.plainer()) {
                if (accepts(candidate)) {
                    current = candidate;
                    again = true;
                    break;
                }
            }
        }
        return current;
    }

    private static Script withTable(Script script, int index, Table table) {
        List<Table> tables = new ArrayList<>(script.tables());
        tables.set(index, table);
        return script.withTables(tables);
    }
}
