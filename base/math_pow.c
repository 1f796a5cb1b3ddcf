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
} Pair;

static Pair quick_sum(double a, double b)
{
    double sum = a + b;
    return (Pair){sum, b - (sum - a)};
}

/* Knuth's exact sum. */
static Pair two_sum(double a, double b)
{
    double sum = a + b, part = sum - a;
    return (Pair){sum, (a - (sum - part)) + (b - part)};
}

/* Dekker's exact product (1971), from halves of 26 bits; for factors below 2^990. */
static Pair two_product(double a, double b)
{
    double c = 134217729 * a, a1 = c - (c - a), a2 = a - a1;
    c = 134217729 * b;
    double b1 = c - (c - b), b2 = b - b1;
    double p = a * b;
    return (Pair){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

static Pair add(Pair a, Pair b)
{
    Pair s = two_sum(a.high, b.high);
    return quick_sum(s.high, s.low + (a.low + b.low));
}

static Pair multiply(Pair a, Pair b)
{
    Pair p = two_product(a.high, b.high);
    return quick_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static Pair divide(Pair a, Pair b)
{
    double q = a.high / b.high;
    Pair p = two_product(q, b.high);
    double rest = ((a.high - p.high) - p.low) + (a.low - q * b.low);
    return quick_sum(q, rest / b.high);
}

static Pair ratio(double a, double b)
{
    return divide((Pair){a, 0}, (Pair){b, 0});
}

static const Pair ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

/* The series of math_log; its first four terms as pairs, the rest is too small to matter. */
static Pair log_pair(double x)
{
    int k;
    double m = math_split(x, &k);
    Pair s = divide((Pair){m - 1, 0}, two_sum(m, 1));
    Pair z = multiply(s, s);
    double rest = 0;
    for (int n = 25; n >= 9; n -= 2)
        rest = rest * z.high + 2.0 / n;
    Pair p = {rest, 0};
    for (int n = 7; n >= 1; n -= 2)
        p = add(multiply(p, z), ratio(2, n));
    return add(multiply(ln2, (Pair){k, 0}), multiply(p, s));
}

/* e^x for a finite x. With r = (x - k ln 2) / 16, which is below 0.022, e^r - 1 is r + r^2/2 + r^3
 * p(r) and only the last term is computed in doubles; (1 + m)^2 - 1 is 2m + m^2, four times. */
static double exp_pair(Pair x)
{
    if (x.high > 710)
        return INFINITY;
    if (x.high < -746)
        return 0;
    double k = floor(x.high / ln2.high + 0.5);
    Pair r = add(x, multiply(ln2, (Pair){-k, 0}));
    r = (Pair){r.high / 16, r.low / 16};
    double p = 1.0 / 362880;
    p = p * r.high + 1.0 / 40320;
    p = p * r.high + 1.0 / 5040;
    p = p * r.high + 1.0 / 720;
    p = p * r.high + 1.0 / 120;
    p = p * r.high + 1.0 / 24;
    p = p * r.high + 1.0 / 6;
    Pair square = multiply(r, r);
    Pair m = add((Pair){square.high / 2, square.low / 2}, (Pair){square.high * r.high * p, 0});
    m = add(r, m);
    for (int i = 0; i < 4; i++)
        m = add((Pair){2 * m.high, 2 * m.low}, multiply(m, m));
    Pair e = two_sum(1, m.high);
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
    Pair product = multiply(log_pair(x), (Pair){y, 0});
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
