package tech.streamfusion.random;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.types.Row;

/** A source with its rows; immutable. */
final class Table {

    /** A column with its full SQL type. */
    static final class Definition {
        final String name;
        final Kind kind;
        final String type;

        Definition(String name, Kind kind, String type) {
            this.name = name;
            this.kind = kind;
            this.type = type;
        }
    }

    private final String name;
    private final List<Definition> definitions;
    /** What follows the columns: a WATERMARK clause, or empty. */
    private final String clause;
    @Nullable private final String rowtime;
    private final boolean insertOnly;
    private final List<Row> rows;

    Table(
            String name,
            List<Definition> definitions,
            String clause,
            @Nullable String rowtime,
            boolean insertOnly,
            List<Row> rows) {
        this.name = name;
        this.definitions = List.copyOf(definitions);
        this.clause = clause;
        this.rowtime = rowtime;
        this.insertOnly = insertOnly;
        this.rows = List.copyOf(rows);
    }

    String name() {
        return name;
    }

    List<Column> columns() {
        return definitions.stream().map(d -> new Column(d.name, d.kind)).collect(Collectors.toList());
    }

    /** The column with the watermark; null when there is none. */
    @Nullable
    String rowtime() {
        return rowtime;
    }

    /** Whether no row comes after a watermark that has passed it. */
    boolean isPatient() {
        return clause.contains(TableGenerator.PATIENT);
    }

    boolean isInsertOnly() {
        return insertOnly;
    }

    List<Row> rows() {
        return rows;
    }

    /** As between the parentheses of CREATE TABLE. */
    String columnsSql() {
        String columns = definitions.stream().map(d -> d.name + " " + d.type).collect(Collectors.joining(", "));
        return clause.isEmpty() ? columns : columns + ", " + clause;
    }

    Table withRows(List<Row> newRows) {
        return new Table(name, definitions, clause, rowtime, insertOnly, newRows);
    }

    Table withoutWatermark() {
        return new Table(name, definitions, "", null, insertOnly, rows);
    }

    /** Keeps the columns that the text names; at least one. */
    Table withColumnsOf(String text) {
        List<Integer> kept = new ArrayList<>();
        for (int i = 0; i < definitions.size(); i++) {
            if (Pattern.compile("\\b" + definitions.get(i).name + "\\b").matcher(text + clause).find()) {
                kept.add(i);
            }
        }
        if (kept.isEmpty()) {
            kept.add(0);
        }
        List<Row> narrow = new ArrayList<>();
        for (Row row : rows) {
            Row copy = Row.withPositions(row.getKind(), kept.size());
            for (int i = 0; i < kept.size(); i++) {
                copy.setField(i, row.getField(kept.get(i)));
            }
            narrow.add(copy);
        }
        List<Definition> definitionsKept = kept.stream().map(definitions::get).collect(Collectors.toList());
        return new Table(name, definitionsKept, clause, rowtime, insertOnly, narrow);
    }
}
