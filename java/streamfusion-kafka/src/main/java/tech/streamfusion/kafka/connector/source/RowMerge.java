package tech.streamfusion.kafka.connector.source;

import java.util.Arrays;
import javax.annotation.Nullable;

/**
 * Brings rows decoded apart into record order: a value row is joined with each key row of its record, and rows of the host
 * stand where their record stands.
 */
final class RowMerge {

    private final IntList valueRows = new IntList();
    private final IntList keyRows = new IntList();
    private final IntList records = new IntList();
    private final IntList order = new IntList();
    private final boolean keyed;
    private final int values;
    private final int keys;
    private int hostRows;

    /**
     * @param end records to consider
     * @param punted records that the host decided, with {@code hostCounts} rows each
     * @param valueRecords ascending record of each of the {@code values} native value rows, punted records excluded
     * @param keyRecords the same for keys; null: the table has no key columns
     */
    RowMerge(
            int end,
            boolean[] punted,
            int[] hostCounts,
            int[] valueRecords,
            int values,
            @Nullable int[] keyRecords,
            int keys) {
        this.keyed = keyRecords != null;
        this.values = values;
        this.keys = keys;
        int totalHost = Arrays.stream(hostCounts, 0, end).sum();
        int nativeTotal = 0;
        int value = 0;
        int key = 0;
        for (int record = 0; record < end; record++) {
            int firstValue = value;
            while (value < values && valueRecords[value] == record) {
                value++;
            }
            int firstKey = key;
            while (key < keys && keyRecords[key] == record) {
                key++;
            }
            if (punted[record]) {
                for (int i = 0; i < hostCounts[record]; i++) {
                    order.add(-1 - hostRows++);
                }
                continue;
            }
            for (int v = firstValue; v < value; v++) {
                int times = keyed ? key - firstKey : 1;
                for (int k = 0; k < times; k++) {
                    valueRows.add(v);
                    keyRows.add(firstKey + k);
                    records.add(record);
                    order.add(nativeTotal++);
                }
            }
        }
        if (totalHost != hostRows) {
            throw new IllegalStateException("lost rows of the host deserializer");
        }
    }

    int nativeRows() {
        return valueRows.size();
    }

    int hostRows() {
        return hostRows;
    }

    /** Value row of each native row; null: all, as they are. */
    @Nullable
    int[] valueRows() {
        return valueRows.unlessIdentity(values);
    }

    @Nullable
    int[] keyRows() {
        return keyed ? keyRows.unlessIdentity(keys) : null;
    }

    /** Record of each native row; null: every one of {@code total} records has one. */
    @Nullable
    int[] records(int total) {
        return records.unlessIdentity(total);
    }

    /** The result's rows, as positions in the native rows followed by the host's. */
    int[] order() {
        int[] rows = order.toArray();
        for (int i = 0; i < rows.length; i++) {
            if (rows[i] < 0) {
                rows[i] = nativeRows() - 1 - rows[i];
            }
        }
        return rows;
    }

    private static final class IntList {
        private int[] items = new int[64];
        private int size;

        void add(int item) {
            if (size == items.length) {
                items = Arrays.copyOf(items, 2 * size);
            }
            items[size++] = item;
        }

        int size() {
            return size;
        }

        @Nullable
        int[] unlessIdentity(int total) {
            boolean identity = size == total;
            for (int i = 0; identity && i < size; i++) {
                identity = items[i] == i;
            }
            return identity ? null : toArray();
        }

        int[] toArray() {
            return Arrays.copyOf(items, size);
        }
    }
}
