package tech.streamfusion.runtime.data;

/** Ascending row indices in native memory, or all of the first {@code count} rows. */
public final class SelectedRows {

    private final long address;
    private final int count;

    /** @param address of {@code count} int32; 0: rows 0 to {@code count - 1} */
    public SelectedRows(long address, int count) {
        this.address = address;
        this.count = count;
    }

    public int count() {
        return count;
    }

    public int row(int i) {
        return address == 0 ? i : NativeMemory.getInt(address + 4L * i);
    }
}
