package tech.streamfusion.runtime.operators;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.apache.flink.table.data.RowData;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import tech.streamfusion.runtime.NativeEngine;

/** Opens Flink's RocksDB to the engine. Loaded only where that backend is in use; made for Flink 2.2. */
final class RocksDbState {

    /** Entries in native memory of an operator that has no managed memory. */
    private static final long DEFAULT_CACHE = 64L << 20;

    private static final Field DATABASE = field("db");
    private static final Method COLUMN_FAMILY = method("getColumnFamilyHandle", String.class);

    private RocksDbState() {}

    /**
     * @param operator a native operator with open, empty state
     * @param backend the {@link RocksDBKeyedStateBackend}, with whom the states are registered: their column families stay
     *     as they are from now on
     * @param managedMemory the operator's share, three quarters of which go to entries and the rest to what is around them
     */
    static void open(
            long operator, long pool, AbstractKeyedStateBackend<RowData> backend, String[] stateNames, long managedMemory)
            throws ReflectiveOperationException {
        if (stateNames.length == 1 && stateNames[0].equals(KeyedStateSpec.NO_STATE)) {
            return;
        }
        RocksDBKeyedStateBackend<RowData> rocks = (RocksDBKeyedStateBackend<RowData>) backend;
        long[] handles = new long[3 + stateNames.length];
        handles[0] = ((RocksDB) DATABASE.get(rocks)).getNativeHandle();
        handles[1] = rocks.getReadOptions().getNativeHandle();
        handles[2] = rocks.getWriteOptions().getNativeHandle();
        for (int i = 0; i < stateNames.length; i++) {
            handles[3 + i] = columnFamily(rocks, familyOf(stateNames, i)).getNativeHandle();
        }
        NativeEngine.stateUseRocksDb(operator, pool, handles, managedMemory > 0 ? managedMemory / 4 * 3 : DEFAULT_CACHE);
    }

    /**
     * In place of values that Flink has no state for, the engine reads the map that follows: under a key without a user key,
     * and so never finds any.
     */
    private static String familyOf(String[] stateNames, int i) {
        return stateNames[i].equals(KeyedStateSpec.NO_STATE) ? stateNames[i + 1] : stateNames[i];
    }

    private static ColumnFamilyHandle columnFamily(RocksDBKeyedStateBackend<RowData> rocks, String state)
            throws ReflectiveOperationException {
        Object family;
        try {
            family = COLUMN_FAMILY.invoke(rocks, state);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("RocksDB has no column family of the state " + state, e.getCause());
        }
        if (family == null) {
            throw new IllegalStateException("The stock function has not registered the state " + state);
        }
        return (ColumnFamilyHandle) family;
    }

    private static Field field(String name) {
        try {
            Field field = RocksDBKeyedStateBackend.class.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw otherFlink(e);
        }
    }

    private static Method method(String name, Class<?>... parameters) {
        try {
            Method method = RocksDBKeyedStateBackend.class.getDeclaredMethod(name, parameters);
            method.setAccessible(true);
            return method;
        } catch (NoSuchMethodException e) {
            throw otherFlink(e);
        }
    }

    private static IllegalStateException otherFlink(ReflectiveOperationException cause) {
        return new IllegalStateException(
                "This RocksDB state backend is not that of Flink 2.2, for which StreamFusion was made; set"
                        + " streamfusion.operator.group-aggregate.enabled to false",
                cause);
    }
}
