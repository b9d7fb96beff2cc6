package tech.streamfusion.planner.nodes;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.api.transformations.SinkTransformation;
import org.apache.flink.table.runtime.operators.sink.StreamRecordTimestampInserter;
import org.apache.flink.table.runtime.operators.sink.constraint.ConstraintEnforcer;
import tech.streamfusion.planner.FallbackReason.Rule;
import tech.streamfusion.planner.graph.StockTranslation;

/** The transformations that a stock sink node makes, taken apart. */
final class SinkChain {

    private final SinkTransformation<?, ?> sink;
    @Nullable private OneInputTransformation<?, ?> constraintEnforcer;
    @Nullable private OneInputTransformation<?, ?> timestampInserter;

    /**
     * @param last what the stock node returned
     * @throws Fallback when there is more in it than constraint enforcer, timestamp inserter and sink
     */
    SinkChain(Transformation<?> last) throws Fallback {
        if (!(last instanceof SinkTransformation)) {
            throw new Fallback(Rule.FEATURE, "the stock sink is a " + last.getClass().getSimpleName());
        }
        this.sink = (SinkTransformation<?, ?>) last;
        Deque<Transformation<?>> chain = new ArrayDeque<>();
        List<Transformation<?>> inputs = last.getInputs();
        while (inputs.size() == 1 && !(inputs.get(0) instanceof StockTranslation.Input)) {
            chain.push(inputs.get(0));
            inputs = inputs.get(0).getInputs();
        }
        for (Transformation<?> transformation : chain) {
            place(transformation);
        }
    }

    private void place(Transformation<?> transformation) throws Fallback {
        StreamOperator<?> operator = operator(transformation);
        if (operator instanceof ConstraintEnforcer) {
            constraintEnforcer = (OneInputTransformation<?, ?>) transformation;
        } else if (operator instanceof StreamRecordTimestampInserter) {
            timestampInserter = (OneInputTransformation<?, ?>) transformation;
        } else {
            throw new Fallback(Rule.FEATURE, "operator " + transformation.getName() + " in front of the sink");
        }
    }

    @Nullable
    private static StreamOperator<?> operator(Transformation<?> transformation) {
        if (!(transformation instanceof OneInputTransformation)) {
            return null;
        }
        StreamOperatorFactory<?> factory = ((OneInputTransformation<?, ?>) transformation).getOperatorFactory();
        return factory instanceof SimpleOperatorFactory ? ((SimpleOperatorFactory<?>) factory).getOperator() : null;
    }

    SinkTransformation<?, ?> sink() {
        return sink;
    }

    @Nullable
    OneInputTransformation<?, ?> constraintEnforcer() {
        return constraintEnforcer;
    }

    @Nullable
    OneInputTransformation<?, ?> timestampInserter() {
        return timestampInserter;
    }
}
