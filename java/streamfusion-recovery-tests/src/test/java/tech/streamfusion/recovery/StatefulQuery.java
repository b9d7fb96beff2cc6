package tech.streamfusion.recovery;

/** Aggregations of the recovery tests' updates, all of one shape of result. */
enum StatefulQuery {
    /** Rows are only ever added. */
    APPEND(
            true,
            "SELECT name, COUNT(*), SUM(amount), MIN(id), MAX(id) FROM updates GROUP BY name",
            "NativeGroupAggregate"),
    /** Views of distinct values, shared by two calls. */
    DISTINCT(
            true,
            "SELECT name, COUNT(DISTINCT MOD(id, 50)), SUM(DISTINCT amount),"
                    + " COUNT(DISTINCT MOD(id, 50)) FILTER (WHERE MOD(id, 3) = 0), MAX(id) FROM updates GROUP BY name",
            "NativeGroupAggregate"),
    /** An aggregation of an aggregation, whose values come and go. */
    RETRACTING(
            false,
            "SELECT bucket, COUNT(*), SUM(total), MIN(n), MAX(n) FROM ("
                    + "SELECT name, CAST(MOD(MIN(id), 3) AS STRING) AS bucket, COUNT(*) AS n, SUM(amount) AS total"
                    + " FROM updates GROUP BY name) GROUP BY bucket",
            "NativeGroupAggregate"),
    /** Without keys. */
    GLOBAL(true, "SELECT 'all', COUNT(*), SUM(amount), MIN(id), MAX(id) FROM updates", "NativeGroupAggregate");

    /** Whether the updates of a key have one order, whatever the parallelism. */
    final boolean ordered;

    final String insert;
    final String nativeNode;

    StatefulQuery(boolean ordered, String select, String nativeNode) {
        this.ordered = ordered;
        this.insert = "INSERT INTO totals " + select;
        this.nativeNode = nativeNode;
    }
}
