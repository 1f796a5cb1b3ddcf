/* Python's arithmetic on checked 64-bit integers and doubles. */
#include "sim/machine/pure_ops.h"
#include "sim/machine/math.h"
#include <math.h>

/* As they are written in the source. */
static const char *const names[PURE_COUNT] = {
    [PURE_ADD] = "+",       [PURE_SUB] = "-",      [PURE_MUL] = "*",   [PURE_DIV] = "/",
    [PURE_FLOORDIV] = "//", [PURE_MOD] = "%",      [PURE_POW] = "**",  [PURE_BITAND] = "&",
    [PURE_BITOR] = "|",     [PURE_BITXOR] = "^",   [PURE_SHL] = "<<",  [PURE_SHR] = ">>",
    [PURE_NEG] = "-",       [PURE_ABS] = "abs of", [PURE_EXP] = "exp", [PURE_LOG] = "log",
    [PURE_SQRT] = "sqrt",   [PURE_SIN] = "sin",    [PURE_COS] = "cos",
};

static double as_float(Value v)
{
    return v.tag == VAL_INT ? (double)v.i : v.f;
}

/* An integer with a double that is no NaN. */
static int compare_mixed(int64_t i, double d)
{
    if (d >= 0x1p63)
        return -1;
    if (d < -0x1p63)
        return 1;
    int64_t whole = (int64_t)d;
    if (i != whole)
        return i < whole ? -1 : 1;
    double rest = d - (double)whole;
    return rest > 0 ? -1 : rest < 0;
}

int pure_compare(PureValue a, PureValue b)
{
    if ((a.is_float && isnan(a.f)) || (b.is_float && isnan(b.f)))
        return 2;
    if (a.is_float && b.is_float)
        return a.f < b.f ? -1 : a.f > b.f;
    if (a.is_float)
        return -compare_mixed(b.i, a.f);
    if (b.is_float)
        return compare_mixed(a.i, b.f);
    return a.i < b.i ? -1 : a.i > b.i;
}

static Value compare(PureKind kind, Value a, Value b)
{
    int c = pure_compare(value_out(a), value_out(b));
    switch (kind) {
    case PURE_EQ: return value_int(c == 0);
    case PURE_NE: return value_int(c != 0);
    case PURE_LT: return value_int(c == -1);
    case PURE_LE: return value_int(c == -1 || c == 0);
    case PURE_GT: return value_int(c == 1);
    default: return value_int(c == 1 || c == 0);
    }
}

static Value overflow(PureMachine *m, int64_t a, PureKind kind, int64_t b)
{
    return pure_fail(m, "%lld %s %lld leaves 64 bits", (long long)a, names[kind], (long long)b);
}

static Value zero_division(PureMachine *m, PureKind kind)
{
    return pure_fail(m, kind == PURE_MOD ? "modulo by zero" : "division by zero");
}

__extension__ typedef unsigned __int128 Wide;

static uint64_t magnitude(int64_t v)
{
    return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* a / b rounded once, as Python does it: beyond 2^53, operands converted first would be rounded
 * themselves. The quotient gets 64 bits and more, the last one saying whether something is left. */
static double true_quotient(int64_t a, int64_t b)
{
    uint64_t x = magnitude(a), y = magnitude(b);
    if (x <= UINT64_C(1) << 53 && y <= UINT64_C(1) << 53)
        return (double)a / (double)b;
    int up = __builtin_clzll(x | 1), down = __builtin_clzll(y);
    Wide wide = (Wide)(x << up) << 63;
    y <<= down;
    uint64_t q = (uint64_t)(wide / y >> 1) | (wide % y != 0) | (uint64_t)(wide / y & 1);
    double r = ldexp((double)q, down - up - 62);
    return (a < 0) != (b < 0) ? -r : r;
}

static Value int_floor_div(PureMachine *m, PureKind kind, int64_t a, int64_t b)
{
    if (b == 0)
        return zero_division(m, kind);
    if (b == -1) {
        if (kind == PURE_MOD)
            return value_int(0);
        return a == INT64_MIN ? overflow(m, a, kind, b) : value_int(-a);
    }
    int64_t q = a / b, r = a % b;
    bool down = r != 0 && (r < 0) != (b < 0);
    return value_int(kind == PURE_MOD ? r + (down ? b : 0) : q - down);
}

static Value int_pow(PureMachine *m, int64_t base, int64_t exponent)
{
    if (exponent < 0) {
        if (base == 0)
            return pure_fail(m, "zero to a negative power");
        return value_float(math_pow((double)base, (double)exponent));
    }
    int64_t result = 1, power = base;
    for (int64_t e = exponent; e > 0; e >>= 1) {
        bool bad = (e & 1) && __builtin_mul_overflow(result, power, &result);
        if (bad || (e > 1 && __builtin_mul_overflow(power, power, &power)))
            return overflow(m, base, PURE_POW, exponent);
    }
    return value_int(result);
}

static Value int_shift(PureMachine *m, PureKind kind, int64_t a, int64_t n)
{
    if (n < 0)
        return pure_fail(m, "negative shift count %lld", (long long)n);
    if (kind == PURE_SHR)
        return value_int(n > 63 ? (a < 0 ? -1 : 0) : a >> n);
    if (a == 0)
        return value_int(0);
    int64_t out = n > 63 ? 0 : (int64_t)((uint64_t)a << n);
    return n > 63 || out >> n != a ? overflow(m, a, kind, n) : value_int(out);
}

static Value int_binary(PureMachine *m, PureKind kind, int64_t a, int64_t b)
{
    int64_t out;
    bool bad;
    switch (kind) {
    case PURE_ADD: bad = __builtin_add_overflow(a, b, &out); break;
    case PURE_SUB: bad = __builtin_sub_overflow(a, b, &out); break;
    case PURE_MUL: bad = __builtin_mul_overflow(a, b, &out); break;
    case PURE_DIV: return b == 0 ? zero_division(m, kind) : value_float(true_quotient(a, b));
    case PURE_FLOORDIV:
    case PURE_MOD: return int_floor_div(m, kind, a, b);
    case PURE_POW: return int_pow(m, a, b);
    case PURE_BITAND: return value_int(a & b);
    case PURE_BITOR: return value_int(a | b);
    case PURE_BITXOR: return value_int(a ^ b);
    default: return int_shift(m, kind, a, b);
    }
    return bad ? overflow(m, a, kind, b) : value_int(out);
}

/* Python's float // and %: the remainder is exact, the quotient is the nearest integer to the one
 * that fits it. */
static Value float_floor_div(PureMachine *m, PureKind kind, double a, double b)
{
    if (b == 0)
        return zero_division(m, kind);
    double rest = fmod(a, b), q = (a - rest) / b;
    if (rest == 0) {
        rest = copysign(0, b);
    } else if ((rest < 0) != (b < 0)) {
        rest += b;
        q -= 1;
    }
    if (kind == PURE_MOD)
        return value_float(rest);
    double whole = floor(q);
    if (q == 0)
        return value_float(copysign(0, a / b));
    return value_float(q - whole > 0.5 ? whole + 1 : whole);
}

static Value float_pow(PureMachine *m, double a, double b)
{
    if (a == 0 && b < 0)
        return pure_fail(m, "zero to a negative power");
    if (a < 0 && isfinite(a) && isfinite(b) && floor(b) != b)
        return pure_fail(m, "a negative number to a power that is no integer");
    double r = math_pow(a, b);
    if (isinf(r) && isfinite(a) && isfinite(b))
        return pure_fail(m, "** is too large for a float");
    return value_float(r);
}

static Value float_binary(PureMachine *m, PureKind kind, double a, double b)
{
    switch (kind) {
    case PURE_ADD: return value_float(a + b);
    case PURE_SUB: return value_float(a - b);
    case PURE_MUL: return value_float(a * b);
    case PURE_DIV: return b == 0 ? zero_division(m, kind) : value_float(a / b);
    case PURE_FLOORDIV:
    case PURE_MOD: return float_floor_div(m, kind, a, b);
    case PURE_POW: return float_pow(m, a, b);
    default: return pure_fail(m, "%s of a float", names[kind]);
    }
}

Value pure_binary(PureMachine *m, PureKind kind, Value a, Value b)
{
    if (a.tag == VAL_NONE || b.tag == VAL_NONE)
        return (Value){0};
    if (kind >= PURE_EQ && kind <= PURE_GE)
        return compare(kind, a, b);
    if (kind == PURE_MIN2)
        return value_true(compare(PURE_LT, b, a)) ? b : a;
    if (kind == PURE_MAX2)
        return value_true(compare(PURE_GT, b, a)) ? b : a;
    if (a.tag == VAL_INT && b.tag == VAL_INT)
        return int_binary(m, kind, a.i, b.i);
    return float_binary(m, kind, as_float(a), as_float(b));
}

static Value function(PureMachine *m, PureKind kind, double x)
{
    double r;
    switch (kind) {
    case PURE_EXP: r = math_exp(x); break;
    case PURE_LOG: r = x <= 0 ? NAN : math_log(x); break;
    case PURE_SQRT: r = x < 0 ? NAN : sqrt(x); break;
    case PURE_SIN: r = math_sin(x); break;
    default: r = math_cos(x); break;
    }
    if (isnan(r) && !isnan(x))
        return pure_fail(m, "%s of %g is not defined", names[kind], x);
    if (isinf(r) && isfinite(x))
        return pure_fail(m, "%s of %g is too large for a float", names[kind], x);
    return value_float(r);
}

static Value to_int(PureMachine *m, double v)
{
    if (isnan(v) || v >= 0x1p63 || v < -0x1p63)
        return pure_fail(m, "int of %g leaves 64 bits", v);
    return value_int((int64_t)v);
}

static Value negate(PureMachine *m, PureKind kind, Value a)
{
    if (a.tag == VAL_FLOAT)
        return value_float(kind == PURE_ABS ? fabs(a.f) : -a.f);
    if (kind == PURE_ABS && a.i >= 0)
        return a;
    if (a.i == INT64_MIN)
        return pure_fail(m, "%s %lld leaves 64 bits", names[kind], (long long)a.i);
    return value_int(-a.i);
}

Value pure_unary(PureMachine *m, PureKind kind, Value a)
{
    if (a.tag == VAL_NONE)
        return a;
    switch (kind) {
    case PURE_NOT: return value_int(!value_true(a));
    case PURE_NEG:
    case PURE_ABS: return negate(m, kind, a);
    case PURE_INVERT: return a.tag == VAL_INT ? value_int(~a.i) : pure_fail(m, "~ of a float");
    case PURE_TO_FLOAT: return value_float(as_float(a));
    case PURE_TO_INT: return a.tag == VAL_INT ? a : to_int(m, a.f);
    default: return function(m, kind, as_float(a));
    }
}
