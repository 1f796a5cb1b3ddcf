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
