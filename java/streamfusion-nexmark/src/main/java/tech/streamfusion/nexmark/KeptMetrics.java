package tech.streamfusion.nexmark;

import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/** Keeps the gauges of the process for those who ask in it. */
public final class KeptMetrics implements MetricReporter, MetricReporterFactory {

    private static final Map<Metric, String> NAMES = new ConcurrentHashMap<>();

    @Override
    public MetricReporter createMetricReporter(Properties properties) {
        return this;
    }

    /** Sum of all present gauges of this name; 0: there is none. */
    static long sum(String name) {
        return NAMES.entrySet().stream()
                .filter(entry -> entry.getValue().equals(name))
                .mapToLong(entry -> ((Number) ((Gauge<?>) entry.getKey()).getValue()).longValue())
                .sum();
    }

    @Override
    public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
        if (metric instanceof Gauge) {
            NAMES.put(metric, name);
        }
    }

    @Override
    public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
        NAMES.remove(metric);
    }

    @Override
    public void open(MetricConfig config) {}

    @Override
    public void close() {}
}
