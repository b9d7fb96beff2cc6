package tech.streamfusion.runtime.operators;

/**
 * Which subtask the calling task thread runs. Flink's filter of restored records gives the partitioner that it asks no other
 * way to find out; a task has one thread, on which its operators are made and all of its records pass.
 */
final class CurrentSubtask {

    private static final ThreadLocal<Integer> INDEX = new ThreadLocal<>();

    private CurrentSubtask() {}

    /** Called where an operator that takes batches is made. */
    static void set(int index) {
        INDEX.set(index);
    }

    static void clear() {
        INDEX.remove();
    }

    static int index() {
        Integer index = INDEX.get();
        if (index == null) {
            throw new IllegalStateException("A batch without a channel, outside of a task that restores batches");
        }
        return index;
    }
}
