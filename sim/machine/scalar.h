/* Scalar arithmetic with the device's semantics. */
#ifndef PLD_SIM_MACHINE_SCALAR_H
#define PLD_SIM_MACHINE_SCALAR_H

#include "codegen/bytecode.h"

/* *out = a OP b (UN: b unused) in dtype `t`; operands are in the range of their dtypes. Returns
 * NULL, or what is wrong: "division by zero", "shift count 40 ..." is left to the caller to
 * complete. */
const char *scalar_binary(BcScalarOp op, Dtype t, int64_t a, int64_t b, int64_t *out);
int64_t scalar_unary(BcScalarOp op, Dtype t, int64_t a);

#endif
