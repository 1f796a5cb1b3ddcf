/* Tile kernels against one-element references in double precision and wide integers, with and
 * without vector instructions. */
#include "tests/kernelpath.h"
#include "tests/kerneltest.h"
#include "tests/values.h"

static double maximum(double a, double b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    if (a == 0 && b == 0)
        return signbit(a) ? b : a;
    return a > b ? a : b;
}

/* With the sign of the divisor; a zero is +0. */
static double floored(double a, double b)
{
    double r = fmod(a, b);
    return r == 0 ? 0 : (r < 0) != (b < 0) ? r + b : r;
}

/* Functions that are not correctly rounded. */
static bool is_transcendental(TileOp op)
{
    return op == TOP_EXP || op == TOP_LOG || op == TOP_RSQRT || op == TOP_SIN || op == TOP_COS ||
           op == TOP_EXPDIF;
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
    case TOP_SQRT: return sqrt(a);
    case TOP_RECIP: return 1 / a;
    case TOP_RELU: return isnan(a) ? a : a > 0 ? a : 0;
    case TOP_FMOD: return fmod(a, b);
    case TOP_REM: return floored(a, b);
    case TOP_LRELU: return a > 0 ? a : a * b;
    case TOP_LEFT: return a;
    case TOP_RIGHT: return b;
    case TOP_EXP: /* tests/check_kernel_math.c has what libm does not round the same way */
    case TOP_LOG:
    case TOP_RSQRT:
    case TOP_SIN:
    case TOP_COS:
    case TOP_EXPDIF: break;
    case TOP_AND:
    case TOP_OR:
    case TOP_XOR:
    case TOP_NOT:
    case TOP_SHL:
    case TOP_SHR:
    case TOP_COUNT: ck_abort_msg("no floating-point reference for %s", tileop_name(op));
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
    case TOP_RELU: return a < 0 ? 0 : a;
    case TOP_FMOD: return a % b;
    case TOP_REM: return (a % b + b) % b;
    case TOP_AND: return a & b;
    case TOP_OR: return a | b;
    case TOP_XOR: return a ^ b;
    case TOP_NOT: return ~a;
    case TOP_SHL: return a * ((Wide)1 << b);
    case TOP_SHR: return a >> b;
    case TOP_LEFT: return a;
    case TOP_RIGHT: return b;
    default: ck_abort_msg("no integer reference for %s", tileop_name(op));
    }
}

static void reference(TileOp op, Dtype t, char *to, const char *a, const char *b, int b_step)
{
    for (int i = 0; i < KT_N; i++) {
        char *out = to + i * (int)dtype_bytes(t);
        if (dtype_is_float(t)) {
            dtype_store_double(t, out, float_op(op, kt_load(t, a, i), kt_load(t, b, i * b_step)));
        } else {
            Wide v = int_op(op, kt_load_int(t, a, i), kt_load_int(t, b, i * b_step));
            int64_t low = t == DT_BOOL ? v != 0 : (int64_t)(uint64_t)v;
            dtype_store_int(t, out, dtype_wrap(t, low));
        }
    }
}

/* Counts of places. */
static void small_counts(Dtype t, char *at, int n)
{
    for (int i = 0; i < n; i++)
        dtype_store_int(t, at + i * (int)dtype_bytes(t),
                        (int64_t)(kt_next() % (8 * dtype_bytes(t))));
}

static bool divides(TileOp op)
{
    return tileop_divisor(op) >= 0;
}

static void no_zeros(Dtype t, char *at)
{
    if (dtype_is_float(t))
        return;
    for (int i = 0; i < KT_N; i++) {
        if (kt_load_int(t, at, i) == 0)
            dtype_store_int(t, at + i * (int)dtype_bytes(t), 1);
    }
}

/* Tile with tile, in place, with a scalar, one op and dtype. */
static void try_op(TileOp op, Dtype t, bool binary)
{
    char a[KT_N * 8], b[KT_N * 8], got[KT_N * 8], want[KT_N * 8], scalar[8];
    kt_random(t, a, KT_N);
    kt_random(t, b, KT_N);
    kt_random(t, scalar, 1);
    if (divides(op)) {
        no_zeros(t, a);
        no_zeros(t, b);
        if (!dtype_is_float(t) && kt_load_int(t, scalar, 0) == 0)
            dtype_store_int(t, scalar, 1);
    }
    if (tileop_shifts(op)) {
        small_counts(t, b, KT_N);
        small_counts(t, scalar, 1);
    }
    KernelArgs k = {got, a, b, 1, KT_N, 0, 0, 0};
    reference(op, t, want, a, b, 1);
    ck_assert(binary ? kernel_bin(op, t, &k) : kernel_un(op, t, &k));
    kt_compare("tile", op, t, got, want);
    memcpy(got, a, sizeof a);
    k.a = got;
    ck_assert(binary ? kernel_bin(op, t, &k) : kernel_un(op, t, &k));
    kt_compare("in place", op, t, got, want);
    if (!binary)
        return;
    KernelScalar s = {.f = dtype_load_double(t, scalar), .i = dtype_load_int(t, scalar)};
    reference(op, t, want, a, scalar, 0);
    k.a = a;
    ck_assert(kernel_bink(op, t, &k, s));
    kt_compare("scalar", op, t, got, want);
}

static void try_all(void)
{
    kt_seed(1);
    for (int round = 0; round < 40; round++) {
        for (TileOp op = 0; op < TOP_COUNT; op++)
            for (Dtype t = 0; t < DT_COUNT; t++)
                if (tileop_takes(op, t) && !is_transcendental(op))
                    try_op(op, t, tileop_arity(op) == 2);
    }
}

START_TEST(every_op_of_every_dtype)
{
    if (kernels_use((KernelPath)_i)) /* else this machine has it not */
        try_all();
    kernels_use(KERNELS_COUNT);
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
        bad += put_FP16(f) != half_from_double((double)f);
        bad += put_BF16(f) != bf16_from_double((double)f);
    }
    ck_assert_int_eq(bad, 0);
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
    tcase_add_loop_test(tc, every_op_of_every_dtype, 0, KERNELS_COUNT + 1);
    tcase_add_test(tc, division_by_zero_is_reported);
    tcase_add_test(tc, rows_keep_their_padding);
    tcase_add_test(tc, halves_round_after_each_op);
    tcase_add_test(tc, lanes_agree_with_the_base_conversions);
    tcase_add_test(tc, scalars_are_converted_to_the_dtype);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
