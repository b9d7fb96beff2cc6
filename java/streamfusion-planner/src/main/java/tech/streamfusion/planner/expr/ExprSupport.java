package tech.streamfusion.planner.expr;

import tech.streamfusion.plan.Expr;
import tech.streamfusion.runtime.NativeEngine;

/** Answers whether the engine computes a call exactly; the engine's own registry is the only source. */
public interface ExprSupport {

    /** @param call an {@code Expr} whose node is a call or a search; its operands matter by type and as constants */
    boolean supports(Expr call);

    /** Asks the native library. */
    static ExprSupport engine() {
        return call -> NativeEngine.exprSupports(call.toByteArray());
    }
}
