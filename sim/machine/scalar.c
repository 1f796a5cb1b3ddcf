/* Truncating division, wrapping arithmetic, saturating casts: what the compiler folds and what runs
 * here must agree, which a test over both compares. */
#include "sim/machine/scalar.h"

static int64_t wrapping(BcScalarOp op, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    return (int64_t)(op == BSC_ADD ? x + y : op == BSC_SUB ? x - y : x * y);
}

static const char *divide(BcScalarOp op, int64_t a, int64_t b, int64_t *out)
{
    if (b == 0)
        return "division by zero";
    if (b == -1)
        *out = op == BSC_MOD ? 0 : wrapping(BSC_SUB, 0, a);
    else
        *out = op == BSC_MOD ? a % b : a / b;
    return NULL;
}

static const char *shift(BcScalarOp op, Dtype t, int64_t a, int64_t b, int64_t *out)
{
    if (b < 0 || b >= (int64_t)dtype_bytes(t) * 8)
        return "shift count outside the width of the dtype";
    if (op == BSC_SHL)
        *out = (int64_t)((uint64_t)a << b);
    else
        *out = a < 0 ? ~(~a >> b) : a >> b;
    return NULL;
}

static int64_t simple(BcScalarOp op, int64_t a, int64_t b)
{
    switch (op) {
    case BSC_BITAND: return a & b;
    case BSC_BITXOR: return a ^ b;
    case BSC_BITOR: return a | b;
    case BSC_EQ: return a == b;
    case BSC_NE: return a != b;
    case BSC_LT: return a < b;
    case BSC_LE: return a <= b;
    case BSC_GT: return a > b;
    case BSC_GE: return a >= b;
    case BSC_AND: return a && b;
    case BSC_OR: return a || b;
    case BSC_MIN: return a < b ? a : b;
    case BSC_MAX: return a > b ? a : b;
    default: return wrapping(op, a, b);
    }
}

const char *scalar_binary(BcScalarOp op, Dtype t, int64_t a, int64_t b, int64_t *out)
{
    const char *why = NULL;
    if (op == BSC_FLOORDIV || op == BSC_MOD)
        why = divide(op, a, b, out);
    else if (op == BSC_SHL || op == BSC_SHR)
        why = shift(op, t, a, b, out);
    else
        *out = simple(op, a, b);
    if (!why)
        *out = dtype_wrap(t, *out);
    return why;
}

static int64_t saturate(Dtype t, int64_t a)
{
    if (t == DT_BOOL)
        return a != 0;
    int64_t lo = dtype_min(t), hi = dtype_max(t);
    return a < lo ? lo : a > hi ? hi : a;
}

int64_t scalar_unary(BcScalarOp op, Dtype t, int64_t a)
{
    switch (op) {
    case BSC_NOT: return !a;
    case BSC_NEG: return dtype_wrap(t, wrapping(BSC_SUB, 0, a));
    case BSC_INVERT: return t == DT_BOOL ? !a : dtype_wrap(t, ~a);
    default: return saturate(t, a);
    }
}
