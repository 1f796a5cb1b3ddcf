/* What the files of base/math.h share. */
#ifndef PLD_BASE_MATH_CORE_H
#define PLD_BASE_MATH_CORE_H

/* x > 0 as m * 2^exponent with m in [sqrt(1/2), sqrt(2)) */
double math_split(double x, int *exponent);

#endif
