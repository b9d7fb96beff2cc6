package tech.streamfusion.random;

import java.util.List;

/** What stands after FROM; immutable. */
interface Relation {

    List<Column> columns();

    /** A complete query; for a table, its name. */
    String sql();

    /** The relation as an item of FROM. */
    default String fromItem() {
        return "(" + sql() + ")";
    }

    /** Relations with the same columns (names and kinds) that are one step simpler. */
    List<Relation> simplerWithSameColumns();

    /** Queries that are one step simpler, whatever their columns. */
    List<Relation> simpler();
}
