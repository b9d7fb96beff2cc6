package tech.streamfusion.planner.graph;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.core.memory.ManagedMemoryUseCase;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;
import org.apache.flink.streaming.api.transformations.SinkTransformation;
import org.apache.flink.streaming.api.transformations.SourceTransformation;
import org.apache.flink.streaming.api.transformations.TransformationWithLineage;
import org.apache.flink.streaming.runtime.partitioner.StreamPartitioner;

/** Copies of stock transformations that differ in what runs inside. */
public final class Transformations {

    private Transformations() {}

    /**
     * @param managedMemoryWeight share of the slot's managed memory in relation to other operators; 0: none
     */
    public static <O> OneInputTransformation<Object, O> oneInput(
            OneInputTransformation<?, ?> stock,
            Transformation<?> input,
            AbstractStreamOperatorFactory<O> factory,
            TypeInformation<O> type,
            int managedMemoryWeight) {
        factory.setChainingStrategy(stock.getOperatorFactory().getChainingStrategy());
        OneInputTransformation<Object, O> copy =
                new OneInputTransformation<>(
                        uncheckedCast(input),
                        stock.getName(),
                        factory,
                        type,
                        stock.getParallelism(),
                        stock.isParallelismConfigured());
        if (managedMemoryWeight > 0) {
            copy.declareManagedMemoryUseCaseAtOperatorScope(ManagedMemoryUseCase.OPERATOR, managedMemoryWeight);
        }
        if (stock.getStateKeySelector() != null) { // Flink's state backend is built from them
            copy.setStateKeySelector(uncheckedCast(stock.getStateKeySelector()));
            copy.setStateKeyType(stock.getStateKeyType());
        }
        return copyAttributes(stock, copy);
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // the elements of an edge are what its ends agree on
    public static PartitionTransformation<?> partition(
            PartitionTransformation<?> stock,
            Transformation<?> input,
            StreamPartitioner<?> partitioner,
            TypeInformation<?> type) {
        PartitionTransformation copy =
                new PartitionTransformation(input, partitioner, stock.getExchangeMode());
        copy.setName(stock.getName());
        copy.setParallelism(stock.getParallelism(), stock.isParallelismConfigured());
        copy.setOutputType(type);
        return copyAttributes(stock, (PartitionTransformation<?>) copy);
    }

    public static <O> SourceTransformation<O, ?, ?> source(
            SourceTransformation<?, ?, ?> stock,
            Source<O, ?, ?> source,
            WatermarkStrategy<O> watermarkStrategy,
            TypeInformation<O> type) {
        SourceTransformation<O, ?, ?> copy =
                new SourceTransformation<>(
                        stock.getName(),
                        source,
                        watermarkStrategy,
                        type,
                        stock.getParallelism(),
                        stock.isParallelismConfigured());
        copy.setChainingStrategy(stock.getChainingStrategy());
        copy.setCoordinatorListeningID(stock.getCoordinatorListeningID());
        copyLineage(stock, copy);
        return copyAttributes(stock, copy);
    }

    public static <I> SinkTransformation<I, I> sink(
            SinkTransformation<?, ?> stock, Transformation<I> input, StreamExecutionEnvironment env, Sink<I> sink) {
        SinkTransformation<I, I> copy =
                new SinkTransformation<>(
                        new DataStream<>(env, input),
                        sink,
                        input.getOutputType(),
                        stock.getName(),
                        stock.getParallelism(),
                        stock.isParallelismConfigured(),
                        stock.getSinkOperatorsUidHashes());
        if (stock.getChainingStrategy() != null) {
            copy.setChainingStrategy(stock.getChainingStrategy());
        }
        copyLineage(stock, copy);
        return copyAttributes(stock, copy);
    }

    private static void copyLineage(TransformationWithLineage<?> from, TransformationWithLineage<?> to) {
        if (from.getLineageVertex() != null) {
            to.setLineageVertex(from.getLineageVertex());
        }
    }

    private static <T extends Transformation<?>> T copyAttributes(Transformation<?> from, T to) {
        if (from.getDescription() != null) { // a connector that makes its own transformation gives it none
            to.setDescription(from.getDescription());
        }
        if (from.getUid() != null) {
            to.setUid(from.getUid());
        }
        if (from.getUserProvidedNodeHash() != null) {
            to.setUidHash(from.getUserProvidedNodeHash());
        }
        if (from.getMaxParallelism() > 0) {
            to.setMaxParallelism(from.getMaxParallelism());
        }
        if (from.getBufferTimeout() >= 0) {
            to.setBufferTimeout(from.getBufferTimeout());
        }
        if (from.getAdditionalMetricVariables() != null) {
            from.getAdditionalMetricVariables().forEach(to::addMetricVariable);
        }
        from.getSlotSharingGroup().ifPresent(to::setSlotSharingGroup);
        if (from.getCoLocationGroupKey() != null) {
            to.setCoLocationGroupKey(from.getCoLocationGroupKey());
        }
        return to;
    }

    @SuppressWarnings("unchecked")
    private static Transformation<Object> uncheckedCast(Transformation<?> input) {
        return (Transformation<Object>) input;
    }

    /** A native operator never asks for the key of a record. */
    @SuppressWarnings("unchecked")
    private static KeySelector<Object, ?> uncheckedCast(KeySelector<?, ?> selector) {
        return (KeySelector<Object, ?>) selector;
    }
}
