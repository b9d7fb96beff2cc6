package tech.streamfusion.kafka.connector;

/** The connector does not look as its supported version does; the table is left to stock Flink. */
public final class UnexpectedConnectorException extends Exception {

    private static final long serialVersionUID = 1L;

    public UnexpectedConnectorException(String message) {
        super(message);
    }
}
