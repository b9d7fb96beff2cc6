package tech.streamfusion.recovery;

import java.util.Map;

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
    GLOBAL(true, "SELECT 'all', COUNT(*), SUM(amount), MIN(id), MAX(id) FROM updates", "NativeGroupAggregate"),
    /** The state is that of the second phase. */
    TWO_PHASES(Texts.OF_DISTINCT, "NativeGlobalGroupAggregate", "false"),
    /** The state is that of the incremental aggregate, which knows the values, and of the one behind it. */
    INCREMENTAL(Texts.OF_DISTINCT, "NativeIncrementalGroupAggregate", "true");

    /** Whether the updates of a key have one order, whatever the parallelism. */
    final boolean ordered;

    /** Whether the updates of a key are the same in every run; otherwise the last one is. */
    final boolean everyUpdate;

    final String insert;
    final String nativeNode;
    final Map<String, String> options;

    StatefulQuery(boolean ordered, String select, String nativeNode) {
        this.ordered = ordered;
        this.everyUpdate = true;
        this.insert = "INSERT INTO totals " + select;
        this.nativeNode = nativeNode;
        this.options = Map.of();
    }

    /** In mini-batches, whose ends are a matter of time. */
    StatefulQuery(String select, String nativeNode, String splitDistinct) {
        this.ordered = true;
        this.everyUpdate = false;
        this.insert = "INSERT INTO totals " + select;
        this.nativeNode = nativeNode;
        this.options =
                Map.of(
                        "table.exec.mini-batch.enabled", "true",
                        "table.exec.mini-batch.allow-latency", "50 ms",
                        "table.exec.mini-batch.size", "300",
                        "table.optimizer.agg-phase-strategy", "TWO_PHASE",
                        "table.optimizer.distinct-agg.split.enabled", splitDistinct);
    }

    /** An enum's constants cannot refer to those of their own class. */
    private static final class Texts {
        static final String OF_DISTINCT =
                "SELECT name, COUNT(DISTINCT MOD(id, 50)), SUM(amount), COUNT(DISTINCT MOD(id, 50)) FILTER (WHERE MOD(id, 3) = 0),"
                        + " MAX(id) FROM updates GROUP BY name";
    }
}
