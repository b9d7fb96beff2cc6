package tech.streamfusion.kafka.connector.sink;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
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
        /** A user's partitioner, which is given the row: Flink's serializer calls it. */
        ROW_BY_ROW
    }

    final String tableName;
    final RowType consumedType;
    final byte[] consumedTypePlan;

    /** The only topic; null: that of {@link #topicColumn}, one of {@link #topics} or matching {@link #topicPattern}. */
    @Nullable final String topic;

    @Nullable final List<String> topics;
    @Nullable final Pattern topicPattern;
    final Partitioning partitioning;
    final FormatPlan value;
    @Nullable final FormatPlan key;

    /** Column of the consumed row, or -1. */
    final int headersColumn;

    final int timestampColumn;
    final int topicColumn;

    /** Deletions become records without value. */
    final boolean upsert;

    SinkPlan(
            String tableName,
            RowType consumedType,
            byte[] consumedTypePlan,
            @Nullable List<String> topics,
            @Nullable Pattern topicPattern,
            Partitioning partitioning,
            FormatPlan value,
            @Nullable FormatPlan key,
            int headersColumn,
            int timestampColumn,
            int topicColumn,
            boolean upsert) {
        this.tableName = tableName;
        this.consumedType = consumedType;
        this.consumedTypePlan = consumedTypePlan;
        this.topic = topics != null && topics.size() == 1 ? topics.get(0) : null;
        this.topics = topics == null ? null : new ArrayList<>(topics);
        this.topicPattern = topicPattern;
        this.partitioning = partitioning;
        this.value = value;
        this.key = key;
        this.headersColumn = headersColumn;
        this.timestampColumn = timestampColumn;
        this.topicColumn = topicColumn;
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
