/* Mathematical functions of FP32 elements, in double precision and without branches, so that loops
 * over them become vectors; additions, multiplications, divisions and square roots of IEEE 754
 * only, so that every machine and every vector width gets the same bits. Errors of the result,
 * which is rounded to FP32 once, stay below 0.51 units in the last place
 * (tests/check_kernel_math.c). */
#ifndef PLD_SIM_MACHINE_KERNEL_MATH_H
#define PLD_SIM_MACHINE_KERNEL_MATH_H

#include "base/math.h"
#include "sim/machine/kernel_lanes.h"
#include <math.h>

static inline uint64_t lane_bits64(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static inline double lane_double(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Added to a double it leaves an integer in the low bits of the sum. */
#define LANE_SHIFT 0x1.8p52

/* e^x = 2^k e^r with |r| <= ln(2)/2; the polynomial interpolates (e^r - 1 - r) / r^2 at the nodes
 * of Chebyshev and is good to 2^-35. Beyond the limits the result is infinite, or below half of the
 * smallest number. */
static inline float lane_exp(float x)
{
    float below = x > 89 ? 89 : x;
    double v = below < -104 ? -104 : below;
    double shifted = v * 0x1.71547652b82fep+0 + LANE_SHIFT;
    double k = shifted - LANE_SHIFT;
    double r = v - k * 0x1.62e42fefa39efp-1;
    double p = 0x1.a124f19fe89acp-13;
    p = p * r + 0x1.6d43246b523b4p-10;
    p = p * r + 0x1.1110e0f238322p-7;
    p = p * r + 0x1.5554e9063586ep-5;
    p = p * r + 0x1.5555555a78ed4p-3;
    p = p * r + 0x1.0000000b9129bp-1;
    double scale = lane_double((lane_bits64(shifted) << 52) + 0x3ff0000000000000);
    return (float)((1 + (r + r * r * p)) * scale);
}

/* x = 2^k m with m from sqrt(1/2) to sqrt(2); log m = 2 artanh(s) with s = (m - 1) / (m + 1). A
 * subnormal FP32 number is a normal double. */
static inline float lane_log(float x)
{
    uint64_t bits = lane_bits64((double)x) - 0x3fe6a09e667f3bcd;
    uint64_t biased = (bits + ((uint64_t)1024 << 52)) >> 52; /* k + 1024 */
    double k = lane_double(biased | 0x4330000000000000) - (0x1p52 + 1024);
    double m = lane_double((bits & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd);
    double s = (m - 1) / (m + 1), z = s * s;
    double p = 0x1.8c8edd9198f8ep-3;
    p = p * z + 0x1.c67ab529f564fp-3;
    p = p * z + 0x1.2493242f22b76p-2;
    p = p * z + 0x1.999998ca9ec73p-2;
    p = p * z + 0x1.5555555564f23p-1;
    float v = (float)(k * 0x1.62e42fefa39efp-1 + (2 * s + s * z * p));
    v = x > 0 ? v : NAN;
    v = x == 0 ? -INFINITY : v;
    return x == INFINITY ? INFINITY : v;
}

/* Quotients of integers without a division of integers. The reciprocal of q is rounded and then
 * made larger by a unit in the last place, so that p times it is never below p / q and exceeds it
 * by less than 1 / |q|, which is what p / q lacks of the next integer at least: numbers of 16 bits
 * in float (16 + 2 bits are less than 24), of 32 bits in double. For a q that stays the same it is
 * one multiplication. */
static inline float lane_quotient_float(int32_t p, int32_t q)
{
    return (float)p * lane_float(lane_bits(1 / (float)q) + 1);
}

/* p and q of 8 bits, by 2^15 / |q| rounded up: twice |p| times its excess is less than 2^16 / |q|.
 * For a q that stays the same it is one multiplication of 16 bits. */
static inline int8_t lane_quotient_byte(int8_t p, int8_t q)
{
    uint16_t by = (uint16_t)(32767 / (q < 0 ? -q : q) + 1);
    int16_t wide = p;
    uint16_t twice = (uint16_t)(wide < 0 ? -wide : wide);
    twice = (uint16_t)(twice + twice);
    uint8_t size = (uint8_t)((uint32_t)twice * by >> 16);
    return (int8_t)((int8_t)(p ^ q) < 0 ? (uint8_t)-size : size);
}

/* The next number away from zero. */
static inline double lane_up(double v)
{
    return lane_double(lane_bits64(v) + 1);
}

/* The low 32 bits of the truncated quotient; |p| and |q| up to 2^32. */
static inline uint32_t lane_quotient(double p, double q)
{
    double v = p * lane_up(1 / q);
    return (uint32_t)lane_bits64(__builtin_trunc(v) + LANE_SHIFT);
}

static inline float lane_rsqrt(float x)
{
    return (float)(1 / __builtin_sqrt((double)x));
}

/* sin(x + shift pi/2). Up to 2^20 the product of a quadrant and the first part of pi/2, which has
 * 33 bits, is exact; beyond base/math.h reduces with all the digits of 2/pi that it takes. */
static inline float lane_sin_shifted(float x, uint64_t shift)
{
    if (!(x >= -0x1p20f && x <= 0x1p20f))
        return (float)(shift ? math_cos(x) : math_sin(x));
    double v = x, shifted = v * 0x1.45f306dc9c883p-1 + LANE_SHIFT;
    double k = shifted - LANE_SHIFT;
    double r = (v - k * 0x1.921fb544p+0) - k * 0x1.0b4611a626331p-34, z = r * r;
    double s = -1.0 / 39916800;
    s = s * z + 1.0 / 362880;
    s = s * z - 1.0 / 5040;
    s = s * z + 1.0 / 120;
    s = r + r * z * (s * z - 1.0 / 6);
    double c = 1.0 / 479001600;
    c = c * z - 1.0 / 3628800;
    c = c * z + 1.0 / 40320;
    c = c * z - 1.0 / 720;
    c = c * z + 1.0 / 24;
    c = 1 + z * (c * z - 0.5);
    uint64_t quadrant = lane_bits64(shifted) + shift;
    uint64_t bits = lane_bits64(quadrant & 1 ? c : s);
    return (float)lane_double(bits ^ (quadrant & 2) << 62);
}

static inline float lane_sin(float x)
{
    return x == 0 ? x : lane_sin_shifted(x, 0);
}

static inline float lane_cos(float x)
{
    return lane_sin_shifted(x, 1);
}

/* The remainder of a division that truncates is a number of the format: exact. One that floors has
 * the sign of the divisor. */
static inline float lane_rem(float a, float b)
{
    float r = fmodf(a, b);
    if (r == 0)
        return 0;
    return (r < 0) != (b < 0) ? r + b : r;
}

#endif
