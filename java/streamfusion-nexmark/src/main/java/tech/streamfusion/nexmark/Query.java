package tech.streamfusion.nexmark;

import java.io.IOException;
import java.nio.file.Files;

/** A query: an own one or the user's. */
final class Query {

    final String name;
    final boolean own;

    /** The script without schema, placeholders not replaced. */
    final String script;

    /** Whether its result is updated; its output table is a changelog then, of which the last value of each key counts. */
    final boolean updating;

    /** Whether it aggregates with a function of the user's. */
    final boolean userAggregate;

    private Query(String name, boolean own, String script) {
        this.name = name;
        this.own = own;
        this.script = script;
        this.updating = script.contains("${upsertSink}");
        this.userAggregate = script.contains(PriceSpread.class.getName());
    }

    static Query of(String name, Options options) throws IOException {
        return options.sqlFile == null
                ? new Query(name, true, SqlScript.resource(name + ".sql"))
                : new Query(name, false, Files.readString(options.sqlFile));
    }
}
