package tech.streamfusion.kafka.connector;

import java.lang.reflect.Field;

/**
 * Reads what the connector's table and runtime classes were configured with and do not tell. Used while planning only, so
 * that whatever is unexpected is a fallback.
 */
public final class PrivateFields {

    private PrivateFields() {}

    /** Value of a field of this very type; may be null. */
    public static <T> T read(Class<?> declaring, Object target, String name, Class<T> type)
            throws UnexpectedConnectorException {
        try {
            Field field = declaring.getDeclaredField(name);
            field.setAccessible(true);
            return type.cast(field.get(target));
        } catch (ReflectiveOperationException | ClassCastException | SecurityException e) {
            throw new UnexpectedConnectorException(
                    "this Kafka connector's " + declaring.getSimpleName() + '.' + name + " is not as expected: " + e);
        }
    }
}
