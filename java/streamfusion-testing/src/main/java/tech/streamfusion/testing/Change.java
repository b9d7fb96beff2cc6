package tech.streamfusion.testing;

import java.util.Objects;
import javax.annotation.Nullable;
import org.apache.flink.types.RowKind;

/** One thing that a sink saw: a row change as canonical text (see {@link RowText}), or a watermark. */
public final class Change {

    @Nullable private final RowKind kind;
    private final String text;

    private Change(@Nullable RowKind kind, String text) {
        this.kind = kind;
        this.text = text;
    }

    static Change row(RowKind kind, String text) {
        return new Change(kind, text);
    }

    static Change watermark(long millis) {
        return new Change(null, "watermark " + millis);
    }

    /** Null for a watermark. */
    @Nullable
    public RowKind kind() {
        return kind;
    }

    /** The row or watermark without its kind. */
    public String text() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Change && kind == ((Change) other).kind && text.equals(((Change) other).text);
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, text);
    }

    @Override
    public String toString() {
        return kind == null ? text : kind.shortString() + text;
    }
}
