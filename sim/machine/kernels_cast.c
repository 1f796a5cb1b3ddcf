/* Conversions between dtypes, through blocks of a wide type that holds every value exactly: float
 * for the float dtypes, int64_t for the others. So there is one rounding, the last. */
#include "base/round.h"
#include "sim/machine/kernel_lanes.h"
#include "sim/machine/kernel_table.h"
#include <math.h>

enum { BLOCK = 512 };

#define EACH(T, EXPR)                                                                              \
    {                                                                                              \
        const T *v = from;                                                                         \
        for (int64_t i = 0; i < n; i++)                                                            \
            out[i] = EXPR;                                                                         \
        break;                                                                                     \
    }

_Static_assert(DT_COUNT == 13, "every integer dtype but those of 64 bits has a case below");
static void widen_ints(Dtype t, int64_t *out, const void *from, int64_t n)
{
    switch (t) {
    case DT_INT8: EACH(LaneI8, v[i])
    case DT_UINT8: EACH(LaneU8, v[i])
    case DT_INT16: EACH(LaneI16, v[i])
    case DT_UINT16: EACH(LaneU16, v[i])
    case DT_INT32: EACH(LaneI32, v[i])
    case DT_UINT32: EACH(LaneU32, v[i])
    case DT_BOOL: EACH(LaneU8, v[i] != 0)
    default: EACH(LaneI64, v[i])
    }
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

#define SATURATE(T)                                                                                \
    {                                                                                              \
        T *v = to;                                                                                 \
        for (int64_t i = 0; i < n; i++)                                                            \
            v[i] = (T)clamp(in[i], low, high);                                                     \
        break;                                                                                     \
    }

static void narrow_ints(Dtype t, void *to, const int64_t *in, int64_t n)
{
    int64_t low = dtype_min(t), high = dtype_max(t);
    if (t == DT_BOOL) {
        LaneU8 *v = to;
        for (int64_t i = 0; i < n; i++)
            v[i] = in[i] != 0;
        return;
    }
    switch (dtype_bytes(t)) {
    case 1: SATURATE(LaneU8)
    case 2: SATURATE(LaneU16)
    case 4: SATURATE(LaneU32)
    default: SATURATE(LaneU64)
    }
}

static float round_to_integer(float v, int mode)
{
    switch (mode) {
    case CAST_RINT: return rintf(v);
    case CAST_ROUND: return roundf(v);
    case CAST_FLOOR: return floorf(v);
    case CAST_CEIL: return ceilf(v);
    default: return v; /* the conversion truncates */
    }
}

static int64_t float_to_int(float v)
{
    if (v != v)
        return 0;
    if (v >= 0x1p63f)
        return INT64_MAX;
    return v <= -0x1p63f ? INT64_MIN : (int64_t)v;
}

static void put_bits(Dtype t, void *to, int64_t i, uint32_t bits)
{
    if (t == DT_FP32)
        ((LaneU32 *)to)[i] = bits;
    else
        ((LaneU16 *)to)[i] = (uint16_t)bits;
}

static void narrow_floats(Dtype t, void *to, const float *in, int64_t n, int mode)
{
    if (mode == CAST_ROUND || t == DT_FP32) {
        kernel_table()->narrow_away[t](to, in, n);
    } else if (mode == CAST_RINT || mode == CAST_NONE) {
        kernel_table()->narrow[t](to, in, n);
    } else {
        for (int64_t i = 0; i < n; i++)
            put_bits(t, to, i, round_float(t, in[i], mode));
    }
}

static void floats_to(Dtype t, void *to, const float *in, int64_t n, int mode)
{
    int64_t wide[BLOCK];
    if (dtype_is_float(t)) {
        narrow_floats(t, to, in, n, mode);
        return;
    }
    if (t == DT_BOOL) {
        for (int64_t i = 0; i < n; i++)
            wide[i] = in[i] != 0;
    } else {
        for (int64_t i = 0; i < n; i++)
            wide[i] = float_to_int(round_to_integer(in[i], mode));
    }
    narrow_ints(t, to, wide, n);
}

/* Float does not hold every integer, so that a way through it would round twice. */
static void ints_to(Dtype t, void *to, const int64_t *in, int64_t n, int mode)
{
    if (!dtype_is_float(t)) {
        narrow_ints(t, to, in, n);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        float v = (float)in[i];
        bool exact = t == DT_FP32 && in[i] > -(1 << 24) && in[i] < 1 << 24;
        put_bits(t, to, i, exact ? lane_bits(v) : round_int(t, in[i], mode));
    }
}

static void cast_block(Dtype from, Dtype to, int mode, void *out, const void *in, int64_t n)
{
    if (dtype_is_float(from)) {
        float wide[BLOCK];
        kernel_table()->widen[from](wide, in, n);
        floats_to(to, out, wide, n, mode);
    } else {
        int64_t wide[BLOCK];
        widen_ints(from, wide, in, n);
        ints_to(to, out, wide, n, mode);
    }
}

void kernel_cast(Dtype from, Dtype to, int mode, const KernelArgs *k)
{
    int64_t in_bytes = dtype_bytes(from), out_bytes = dtype_bytes(to);
    for (int64_t r = 0; r < k->rows; r++) {
        char *out = (char *)k->to + r * k->to_step;
        const char *in = (const char *)k->a + r * k->a_step;
        for (int64_t c = 0; c < k->cols; c += BLOCK) {
            int64_t n = k->cols - c < BLOCK ? k->cols - c : BLOCK;
            cast_block(from, to, mode, out + c * out_bytes, in + c * in_bytes, n);
        }
    }
}
