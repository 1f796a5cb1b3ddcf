/* x^y = e^(y log x). The logarithm carries about 100 bits: its error is multiplied by y log x,
 * which goes up to 745. The exponential carries more than 60, so that hardly any result but those
 * of subnormal size is not the nearest double. */
#include "base/math.h"
#include "base/math_core.h"
#include <math.h>
#include <stdbool.h>

/* An unevaluated sum; `low` is at most half a unit of `high`'s last place. */
typedef struct {
    double high, low;
} DoubleDouble;

static DoubleDouble quick_sum(double a, double b)
{
    double sum = a + b;
    return (DoubleDouble){sum, b - (sum - a)};
}

/* Knuth's exact sum. */
static DoubleDouble two_sum(double a, double b)
{
    double sum = a + b, part = sum - a;
    return (DoubleDouble){sum, (a - (sum - part)) + (b - part)};
}

/* Dekker's exact product (1971), from halves of 26 bits; for factors below 2^990. */
static DoubleDouble two_product(double a, double b)
{
    double c = 134217729 * a, a1 = c - (c - a), a2 = a - a1;
    c = 134217729 * b;
    double b1 = c - (c - b), b2 = b - b1;
    double p = a * b;
    return (DoubleDouble){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

static DoubleDouble add(DoubleDouble a, DoubleDouble b)
{
    DoubleDouble s = two_sum(a.high, b.high);
    return quick_sum(s.high, s.low + (a.low + b.low));
}

static DoubleDouble multiply(DoubleDouble a, DoubleDouble b)
{
    DoubleDouble p = two_product(a.high, b.high);
    return quick_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static DoubleDouble divide(DoubleDouble a, DoubleDouble b)
{
    double q = a.high / b.high;
    DoubleDouble p = two_product(q, b.high);
    double rest = ((a.high - p.high) - p.low) + (a.low - q * b.low);
    return quick_sum(q, rest / b.high);
}

static DoubleDouble ratio(double a, double b)
{
    return divide((DoubleDouble){a, 0}, (DoubleDouble){b, 0});
}

static const DoubleDouble ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

/* The series of math_log; its first four terms as pairs, the rest is too small to matter. */
static DoubleDouble log_pair(double x)
{
    int k;
    double m = math_split(x, &k);
    DoubleDouble s = divide((DoubleDouble){m - 1, 0}, two_sum(m, 1));
    DoubleDouble z = multiply(s, s);
    double rest = 0;
    for (int n = 25; n >= 9; n -= 2)
        rest = rest * z.high + 2.0 / n;
    DoubleDouble p = {rest, 0};
    for (int n = 7; n >= 1; n -= 2)
        p = add(multiply(p, z), ratio(2, n));
    return add(multiply(ln2, (DoubleDouble){k, 0}), multiply(p, s));
}

/* e^x for a finite x. With r = (x - k ln 2) / 16, which is below 0.022, e^r - 1 is r + r^2/2 + r^3
 * p(r) and only the last term is computed in doubles; (1 + m)^2 - 1 is 2m + m^2, four times. */
static double exp_pair(DoubleDouble x)
{
    if (x.high > 710)
        return INFINITY;
    if (x.high < -746)
        return 0;
    double k = floor(x.high / ln2.high + 0.5);
    DoubleDouble r = add(x, multiply(ln2, (DoubleDouble){-k, 0}));
    r = (DoubleDouble){r.high / 16, r.low / 16};
    double p = 1.0 / 362880;
    p = p * r.high + 1.0 / 40320;
    p = p * r.high + 1.0 / 5040;
    p = p * r.high + 1.0 / 720;
    p = p * r.high + 1.0 / 120;
    p = p * r.high + 1.0 / 24;
    p = p * r.high + 1.0 / 6;
    DoubleDouble square = multiply(r, r);
    DoubleDouble m = add((DoubleDouble){square.high / 2, square.low / 2},
                         (DoubleDouble){square.high * r.high * p, 0});
    m = add(r, m);
    for (int i = 0; i < 4; i++)
        m = add((DoubleDouble){2 * m.high, 2 * m.low}, multiply(m, m));
    DoubleDouble e = two_sum(1, m.high);
    return ldexp(e.high + (e.low + m.low), (int)k);
}

static bool is_integer(double y)
{
    return floor(y) == y;
}

/* x > 0 and finite, y finite and not 0 */
static double pow_positive(double x, double y)
{
    if (x == 1)
        return 1;
    if (y == 1 || y == -1) /* where ties are as close as the digits go, IEEE 754 has the result */
        return y == 1 ? x : 1 / x;
    if (y == 2 || y == 0.5)
        return y == 2 ? x * x : sqrt(x);
    if (fabs(y) >= 0x1p64) /* |log x| is at least 2^-53 */
        return (x > 1) == (y > 0) ? INFINITY : 0;
    DoubleDouble product = multiply(log_pair(x), (DoubleDouble){y, 0});
    return exp_pair(product);
}

/* x 0 or infinite, y not 0: the size of the result */
static double pow_extreme(double x, double y)
{
    return (x == 0) == (y > 0) ? 0 : INFINITY;
}

/* y infinite */
static double pow_infinite(double x, double y)
{
    if (fabs(x) == 1)
        return 1;
    return (fabs(x) > 1) == (y > 0) ? INFINITY : 0;
}

double math_pow(double x, double y)
{
    if (y == 0 || x == 1)
        return 1;
    if (isnan(x) || isnan(y))
        return NAN;
    if (isinf(y))
        return pow_infinite(x, y);
    bool odd = is_integer(y) && !is_integer(y / 2);
    double size = fabs(x);
    if (size == 0 || isinf(size))
        size = pow_extreme(size, y);
    else if (x < 0 && !is_integer(y))
        return NAN;
    else
        size = pow_positive(size, y);
    return odd && signbit(x) ? -size : size;
}
