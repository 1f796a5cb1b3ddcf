#include "base/devarith.h"
#include <math.h>

/* ---- integers and BOOL ---- */

/* Wrapping arithmetic goes through unsigned, where overflow is defined. */
static int64_t wrapping(ScalarOp op, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    return (int64_t)(op == SC_ADD ? x + y : op == SC_SUB ? x - y : x * y);
}

static ArithStatus divide(ScalarOp op, Dtype t, int64_t a, int64_t b, int64_t *out)
{
    if (b == 0)
        return ARITH_ZERO_DIVISION;
    if (b == -1) /* also the most negative dividend, whose quotient wraps */
        *out = op == SC_MOD ? 0 : dtype_wrap(t, wrapping(SC_SUB, 0, a));
    else
        *out = op == SC_MOD ? a % b : a / b;
    return ARITH_OK;
}

/* Values of unsigned dtypes are never negative here, so >> is right for both kinds. */
static ArithStatus shift(ScalarOp op, Dtype t, int64_t a, int64_t count, int64_t *out)
{
    if (count < 0 || count >= 8 * (int64_t)dtype_bytes(t))
        return ARITH_SHIFT;
    *out = op == SC_SHL ? dtype_wrap(t, (int64_t)((uint64_t)a << count)) : a >> count;
    return ARITH_OK;
}

static int64_t saturate(Dtype t, int64_t v)
{
    if (t == DT_BOOL)
        return v != 0;
    int64_t lo = dtype_min(t), hi = dtype_max(t);
    return v < lo ? lo : v > hi ? hi : v;
}

/* ---- floats ---- */

static int64_t from_float(float v)
{
    return dev_from_double(isnan(v) ? NAN : (double)v);
}

/* A NaN wins, and of two zeros the one with the sign that the operator looks for. */
static float extreme(ScalarOp op, float a, float b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    if (a == b)
        return (signbit(a) != 0) == (op == SC_MIN) ? a : b;
    return (a < b) == (op == SC_MIN) ? a : b;
}

static ArithStatus float_binary(ScalarOp op, float a, float b, int64_t *out)
{
    switch (op) {
    case SC_ADD: *out = from_float(a + b); return ARITH_OK;
    case SC_SUB: *out = from_float(a - b); return ARITH_OK;
    case SC_MUL: *out = from_float(a * b); return ARITH_OK;
    case SC_DIV: *out = from_float(a / b); return ARITH_OK;
    case SC_MIN:
    case SC_MAX: *out = from_float(extreme(op, a, b)); return ARITH_OK;
    case SC_EQ: *out = a == b; return ARITH_OK;
    case SC_NE: *out = a != b; return ARITH_OK;
    case SC_LT: *out = a < b; return ARITH_OK;
    case SC_LE: *out = a <= b; return ARITH_OK;
    case SC_GT: *out = a > b; return ARITH_OK;
    case SC_GE: *out = a >= b; return ARITH_OK;
    default: return ARITH_TYPE;
    }
}

static int64_t float_unary(ScalarOp op, float a)
{
    return from_float(op == SC_NEG ? -a : op == SC_ABS ? fabsf(a) : a);
}

/* ---- by dtype ---- */

ArithStatus dev_binary(ScalarOp op, Dtype t, int64_t a, int64_t b, int64_t *out)
{
    if (dtype_is_float(t))
        return float_binary(op, (float)dev_to_double(a), (float)dev_to_double(b), out);
    if (dev_simple(op, t, a, b, out))
        return ARITH_OK;
    switch (op) {
    case SC_ADD:
    case SC_SUB:
    case SC_MUL: *out = dtype_wrap(t, wrapping(op, a, b)); return ARITH_OK;
    case SC_FLOORDIV:
    case SC_MOD: return divide(op, t, a, b, out);
    case SC_SHL:
    case SC_SHR: return shift(op, t, a, b, out);
    case SC_BITAND: *out = a & b; return ARITH_OK;
    case SC_BITXOR: *out = a ^ b; return ARITH_OK;
    case SC_BITOR: *out = a | b; return ARITH_OK;
    case SC_EQ: *out = a == b; return ARITH_OK;
    case SC_NE: *out = a != b; return ARITH_OK;
    case SC_LT: *out = a < b; return ARITH_OK;
    case SC_LE: *out = a <= b; return ARITH_OK;
    case SC_GT: *out = a > b; return ARITH_OK;
    case SC_GE: *out = a >= b; return ARITH_OK;
    case SC_AND: *out = a && b; return ARITH_OK;
    case SC_OR: *out = a || b; return ARITH_OK;
    case SC_MIN: *out = a < b ? a : b; return ARITH_OK;
    case SC_MAX: *out = a > b ? a : b; return ARITH_OK;
    default: return ARITH_TYPE;
    }
}

int64_t dev_unary(ScalarOp op, Dtype t, int64_t a)
{
    if (dtype_is_float(t))
        return float_unary(op, (float)dev_to_double(a));
    switch (op) {
    case SC_NOT: return !a;
    case SC_INVERT: return t == DT_BOOL ? !a : dtype_wrap(t, ~a);
    case SC_NEG: return dtype_wrap(t, wrapping(SC_SUB, 0, a));
    case SC_ABS: return a < 0 ? dtype_wrap(t, wrapping(SC_SUB, 0, a)) : a;
    default: return a;
    }
}

/* ---- casts ---- */

static int64_t float_to_int(Dtype to, double v)
{
    if (to == DT_BOOL)
        return v != 0;
    if (isnan(v))
        return 0;
    v = round(v);
    int64_t whole = v >= 0x1p63 ? INT64_MAX : v < -0x1p63 ? INT64_MIN : (int64_t)v;
    return saturate(to, whole);
}

typedef struct {
    int digits;      /* of the significand */
    int exponent;    /* of the smallest subnormal, 2^exponent */
    double overflow; /* half a unit above the largest finite value: rounds to infinity */
} FloatFormat;

static const FloatFormat float_formats[] = {
    [DT_FP32] = {24, -149, 0x1.ffffffp127},
    [DT_FP16] = {11, -24, 0x1.ffep15},
    [DT_BF16] = {8, -133, 0x1.ffp127},
};

/* The value, exact as an integer times 2^shift, to the digits of the format: its last digit's unit
 * is 2^unit, and round() rounds ties away from zero. */
static double round_away(const FloatFormat *f, double v)
{
    int e;
    frexp(v, &e);
    int unit = e - f->digits < f->exponent ? f->exponent : e - f->digits;
    return ldexp(round(ldexp(v, -unit)), unit);
}

static double to_format(Dtype to, double v)
{
    const FloatFormat *f = &float_formats[to];
    if (isnan(v))
        return NAN;
    if (fabs(v) >= f->overflow)
        return copysign(INFINITY, v);
    return v == 0 ? v : round_away(f, v);
}

/* A double that rounds away from ties as `v` itself would: what does not fit 53 bits is cut off,
 * which leaves a tie or what is above it where they are. */
static double cut_double(int64_t v)
{
    uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v;
    if (size >> 53)
        size &= ~UINT64_C(0x7ff);
    return v < 0 ? -(double)size : (double)size;
}

int64_t dev_cast(Dtype from, Dtype to, int64_t a)
{
    bool real = dtype_is_float(from);
    if (!dtype_is_float(to))
        return real ? float_to_int(to, dev_to_double(a)) : saturate(to, a);
    return dev_from_double(to_format(to, real ? dev_to_double(a) : cut_double(a)));
}
