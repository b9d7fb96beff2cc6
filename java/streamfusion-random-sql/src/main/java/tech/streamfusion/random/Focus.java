package tech.streamfusion.random;

import java.util.regex.Pattern;
import javax.annotation.Nullable;

/** What scripts shall be about; what is not said stays random. */
final class Focus {

    static final Focus NONE = new Focus(null, null, false);

    /** Productions that are taken much more often: those whose template contains a match. */
    @Nullable final Pattern productions;
    /** Of the first table. */
    @Nullable final TableGenerator.Mode mode;
    /** Whether every query has a condition. */
    final boolean filters;

    private Focus(@Nullable Pattern productions, @Nullable TableGenerator.Mode mode, boolean filters) {
        this.productions = productions;
        this.mode = mode;
        this.filters = filters;
    }

    static Focus on(String productions) {
        return new Focus(Pattern.compile(productions), null, false);
    }

    static Focus on(TableGenerator.Mode mode) {
        return new Focus(null, mode, false);
    }

    Focus withFilters() {
        return new Focus(productions, mode, true);
    }

    boolean isOn(String template) {
        return productions != null && productions.matcher(template).find();
    }
}
