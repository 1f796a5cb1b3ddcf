#include "base/round.h"
#include "base/enums.h"
#include <string.h>

typedef struct {
    int man_bits, exp_bits;
} Format;

static Format format_of(Dtype t)
{
    return t == DT_FP32 ? (Format){23, 8} : t == DT_FP16 ? (Format){10, 5} : (Format){7, 8};
}

static uint32_t infinity(Format f)
{
    return ((1u << f.exp_bits) - 1) << f.man_bits;
}

static uint32_t overflow(Format f, bool negative, int mode)
{
    bool infinite =
        mode == CAST_RINT || mode == CAST_ROUND || mode == (negative ? CAST_FLOOR : CAST_CEIL);
    return infinity(f) - !infinite;
}

/* One more in the last place? `rest` of a place, half a place being `half`, was cut off. */
static uint64_t rounded_up(uint64_t kept, uint64_t rest, uint64_t half, bool negative, int mode)
{
    switch (mode) {
    case CAST_ROUND: return rest >= half;
    case CAST_FLOOR: return negative && rest;
    case CAST_CEIL: return !negative && rest;
    case CAST_TRUNC: return 0;
    case CAST_ODD: return rest && !(kept & 1);
    default: return rest > half || (rest == half && (kept & 1));
    }
}

/* The top bits of `magnitude` without the `drop` lowest ones. */
static uint64_t cut(uint64_t magnitude, int drop, bool negative, int mode)
{
    if (drop <= 0)
        return magnitude << -drop;
    if (drop > 64) /* less than half a place */
        return rounded_up(0, 1, 2, negative, mode);
    uint64_t half = UINT64_C(1) << (drop - 1);
    uint64_t kept = drop == 64 ? 0 : magnitude >> drop;
    uint64_t rest = magnitude & (half - 1 + half);
    return kept + rounded_up(kept, rest, half, negative, mode);
}

/* Of magnitude * 2^exponent, negative or not. */
static uint32_t round_exact(Dtype t, bool negative, uint64_t magnitude, int exponent, int mode)
{
    Format f = format_of(t);
    uint32_t sign = (uint32_t)negative << (f.man_bits + f.exp_bits);
    if (!magnitude)
        return sign;
    int bits = 64 - __builtin_clzll(magnitude), bias = (1 << (f.exp_bits - 1)) - 1;
    int biased = exponent + bits - 1 + bias;
    if (biased > 2 * bias)
        return sign | overflow(f, negative, mode);
    int drop = bits - (f.man_bits + 1) + (biased < 1 ? 1 - biased : 0);
    uint64_t kept = cut(magnitude, drop, negative, mode);
    /* the leading one of a normal number, and a carry out of the mantissa, add to the exponent */
    if (biased > 1)
        kept += (uint64_t)(biased - 1) << f.man_bits;
    return sign | (kept >= infinity(f) ? overflow(f, negative, mode) : (uint32_t)kept);
}

uint32_t round_float(Dtype t, float v, int mode)
{
    Format f = format_of(t);
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    uint32_t exponent = bits >> 23 & 0xff, mantissa = bits & 0x7fffff;
    bool negative = bits >> 31;
    if (exponent == 0xff)
        return mantissa ? infinity(f) | 1u << (f.man_bits - 1)
                        : (uint32_t)negative << (f.man_bits + f.exp_bits) | infinity(f);
    if (exponent)
        mantissa |= 1u << 23;
    return round_exact(t, negative, mantissa, (int)(exponent ? exponent : 1) - 150, mode);
}

uint32_t round_int(Dtype t, int64_t v, int mode)
{
    return round_exact(t, v < 0, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 0, mode);
}
