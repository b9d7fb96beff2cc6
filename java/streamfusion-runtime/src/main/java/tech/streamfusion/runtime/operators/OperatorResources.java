package tech.streamfusion.runtime.operators;

import javax.annotation.Nullable;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import tech.streamfusion.runtime.MemoryReservation;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.runtime.OperatorSpec;

/** The native objects of one operator instance, made and freed together. */
final class OperatorResources {

    private final OperatorSpec spec;
    private long pool;
    private long inputType;
    private long outputType;
    private long operator;
    private HostKernelRunner kernels;

    OperatorResources(OperatorSpec spec) {
        this.spec = spec;
    }

    /**
     * @param name for messages
     * @param reservation asked for native memory; null: memory is not accounted
     */
    void open(
            String name,
            @Nullable MemoryReservation reservation,
            RuntimeContext context,
            ClassLoader userClassLoader,
            ProcessingTimeService time)
            throws Exception {
        pool = NativeEngine.poolCreate(name, -1, reservation);
        long[] types = NativeEngine.operatorTypes(spec.plan());
        inputType = types[0];
        outputType = types[1];
        if (spec.hostKernels().length > 0) {
            kernels = HostKernelRunner.open(spec.hostKernels(), userClassLoader, context, time, pool);
        }
        operator = NativeEngine.operatorCreate(pool, spec.plan(), kernels);
    }

    long pool() {
        return pool;
    }

    long inputType() {
        return inputType;
    }

    long outputType() {
        return outputType;
    }

    /** Handle of the open operator; a call on a closed one must not reach native code. */
    long operator() {
        if (operator == 0) {
            throw new IllegalStateException("The native operator is not open");
        }
        return operator;
    }

    /** Idempotent; native objects go even when a user function fails to close. */
    void close() throws Exception {
        if (operator != 0) {
            NativeEngine.operatorClose(operator);
            operator = 0;
        }
        try {
            if (kernels != null) {
                HostKernelRunner closing = kernels;
                kernels = null;
                closing.close();
            }
        } finally {
            freeTypesAndPool();
        }
    }

    private void freeTypesAndPool() {
        if (inputType != 0) {
            NativeEngine.typeRelease(inputType);
            NativeEngine.typeRelease(outputType);
            inputType = 0;
        }
        if (pool != 0) {
            NativeEngine.poolRelease(pool);
            pool = 0;
        }
    }
}
