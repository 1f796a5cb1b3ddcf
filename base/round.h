/* Rounding of exact numbers to a floating-point dtype in every mode of a cast. */
#ifndef PLD_BASE_ROUND_H
#define PLD_BASE_ROUND_H

#include "base/dtype.h"

/* Bits of magnitude * 2^exponent, negative or not, in the float dtype `t`, rounded once in `mode`,
 * a member of CastMode. What is too large becomes infinite in Rint and Round, the directed result
 * in Floor and Ceil, the largest finite number in Trunc and Odd. */
uint32_t round_exact(Dtype t, bool negative, uint64_t magnitude, int exponent, int mode);
/* The same of an FP32 number or an infinity; a NaN becomes the canonical one. */
uint32_t round_float(Dtype t, float v, int mode);
uint32_t round_int(Dtype t, int64_t v, int mode);

#endif
