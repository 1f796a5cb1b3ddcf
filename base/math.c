/* exp, log, sin and cos. Each reduces its argument to a short interval around zero, sums the Taylor
 * series there (the first term left out is below 2^-58 of the result), and adds the large terms
 * last, so that their rounding is the only one that counts. */
#include "base/math.h"
#include "base/math_core.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* ln 2 in two parts; the first has 32 bits, so that its product with an exponent is exact. */
static const double LN2_HI = 0x1.62e42feep-1, LN2_LO = 0x1.a39ef35793c76p-33;
static const double INV_LN2 = 0x1.71547652b82fep+0;

/* e^r - 1 - r for |r| <= ln(2)/2, divided by r^2. */
static double exp_tail(double r)
{
    double p = 1.0 / 6227020800;
    p = p * r + 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    return p * r + 0.5;
}

double math_exp(double x)
{
    if (isnan(x))
        return x;
    if (x > 710)
        return INFINITY;
    if (x < -746)
        return 0;
    double k = floor(x * INV_LN2 + 0.5);
    double high = x - k * LN2_HI, rest = -k * LN2_LO;
    double r = high + rest;
    double error = (high - r) + rest;
    return ldexp(1 + (r + (error + r * r * exp_tail(r))), (int)k);
}

double math_split(double x, int *exponent)
{
    double m = frexp(x, exponent);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        --*exponent;
    }
    return m;
}

/* With s = f / (2 + f): log(1 + f) = 2 artanh(s) = f - f^2/2 + s (f^2/2 + R), where R sums
 * 2 s^(2n) / (2n + 1) from n = 1. */
static double log_tail(double s)
{
    double z = s * s;
    double p = 2.0 / 23;
    p = p * z + 2.0 / 21;
    p = p * z + 2.0 / 19;
    p = p * z + 2.0 / 17;
    p = p * z + 2.0 / 15;
    p = p * z + 2.0 / 13;
    p = p * z + 2.0 / 11;
    p = p * z + 2.0 / 9;
    p = p * z + 2.0 / 7;
    p = p * z + 2.0 / 5;
    p = p * z + 2.0 / 3;
    return p * z;
}

double math_log(double x)
{
    if (isnan(x) || x == INFINITY)
        return x;
    if (x <= 0)
        return x == 0 ? -INFINITY : NAN;
    int k;
    double f = math_split(x, &k) - 1;
    double s = f / (2 + f), half = 0.5 * f * f;
    double small = s * (half + log_tail(s));
    return k * LN2_HI - ((half - (small + k * LN2_LO)) - f);
}

/* sin and cos of x + low for |x| <= pi/4. */
static double sin_core(double x, double low)
{
    double z = x * x;
    double p = 1.0 / 355687428096000;
    p = p * z - 1.0 / 1307674368000;
    p = p * z + 1.0 / 6227020800;
    p = p * z - 1.0 / 39916800;
    p = p * z + 1.0 / 362880;
    p = p * z - 1.0 / 5040;
    p = p * z + 1.0 / 120;
    p = p * z - 1.0 / 6;
    return x + (x * z * p + low * (1 - 0.5 * z));
}

static double cos_core(double x, double low)
{
    double z = x * x;
    double p = 1.0 / 20922789888000;
    p = p * z - 1.0 / 87178291200;
    p = p * z + 1.0 / 479001600;
    p = p * z - 1.0 / 3628800;
    p = p * z + 1.0 / 40320;
    p = p * z - 1.0 / 720;
    p = p * z + 1.0 / 24;
    double half = 0.5 * z, w = 1 - half;
    return w + (((1 - w) - half) + (z * z * p - x * low));
}

/* sin(quadrant pi/2 + r + low) */
static double sin_quadrant(unsigned quadrant, double r, double low)
{
    double v = quadrant & 1 ? cos_core(r, low) : sin_core(r, low);
    return quadrant & 2 ? -v : v;
}

/* The bits of 2/pi after the point, from 64 places before it. */
static const uint64_t two_over_pi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
    0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
};

__extension__ typedef unsigned __int128 Wide;

static const uint64_t QUARTER_PI_HI = 0xc90fdaa22168c234, QUARTER_PI_LO = 0xc4c6628b80dc1cd1;

static uint64_t high_product(uint64_t a, uint64_t b)
{
    return (uint64_t)((Wide)a * b >> 64);
}

/* A fraction of a quadrant (unit 2^-128) in radians, as the sum of two doubles. */
static double fraction_to_radians(Wide fraction, double *low)
{
    if (fraction == 0) {
        *low = 0;
        return 0;
    }
    int shift = 0;
    while (!(fraction >> 127)) {
        fraction <<= 1;
        shift++;
    }
    uint64_t hi = (uint64_t)(fraction >> 64), lo = (uint64_t)fraction;
    Wide r = (Wide)hi * QUARTER_PI_HI + high_product(hi, QUARTER_PI_LO) +
             high_product(lo, QUARTER_PI_HI);
    uint64_t top = (uint64_t)(r >> 64) & ~(uint64_t)0x7ff; /* 53 bits at most */
    *low = ldexp((double)(uint64_t)((r - ((Wide)top << 64)) >> 11), 11 + 1 - 128 - shift);
    return ldexp((double)top, 64 + 1 - 128 - shift);
}

/* x = quadrant pi/2 + result + *low with |result| <= pi/4, for finite |x| > pi/4. Payne and Hanek's
 * reduction (1983): x is m 2^e with an integer m, and whole turns, bits of 2/pi above 2^(2-e), are
 * never multiplied: 192 bits from there decide the quadrant and leave 70 good ones even for the
 * double nearest to a multiple of pi/2. */
static double reduce(double x, unsigned *quadrant, double *low)
{
    int e;
    uint64_t m = (uint64_t)ldexp(frexp(fabs(x), &e), 53);
    unsigned first = (unsigned)(e - 53 - 1 + 63);
    const uint64_t *words = &two_over_pi[first / 64];
    unsigned shift = first % 64;
    uint64_t w[3];
    for (int i = 0; i < 3; i++)
        w[i] = shift ? words[i] << shift | words[i + 1] >> (64 - shift) : words[i];
    Wide low_part = (Wide)w[2] * m;
    Wide mid = (Wide)w[1] * m + (uint64_t)(low_part >> 64);
    uint64_t top = w[0] * m + (uint64_t)(mid >> 64);
    unsigned q = (unsigned)(top >> 62);
    Wide fraction = (Wide)top << 66 | (Wide)(uint64_t)mid << 2 | (uint64_t)low_part >> 62;
    bool negative = fraction >> 127;
    if (negative) {
        fraction = -fraction;
        q++;
    }
    double r = fraction_to_radians(fraction, low);
    if (negative != (x < 0)) {
        r = -r;
        *low = -*low;
    }
    *quadrant = x < 0 ? -q : q;
    return r;
}

static double sin_shifted(double x, unsigned shift)
{
    if (!isfinite(x))
        return NAN;
    unsigned quadrant = 0;
    double low = 0, r = x;
    if (fabs(x) > 0x1.921fb54442d18p-1)
        r = reduce(x, &quadrant, &low);
    else if (shift == 0 && fabs(x) < 0x1p-27)
        return x;
    return sin_quadrant(quadrant + shift, r, low);
}

double math_sin(double x)
{
    return sin_shifted(x, 0);
}

double math_cos(double x)
{
    return sin_shifted(x, 1);
}

double math_cos_turn(double t)
{
    double q = floor(t * 4 + 0.5);
    double r = (t * 4 - q) * 0x1.921fb54442d18p+0;
    return sin_quadrant((unsigned)q + 1, r, 0);
}
