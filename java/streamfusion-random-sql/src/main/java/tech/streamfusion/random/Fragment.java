package tech.streamfusion.random;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** An expression as text with gaps that other expressions fill; immutable. */
final class Fragment {

    /** Templates that begin with a call consist of it. */
    private static final Pattern CALL = Pattern.compile("[A-Z_0-9]+\\(");

    private final Kind kind;
    private final List<String> pieces;
    private final List<Fragment> parts;

    /** @param pieces one more than parts */
    Fragment(Kind kind, List<String> pieces, List<Fragment> parts) {
        if (pieces.size() != parts.size() + 1) {
            throw new IllegalArgumentException(pieces + " around " + parts.size() + " parts");
        }
        this.kind = kind;
        this.pieces = List.copyOf(pieces);
        this.parts = List.copyOf(parts);
    }

    static Fragment leaf(Kind kind, String sql) {
        return new Fragment(kind, List.of(sql), List.of());
    }

    Kind kind() {
        return kind;
    }

    String sql() {
        StringBuilder out = new StringBuilder(pieces.get(0));
        for (int i = 0; i < parts.size(); i++) {
            String after = pieces.get(i + 1);
            boolean accessed = after.startsWith(".") || after.startsWith("[");
            boolean bare = parts.get(i).isAtom(accessed);
            out.append(bare ? "" : "(").append(parts.get(i).sql()).append(bare ? "" : ")").append(after);
        }
        return out.toString();
    }

    /** Whether it needs no parentheses; Flink's parser takes very long over nested ones. */
    private boolean isAtom(boolean accessed) {
        boolean call = CALL.matcher(pieces.get(0)).lookingAt() && pieces.get(parts.size()).endsWith(")");
        boolean branches = pieces.get(0).startsWith("CASE ") && pieces.get(parts.size()).endsWith("END");
        return parts.isEmpty() || (call || branches) && !accessed;
    }

    /** The same expression one step simpler, boldest steps first; what is no expression of a function stays as it is. */
    List<Fragment> simpler() {
        List<Fragment> out = new ArrayList<>();
        if (parts.isEmpty()) {
            return out;
        }
        addDescendants(this, out);
        out.add(leaf(kind, kind.nullLiteral()));
        out.add(leaf(kind, kind.simpleLiteral()));
        for (int i = 0; i < parts.size(); i++) {
            for (Fragment part : parts.get(i).simpler()) {
                List<Fragment> changed = new ArrayList<>(parts);
                changed.set(i, part);
                out.add(new Fragment(kind, pieces, changed));
            }
        }
        return out;
    }

    private void addDescendants(Fragment of, List<Fragment> out) {
        for (Fragment part : of.parts) {
            if (kind.takes(part.kind)) {
                out.add(part);
            }
            addDescendants(part, out);
        }
    }
}
