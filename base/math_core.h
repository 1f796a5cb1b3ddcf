/* What the files of base/math.h share. */
#ifndef PLD_BASE_MATH_CORE_H
#define PLD_BASE_MATH_CORE_H

/* e^(x + low) for |low| far below |x| */
double math_exp_sum(double x, double low);
/* x > 0 as m * 2^exponent with m in [sqrt(1/2), sqrt(2)) */
double math_split(double x, int *exponent);

#endif
