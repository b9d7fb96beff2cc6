package tech.streamfusion.planner;

import java.util.Objects;

/** Why one node of a plan stayed with Flink. */
public final class FallbackReason {

    /** What kind of obstacle it was. */
    public enum Rule {
        /** StreamFusion has no counterpart for this kind of node. */
        NODE("no native counterpart"),
        /** An option switched it off. */
        OPTION("switched off"),
        /** A type, setting or feature of the node is not covered. */
        FEATURE("not covered"),
        /** No connector module took the table, or the one that did refused it. */
        CONNECTOR("connector"),
        /** A neighbour that it depends on stayed with Flink. */
        NEIGHBOUR("neighbour"),
        /** The conversions around it would cost more than it saves. */
        COST("cost"),
        /** The installation is incomplete or does not match. */
        INSTALLATION("installation");

        private final String label;

        Rule(String label) {
            this.label = label;
        }
    }

    private final String node;
    private final Rule rule;
    private final String detail;

    public FallbackReason(String node, Rule rule, String detail) {
        this.node = Objects.requireNonNull(node);
        this.rule = Objects.requireNonNull(rule);
        this.detail = Objects.requireNonNull(detail);
    }

    /** Kind and id as in operator names, e.g. {@code Calc[3]}. */
    public String node() {
        return node;
    }

    public Rule rule() {
        return rule;
    }

    public String detail() {
        return detail;
    }

    @Override
    public String toString() {
        return node + ": " + rule.label + ": " + detail;
    }
}
