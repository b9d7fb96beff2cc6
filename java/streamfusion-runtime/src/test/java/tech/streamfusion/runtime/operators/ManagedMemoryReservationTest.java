package tech.streamfusion.runtime.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.runtime.memory.MemoryManager;
import org.junit.jupiter.api.Test;
import tech.streamfusion.runtime.NativeMemoryLimitException;

class ManagedMemoryReservationTest {

    private static final long MEGABYTE = 1 << 20;

    @Test
    void takesTheShareThenTheAllowanceThenFails() {
        MemoryManager memory = MemoryManager.create(100 * MEGABYTE, (int) MEGABYTE);
        ManagedMemoryReservation reservation = new ManagedMemoryReservation("Calc(x)", memory, 40 * MEGABYTE);
        reservation.grow(30 * MEGABYTE);
        assertThat(memory.availableMemory()).isEqualTo(70 * MEGABYTE);
        reservation.grow(20 * MEGABYTE);
        assertThat(memory.availableMemory()).isEqualTo(60 * MEGABYTE);
        long left = ManagedMemoryReservation.ALLOWANCE - 10 * MEGABYTE;
        assertThatThrownBy(() -> reservation.grow(left + 1))
                .isInstanceOf(NativeMemoryLimitException.class)
                .hasMessageContaining("Calc(x)")
                .hasMessageContaining(String.valueOf(left + 1))
                .hasMessageContaining("taskmanager.memory.managed.size");
        reservation.grow(left);
        reservation.shrink(left + 20 * MEGABYTE);
        assertThat(memory.availableMemory()).isEqualTo(70 * MEGABYTE);
        reservation.shrink(30 * MEGABYTE);
        assertThat(memory.verifyEmpty()).isTrue();
        memory.shutdown();
    }

    @Test
    void aRefusedGrowthGivesItsPartOfTheShareBack() {
        MemoryManager memory = MemoryManager.create(100 * MEGABYTE, (int) MEGABYTE);
        ManagedMemoryReservation reservation = new ManagedMemoryReservation("Calc(x)", memory, 40 * MEGABYTE);
        assertThatThrownBy(() -> reservation.grow(300 * MEGABYTE)).isInstanceOf(NativeMemoryLimitException.class);
        assertThat(memory.verifyEmpty()).isTrue();
        memory.shutdown();
    }

    @Test
    void runsWithoutManagedMemory() {
        MemoryManager memory = MemoryManager.create(0, 4096);
        ManagedMemoryReservation reservation = new ManagedMemoryReservation("Calc(x)", memory, 0);
        reservation.grow(5 * MEGABYTE);
        assertThatThrownBy(() -> reservation.grow(ManagedMemoryReservation.ALLOWANCE))
                .isInstanceOf(NativeMemoryLimitException.class)
                .hasMessageContaining("streamfusion.memory.accounting.enabled")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("taskmanager.memory"));
        reservation.shrink(5 * MEGABYTE);
        memory.shutdown();
    }
}
