package tech.streamfusion.kafka.connector.sink;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.internals.FutureRecordMetadata;
import org.apache.kafka.clients.producer.internals.ProduceRequestResult;
import org.apache.kafka.common.utils.Time;

/**
 * The callbacks of a {@code ProducerBatch} that runs were appended to. The batch walks over them in two ways. By index, when
 * it completes: then a run is one element, whose callback counts for all of its records. With an iterator, when it has to be
 * split: then there is an element per record, as the batch expects, made on the spot.
 */
final class RunThunks extends AbstractList<Object> {

    /** Thunks of the client, and {@link Run}s. */
    private final List<Object> entries;

    private final ProduceRequestResult result;
    private final Callback callback;

    RunThunks(List<Object> before, ProduceRequestResult result, Callback callback) {
        this.entries = new ArrayList<>(before);
        this.result = result;
        this.callback = callback;
    }

    /** A run of {@code count} records, the first of which is number {@code first} of the batch. */
    void addRun(int first, int count, long timestamp) {
        entries.add(new Run(first, count, timestamp));
    }

    /** The client's own, when it sends into the same batch. */
    @Override
    public boolean add(Object thunk) {
        return entries.add(thunk);
    }

    @Override
    public int size() {
        return entries.size();
    }

    @Override
    public Object get(int index) {
        Object entry = entries.get(index);
        return entry instanceof Run ? ((Run) entry).whole() : entry;
    }

    @Override
    public Iterator<Object> iterator() {
        return new PerRecord();
    }

    private Object thunk(Callback whenDone, int record, long timestamp) {
        FutureRecordMetadata future = new FutureRecordMetadata(result, record, timestamp, -1, -1, Time.SYSTEM);
        try {
            return (Object) ProducerInternals.NEW_THUNK.invokeExact(whenDone, future);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private final class Run {
        private final int first;
        private final int count;
        private final long timestamp;

        Run(int first, int count, long timestamp) {
            this.first = first;
            this.count = count;
            this.timestamp = timestamp;
        }

        /** Successes are counted by Flink's writer one by one; of failures it wants to know the first. */
        Object whole() {
            Callback forAll =
                    (metadata, exception) -> {
                        int times = exception == null ? count : 1;
                        for (int i = 0; i < times; i++) {
                            callback.onCompletion(metadata, exception);
                        }
                    };
            return thunk(forAll, first, timestamp);
        }

        Object single(int index) {
            return thunk(callback, first + index, timestamp);
        }
    }

    private final class PerRecord implements Iterator<Object> {
        private int entry;
        private int inRun;

        @Override
        public boolean hasNext() {
            return entry < entries.size();
        }

        @Override
        public Object next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            Object current = entries.get(entry);
            if (!(current instanceof Run)) {
                entry++;
                return current;
            }
            Run run = (Run) current;
            Object thunk = run.single(inRun++);
            if (inRun == run.count) {
                inRun = 0;
                entry++;
            }
            return thunk;
        }
    }
}
