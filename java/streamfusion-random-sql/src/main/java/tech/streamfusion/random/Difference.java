package tech.streamfusion.random;

import tech.streamfusion.testing.Outcome;

/** A difference between the two sides, shrunk. */
final class Difference {

    final Script script;
    final Outcome outcome;

    Difference(Script script, Outcome outcome) {
        this.script = script;
        this.outcome = outcome;
    }

    String text(long seed, int number) {
        return "// seed " + seed + ", difference " + number + ": " + outcome.toString().replace("\n", "\n// ") + "\n"
                + script.test("seed" + Long.toString(seed).replace('-', 'm') + "Difference" + number);
    }
}
