#include "tests/kerneltest.h"
#include <string.h>

static uint64_t state;

void kt_seed(uint64_t seed)
{
    state = seed;
}

uint64_t kt_next(void)
{
    state += 0x9e3779b97f4a7c15;
    uint64_t z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Values where something happens: limits, neighbours of limits, zeros, NaNs of any kind. */
static uint64_t special(Dtype t)
{
    static const uint64_t floats[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                      0xffc12345, 0x7f800001, 1,          0x807fffff, 0x7f7fffff,
                                      0x3f800000, 0xbf800000, 0x00800000, 0x40000000};
    static const uint64_t halves[] = {0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0xfd01, 0x7c01,
                                      1, 0x83ff, 0x7bff, 0x3c00, 0xbc00, 0x0400, 0x4000};
    static const uint64_t brains[] = {0, 0x8000, 0x7f80, 0xff80, 0x7fc0, 0xff81, 0x7fff,
                                      1, 0x807f, 0x7f7f, 0x3f80, 0xbf80, 0x0080, 0x4000};
    uint64_t i = kt_next() % 14;
    if (dtype_is_float(t))
        return (t == DT_FP32 ? floats : t == DT_FP16 ? halves : brains)[i];
    int64_t ints[] = {0, 1, -1, dtype_min(t), dtype_max(t), dtype_max(t) - 1, dtype_min(t) + 1, 2};
    return (uint64_t)ints[i % 8];
}

void kt_random(Dtype t, char *at, int n)
{
    for (int i = 0; i < n; i++) {
        uint64_t bits = kt_next();
        if (kt_next() % 4 == 0)
            bits = special(t);
        else if (dtype_is_float(t) && kt_next() % 2) { /* of similar size */
            dtype_store_double(t, &bits, ((double)(kt_next() >> 11) * 0x1p-53 - 0.5) * 100);
        }
        if (t == DT_BOOL)
            bits &= 1;
        memcpy(at + i * (int)dtype_bytes(t), &bits, dtype_bytes(t));
    }
}

double kt_load(Dtype t, const char *at, int i)
{
    return dtype_load_double(t, at + i * (int)dtype_bytes(t));
}

Wide kt_load_int(Dtype t, const char *at, int i)
{
    return dtype_load_int(t, at + i * (int)dtype_bytes(t));
}

void kt_compare(const char *what, TileOp op, Dtype t, const char *got, const char *want)
{
    for (int i = 0; i < KT_N; i++) {
        uint64_t x = 0, y = 0;
        memcpy(&x, got + i * (int)dtype_bytes(t), dtype_bytes(t));
        memcpy(&y, want + i * (int)dtype_bytes(t), dtype_bytes(t));
        if (x != y)
            ck_abort_msg("%s, op %d, %s, element %d: %#lx, not %#lx", what, op, dtype_name(t), i,
                         (unsigned long)x, (unsigned long)y);
    }
}
