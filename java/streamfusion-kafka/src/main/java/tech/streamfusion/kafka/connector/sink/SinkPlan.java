package tech.streamfusion.kafka.connector.sink;

import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.table.types.logical.RowType;

/** What the planner decided about a Kafka sink; travels inside the sink. */
final class SinkPlan implements Serializable {

    private static final long serialVersionUID = 1L;

    /** How records find their partition. */
    enum Partitioning {
        /** The producer's own rule. */
        PRODUCER,
        /** FlinkFixedPartitioner: one partition per sink task. */
        FIXED,
        /** Flink's serializer decides, row by row; also where the topic is a column. */
        ROW_BY_ROW
    }

    final String tableName;
    final RowType consumedType;
    @Nullable final String topic;
    final Partitioning partitioning;
    final FormatPlan value;
    @Nullable final FormatPlan key;

    /** Column of the consumed row, or -1. */
    final int headersColumn;

    final int timestampColumn;

    /** Deletions become records without value. */
    final boolean upsert;

    SinkPlan(
            String tableName,
            RowType consumedType,
            @Nullable String topic,
            Partitioning partitioning,
            FormatPlan value,
            @Nullable FormatPlan key,
            int headersColumn,
            int timestampColumn,
            boolean upsert) {
        this.tableName = tableName;
        this.consumedType = consumedType;
        this.topic = topic;
        this.partitioning = partitioning;
        this.value = value;
        this.key = key;
        this.headersColumn = headersColumn;
        this.timestampColumn = timestampColumn;
        this.upsert = upsert;
    }

    /** Key or value: format and the columns it takes from the consumed row. */
    static final class FormatPlan implements Serializable {
        private static final long serialVersionUID = 1L;

        final String identifier;
        final byte[] plan;
        final int[] columns;

        FormatPlan(String identifier, byte[] plan, int[] columns) {
            this.identifier = identifier;
            this.plan = plan;
            this.columns = columns;
        }
    }
}
