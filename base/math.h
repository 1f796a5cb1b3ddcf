/* Mathematical functions whose bits do not depend on the machine's libm: additions,
 * multiplications, divisions and square roots of IEEE 754 only. Errors are below one unit in the
 * last place. */
#ifndef PLD_BASE_MATH_H
#define PLD_BASE_MATH_H

double math_exp(double x);
double math_log(double x); /* -inf for 0, NaN below */
double math_sin(double x); /* NaN for infinities */
double math_cos(double x);
double math_pow(double x, double y);
/* cos(2 pi t) for t in [0, 1) */
double math_cos_turn(double t);

#endif
