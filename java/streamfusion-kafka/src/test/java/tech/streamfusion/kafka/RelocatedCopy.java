package tech.streamfusion.kafka;

import org.apache.flink.table.api.DataTypes;

/**
 * Copies a topic on the native path. Runs in a process of its own whose class path has flink-sql-connector-kafka in place of
 * the plain connector; names no class of the Kafka client.
 */
final class RelocatedCopy {

    private RelocatedCopy() {}

    /** Arguments: bootstrap servers, topic to read, topic to write, topic to write with keys. */
    public static void main(String[] arguments) throws Exception {
        KafkaTable from = table(arguments[0], arguments[1]).bounded();
        KafkaTable to =
                table(arguments[0], arguments[2])
                        .option("sink.delivery-guarantee", "exactly-once")
                        .option("sink.transactional-id-prefix", "relocated");
        String source = from.nativeScan().get().source().getClass().getName();
        String sink = to.nativeSink().get().getClass().getName();
        if (!source.startsWith("tech.streamfusion.kafka.relocated.")
                || !sink.startsWith("tech.streamfusion.kafka.relocated.")) {
            throw new IllegalStateException("wrong variant: " + source + ", " + sink);
        }
        KafkaTable keyed = table(arguments[0], arguments[3]).upserting("id");
        new Pipelines().addNative(from, to).addNative(from, keyed).run();
    }

    private static KafkaTable table(String bootstrapServers, String topic) {
        return KafkaTable.of(bootstrapServers, topic)
                .column("id", DataTypes.BIGINT())
                .column("name", DataTypes.STRING())
                .column("price", DataTypes.DECIMAL(10, 2));
    }
}
