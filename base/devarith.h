/* Scalar arithmetic of kernels, which the compiler folds with and the simulator executes: integers
 * wrap at the width of their dtype, // and % truncate, floats are FP32, rounded to nearest even
 * after each operation.
 *
 * A value is what a register holds: integers and BOOL as they are, in the range of their dtype; a
 * float of any dtype as the bits of its value as a double, a NaN that arithmetic makes being
 * canonical. */
#ifndef PLD_BASE_DEVARITH_H
#define PLD_BASE_DEVARITH_H

#include "base/scalar.h"
#include <stdbool.h>
#include <string.h>

static inline int64_t dev_from_double(double v)
{
    int64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static inline double dev_to_double(int64_t v)
{
    double d;
    memcpy(&d, &v, sizeof d);
    return d;
}

/* Whether dev_cast leaves every value as it is: the common ones of those. */
static inline bool dev_cast_keeps(Dtype from, Dtype to)
{
    return (to == DT_INT64 || to == DT_INDEX) &&
           (from == DT_INT64 || from == DT_INDEX || from == DT_INT32);
}

/* The same as dev_binary for whole numbers of 64 bits and INT32, where nothing can go wrong; false,
 * and nothing done, for all else. */
static inline bool dev_simple(ScalarOp op, Dtype t, int64_t a, int64_t b, int64_t *out)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b, v;
    if (t != DT_INDEX && t != DT_INT64 && t != DT_INT32)
        return false;
    switch (op) {
    case SC_ADD: v = x + y; break;
    case SC_SUB: v = x - y; break;
    case SC_MUL: v = x * y; break;
    case SC_EQ: *out = a == b; return true;
    case SC_NE: *out = a != b; return true;
    case SC_LT: *out = a < b; return true;
    case SC_LE: *out = a <= b; return true;
    case SC_GT: *out = a > b; return true;
    case SC_GE: *out = a >= b; return true;
    case SC_MIN: *out = a < b ? a : b; return true;
    case SC_MAX: *out = a > b ? a : b; return true;
    default: return false;
    }
    *out = t == DT_INT32 ? (int32_t)v : (int64_t)v;
    return true;
}

/* *out = a OP b of operands of dtype `t`, a comparison's result being a BOOL, another one's of
 * dtype `t` or, for floats, FP32. ARITH_ZERO_DIVISION and ARITH_SHIFT for integers, ARITH_TYPE
 * where scalar.def gives devices no such operator. */
ArithStatus dev_binary(ScalarOp op, Dtype t, int64_t a, int64_t b, int64_t *out);
/* OP a, for every operator of one operand that devices have for `t`, but SC_CAST. */
int64_t dev_unary(ScalarOp op, Dtype t, int64_t a);
/* The value in another dtype, rounded once to the nearest, ties away from zero. Integers saturate,
 * a NaN becomes 0 in them; floats too large become infinite; BOOL is v != 0. */
int64_t dev_cast(Dtype from, Dtype to, int64_t a);

#endif
