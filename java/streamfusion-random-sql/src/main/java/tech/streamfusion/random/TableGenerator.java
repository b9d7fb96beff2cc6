package tech.streamfusion.random;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/** Random schemas and rows. */
final class TableGenerator {

    /** Kinds of streams. */
    enum Mode {
        INSERT_ONLY,
        CHANGELOG,
        EVENT_TIME
    }

    /** No row is that late. */
    static final String PATIENT = "ts - INTERVAL '1' HOUR";
    private static final String[] DELAYS = {
        PATIENT, PATIENT, "ts", "ts - INTERVAL '1' SECOND", "ts - INTERVAL '0.001' SECOND", "ts - INTERVAL '2' SECOND", "CAST(CAST(ts AS STRING) AS TIMESTAMP(3))"
    };

    private final Random random;

    TableGenerator(Random random) {
        this.random = random;
    }

    Table table(String name, Mode mode) {
        List<Table.Definition> definitions = new ArrayList<>();
        List<ColumnType> types = new ArrayList<>();
        List<Boolean> nullable = new ArrayList<>();
        definitions.add(new Table.Definition("k", Kind.INT, ColumnType.KEY.sql));
        types.add(ColumnType.KEY);
        nullable.add(mode != Mode.CHANGELOG);
        for (ColumnType type : ColumnType.ALL) {
            int copies = random.nextInt(10) < 7 ? 1 + random.nextInt(2) : 0;
            for (int i = 0; i < copies; i++) {
                boolean takesNull = random.nextInt(6) != 0;
                String column = "c" + definitions.size();
                definitions.add(new Table.Definition(column, type.kind, type.sql + (takesNull ? "" : " NOT NULL")));
                types.add(type);
                nullable.add(takesNull);
            }
        }
        boolean timed = mode == Mode.EVENT_TIME;
        if (timed) {
            definitions.add(new Table.Definition("ts", Kind.TIMESTAMP, "TIMESTAMP(3)"));
        }
        String clause = timed ? "WATERMARK FOR ts AS " + DELAYS[random.nextInt(DELAYS.length)] : "";
        List<Row> rows = new ArrayList<>();
        int count = 20 + random.nextInt(100);
        for (int i = 0; i < count; i++) {
            rows.add(row(types, nullable, timed, i));
        }
        boolean changes = mode == Mode.CHANGELOG;
        return new Table(name, definitions, clause, timed ? "ts" : null, !changes, changes ? changelog(rows) : rows);
    }

    private Row row(List<ColumnType> types, List<Boolean> nullable, boolean timed, int number) {
        Row row = new Row(types.size() + (timed ? 1 : 0));
        boolean sparse = random.nextInt(3) == 0;
        for (int i = 0; i < types.size(); i++) {
            boolean isNull = nullable.get(i) && random.nextInt(sparse ? 2 : 12) == 0;
            row.setField(i, isNull ? null : types.get(i).value(random));
        }
        if (timed) {
            row.setField(types.size(), eventTime(number));
        }
        return row;
    }

    /** Around the epoch, mostly ascending, some out of order, some late, some far ahead. */
    private LocalDateTime eventTime(int number) {
        long millis = number * 400L - 8_000;
        switch (random.nextInt(12)) {
            case 0:
                millis -= random.nextInt(10_000);
                break;
            case 1:
                millis += random.nextInt(3_000);
                break;
            default:
                millis += random.nextInt(300) - 150;
        }
        return LocalDateTime.ofInstant(Instant.ofEpochMilli(millis), ZoneOffset.UTC);
    }

    /** The rows as insertions, updates and deletions of what is there. */
    private List<Row> changelog(List<Row> rows) {
        List<Row> live = new ArrayList<>();
        List<Row> changes = new ArrayList<>();
        for (Row row : rows) {
            int choice = live.isEmpty() ? 0 : random.nextInt(4);
            if (choice == 1) {
                changes.add(withKind(RowKind.DELETE, live.remove(random.nextInt(live.size()))));
            } else if (choice == 2) {
                Row old = live.remove(random.nextInt(live.size()));
                Row updated = Row.copy(row);
                updated.setField(0, old.getField(0));
                changes.add(withKind(RowKind.UPDATE_BEFORE, old));
                changes.add(withKind(RowKind.UPDATE_AFTER, updated));
                live.add(updated);
                continue;
            }
            changes.add(withKind(RowKind.INSERT, row));
            live.add(row);
        }
        return changes;
    }

    private static Row withKind(RowKind kind, Row row) {
        Row copy = Row.copy(row);
        copy.setKind(kind);
        return copy;
    }
}
