package tech.streamfusion.random;

/** A column that expressions can name. */
final class Column {

    final String name;
    final Kind kind;

    Column(String name, Kind kind) {
        this.name = name;
        this.kind = kind;
    }
}
