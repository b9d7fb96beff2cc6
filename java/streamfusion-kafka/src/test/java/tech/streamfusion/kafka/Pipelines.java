package tech.streamfusion.kafka;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import tech.streamfusion.runtime.NativeBatch;
import tech.streamfusion.runtime.operators.NativeBatchTypeInfo;
import tech.streamfusion.runtime.spi.NativeScanProvider;

/** Copies between Kafka tables, stock and native, several of them in one job. */
final class Pipelines {

    private final StreamExecutionEnvironment environment;
    private int count;

    Pipelines(Object... settings) {
        Configuration configuration = new Configuration();
        configuration.setString("execution.checkpointing.interval", "500 ms");
        configuration.setString("pipeline.object-reuse", "true");
        configuration.setString("restart-strategy.type", "none");
        for (int i = 0; i < settings.length; i += 2) {
            configuration.setString((String) settings[i], settings[i + 1].toString());
        }
        environment = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(1);
    }

    StreamExecutionEnvironment environment() {
        return environment;
    }

    /** A copy on the native path. */
    Pipelines addNative(KafkaTable from, KafkaTable to) {
        return addNative(from, 1, to, 1);
    }

    /** The same with scan.parallelism and sink.parallelism. */
    Pipelines addNative(KafkaTable from, int sources, KafkaTable to, int sinks) {
        int number = count++;
        nativeStream(from, "source-" + number)
                .setParallelism(sources)
                .sinkTo(to.nativeSink().get())
                .setParallelism(sinks)
                .uid("sink-" + number);
        return this;
    }

    /** Both inputs into one table on the native path: UNION ALL. */
    Pipelines addNativeUnion(KafkaTable one, KafkaTable other, KafkaTable to) {
        int number = count++;
        nativeStream(one, "source-" + number + "-one")
                .union(nativeStream(other, "source-" + number + "-other"))
                .sinkTo(to.nativeSink().get())
                .uid("sink-" + number);
        return this;
    }

    private SingleOutputStreamOperator<NativeBatch> nativeStream(KafkaTable from, String uid) {
        NativeScanProvider.NativeScan scan = from.nativeScan().get();
        return environment
                .fromSource(scan.source(), scan.watermarkStrategy(), "source", new NativeBatchTypeInfo(from.rowType()))
                .uid(uid);
    }

    /** The same copy on stock Flink, with the same operator identities. */
    Pipelines addStock(KafkaTable from, KafkaTable to) {
        int number = count++;
        from.stockStream(environment, "source-" + number).sinkTo(to.stockSink()).uid("sink-" + number);
        return this;
    }

    void run() throws Exception {
        environment.execute();
    }

    /** Classes and messages of the causes of the failure that the job must end with, from the outside in. */
    List<String> failure() {
        try {
            environment.execute();
        } catch (Exception e) {
            List<String> causes = new ArrayList<>();
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                causes.add(cause.getClass().getName() + ": " + cause.getMessage());
            }
            return causes;
        }
        throw new AssertionError("the job did not fail");
    }
}
