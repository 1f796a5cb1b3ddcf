/* Elements in memory, and half formats without branches, so that loops over them become vectors. */
#ifndef PLD_SIM_MACHINE_KERNEL_LANES_H
#define PLD_SIM_MACHINE_KERNEL_LANES_H

#include <stdint.h>
#include <string.h>

/* Memory holds what was last written, under any dtype, and at any address. */
#define LANE(NAME, T) typedef T __attribute__((may_alias, aligned(1))) NAME
LANE(LaneF32, float);
LANE(LaneI8, int8_t);
LANE(LaneU8, uint8_t);
LANE(LaneI16, int16_t);
LANE(LaneU16, uint16_t);
LANE(LaneI32, int32_t);
LANE(LaneU32, uint32_t);
LANE(LaneI64, int64_t);
LANE(LaneU64, uint64_t);
#undef LANE

static inline uint32_t lane_bits(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static inline float lane_float(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* `yes` where a < b (both below 2^31), else `no`; by masks, because compilers turn a conditional
 * expression around floating-point operations into a branch. */
static inline uint32_t lane_below(uint32_t a, uint32_t b, uint32_t yes, uint32_t no)
{
    uint32_t mask = 0u - (uint32_t)((int32_t)a < (int32_t)b);
    return (yes & mask) | (no & ~mask);
}

static inline float get_FP32(float v)
{
    return v;
}

static inline float put_FP32(float v)
{
    return v == v ? v : lane_float(0x7fc00000);
}

/* Multiplying by 2^112 moves the exponent's bias, for subnormal numbers too. */
static inline float get_FP16(uint16_t v)
{
    uint32_t sign = (uint32_t)(v & 0x8000) << 16, size = (uint32_t)(v & 0x7fff) << 13;
    uint32_t finite = lane_bits(lane_float(size) * 0x1p112f);
    return lane_float(sign | lane_below(size, 0x0f800000, finite, size | 0x7f800000));
}

/* Nearest even. Adding 0.5 lets the adder round what becomes subnormal: the last place of numbers
 * from 0.5 to 1 is the smallest half. */
static inline uint16_t put_FP16(float v)
{
    uint32_t bits = lane_bits(v), size = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    uint32_t normal = (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;
    uint32_t small = lane_bits(lane_float(size) + 0.5f) - 0x3f000000;
    uint32_t out = lane_below(size, 0x38800000, small, normal);
    out = lane_below(size, 0x477ff000, out, 0x7c00) | sign;
    return (uint16_t)lane_below(size, 0x7f800001, out, 0x7e00);
}

/* Nearest, ties away from zero. What becomes subnormal is counted in units of 2^-24. */
static inline uint16_t put_away_FP16(float v)
{
    uint32_t bits = lane_bits(v), size = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    uint32_t normal = (size - 0x38000000 + 0x1000) >> 13;
    float units = lane_float(lane_below(size, 0x38800000, size, 0)) * 0x1p24f;
    int32_t whole = (int32_t)units;
    uint32_t small = (uint32_t)whole + (units - (float)whole >= 0.5f);
    uint32_t out = lane_below(size, 0x38800000, small, normal);
    out = lane_below(size, 0x477ff000, out, 0x7c00) | sign;
    return (uint16_t)lane_below(size, 0x7f800001, out, 0x7e00);
}

static inline float get_BF16(uint16_t v)
{
    return lane_float((uint32_t)v << 16);
}

static inline uint16_t put_BF16(float v)
{
    uint32_t bits = lane_bits(v), out = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : out);
}

static inline uint16_t put_away_BF16(float v)
{
    uint32_t bits = lane_bits(v), out = (bits + 0x8000) >> 16;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : out);
}

#endif
