package tech.streamfusion.kafka;

import tech.streamfusion.runtime.spi.Translation;

/**
 * Finds the classes that link to the connector, in the shape that fits the connector at hand: flink-connector-kafka refers
 * to the Kafka client under its own name, flink-sql-connector-kafka to a relocated one. The build relocates a copy of
 * {@code tech.streamfusion.kafka.connector} in the same way.
 */
final class ConnectorVariant {

    private static final String PLAIN = "tech.streamfusion.kafka.connector.";
    private static final String RELOCATED = "tech.streamfusion.kafka.relocated.";
    private static final String SPLIT_CLASS = "org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit";

    private ConnectorVariant() {}

    /** @param tableClass the table source's or sink's class, whose loader holds the connector */
    static Translation<ConnectorTranslator> of(Class<?> tableClass) {
        try {
            String packageName = isRelocated(tableClass.getClassLoader()) ? RELOCATED : PLAIN;
            return Translation.of(
                    Class.forName(packageName + "Translator")
                            .asSubclass(ConnectorTranslator.class)
                            .getDeclaredConstructor()
                            .newInstance());
        } catch (ReflectiveOperationException | LinkageError e) {
            return Translation.fallback("this Kafka connector does not link with streamfusion-kafka: " + e);
        }
    }

    private static boolean isRelocated(ClassLoader loader) throws ReflectiveOperationException {
        Class<?> topicPartition =
                Class.forName(SPLIT_CLASS, false, loader).getMethod("getTopicPartition").getReturnType();
        return topicPartition.getName().startsWith("org.apache.flink.");
    }
}
