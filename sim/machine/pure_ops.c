/* Operators of init and golden functions: base/pyarith.h, and the words for what it refuses. */
#include "sim/machine/pure_ops.h"

static const uint8_t ops[PURE_COUNT] = {
    [PURE_ADD] = SC_ADD,
    [PURE_SUB] = SC_SUB,
    [PURE_MUL] = SC_MUL,
    [PURE_DIV] = SC_DIV,
    [PURE_FLOORDIV] = SC_FLOORDIV,
    [PURE_MOD] = SC_MOD,
    [PURE_POW] = SC_POW,
    [PURE_BITAND] = SC_BITAND,
    [PURE_BITOR] = SC_BITOR,
    [PURE_BITXOR] = SC_BITXOR,
    [PURE_SHL] = SC_SHL,
    [PURE_SHR] = SC_SHR,
    [PURE_EQ] = SC_EQ,
    [PURE_NE] = SC_NE,
    [PURE_LT] = SC_LT,
    [PURE_LE] = SC_LE,
    [PURE_GT] = SC_GT,
    [PURE_GE] = SC_GE,
    [PURE_NOT] = SC_NOT,
    [PURE_NEG] = SC_NEG,
    [PURE_INVERT] = SC_INVERT,
    [PURE_ABS] = SC_ABS,
    [PURE_EXP] = SC_EXP,
    [PURE_LOG] = SC_LOG,
    [PURE_SQRT] = SC_SQRT,
    [PURE_SIN] = SC_SIN,
    [PURE_COS] = SC_COS,
    [PURE_TO_FLOAT] = SC_FLOAT,
    [PURE_TO_INT] = SC_INT,
    [PURE_MIN2] = SC_MIN,
    [PURE_MAX2] = SC_MAX,
};

static Number of_value(PureValue v)
{
    return v.is_float ? num_float(v.f) : num_int(v.i);
}

int pure_compare(PureValue a, PureValue b)
{
    return py_compare(of_value(a), of_value(b));
}

static Value refuse_binary(PureMachine *m, ScalarOp op, Value a, Value b, ArithStatus why)
{
    switch (why) {
    case ARITH_ZERO_DIVISION:
        return pure_fail(m, op == SC_MOD ? "modulo by zero" : "division by zero");
    case ARITH_ZERO_POWER: return pure_fail(m, "zero to a negative power");
    case ARITH_SHIFT: return pure_fail(m, "negative shift count %lld", (long long)b.i);
    case ARITH_DOMAIN: return pure_fail(m, "a negative number to a power that is no integer");
    case ARITH_TYPE: return pure_fail(m, "%s of a float", scalar_text(op));
    default: break;
    }
    if (a.tag == VAL_INT && b.tag == VAL_INT)
        return pure_fail(m, "%lld %s %lld leaves 64 bits", (long long)a.i, scalar_text(op),
                         (long long)b.i);
    return pure_fail(m, "%s is too large for a float", scalar_text(op));
}

Value pure_binary(PureMachine *m, PureKind kind, Value a, Value b)
{
    if (a.tag == VAL_NONE || b.tag == VAL_NONE)
        return (Value){0};
    Value out = py_binary(ops[kind], a, b);
    return out.tag ? out : refuse_binary(m, ops[kind], a, b, (ArithStatus)out.i);
}

static Value refuse_unary(PureMachine *m, ScalarOp op, Value a, ArithStatus why)
{
    const char *text = scalar_text(op);
    if (why == ARITH_TYPE)
        return pure_fail(m, "%s of a float", text);
    if (op == SC_INT)
        return pure_fail(m, "int of %g leaves 64 bits", a.f);
    if (why == ARITH_DOMAIN)
        return pure_fail(m, "%s of %g is not defined", text, num_double(a));
    if (op == SC_NEG || op == SC_ABS)
        return pure_fail(m, op == SC_NEG ? "- %lld leaves 64 bits" : "abs of %lld leaves 64 bits",
                         (long long)a.i);
    return pure_fail(m, "%s of %g is too large for a float", text, num_double(a));
}

Value pure_unary(PureMachine *m, PureKind kind, Value a)
{
    if (a.tag == VAL_NONE)
        return a;
    Value out = py_unary(ops[kind], a);
    return out.tag ? out : refuse_unary(m, ops[kind], a, (ArithStatus)out.i);
}
