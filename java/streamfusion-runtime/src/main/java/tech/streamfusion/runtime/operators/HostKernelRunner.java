package tech.streamfusion.runtime.operators;

import javax.annotation.Nullable;
import org.apache.flink.api.common.functions.DefaultOpenContext;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.functions.util.FunctionUtils;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import tech.streamfusion.runtime.HostKernelSpec;
import tech.streamfusion.runtime.HostKernels;
import tech.streamfusion.runtime.NativeEngine;
import tech.streamfusion.runtime.data.BatchReader;
import tech.streamfusion.runtime.data.ResultColumnWriter;
import tech.streamfusion.runtime.data.SelectedRows;

/** The host kernels of one operator: compiles the generated functions, opens them, and evaluates them over batches. */
public final class HostKernelRunner implements HostKernels {

    private final Kernel[] kernels;

    private HostKernelRunner(Kernel[] kernels) {
        this.kernels = kernels;
    }

    /**
     * @param context for rich functions; null: they get none
     * @param pool native pool for results, borrowed while the runner lives
     */
    public static HostKernelRunner open(
            HostKernelSpec[] specs,
            ClassLoader userClassLoader,
            @Nullable RuntimeContext context,
            ProcessingTimeService time,
            long pool)
            throws Exception {
        HostKernelRunner runner = new HostKernelRunner(new Kernel[specs.length]);
        try {
            for (int i = 0; i < specs.length; i++) {
                runner.kernels[i] = new Kernel(specs[i], userClassLoader, time, pool);
                runner.kernels[i].open(context);
            }
        } catch (Throwable t) {
            runner.closeAfter(t);
            throw t;
        }
        return runner;
    }

    private void closeAfter(Throwable failure) {
        try {
            close();
        } catch (Exception e) {
            failure.addSuppressed(e);
        }
    }

    @Override
    public long call(int kernel, long[] columns, long resultType, int length, long selectedAddress, int selectedCount)
            throws Exception {
        return kernels[kernel].evaluate(columns, resultType, length, new SelectedRows(selectedAddress, selectedCount));
    }

    /** Closes every function and throws the first failure. */
    public void close() throws Exception {
        Exception failure = null;
        for (Kernel kernel : kernels) {
            try {
                if (kernel != null) {
                    kernel.closeFunction();
                }
            } catch (Exception e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** One function with its argument view and result writer. */
    private static final class Kernel implements Collector<RowData> {
        private final ProcessFunction<RowData, RowData> function;
        private final ProcessFunction<RowData, RowData>.Context context;
        private final BatchReader arguments;
        private final ResultColumnWriter result;
        private boolean opened;

        Kernel(HostKernelSpec spec, ClassLoader userClassLoader, ProcessingTimeService time, long pool) {
            function = spec.function().newInstance(userClassLoader);
            context = new TimeContext(function, time).context;
            arguments = new BatchReader(spec.argumentType().getFieldCount());
            result = new ResultColumnWriter(spec.resultType(), pool);
        }

        void open(@Nullable RuntimeContext runtimeContext) throws Exception {
            if (runtimeContext != null) {
                FunctionUtils.setFunctionRuntimeContext(function, runtimeContext);
            }
            opened = true;
            FunctionUtils.openFunction(function, DefaultOpenContext.INSTANCE);
        }

        long evaluate(long[] columns, long resultType, int length, SelectedRows selected) throws Exception {
            arguments.bind(columns);
            try {
                for (int i = 0, n = selected.count(); i < n; i++) {
                    int row = selected.row(i);
                    result.skipTo(row);
                    function.processElement(arguments.row(row), context, this);
                    if (result.length() != row + 1) {
                        throw new IllegalStateException("A host kernel did not return exactly one value for a row");
                    }
                }
                result.skipTo(length);
                return result.finish(resultType);
            } catch (Throwable t) {
                result.reset();
                throw t;
            } finally {
                arguments.unbind();
            }
        }

        @Override
        public void collect(RowData row) {
            result.write(row, 0);
        }

        void closeFunction() throws Exception {
            result.reset();
            if (opened) {
                opened = false;
                FunctionUtils.closeFunction(function);
            }
        }

        /** Of the collector, which has nothing to close. */
        @Override
        public void close() {}
    }

    /** What a generated function may ask its context for: the processing time. */
    private static final class TimeContext {
        private final ProcessFunction<RowData, RowData>.Context context;

        TimeContext(ProcessFunction<RowData, RowData> function, ProcessingTimeService time) {
            TimerService timers = new ProcessingTimeOnly(time);
            context =
                    function.new Context() {
                        @Override
                        public Long timestamp() {
                            return null; // stock Calc forwards records without looking at theirs
                        }

                        @Override
                        public TimerService timerService() {
                            return timers;
                        }

                        @Override
                        public <X> void output(OutputTag<X> outputTag, X value) {
                            throw new UnsupportedOperationException("Expressions have no side output");
                        }
                    };
        }
    }

    private static final class ProcessingTimeOnly implements TimerService {
        private final ProcessingTimeService time;

        ProcessingTimeOnly(ProcessingTimeService time) {
            this.time = time;
        }

        @Override
        public long currentProcessingTime() {
            return time.getCurrentProcessingTime();
        }

        @Override
        public long currentWatermark() {
            throw noTimers();
        }

        @Override
        public void registerProcessingTimeTimer(long timestamp) {
            throw noTimers();
        }

        @Override
        public void registerEventTimeTimer(long timestamp) {
            throw noTimers();
        }

        @Override
        public void deleteProcessingTimeTimer(long timestamp) {
            throw noTimers();
        }

        @Override
        public void deleteEventTimeTimer(long timestamp) {
            throw noTimers();
        }

        private static UnsupportedOperationException noTimers() {
            return new UnsupportedOperationException("Expressions only know the processing time");
        }
    }
}
