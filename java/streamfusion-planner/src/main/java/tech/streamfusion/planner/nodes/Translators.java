package tech.streamfusion.planner.nodes;

import java.util.List;
import java.util.Optional;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;

/** All node translators: the list that planning and documentation share. */
public final class Translators {

    private static final List<NodeTranslator> ALL =
            List.of(
                    new TableSourceScanTranslator(),
                    new CalcTranslator(),
                    new WatermarkAssignerTranslator(),
                    new UnionTranslator(),
                    new ExchangeTranslator(),
                    new DropUpdateBeforeTranslator(),
                    new MiniBatchAssignerTranslator(),
                    new ExpandTranslator(),
                    new GroupAggregateTranslator(),
                    new LocalGroupAggregateTranslator(),
                    new IncrementalGroupAggregateTranslator(),
                    new GlobalGroupAggregateTranslator(),
                    new SinkTranslator());

    private Translators() {}

    public static List<NodeTranslator> all() {
        return ALL;
    }

    public static Optional<NodeTranslator> of(ExecNode<?> node) {
        return ALL.stream().filter(t -> t.stockClass() == node.getClass()).findFirst();
    }
}
