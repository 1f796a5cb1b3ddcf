#include "base/dtype.h"
#include <math.h>
#include <string.h>

const DtypeInfo dtype_info[DT_COUNT] = {
#define PLD_DTYPE(ENUM, name, bytes, kind, npy) [DT_##ENUM] = {name, npy, bytes, DTK_##kind},
#include "base/dtype.def"
};

bool dtype_from_name(const char *name, Dtype *out)
{
    for (int i = 0; i < DT_COUNT; i++) {
        if (strcmp(dtype_info[i].name, name) == 0) {
            *out = (Dtype)i;
            return true;
        }
    }
    return false;
}

int64_t dtype_min(Dtype t)
{
    const DtypeInfo *info = &dtype_info[t];
    return info->kind == DTK_INT ? INT64_MIN >> (64 - 8 * info->bytes) : 0;
}

int64_t dtype_max(Dtype t)
{
    const DtypeInfo *info = &dtype_info[t];
    if (info->kind == DTK_BOOL)
        return 1;
    int bits = 8 * info->bytes - (info->kind == DTK_INT);
    return bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
}

int64_t dtype_wrap(Dtype t, int64_t v)
{
    const DtypeInfo *info = &dtype_info[t];
    if (info->kind == DTK_BOOL)
        return v != 0;
    int unused = 64 - 8 * info->bytes;
    uint64_t high = (uint64_t)v << unused;
    return info->kind == DTK_INT ? (int64_t)high >> unused : (int64_t)(high >> unused);
}

/* Rounds a double, once, to a binary format of 1 + (15 - man_bits) + man_bits bits. */
static uint16_t narrow(double v, int man_bits)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    int exp_bits = 15 - man_bits;
    int bias = (1 << (exp_bits - 1)) - 1;
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    uint16_t infinity = (uint16_t)(((1 << exp_bits) - 1) << man_bits);
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t mantissa = bits & 0xfffffffffffff;

    if (exponent == 0x7ff)
        return mantissa ? infinity | (uint16_t)(1 << (man_bits - 1)) : sign | infinity;
    int biased = exponent - 1023 + bias;
    int shift = 52 - man_bits + (biased < 1 ? 1 - biased : 0);
    if (exponent == 0 || shift > 53)
        return sign; /* less than half of the smallest subnormal */
    uint64_t significand = mantissa | UINT64_C(1) << 52;
    uint64_t rest = significand & ((UINT64_C(1) << shift) - 1);
    uint64_t half = UINT64_C(1) << (shift - 1);
    uint64_t kept = significand >> shift;
    kept += rest > half || (rest == half && (kept & 1));
    /* The leading one of a normal number, and a carry out of the mantissa, add to the exponent. */
    if (biased >= 1)
        kept += (uint64_t)(biased - 1) << man_bits;
    return sign | (kept > infinity ? infinity : (uint16_t)kept);
}

static uint16_t half_from_double(double v)
{
    return narrow(v, 10);
}

static uint16_t bf16_from_double(double v)
{
    return narrow(v, 7);
}

static float half_to_float(uint16_t v)
{
    uint32_t sign = (uint32_t)(v & 0x8000) << 16;
    uint32_t exponent = v >> 10 & 0x1f;
    uint32_t mantissa = v & 0x3ff;
    uint32_t bits;
    float out;
    if (exponent == 0) {
        out = (float)mantissa * 0x1p-24f;
        memcpy(&bits, &out, sizeof bits);
        bits |= sign;
    } else if (exponent == 0x1f) {
        bits = mantissa ? 0x7fc00000 : sign | 0x7f800000;
    } else {
        bits = sign | (exponent + 127 - 15) << 23 | mantissa << 13;
    }
    memcpy(&out, &bits, sizeof out);
    return out;
}

static float bf16_to_float(uint16_t v)
{
    uint32_t bits = (uint32_t)v << 16;
    if ((bits & 0x7fffffff) > 0x7f800000)
        bits = 0x7fc00000;
    float out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

static void store_float(void *dst, double v)
{
    float f = (float)v;
    uint32_t bits = 0x7fc00000;
    if (!isnan(f))
        memcpy(&bits, &f, sizeof bits);
    memcpy(dst, &bits, sizeof bits);
}

static int64_t int_from_double(double v)
{
    if (isnan(v))
        return 0;
    if (v >= 0x1p63)
        return INT64_MAX;
    return v <= -0x1p63 ? INT64_MIN : (int64_t)v;
}

void dtype_store_double(Dtype t, void *dst, double v)
{
    uint16_t narrow_bits;
    switch (t) {
    case DT_FP32: store_float(dst, v); break;
    case DT_FP16:
    case DT_BF16:
        narrow_bits = t == DT_FP16 ? half_from_double(v) : bf16_from_double(v);
        memcpy(dst, &narrow_bits, sizeof narrow_bits);
        break;
    case DT_BOOL: dtype_store_int(t, dst, v != 0); break;
    default: dtype_store_int(t, dst, int_from_double(v)); break;
    }
}

/* A double that rounds further as `v` itself would: bits that do not fit are kept as one sticky
 * bit (rounding to odd), so that the next rounding is the only one that counts. */
static double sticky_double(int64_t v)
{
    uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v;
    if (size >> 53)
        size = (size >> 11 | ((size & 0x7ff) != 0)) << 11;
    return v < 0 ? -(double)size : (double)size;
}

void dtype_store_int(Dtype t, void *dst, int64_t v)
{
    const DtypeInfo *info = &dtype_info[t];
    if (info->kind == DTK_FLOAT) {
        dtype_store_double(t, dst, sticky_double(v));
        return;
    }
    if (info->kind == DTK_BOOL)
        v = v != 0;
    else if (v < dtype_min(t))
        v = dtype_min(t);
    else if (v > dtype_max(t))
        v = dtype_max(t);
    memcpy(dst, &v, info->bytes); /* little-endian: the low bytes come first */
}

double dtype_load_double(Dtype t, const void *src)
{
    float f;
    uint16_t bits;
    switch (t) {
    case DT_FP32: memcpy(&f, src, sizeof f); return (double)f;
    case DT_FP16:
    case DT_BF16:
        memcpy(&bits, src, sizeof bits);
        return (double)(t == DT_FP16 ? half_to_float(bits) : bf16_to_float(bits));
    default: return (double)dtype_load_int(t, src);
    }
}

int64_t dtype_load_int(Dtype t, const void *src)
{
    const DtypeInfo *info = &dtype_info[t];
    if (info->kind == DTK_FLOAT)
        return int_from_double(dtype_load_double(t, src));
    int64_t v = 0;
    memcpy(&v, src, info->bytes);
    return dtype_wrap(t, v);
}
