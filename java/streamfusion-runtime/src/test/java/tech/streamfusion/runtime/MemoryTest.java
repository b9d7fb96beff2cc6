package tech.streamfusion.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
class MemoryTest {

    @Test
    void bytesGoInAndOutInBulk() {
        long pool = NativeEngine.poolCreate("test", -1, null);
        long buffer = NativeEngine.bufferCreate(pool, 100);
        assertThat(NativeEngine.poolUsed(pool)).isGreaterThanOrEqualTo(100);
        byte[] in = {1, 2, 3, 4, 5};
        NativeEngine.copyIn(in, 1, NativeEngine.bufferAddress(buffer), 3);
        byte[] out = new byte[5];
        NativeEngine.copyOut(NativeEngine.bufferAddress(buffer), out, 2, 3);
        assertThat(out).containsExactly(0, 0, 2, 3, 4);
        assertThatThrownBy(() -> NativeEngine.copyIn(in, 3, NativeEngine.bufferAddress(buffer), 3))
                .isInstanceOf(ArrayIndexOutOfBoundsException.class);
        NativeEngine.bufferRelease(buffer);
        NativeEngine.poolRelease(pool);
    }

    @Test
    void aLimitIsAnExceptionThatNamesThePool() {
        long pool = NativeEngine.poolCreate("Calc(\u00fc)", 1000, null);
        assertThatThrownBy(() -> NativeEngine.bufferCreate(pool, 5000))
                .isInstanceOf(NativeMemoryLimitException.class)
                .hasMessageContaining("Calc(\u00fc)")
                .hasMessageContaining("1000");
        NativeEngine.poolRelease(pool);
    }

    @Test
    void aReservationIsAskedAndGivenBack() {
        AtomicLong reserved = new AtomicLong();
        MemoryReservation upToTwoMegabytes =
                new MemoryReservation() {
                    @Override
                    public void grow(long bytes) {
                        if (reserved.get() + bytes > 2 << 20) {
                            throw new NativeMemoryLimitException("raise this option");
                        }
                        reserved.addAndGet(bytes);
                    }

                    @Override
                    public void shrink(long bytes) {
                        reserved.addAndGet(-bytes);
                    }
                };
        long pool = NativeEngine.poolCreate("test", -1, upToTwoMegabytes);
        long buffer = NativeEngine.bufferCreate(pool, 1000);
        assertThat(reserved.get()).isGreaterThanOrEqualTo(1000);
        assertThatThrownBy(() -> NativeEngine.bufferCreate(pool, 3 << 20))
                .isInstanceOf(NativeMemoryLimitException.class)
                .hasMessage("raise this option");
        NativeEngine.poolRelease(pool);
        assertThat(reserved.get()).as("the buffer keeps the pool").isPositive();
        NativeEngine.bufferRelease(buffer);
        assertThat(reserved.get()).isZero();
    }

    @Test
    void aBrokenTypeIsRejected() {
        assertThatThrownBy(() -> NativeEngine.typeCreate(new byte[] {8, 99})).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> NativeEngine.typeCreate(null)).isInstanceOf(RuntimeException.class);
    }

    @Test
    void theRegistryIsListed() {
        int functions = 0;
        while (NativeEngine.exprFunction(functions) != null) {
            assertThat(NativeEngine.exprFunction(functions)).hasSize(2).doesNotContainNull();
            functions++;
        }
        assertThat(functions).isGreaterThan(10);
        assertThat(NativeEngine.exprSupports(new byte[] {1})).isFalse();
    }
}
