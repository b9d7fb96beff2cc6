package tech.streamfusion.kafka;

import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/** A reporter that keeps all metrics where tests see them. */
public final class CollectedMetrics implements MetricReporter, MetricReporterFactory {

    private static final Map<String, Metric> METRICS = new ConcurrentHashMap<>();

    /** Settings that switch it on; the identifiers of metrics then are job, operator, and the rest. */
    static final Object[] SETTINGS = {
        "metrics.reporter.test.factory.class", CollectedMetrics.class.getName(),
        "metrics.scope.operator", "<job_name>.<operator_name>"
    };

    /** Value of the counter or gauge of a job whose identifier has these parts; null: there is none. */
    static Number value(String job, String operator, String name) {
        for (Map.Entry<String, Metric> metric : METRICS.entrySet()) {
            String identifier = metric.getKey();
            if (identifier.startsWith(job + '.') && identifier.contains(operator) && identifier.endsWith('.' + name)) {
                Metric found = metric.getValue();
                return found instanceof Counter
                        ? (Number) ((Counter) found).getCount()
                        : (Number) ((Gauge<?>) found).getValue();
            }
        }
        return null;
    }

    @Override
    public MetricReporter createMetricReporter(Properties properties) {
        return this;
    }

    @Override
    public void open(MetricConfig config) {}

    @Override
    public void close() {}

    @Override
    public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
        METRICS.put(group.getMetricIdentifier(name), metric);
    }

    @Override
    public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
        METRICS.remove(group.getMetricIdentifier(name));
    }
}
