package tech.streamfusion.upstream;

/** How a test ended. An aborted assumption is a skip, as in JUnit's reports. */
enum Outcome {
    PASSED,
    FAILED,
    SKIPPED
}
