/* Operators of init and golden functions: base/pyarith.h, and the words for what it refuses. */
#include "sim/machine/evaluate_ops.h"
#include <stdarg.h>

Number evaluate_fail(Evaluator *m, const char *fmt, ...)
{
    if (!m->error) {
        va_list ap;
        va_start(ap, fmt);
        m->error = arena_vprintf(m->arena, fmt, ap);
        va_end(ap);
    }
    return num_none(ARITH_TYPE);
}

static Number unset(Evaluator *m)
{
    return evaluate_fail(m, "a variable is used that was not set on this path");
}

static Number refuse_binary(Evaluator *m, ScalarOp op, Number a, Number b, ArithStatus why)
{
    switch (why) {
    case ARITH_ZERO_DIVISION:
        return evaluate_fail(m, op == SC_MOD ? "modulo by zero" : "division by zero");
    case ARITH_ZERO_POWER: return evaluate_fail(m, "zero to a negative power");
    case ARITH_SHIFT: return evaluate_fail(m, "negative shift count %lld", (long long)b.i);
    case ARITH_DOMAIN: return evaluate_fail(m, "a negative number to a power that is no integer");
    case ARITH_TYPE: return evaluate_fail(m, "%s of a float", scalar_text(op));
    default: break;
    }
    if (a.tag == NUM_INT && b.tag == NUM_INT)
        return evaluate_fail(m, "%lld %s %lld leaves 64 bits", (long long)a.i, scalar_text(op),
                             (long long)b.i);
    return evaluate_fail(m, "%s is too large for a float", scalar_text(op));
}

Number evaluate_binary(Evaluator *m, ScalarOp op, Number a, Number b)
{
    if (a.tag == NUM_NONE || b.tag == NUM_NONE)
        return unset(m);
    Number out = py_binary(op, a, b);
    return out.tag ? out : refuse_binary(m, op, a, b, (ArithStatus)out.i);
}

static const char *digits(const Evaluator *m, Number a)
{
    Buf text = {0};
    if (a.tag == NUM_INT)
        buf_printf(&text, "%lld", (long long)a.i);
    else
        buf_double(&text, num_double(a));
    const char *kept = arena_strndup(m->arena, text.at, text.len);
    buf_free(&text);
    return kept;
}

static Number refuse_unary(Evaluator *m, ScalarOp op, Number a, ArithStatus why)
{
    const char *text = scalar_text(op);
    if (why == ARITH_TYPE)
        return evaluate_fail(m, "%s of a float", text);
    if (op == SC_INT)
        return evaluate_fail(m, "int of %s leaves 64 bits", digits(m, a));
    if (why == ARITH_DOMAIN)
        return evaluate_fail(m, "%s of %s is not defined", text, digits(m, a));
    if (op == SC_NEG || op == SC_ABS)
        return evaluate_fail(m,
                             op == SC_NEG ? "- %lld leaves 64 bits" : "abs of %lld leaves 64 bits",
                             (long long)a.i);
    return evaluate_fail(m, "%s of %s is too large for a float", text, digits(m, a));
}

Number evaluate_unary(Evaluator *m, ScalarOp op, Number a)
{
    if (a.tag == NUM_NONE)
        return unset(m);
    Number out = py_unary(op, a);
    return out.tag ? out : refuse_unary(m, op, a, (ArithStatus)out.i);
}
