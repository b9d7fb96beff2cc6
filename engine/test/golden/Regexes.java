import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.regex.Pattern;
import org.apache.flink.table.runtime.functions.SqlFunctionUtils;

/**
 * Prints kernels/regex.cases: REGEXP_EXTRACT and REGEXP over random patterns of the kind that the engine takes, as stock Flink
 * answers them. Arguments: patterns, texts of each, seed (regex.cases: 150 8 1). Run with Flink 2.2.1's flink-table-runtime,
 * flink-table-common, flink-core and their dependencies on the class path.
 */
public class Regexes {
  static final String[] ATOMS = {
    "a", "b", "c", "0", "7", "&", "=", "/", "_", " ", "-", "\\.", "\\-", "\\\\", "\\[", "\\d", "\\D", "\\w", "\\W", "\\s", "\\S",
    "\\t", "\\n", "]", "}", "#", "~", "<", "\u00e4", "\u4e2d", "\ud83d\ude00", ".", "[ab]", "[^&]", "[a-c0]", "[^a-c]", "[\\d_]",
    "[^\\s=]", "[-a]", "[a-]", "[\u00e4b]", "[^\ud83d\ude00]", "[.]", "[\\]x]", "[\\w\\-]", "[$]", "[^^a]", "[\\n ]"
  };
  static final String[] REPEATS = {"?", "*", "+", "{2}", "{1,}", "{0,2}", "{1,3}"};
  static final String[] PIECES = {
    "a", "b", "c", "ab", "0", "7", "&", "=", "/", "_", " ", "-", ".", "\\", "[", "]", "}", "\t", "\n", "\r", "\u0085", "\u2028", "x",
    "\u000b", "\u00e4", "\u4e2d", "\ud83d\ude00", "#", "~", "<", "^", "$", "channel_id=", "\u0660", "\u00a0", "A", "\f"
  };
  static Random r;

  static String pick(String[] of) {
    return of[r.nextInt(of.length)];
  }

  static String alternatives(int depth) {
    StringBuilder b = new StringBuilder();
    for (int n = r.nextInt(4) == 0 ? 2 + r.nextInt(2) : 1; n > 0; n--) {
      for (int k = 1 + r.nextInt(4); k > 0; k--) {
        int kind = r.nextInt(12);
        if (kind < 2 && depth < 3) {
          b.append(r.nextInt(3) == 0 ? "(?:" : "(").append(alternatives(depth + 1)).append(')');
        } else if (kind == 2 && r.nextInt(3) == 0) {
          b.append('^');
        } else {
          b.append(pick(ATOMS));
          if (r.nextInt(3) == 0) {
            b.append(pick(REPEATS)).append(r.nextInt(4) == 0 ? "?" : r.nextInt(6) == 0 ? "+" : "");
          }
        }
      }
      if (n > 1) {
        b.append('|');
      }
    }
    return b.toString();
  }

  static String escaped(String s) {
    if (s == null) {
      return "\\N";
    }
    StringBuilder b = new StringBuilder();
    for (byte c : s.getBytes(StandardCharsets.UTF_8)) {
      if (c == '\\') {
        b.append("\\\\");
      } else if (c < ' ' || c == 127 || c == '#') {
        b.append(String.format("\\x%02x", c & 0xff));
      } else {
        b.append((char) c);
      }
    }
    return b.toString();
  }

  static String text(int pieces) {
    StringBuilder b = new StringBuilder();
    for (int i = r.nextInt(pieces); i > 0; i--) {
      b.append(pick(PIECES));
    }
    return b.toString();
  }

  public static void main(String[] args) {
    r = new Random(Long.parseLong(args[2]));
    StringBuilder out = new StringBuilder("## REGEXP_EXTRACT and REGEXP, answered by Flink 2.2.1 (SqlFunctionUtils) on JDK 17.\n");
    for (int n = Integer.parseInt(args[0]); n > 0; n--) {
      String pattern = alternatives(0);
      int group = r.nextInt(Pattern.compile(pattern).matcher("").groupCount() + 1);
      boolean extract = r.nextInt(4) > 0;
      out.append(extract ? "#call\tREGEXP_EXTRACT\tSTR\tSTR\tSTR=" : "#call\tREGEXP\tBOOL\tSTR\tSTR=").append(escaped(pattern));
      out.append(extract ? "\tI32=" + group + "\n" : "\n");
      for (int k = Integer.parseInt(args[1]); k > 0; k--) {
        String text = text(k % 4 == 0 ? 25 : 9);
        out.append(escaped(text)).append('\t');
        out.append(extract ? escaped(SqlFunctionUtils.regexpExtract(text, pattern, group)) : SqlFunctionUtils.regExp(text, pattern) ? "1" : "0");
        out.append('\n');
      }
    }
    byte[] bytes = new byte[out.length()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) out.charAt(i); // escaped() made one char of each byte
    }
    System.out.write(bytes, 0, bytes.length);
    System.out.flush();
  }
}
