package tech.streamfusion.nexmark;

/** A small random generator (SplitMix64) that can be put at any event without generating those before it. */
final class SplitMix {

    private static final long STEP = 0x9E3779B97F4A7C15L;

    private long state;

    SplitMix(long seed) {
        state = seed;
    }

    /** Restarts the sequence for event {@code n} of {@code seed}. */
    void seek(long seed, long n) {
        state = mix(seed + mix(n * STEP + STEP));
    }

    long nextLong() {
        state += STEP;
        return mix(state);
    }

    /** Uniform in [0, bound). */
    long next(long bound) {
        return Math.floorMod(nextLong() >>> 1, bound);
    }

    int next(int bound) {
        return (int) (((nextLong() >>> 32) * bound) >>> 32);
    }

    /** Uniform in [0, 1). */
    double nextDouble() {
        return (nextLong() >>> 11) * 0x1.0p-53;
    }

    private static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
