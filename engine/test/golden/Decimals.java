import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Random;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.DecimalDataUtils;
import org.apache.flink.table.runtime.functions.SqlFunctionUtils;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.utils.LogicalTypeMerging;

/**
 * Prints decimals.txt: random DECIMAL arithmetic as stock Flink computes it. Arguments: groups, rows of each, seed
 * (decimals.txt: 420 6 20). A group's line names the function, precision and scale of the operands and of the result,
 * the digits of ROUND and TRUNCATE, and the number of rows; a row holds the unscaled operands and the result (NULL, or the
 * exception's message after an exclamation mark). Run with Flink 2.2.1's flink-table-runtime, flink-table-common,
 * flink-core, flink-core-api and their dependencies on the class path.
 */
public class Decimals {
  static final String[] FUNCTIONS = {
    "add", "sub", "mul", "div", "mod", "cast", "compare", "double", "floor", "ceil", "round", "truncate", "sign", "long"
  };
  static Random r;

  /** Up to n digits; often the extremes and the values next to which rounding turns. */
  static BigInteger digits(int n) {
    int kind = r.nextInt(10);
    int length = kind < 2 ? n : 1 + r.nextInt(n);
    StringBuilder b = new StringBuilder();
    for (int i = 0; i < length; i++) {
      switch (kind) {
        case 0: b.append('9'); break;
        case 1: b.append(i == 0 ? '5' : '0'); break;
        case 2: b.append('0'); break;
        case 3: b.append(i == 0 ? '1' : '0'); break;
        case 4: b.append(i == length - 1 ? '5' : i % 2 == 0 ? '9' : '4'); break;
        default: b.append((char) ('0' + r.nextInt(10)));
      }
    }
    BigInteger v = new BigInteger(b.toString());
    return r.nextBoolean() ? v.negate() : v;
  }

  static int[] type() {
    int kind = r.nextInt(6);
    int p = kind < 2 ? 1 + r.nextInt(18) : kind < 4 ? 19 + r.nextInt(20) : kind == 4 ? 38 : 1 + r.nextInt(38);
    return new int[] {p, r.nextInt(4) == 0 ? 0 : r.nextInt(p + 1)};
  }

  static int[] resultType(String f, int[] a, int[] b, int digits) {
    DecimalType t;
    switch (f) {
      case "add":
      case "sub": t = LogicalTypeMerging.findAdditionDecimalType(a[0], a[1], b[0], b[1]); break;
      case "mul": t = LogicalTypeMerging.findMultiplicationDecimalType(a[0], a[1], b[0], b[1]); break;
      case "div": t = LogicalTypeMerging.findDivisionDecimalType(a[0], a[1], b[0], b[1]); break;
      case "mod": t = LogicalTypeMerging.findModuloDecimalType(a[0], a[1], b[0], b[1]); break;
      case "cast": return b;
      case "sign": return a;
      case "floor":
      case "ceil": return new int[] {a[0], 0};
      case "round":
      case "truncate": t = LogicalTypeMerging.findRoundDecimalType(a[0], a[1], digits); break;
      default: return new int[] {0, 0};
    }
    return new int[] {t.getPrecision(), t.getScale()};
  }

  static String show(DecimalData d) {
    return d == null ? "NULL" : unscaled(d);
  }

  static String result(String f, DecimalData x, DecimalData y, int[] t, int digits) {
    try {
      switch (f) {
        case "add": return show(DecimalDataUtils.add(x, y, t[0], t[1]));
        case "sub": return show(DecimalDataUtils.subtract(x, y, t[0], t[1]));
        case "mul": return show(DecimalDataUtils.multiply(x, y, t[0], t[1]));
        case "div": return show(DecimalDataUtils.divide(x, y, t[0], t[1]));
        case "mod": return show(DecimalDataUtils.mod(x, y, t[0], t[1]));
        case "cast": return show(DecimalDataUtils.castToDecimal(x, t[0], t[1]));
        case "compare": return "" + Integer.signum(DecimalDataUtils.compare(x, y));
        case "double": return "" + Double.doubleToLongBits(DecimalDataUtils.doubleValue(x));
        case "long": return "" + DecimalDataUtils.castToIntegral(x);
        case "floor": return show(DecimalDataUtils.floor(x));
        case "ceil": return show(DecimalDataUtils.ceil(x));
        case "round": return show(DecimalDataUtils.sround(x, digits));
        case "truncate": return show(SqlFunctionUtils.struncate(x, digits));
        case "sign": return show(DecimalDataUtils.sign(x));
        default: throw new IllegalStateException(f);
      }
    } catch (ArithmeticException e) {
      return "!" + e.getMessage().replace(' ', '_');
    }
  }

  static DecimalData random(int[] t) {
    return DecimalData.fromBigDecimal(new BigDecimal(digits(t[0]), t[1]), t[0], t[1]);
  }

  static String unscaled(DecimalData d) {
    return d.toBigDecimal().unscaledValue().toString();
  }

  public static void main(String[] args) {
    int groups = Integer.parseInt(args[0]), rows = Integer.parseInt(args[1]);
    r = new Random(Long.parseLong(args[2]));
    for (int g = 0; g < groups; g++) {
      String f = FUNCTIONS[g % FUNCTIONS.length];
      int[] a = type(), b = type();
      boolean binary = g % FUNCTIONS.length < 5 || f.equals("compare");
      boolean rounds = f.equals("round") || f.equals("truncate");
      int digits = rounds ? r.nextInt(a[0] + 6) - 4 - (a[0] - a[1]) / 2 : 0;
      int[] t = resultType(f, a, b, digits);
      System.out.printf("# %s %d %d %d %d %d %d %d %d%n",
          f, a[0], a[1], binary ? b[0] : 0, binary ? b[1] : 0, t[0], t[1], digits, rows);
      for (int i = 0; i < rows; i++) {
        DecimalData x = random(a), y = random(b);
        System.out.println(unscaled(x) + " " + (binary ? unscaled(y) : "-") + " " + result(f, x, y, t, digits));
      }
    }
  }
}
