package tech.streamfusion.random;

import java.util.ArrayList;
import java.util.List;

/** A {@link Shape} with its subqueries. */
final class Shaped implements Relation {

    private final String template;
    private final List<Column> columns;
    private final List<Relation> inputs;

    Shaped(String template, List<Column> columns, List<Relation> inputs) {
        this.template = template;
        this.columns = List.copyOf(columns);
        this.inputs = List.copyOf(inputs);
    }

    @Override
    public List<Column> columns() {
        return columns;
    }

    @Override
    public String sql() {
        String out = template;
        for (int i = 0; i < inputs.size(); i++) {
            out = out.replace("{" + i + "}", inputs.get(i).sql());
        }
        return out;
    }

    @Override
    public List<Relation> simplerWithSameColumns() {
        List<Relation> out = new ArrayList<>();
        for (int i = 0; i < inputs.size(); i++) {
            for (Relation simpler : inputs.get(i).simplerWithSameColumns()) {
                List<Relation> changed = new ArrayList<>(inputs);
                changed.set(i, simpler);
                out.add(new Shaped(template, columns, changed));
            }
        }
        return out;
    }

    @Override
    public List<Relation> simpler() {
        List<Relation> out = new ArrayList<>(inputs);
        out.addAll(simplerWithSameColumns());
        return out;
    }
}
