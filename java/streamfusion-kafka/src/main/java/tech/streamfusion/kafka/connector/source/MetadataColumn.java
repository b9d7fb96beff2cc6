package tech.streamfusion.kafka.connector.source;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** Readable metadata of a record. Source: KafkaDynamicSource.ReadableMetadata. */
enum MetadataColumn {
    TOPIC("topic") {
        @Override
        Object read(ConsumerRecord<?, ?> record) {
            return StringData.fromString(record.topic());
        }
    },
    PARTITION("partition") {
        @Override
        Object read(ConsumerRecord<?, ?> record) {
            return record.partition();
        }
    },
    HEADERS("headers") {
        @Override
        Object read(ConsumerRecord<?, ?> record) {
            Map<StringData, byte[]> map = new HashMap<>();
            for (Header header : record.headers()) {
                map.put(StringData.fromString(header.key()), header.value());
            }
            return new GenericMapData(map);
        }
    },
    LEADER_EPOCH("leader-epoch") {
        @Override
        @Nullable
        Object read(ConsumerRecord<?, ?> record) {
            return record.leaderEpoch().orElse(null);
        }
    },
    OFFSET("offset") {
        @Override
        Object read(ConsumerRecord<?, ?> record) {
            return record.offset();
        }
    },
    TIMESTAMP("timestamp") {
        @Override
        Object read(ConsumerRecord<?, ?> record) {
            return TimestampData.fromEpochMillis(record.timestamp());
        }
    },
    TIMESTAMP_TYPE("timestamp-type") {
        @Override
        Object read(ConsumerRecord<?, ?> record) {
            return StringData.fromString(record.timestampType().toString());
        }
    };

    private final String key;

    MetadataColumn(String key) {
        this.key = key;
    }

    /** The value in Flink's internal form. */
    @Nullable
    abstract Object read(ConsumerRecord<?, ?> record);

    static Optional<MetadataColumn> of(String key) {
        for (MetadataColumn column : values()) {
            if (column.key.equals(key)) {
                return Optional.of(column);
            }
        }
        return Optional.empty();
    }
}
