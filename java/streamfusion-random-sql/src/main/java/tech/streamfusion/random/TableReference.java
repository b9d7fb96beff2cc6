package tech.streamfusion.random;

import java.util.List;

/** A table by its name. */
final class TableReference implements Relation {

    private final Table table;

    TableReference(Table table) {
        this.table = table;
    }

    @Override
    public List<Column> columns() {
        return table.columns();
    }

    @Override
    public String sql() {
        return table.name();
    }

    @Override
    public String fromItem() {
        return table.name();
    }

    @Override
    public List<Relation> simplerWithSameColumns() {
        return List.of();
    }

    @Override
    public List<Relation> simpler() {
        return List.of();
    }
}
