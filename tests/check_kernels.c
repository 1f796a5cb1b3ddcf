/* Tile kernels against one-element references in double precision and wide integers, with and
 * without vector instructions. */
#include "sim/machine/kernel_lanes.h"
#include "sim/machine/kernels.h"
#include "tests/support.h"
#include <math.h>

__extension__ typedef __int128 Wide;

enum { N = 203 }; /* no multiple of any vector */

static uint64_t state;

static uint64_t next(void)
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
    uint64_t i = next() % 14;
    if (dtype_is_float(t))
        return (t == DT_FP32 ? floats : t == DT_FP16 ? halves : brains)[i];
    int64_t ints[] = {0, 1, -1, dtype_min(t), dtype_max(t), dtype_max(t) - 1, dtype_min(t) + 1, 2};
    return (uint64_t)ints[i % 8];
}

static void random_elements(Dtype t, char *at, int n)
{
    for (int i = 0; i < n; i++) {
        uint64_t bits = next();
        if (next() % 4 == 0)
            bits = special(t);
        else if (dtype_is_float(t) && next() % 2) { /* of similar size */
            dtype_store_double(t, &bits, ((double)(next() >> 11) * 0x1p-53 - 0.5) * 100);
        }
        if (t == DT_BOOL)
            bits &= 1;
        memcpy(at + i * (int)dtype_bytes(t), &bits, dtype_bytes(t));
    }
}

static double load(Dtype t, const char *at, int i)
{
    return dtype_load_double(t, at + i * (int)dtype_bytes(t));
}

static Wide load_int(Dtype t, const char *at, int i)
{
    return dtype_load_int(t, at + i * (int)dtype_bytes(t));
}

static double maximum(double a, double b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    if (a == 0 && b == 0)
        return signbit(a) ? b : a;
    return a > b ? a : b;
}

/* One op in double precision: exact, or with so many places that rounding again does no harm. */
static double float_op(TileOp op, double a, double b)
{
    switch (op) {
    case TOP_ADD: return a + b;
    case TOP_SUB: return a - b;
    case TOP_RSUB: return b - a;
    case TOP_MUL: return a * b;
    case TOP_DIV: return a / b;
    case TOP_RDIV: return b / a;
    case TOP_MAX: return maximum(a, b);
    case TOP_MIN: return -maximum(-a, -b);
    case TOP_NEG: return -a;
    case TOP_ABS: return fabs(a);
    case TOP_COUNT: break;
    }
    return NAN;
}

static Wide int_op(TileOp op, Wide a, Wide b)
{
    switch (op) {
    case TOP_ADD: return a + b;
    case TOP_SUB: return a - b;
    case TOP_RSUB: return b - a;
    case TOP_MUL: return a * b;
    case TOP_DIV: return a / b;
    case TOP_RDIV: return b / a;
    case TOP_MAX: return a > b ? a : b;
    case TOP_MIN: return a < b ? a : b;
    case TOP_NEG: return -a;
    case TOP_ABS: return a < 0 ? -a : a;
    default: ck_abort_msg("no integer reference for %s", tileop_name(op));
    }
}

static void reference(TileOp op, Dtype t, char *to, const char *a, const char *b, int b_step)
{
    for (int i = 0; i < N; i++) {
        char *out = to + i * (int)dtype_bytes(t);
        if (dtype_is_float(t)) {
            dtype_store_double(t, out, float_op(op, load(t, a, i), load(t, b, i * b_step)));
        } else {
            Wide v = int_op(op, load_int(t, a, i), load_int(t, b, i * b_step));
            int64_t low = t == DT_BOOL ? v != 0 : (int64_t)(uint64_t)v;
            dtype_store_int(t, out, dtype_wrap(t, low));
        }
    }
}

static bool divides(TileOp op)
{
    return tileop_divisor(op) >= 0;
}

static void no_zeros(Dtype t, char *at)
{
    if (dtype_is_float(t))
        return;
    for (int i = 0; i < N; i++) {
        if (load_int(t, at, i) == 0)
            dtype_store_int(t, at + i * (int)dtype_bytes(t), 1);
    }
}

static void compare(const char *what, TileOp op, Dtype t, const char *got, const char *want)
{
    for (int i = 0; i < N; i++) {
        uint64_t x = 0, y = 0;
        memcpy(&x, got + i * (int)dtype_bytes(t), dtype_bytes(t));
        memcpy(&y, want + i * (int)dtype_bytes(t), dtype_bytes(t));
        if (x != y)
            ck_abort_msg("%s, op %d, %s, element %d: %#lx, not %#lx", what, op, dtype_name(t), i,
                         (unsigned long)x, (unsigned long)y);
    }
}

/* Tile with tile, in place, with a scalar, one op and dtype. */
static void try_op(TileOp op, Dtype t, bool binary)
{
    char a[N * 8], b[N * 8], got[N * 8], want[N * 8], scalar[8];
    random_elements(t, a, N);
    random_elements(t, b, N);
    random_elements(t, scalar, 1);
    if (divides(op)) {
        no_zeros(t, a);
        no_zeros(t, b);
        if (!dtype_is_float(t) && load_int(t, scalar, 0) == 0)
            dtype_store_int(t, scalar, 1);
    }
    KernelArgs k = {got, a, b, 1, N, 0, 0, 0};
    reference(op, t, want, a, b, 1);
    ck_assert(binary ? kernel_bin(op, t, &k) : kernel_un(op, t, &k));
    compare("tile", op, t, got, want);
    memcpy(got, a, sizeof a);
    k.a = got;
    ck_assert(binary ? kernel_bin(op, t, &k) : kernel_un(op, t, &k));
    compare("in place", op, t, got, want);
    if (!binary)
        return;
    KernelScalar s = {.f = dtype_load_double(t, scalar), .i = dtype_load_int(t, scalar)};
    reference(op, t, want, a, scalar, 0);
    k.a = a;
    ck_assert(kernel_bink(op, t, &k, s));
    compare("scalar", op, t, got, want);
}

static void try_all(void)
{
    state = 1;
    for (int round = 0; round < 40; round++) {
        for (TileOp op = 0; op < TOP_COUNT; op++)
            for (Dtype t = 0; t < DT_COUNT; t++)
                if (tileop_takes(op, t))
                    try_op(op, t, tileop_arity(op) == 2);
    }
}

START_TEST(every_op_of_every_dtype)
{
    ck_assert(kernel_use_portable(true));
    try_all();
}
END_TEST

/* On a machine without AVX2 the same loops again. */
START_TEST(every_op_with_vector_instructions)
{
    kernel_use_portable(false);
    try_all();
}
END_TEST

START_TEST(division_by_zero_is_reported)
{
    int32_t a[] = {1, 2, 3, 4}, b[] = {1, 1, 0, 1}, to[4];
    KernelArgs k = {to, a, b, 2, 2, 8, 8, 8};
    ck_assert(!kernel_bin(TOP_DIV, DT_INT32, &k));
    ck_assert(kernel_bin(TOP_RDIV, DT_INT32, &k));
    ck_assert(!kernel_bink(TOP_DIV, DT_INT32, &k, (KernelScalar){0}));
    ck_assert(kernel_bink(TOP_RDIV, DT_INT32, &k, (KernelScalar){.i = 12}));
    ck_assert(to[0] == 12 && to[3] == 3);
    k.a = b;
    ck_assert(!kernel_bink(TOP_RDIV, DT_INT32, &k, (KernelScalar){.i = 1}));
    k.rows = 0;
    ck_assert(kernel_bink(TOP_DIV, DT_INT32, &k, (KernelScalar){0}));
    float x[] = {1}, y[] = {0}, z[1];
    ck_assert(kernel_bin(TOP_DIV, DT_FP32, &(KernelArgs){z, x, y, 1, 1, 0, 0, 0}) && isinf(z[0]));
}
END_TEST

/* Rows with padding: only the valid part is written. */
START_TEST(rows_keep_their_padding)
{
    int16_t a[3][8], b[3][8], to[3][16];
    memset(to, 0x55, sizeof to);
    for (int i = 0; i < 24; i++)
        (&a[0][0])[i] = (int16_t)i, (&b[0][0])[i] = 1000;
    KernelArgs k = {to, a, b, 3, 5, 32, 16, 16};
    ck_assert(kernel_bin(TOP_SUB, DT_INT16, &k));
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 16; c++)
            ck_assert_int_eq(to[r][c], c < 5 ? r * 8 + c - 1000 : 0x5555);
    }
    k.cols = 2;
    kernel_fill(DT_INT16, &k, (KernelScalar){.i = -7});
    ck_assert(to[2][1] == -7 && to[2][2] == 2 * 8 + 2 - 1000 && to[1][0] == -7);
    float f[12];
    kernel_fill(DT_FP32, &(KernelArgs){f, NULL, NULL, 3, 4, 16, 0, 0}, (KernelScalar){.f = 2.5});
    ck_assert(f[0] == 2.5f && f[11] == 2.5f);
}
END_TEST

/* What one rounding gives and two do not: 1 + 2^-11 + 2^-30 lies above a tie of FP16. */
START_TEST(halves_round_after_each_op)
{
    ck_assert_uint_eq(put_FP16(lane_float(0x3f801000)), 0x3c00);
    ck_assert_uint_eq(put_FP16(lane_float(0x3f801001)), 0x3c01);
    uint16_t a[] = {0x6800, 0x6800}, b[] = {0x3c00, 0x3c00}, to[2]; /* 2048 + 1 */
    KernelArgs k = {to, a, b, 1, 2, 0, 0, 0};
    kernel_bin(TOP_ADD, DT_FP16, &k);
    ck_assert_uint_eq(to[0], 0x6800);
    k.a = to;
    kernel_bin(TOP_ADD, DT_FP16, &k); /* with one rounding at the end: 2050 */
    ck_assert_uint_eq(to[0], 0x6800);
}
END_TEST

START_TEST(lanes_agree_with_the_base_conversions)
{
    int bad = 0;
    for (uint32_t v = 0; v < 65536; v++) {
        float h = put_FP32(get_FP16((uint16_t)v)), b = put_FP32(get_BF16((uint16_t)v));
        bad += lane_bits(h) != lane_bits(half_to_float((uint16_t)v));
        bad += lane_bits(b) != lane_bits(bf16_to_float((uint16_t)v));
    }
    for (uint64_t i = 0; i < 1 << 22; i++) {
        float f = lane_float((uint32_t)(i * 1021 + 7 * (i & 1)));
        bad += put_FP16(f) != half_from_float(f);
        bad += put_BF16(f) != bf16_from_float(f);
    }
    ck_assert_int_eq(bad, 0);
}
END_TEST

static double rounded(double v, int mode)
{
    switch (mode) {
    case CAST_RINT: return rint(v);
    case CAST_ROUND: return round(v);
    case CAST_FLOOR: return floor(v);
    case CAST_CEIL: return ceil(v);
    default: return trunc(v);
    }
}

static void reference_cast(Dtype from, Dtype to, int mode, char *out, const char *in)
{
    for (int i = 0; i < N; i++) {
        char *o = out + i * (int)dtype_bytes(to);
        if (!dtype_is_float(from))
            dtype_store_int(to, o, (int64_t)load_int(from, in, i));
        else if (dtype_is_float(to) || to == DT_BOOL)
            dtype_store_double(to, o, load(from, in, i));
        else
            dtype_store_double(to, o, rounded(load(from, in, i), mode));
    }
}

static void try_casts(void)
{
    char in[N * 8], got[N * 8], want[N * 8];
    for (int i = 0; i < DT_COUNT * DT_COUNT * 5 * 8; i++) {
        Dtype from = (Dtype)(i % DT_COUNT), to = (Dtype)(i / DT_COUNT % DT_COUNT);
        int mode = i / DT_COUNT / DT_COUNT % 5;
        random_elements(from, in, N);
        KernelArgs k = {got, in, NULL, 1, N, 0, 0, 0};
        kernel_cast(from, to, mode, &k);
        reference_cast(from, to, mode, want, in);
        compare("cast", (TileOp)from, to, got, want);
    }
}

START_TEST(casts_of_all_pairs)
{
    state = 2;
    kernel_use_portable(true);
    try_casts();
    kernel_use_portable(false);
    try_casts();
}
END_TEST

static void cast_one(float v, int mode, int32_t want)
{
    int32_t got;
    kernel_cast(DT_FP32, DT_INT32, mode, &(KernelArgs){&got, &v, NULL, 1, 1, 0, 0, 0});
    ck_assert_int_eq(got, want);
}

START_TEST(cast_modes)
{
    cast_one(2.5f, CAST_RINT, 2);
    cast_one(3.5f, CAST_RINT, 4);
    cast_one(2.5f, CAST_ROUND, 3);
    cast_one(-2.5f, CAST_ROUND, -3);
    cast_one(0.49999997f, CAST_ROUND, 0);
    cast_one(-2.5f, CAST_FLOOR, -3);
    cast_one(-2.5f, CAST_CEIL, -2);
    cast_one(-2.9f, CAST_TRUNC, -2);
    cast_one(NAN, CAST_RINT, 0);
    cast_one(INFINITY, CAST_RINT, INT32_MAX);
    cast_one(-3e9f, CAST_TRUNC, INT32_MIN);
}
END_TEST

START_TEST(integers_to_halves_round_once)
{
    int64_t v = (INT64_C(0x101) << 52) + 1; /* just above a tie of BF16 that FP32 cannot see */
    uint16_t got;
    kernel_cast(DT_INT64, DT_BF16, CAST_RINT, &(KernelArgs){&got, &v, NULL, 1, 1, 0, 0, 0});
    ck_assert_uint_eq(got, bf16_from_double(0x1.02p60));
}
END_TEST

START_TEST(scalars_are_converted_to_the_dtype)
{
    double third = 1.0 / 3;
    int64_t bits;
    memcpy(&bits, &third, sizeof bits);
    ck_assert_double_eq(kernel_scalar(DT_FP32, bits, DT_FP32).f, (double)(1.0f / 3));
    ck_assert_double_eq(kernel_scalar(DT_FP32, bits, DT_FP16).f, 0.333251953125);
    ck_assert_int_eq(kernel_scalar(DT_FP32, bits, DT_INT8).i, 0);
    ck_assert_int_eq(kernel_scalar(DT_INT32, 300, DT_INT8).i, 127);
    ck_assert_double_eq(kernel_scalar(DT_INT32, 2049, DT_FP16).f, 2048);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels");
    TCase *tc = tcase_create("kernels");
    tcase_add_test(tc, every_op_of_every_dtype);
    tcase_add_test(tc, every_op_with_vector_instructions);
    tcase_add_test(tc, division_by_zero_is_reported);
    tcase_add_test(tc, rows_keep_their_padding);
    tcase_add_test(tc, halves_round_after_each_op);
    tcase_add_test(tc, lanes_agree_with_the_base_conversions);
    tcase_add_test(tc, casts_of_all_pairs);
    tcase_add_test(tc, cast_modes);
    tcase_add_test(tc, integers_to_halves_round_once);
    tcase_add_test(tc, scalars_are_converted_to_the_dtype);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
