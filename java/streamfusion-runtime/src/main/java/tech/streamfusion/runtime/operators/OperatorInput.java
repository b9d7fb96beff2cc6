package tech.streamfusion.runtime.operators;

/** The input side of a native operator: makes batches of what Flink hands it, element by element. */
interface OperatorInput extends AutoCloseable {

    /** @param element a row or a batch, as the edge carries them; lent */
    void add(Object element) throws Exception;

    /** Lets go of what waits for more. */
    void flush() throws Exception;

    @Override
    void close();
}
