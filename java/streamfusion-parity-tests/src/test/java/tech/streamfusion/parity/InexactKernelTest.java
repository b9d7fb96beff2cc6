package tech.streamfusion.parity;

import static org.assertj.core.api.Assertions.assertThat;
import static tech.streamfusion.testing.Parity.row;

import org.junit.jupiter.api.Test;
import tech.streamfusion.testing.Parity;

/** Kernels of which it is not known that they are exact run only where the user allows it. */
class InexactKernelTest {

    private static String explain(String permission) {
        return Parity.test()
                .source("t", "v STRING", row("xababy"), row("b"), row(""), row((Object) null))
                .acceleratedOption("streamfusion.expression.REGEXP_EXTRACT.allowIncompatible", permission)
                .query("SELECT REGEXP_EXTRACT(v, '(?<=x)(ab)+', 1), REGEXP_EXTRACT(v, 'b(?=$|a)') FROM t")
                .expectNative("Calc")
                .run()
                .explained();
    }

    @Test
    void needPermission() {
        assertThat(explain("false")).contains("hostKernels=[REGEXP_EXTRACT]");
        assertThat(explain("true")).doesNotContain("hostKernels");
    }
}
