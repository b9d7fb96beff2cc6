package tech.streamfusion.random;

import tech.streamfusion.testing.Parity.Comparison;

/** A query and how its changes are compared. */
final class Query {

    final Relation relation;
    final Comparison comparison;

    Query(Relation relation, Comparison comparison) {
        this.relation = relation;
        this.comparison = comparison;
    }

    String sql() {
        return relation.sql();
    }
}
