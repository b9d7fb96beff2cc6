package tech.streamfusion.random;

import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/** Projection and filter: what a Calc is made of. */
final class Select implements Relation {

    private final Relation input;
    private final List<String> names;
    private final List<Fragment> projection;
    @Nullable private final Fragment condition;

    Select(Relation input, List<String> names, List<Fragment> projection, @Nullable Fragment condition) {
        this.input = input;
        this.names = List.copyOf(names);
        this.projection = List.copyOf(projection);
        this.condition = condition;
    }

    @Override
    public List<Column> columns() {
        List<Column> out = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            out.add(new Column(names.get(i), projection.get(i).kind()));
        }
        return out;
    }

    @Override
    public String sql() {
        StringBuilder out = new StringBuilder("SELECT ");
        for (int i = 0; i < names.size(); i++) {
            out.append(i == 0 ? "" : ", ").append(projection.get(i).sql()).append(" AS ").append(names.get(i));
        }
        out.append(" FROM ").append(input.fromItem());
        if (condition != null) {
            out.append(" WHERE ").append(condition.sql());
        }
        return out.toString();
    }

    @Override
    public List<Relation> simplerWithSameColumns() {
        List<Relation> out = new ArrayList<>();
        if (condition != null) {
            out.add(new Select(input, names, projection, null));
        }
        for (Relation simpler : input.simplerWithSameColumns()) {
            out.add(new Select(simpler, names, projection, condition));
        }
        for (int i = 0; i < projection.size(); i++) {
            for (Fragment simpler : projection.get(i).simpler()) {
                List<Fragment> changed = new ArrayList<>(projection);
                changed.set(i, simpler);
                out.add(new Select(input, names, changed, condition));
            }
        }
        if (condition != null) {
            for (Fragment simpler : condition.simpler()) {
                out.add(new Select(input, names, projection, simpler));
            }
        }
        return out;
    }

    @Override
    public List<Relation> simpler() {
        List<Relation> out = new ArrayList<>();
        if (!(input instanceof TableReference)) {
            out.add(input);
        }
        int half = names.size() / 2;
        if (half > 1) {
            out.add(part(0, half));
            out.add(part(half, names.size()));
        }
        for (int i = 0; i < names.size() && names.size() > 1; i++) {
            out.add(part(i, i + 1));
        }
        for (int i = 0; i < names.size() && names.size() > 2; i++) {
            out.add(without(i));
        }
        out.addAll(simplerWithSameColumns());
        return out;
    }

    private Select part(int from, int to) {
        return new Select(input, names.subList(from, to), projection.subList(from, to), condition);
    }

    private Select without(int index) {
        List<String> fewerNames = new ArrayList<>(names);
        List<Fragment> fewer = new ArrayList<>(projection);
        fewerNames.remove(index);
        fewer.remove(index);
        return new Select(input, fewerNames, fewer, condition);
    }
}
