package tech.streamfusion.runtime.data;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinaryStringData;

/** One native column as {@code NativeEngine.batchDescribe} describes it; values by row. */
final class ColumnReader {

    /** kind | layout << 8 | const << 16, validity, values, aux, length, number of children. */
    static final int LONGS = 6;

    private static final int LAYOUT_NULL = 13;

    private final Scope scope;
    private int layout;
    private boolean constant;
    private long validity;
    private long values;
    private long aux;
    private ColumnReader[] children = new ColumnReader[0];

    ColumnReader(Scope scope) {
        this.scope = scope;
    }

    /** Whether the memory behind readers may still be read; nested views outlive their row easily. */
    static final class Scope {
        private boolean open;

        void open() {
            open = true;
        }

        void close() {
            open = false;
        }

        void check() {
            if (!open) {
                throw new IllegalStateException(
                        "A row, array or map of a native batch was used after the call that it was passed to; copy it to keep it");
            }
        }
    }

    /** Binds columns from the description at {@code from}; returns the next index. */
    int bind(long[] description, int from) {
        long head = description[from];
        layout = (int) (head >> 8) & 0xff;
        constant = ((head >> 16) & 1) != 0;
        validity = description[from + 1];
        values = description[from + 2];
        aux = description[from + 3];
        int n = (int) description[from + 5];
        if (children.length != n) {
            children = new ColumnReader[n];
            for (int i = 0; i < n; i++) {
                children[i] = new ColumnReader(scope);
            }
        }
        int next = from + LONGS;
        for (ColumnReader child : children) {
            next = child.bind(description, next);
        }
        return next;
    }

    private long index(int row) {
        return constant ? 0 : row;
    }

    boolean isNull(int row) {
        if (validity == 0) {
            return layout == LAYOUT_NULL;
        }
        long i = index(row);
        return (NativeMemory.getByte(validity + (i >> 3)) & (1 << (i & 7))) == 0;
    }

    boolean getBoolean(int row) {
        return NativeMemory.getByte(values + index(row)) != 0;
    }

    byte getByte(int row) {
        return NativeMemory.getByte(values + index(row));
    }

    short getShort(int row) {
        return NativeMemory.getShort(values + index(row) * 2);
    }

    int getInt(int row) {
        return NativeMemory.getInt(values + index(row) * 4);
    }

    long getLong(int row) {
        return NativeMemory.getLong(values + index(row) * 8);
    }

    float getFloat(int row) {
        return Float.intBitsToFloat(getInt(row));
    }

    double getDouble(int row) {
        return Double.longBitsToDouble(getLong(row));
    }

    /**
     * A copy on the heap, free to be kept. An empty one is made of a Java string, as sources make it: Flink's TRIM with empty
     * characters fails on an empty binary string (BinaryStringDataUtil.isSpaceString looks at its first byte).
     */
    StringData getString(int row) {
        byte[] bytes = getBinary(row);
        return bytes.length == 0 ? BinaryStringData.fromString("") : BinaryStringData.fromBytes(bytes);
    }

    byte[] getBinary(int row) {
        long view = values + index(row) * 16;
        return NativeMemory.copyOut(NativeMemory.getLong(view), NativeMemory.getInt(view + 8));
    }

    DecimalData getDecimal(int row, int precision, int scale) {
        if (DecimalData.isCompact(precision)) {
            return DecimalData.fromUnscaledLong(getLong(row), precision, scale);
        }
        long place = values + index(row) * 16;
        BigInteger low = BigInteger.valueOf(NativeMemory.getLong(place) & Long.MAX_VALUE);
        if (NativeMemory.getLong(place) < 0) {
            low = low.setBit(63);
        }
        BigInteger unscaled = BigInteger.valueOf(NativeMemory.getLong(place + 8)).shiftLeft(64).or(low);
        return DecimalData.fromBigDecimal(new BigDecimal(unscaled, scale), precision, scale);
    }

    TimestampData getTimestamp(int row, int precision) {
        return TimestampData.isCompact(precision)
                ? TimestampData.fromEpochMillis(getLong(row))
                : TimestampData.fromEpochMillis(getLong(row), NativeMemory.getInt(aux + index(row) * 4));
    }

    RowData getRow(int row) {
        return new ColumnarRow(children, scope, (int) index(row));
    }

    ArrayData getArray(int row) {
        return range(children[0], row);
    }

    MapData getMap(int row) {
        return new ColumnarMap(range(children[0], row), range(children[1], row));
    }

    private ColumnarArray range(ColumnReader child, int row) {
        long place = aux + index(row) * 4;
        int start = NativeMemory.getInt(place);
        return new ColumnarArray(child, scope, start, NativeMemory.getInt(place + 4) - start);
    }
}
