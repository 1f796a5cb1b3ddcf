#include "base/pyarith.h"
#include "base/math.h"
#include <math.h>

/* ---- comparison ---- */

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

static bool is_nan(Number v)
{
    return v.tag == NUM_FLOAT && isnan(v.f);
}

int py_compare(Number a, Number b)
{
    if (a.tag == NUM_INT && b.tag == NUM_INT)
        return a.i < b.i ? -1 : a.i > b.i;
    if (is_nan(a) || is_nan(b))
        return 2;
    if (a.tag == NUM_INT)
        return compare_mixed(a.i, b.f);
    if (b.tag == NUM_INT)
        return -compare_mixed(b.i, a.f);
    return a.f < b.f ? -1 : a.f > b.f;
}

/* ---- integers ---- */

/* Quotients round down, so that the remainder has the divisor's sign. */
static ArithStatus floor_divide(ScalarOp op, int64_t a, int64_t b, int64_t *out)
{
    if (b == 0)
        return ARITH_ZERO_DIVISION;
    if (b == -1) { /* also the most negative dividend, which has no quotient */
        if (op == SC_MOD)
            *out = 0;
        return op == SC_MOD || checked_sub(0, a, out) ? ARITH_OK : ARITH_OVERFLOW;
    }
    int64_t q = a / b, r = a % b;
    bool down = r != 0 && (r < 0) != (b < 0);
    *out = op == SC_MOD ? r + (down ? b : 0) : q - down;
    return ARITH_OK;
}

static ArithStatus int_power(int64_t base, int64_t exponent, int64_t *out)
{
    if (exponent < 0)
        return ARITH_TYPE;
    int64_t result = 1, power = base;
    for (int64_t e = exponent; e > 0; e >>= 1) {
        if ((e & 1) && !checked_mul(result, power, &result))
            return ARITH_OVERFLOW;
        if (e > 1 && !checked_mul(power, power, &power))
            return ARITH_OVERFLOW;
    }
    *out = result;
    return ARITH_OK;
}

static ArithStatus shift(ScalarOp op, int64_t a, int64_t count, int64_t *out)
{
    if (count < 0)
        return ARITH_SHIFT;
    if (op == SC_SHR || a == 0) {
        *out = count > 63 ? (a < 0 ? -1 : 0) : a >> count;
        return ARITH_OK;
    }
    int64_t shifted = count > 63 ? 0 : (int64_t)((uint64_t)a << count);
    if (count > 63 || shifted >> count != a)
        return ARITH_OVERFLOW;
    *out = shifted;
    return ARITH_OK;
}

ArithStatus py_int_binary(ScalarOp op, int64_t a, int64_t b, int64_t *out)
{
    switch (op) {
    case SC_ADD: return checked_add(a, b, out) ? ARITH_OK : ARITH_OVERFLOW;
    case SC_SUB: return checked_sub(a, b, out) ? ARITH_OK : ARITH_OVERFLOW;
    case SC_MUL: return checked_mul(a, b, out) ? ARITH_OK : ARITH_OVERFLOW;
    case SC_FLOORDIV:
    case SC_MOD: return floor_divide(op, a, b, out);
    case SC_POW: return int_power(a, b, out);
    case SC_BITAND: *out = a & b; return ARITH_OK;
    case SC_BITOR: *out = a | b; return ARITH_OK;
    case SC_BITXOR: *out = a ^ b; return ARITH_OK;
    case SC_SHL:
    case SC_SHR: return shift(op, a, b, out);
    case SC_MIN: *out = b < a ? b : a; return ARITH_OK;
    case SC_MAX: *out = b > a ? b : a; return ARITH_OK;
    default: return ARITH_TYPE;
    }
}

__extension__ typedef unsigned __int128 Wide;

static uint64_t magnitude(int64_t v)
{
    return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* a / b rounded once: beyond 2^53, operands that are converted first would be rounded themselves.
 * The quotient gets 63 bits and more, the last one saying whether something is left. */
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

/* ---- floats ---- */

/* The remainder is exact, the quotient is the nearest integer to the one that fits it. */
static Number float_divide(ScalarOp op, double a, double b)
{
    if (b == 0)
        return num_none(ARITH_ZERO_DIVISION);
    double rest = fmod(a, b), q = (a - rest) / b;
    if (rest == 0) {
        rest = copysign(0, b);
    } else if ((rest < 0) != (b < 0)) {
        rest += b;
        q -= 1;
    }
    if (op == SC_MOD)
        return num_float(rest);
    if (q == 0)
        return num_float(copysign(0, a / b));
    double whole = floor(q);
    return num_float(q - whole > 0.5 ? whole + 1 : whole);
}

static Number float_power(double a, double b)
{
    if (a == 0 && b < 0 && isfinite(b))
        return num_none(ARITH_ZERO_POWER);
    if (a < 0 && isfinite(a) && isfinite(b) && floor(b) != b)
        return num_none(ARITH_DOMAIN);
    double r = math_pow(a, b);
    return isinf(r) && isfinite(a) && isfinite(b) ? num_none(ARITH_OVERFLOW) : num_float(r);
}

static Number float_binary(ScalarOp op, double a, double b)
{
    switch (op) {
    case SC_SUB: return num_float(a - b);
    case SC_DIV: return b == 0 ? num_none(ARITH_ZERO_DIVISION) : num_float(a / b);
    case SC_FLOORDIV:
    case SC_MOD: return float_divide(op, a, b);
    case SC_POW: return float_power(a, b);
    default: return num_none(ARITH_TYPE);
    }
}

/* ---- both ---- */

static Number int_binary(ScalarOp op, int64_t a, int64_t b)
{
    if (op == SC_DIV)
        return b == 0 ? num_none(ARITH_ZERO_DIVISION) : num_float(true_quotient(a, b));
    if (op == SC_POW && b < 0)
        return float_power((double)a, (double)b);
    int64_t out;
    ArithStatus status = py_int_binary(op, a, b, &out);
    return status == ARITH_OK ? num_int(out) : num_none(status);
}

Number py_binary(ScalarOp op, Number a, Number b)
{
    switch (op) {
    case SC_ADD: return py_add(a, b);
    case SC_MUL: return py_mul(a, b);
    case SC_EQ: return num_int(py_compare(a, b) == 0);
    case SC_NE: return num_int(py_compare(a, b) != 0);
    case SC_LT: return num_int(py_compare(a, b) == -1);
    case SC_LE: return num_int(py_compare(a, b) <= 0);
    case SC_GT: return num_int(py_compare(a, b) == 1);
    case SC_GE: return num_int(py_compare(b, a) <= 0);
    case SC_MIN: return py_compare(b, a) == -1 ? b : a;
    case SC_MAX: return py_compare(b, a) == 1 ? b : a;
    case SC_AND: return num_truth(a) ? b : a;
    case SC_OR: return num_truth(a) ? a : b;
    default: break;
    }
    if (a.tag == NUM_INT && b.tag == NUM_INT)
        return int_binary(op, a.i, b.i);
    return float_binary(op, num_double(a), num_double(b));
}

static Number function(ScalarOp op, double x)
{
    double r;
    switch (op) {
    case SC_EXP: r = math_exp(x); break;
    case SC_LOG: r = x <= 0 ? NAN : math_log(x); break;
    case SC_SQRT: r = x < 0 ? NAN : sqrt(x); break;
    case SC_SIN: r = math_sin(x); break;
    case SC_COS: r = math_cos(x); break;
    default: return num_none(ARITH_TYPE);
    }
    if (isnan(r) && !isnan(x))
        return num_none(ARITH_DOMAIN);
    return isinf(r) && isfinite(x) ? num_none(ARITH_OVERFLOW) : num_float(r);
}

static Number negate(Number a)
{
    if (a.tag == NUM_FLOAT)
        return num_float(-a.f);
    return a.i == INT64_MIN ? num_none(ARITH_OVERFLOW) : num_int(-a.i);
}

static Number truncate(Number a)
{
    if (a.tag == NUM_INT)
        return a;
    if (isnan(a.f))
        return num_none(ARITH_DOMAIN);
    return a.f >= -0x1p63 && a.f < 0x1p63 ? num_int((int64_t)a.f) : num_none(ARITH_OVERFLOW);
}

Number py_unary(ScalarOp op, Number a)
{
    switch (op) {
    case SC_NOT: return num_int(!num_truth(a));
    case SC_NEG: return negate(a);
    case SC_ABS:
        if (a.tag == NUM_FLOAT)
            return num_float(fabs(a.f));
        return a.i < 0 ? negate(a) : a;
    case SC_INVERT: return a.tag == NUM_INT ? num_int(~a.i) : num_none(ARITH_TYPE);
    case SC_FLOAT: return num_float(num_double(a));
    case SC_INT: return truncate(a);
    default: return function(op, num_double(a));
    }
}
