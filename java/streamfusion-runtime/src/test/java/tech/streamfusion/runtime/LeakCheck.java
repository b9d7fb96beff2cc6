package tech.streamfusion.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Every test must leave as many native objects as it found. */
public final class LeakCheck implements BeforeEachCallback, AfterEachCallback {

    private long before;

    @Override
    public void beforeEach(ExtensionContext context) {
        before = NativeEngine.liveObjects();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        assertThat(NativeEngine.liveObjects()).as("live native objects").isEqualTo(before);
    }
}
