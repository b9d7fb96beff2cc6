package tech.streamfusion.kafka.connector.sink;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import tech.streamfusion.runtime.NativeBatch;

/**
 * The topics of rows that name their own, as numbers. Which topics a table allows is
 * DynamicKafkaRecordSerializationSchema.getTargetTopic.
 */
final class RowTopics {

    /** A row whose topic the table does not allow; the table's serializer says so. */
    static final int NONE = -1;

    private final int column;
    @Nullable private final Set<String> allowed;
    @Nullable private final Pattern pattern;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> names = new ArrayList<>();

    RowTopics(SinkPlan plan) {
        this.column = plan.topicColumn;
        this.allowed = plan.topics == null ? null : new HashSet<>(plan.topics);
        this.pattern = plan.topicPattern;
    }

    /** Topic numbers of all rows of a batch. */
    int[] of(NativeBatch batch, HostRow rows) {
        int[] topics = new int[batch.rowCount()];
        for (int row = 0; row < topics.length; row++) {
            topics[row] = of(rows.at(batch, row));
        }
        return topics;
    }

    private int of(RowData row) {
        if (row.isNullAt(column)) {
            return NONE;
        }
        return numbers.computeIfAbsent(row.getString(column).toString(), this::number);
    }

    private Integer number(String topic) {
        boolean fits = allowed != null ? allowed.contains(topic) : pattern != null && pattern.matcher(topic).matches();
        if (!fits) {
            return NONE;
        }
        names.add(topic);
        return names.size() - 1;
    }

    /** Topics met so far. */
    int count() {
        return names.size();
    }

    String name(int number) {
        return names.get(number);
    }
}
