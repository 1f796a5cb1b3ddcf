/* Rounding of exact numbers to a floating-point dtype in every mode of a cast. */
#ifndef PLD_BASE_ROUND_H
#define PLD_BASE_ROUND_H

#include "base/dtype.h"

/* Bits of a number in the float dtype `t`, rounded once in `mode`, a member of CastMode. What is
 * too large becomes infinite in Rint and Round, the directed result in Floor and Ceil, the largest
 * finite number in Trunc and Odd; a NaN becomes the canonical one. */
uint32_t round_float(Dtype t, float v, int mode);
uint32_t round_int(Dtype t, int64_t v, int mode);

#endif
