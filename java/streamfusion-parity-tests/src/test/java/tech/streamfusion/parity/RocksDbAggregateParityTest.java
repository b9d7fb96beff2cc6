package tech.streamfusion.parity;

import tech.streamfusion.testing.Parity;

/** The same with state in RocksDB. */
class RocksDbAggregateParityTest extends AggregateParityTest {

    @Override
    Parity test() {
        return super.test().option("state.backend.type", "rocksdb");
    }
}
