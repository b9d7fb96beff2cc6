package tech.streamfusion.nexmark;

import org.apache.flink.table.functions.ScalarFunction;

/** The user-defined function of query 14: how often a letter occurs in a text. */
public final class CountLetter extends ScalarFunction {

    private static final long serialVersionUID = 1L;

    public long eval(String text, String letter) {
        long count = 0;
        if (text != null && letter != null && !letter.isEmpty()) {
            char wanted = letter.charAt(0);
            for (int i = 0; i < text.length(); i++) {
                if (text.charAt(i) == wanted) {
                    count++;
                }
            }
        }
        return count;
    }
}
