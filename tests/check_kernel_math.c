/* exp, log, sqrt, rsqrt, recip, sin, cos and expdif: distances from long double precision in units
 * in the last place, the same bits from every instruction set.
 *     build/tests/check_kernel_math all [exp | log | ... [STEP]]
 * goes through every FP32 number, or every STEPth one, of one function or of all, and prints the
 * largest distance. There
 * the C library's functions of doubles decide where they can: they are wrong in their last place at
 * most, 2^-28 of a unit here, so that only what is closer to the bound is left to long double. */
#include "sim/machine/kernel_lanes.h"
#include "sim/machine/kernel_math.h"
#include "sim/machine/kernels.h"
#include "tests/kernelpath.h"
#include "tests/support.h"
#include "tests/values.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4096 };

static long double reference(TileOp op, long double a)
{
    switch (op) {
    case TOP_EXP: return expl(a);
    case TOP_LOG: return logl(a);
    case TOP_RSQRT: return 1 / sqrtl(a);
    case TOP_SQRT: return sqrtl(a);
    case TOP_RECIP: return 1 / a;
    case TOP_SIN: return sinl(a);
    case TOP_COS: return cosl(a);
    default: ck_abort_msg("no function %s", tileop_name(op));
    }
}

/* Units in the last place of FP32 at `v`. */
static long double unit(long double v)
{
    int e;
    (void)frexpl(v, &e);
    return ldexpl(1, e - 24 < -149 ? -149 : e - 24);
}

static long double distance(float got, long double want)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) && lane_bits(got) == 0x7fc00000 ? 0 : INFINITY;
    if (isinf(want) || isinf((float)want))
        return got == (float)want ? 0 : INFINITY;
    return fabsl((long double)got - want) / unit(want);
}

/* What is promised at `x`, in units in the last place. */
static long double bound(TileOp op, float x, long double want)
{
    if (op == TOP_SQRT || op == TOP_RECIP) /* correctly rounded */
        return 0.5L + 0x1p-30L;
    if (op == TOP_EXP || op == TOP_LOG)
        return 1;
    if (op == TOP_RSQRT || fabsf(x) <= 1024)
        return 2;
    long double absolute = 0x1p-24L / unit(want);
    return absolute > 4 ? absolute : 4;
}

static const TileOp ops[] = {TOP_EXP, TOP_LOG, TOP_RSQRT, TOP_SIN, TOP_COS, TOP_RECIP, TOP_SQRT};

/* `n` elements of dtype `t` by every instruction set of this machine: the same bits. */
static void on_every_path(TileOp op, Dtype t, const void *in, void *got, void *scratch, int64_t n)
{
    KernelArgs k = {got, in, NULL, 1, n, 0, 0, 0};
    kernels_use(KERNELS_PORTABLE);
    ck_assert(kernel_un(op, t, &k));
    k.to = scratch;
    for (KernelPath path = KERNELS_AVX2; path <= KERNELS_COUNT; path++) {
        if (!kernels_use(path))
            continue; /* this machine has it not */
        ck_assert(kernel_un(op, t, &k));
        ck_assert_msg(memcmp(got, scratch, (size_t)n * dtype_bytes(t)) == 0, "%s, path %d",
                      tileop_name(op), (int)path);
    }
}

static void try_one(TileOp op, float x, float got)
{
    long double want = reference(op, x);
    long double far = distance(got, want);
    if (!(far <= bound(op, x, want)))
        ck_abort_msg("%s(%a): %a is %Lg units from %La", tileop_name(op), (double)x, (double)got,
                     far, want);
}

/* In double precision. */
static double about(TileOp op, double a)
{
    switch (op) {
    case TOP_EXP: return exp(a);
    case TOP_LOG: return log(a);
    case TOP_RSQRT: return 1 / sqrt(a);
    case TOP_SQRT: return sqrt(a);
    case TOP_RECIP: return 1 / a;
    case TOP_SIN: return sin(a);
    default: return cos(a);
    }
}

/* Whether doubles show that a result is in the bounds: far enough from them, and of normal size; or
 * no number, or so large or small that it is infinite or zero. */
static bool surely_right(TileOp op, float x, float got, double *farthest)
{
    double want = about(op, x), size = fabs(want);
    if (want != want)
        return lane_bits(got) == 0x7fc00000;
    if (size >= 0x1.1p128 || size <= 0x1p-151)
        return got == (float)want;
    if (!(size >= 0x1p-126 && size < 0x1p127))
        return false;
    uint64_t exponent = lane_bits64(size) & 0x7ff0000000000000;
    double far = fabs(got - want) / (lane_double(exponent) * 0x1p-23);
    double most = op == TOP_SQRT || op == TOP_RECIP ? 0.5 : 1;
    if (!(far <= most - 0x1p-20))
        return false;
    *farthest = far > *farthest ? far : *farthest;
    return true;
}

/* The largest distance of what doubles could decide; 0 when nobody asked. */
static double farthest;
static bool every_number;

static void try_block(TileOp op, const uint32_t *bits)
{
    static float in[N], got[N], scratch[N];
    memcpy(in, bits, sizeof in);
    on_every_path(op, DT_FP32, in, got, scratch, N);
    for (int i = 0; i < N; i++)
        if (!every_number || !surely_right(op, in[i], got[i], &farthest))
            try_one(op, in[i], got[i]);
}

/* Every `step`-th number, NaNs and infinities among them. */
static void try_range(TileOp op, uint32_t step)
{
    static uint32_t bits[N];
    for (uint64_t at = 0; at < UINT64_C(1) << 32;) {
        for (int i = 0; i < N; i++, at += step)
            bits[i] = (uint32_t)at;
        try_block(op, bits);
    }
}

static const char *only; /* a function's name, NULL: all */
static uint32_t stride = 8191;

START_TEST(within_the_bounds)
{
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (only && strcmp(only, tileop_name(ops[i])) != 0)
            continue;
        farthest = 0;
        try_range(ops[i], stride);
        if (every_number)
            printf("%s: at most %.6f units\n", tileop_name(ops[i]), farthest);
    }
}
END_TEST

START_TEST(what_the_functions_give_at_their_edges)
{
    const struct {
        TileOp op;
        float x, want;
    } cases[] = {
        {TOP_EXP, -INFINITY, 0},
        {TOP_EXP, INFINITY, INFINITY},
        {TOP_EXP, 1000, INFINITY},
        {TOP_EXP, -1000, 0},
        {TOP_EXP, 0, 1},
        {TOP_EXP, -0.0f, 1},
        {TOP_EXP, NAN, NAN},
        {TOP_EXP, -103.2f, 0x1p-149f},
        {TOP_LOG, 0, -INFINITY},
        {TOP_LOG, -0.0f, -INFINITY},
        {TOP_LOG, -1, NAN},
        {TOP_LOG, INFINITY, INFINITY},
        {TOP_LOG, -INFINITY, NAN},
        {TOP_LOG, 1, 0},
        {TOP_RSQRT, 0, INFINITY},
        {TOP_RSQRT, -0.0f, -INFINITY},
        {TOP_RSQRT, INFINITY, 0},
        {TOP_RSQRT, -1, NAN},
        {TOP_SQRT, -1, NAN},
        {TOP_SQRT, -0.0f, -0.0f},
        {TOP_RECIP, 0, INFINITY},
        {TOP_RECIP, -0.0f, -INFINITY},
        {TOP_RECIP, -INFINITY, -0.0f},
        {TOP_SIN, INFINITY, NAN},
        {TOP_COS, -INFINITY, NAN},
        {TOP_SIN, -0.0f, -0.0f},
        {TOP_COS, 0, 1},
        {TOP_RELU, -1, 0},
        {TOP_RELU, NAN, NAN},
        {TOP_RELU, -0.0f, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (KernelPath path = KERNELS_PORTABLE; path <= KERNELS_COUNT; path++) {
            float got;
            if (!kernels_use(path))
                continue;
            kernel_un(cases[i].op, DT_FP32, &(KernelArgs){&got, &cases[i].x, NULL, 1, 1, 0, 0, 0});
            uint32_t want = isnan(cases[i].want) ? 0x7fc00000 : lane_bits(cases[i].want);
            if (lane_bits(got) != want)
                ck_abort_msg("%s(%a) is %a", tileop_name(cases[i].op), (double)cases[i].x,
                             (double)got);
        }
    }
}
END_TEST

/* In FP16 and BF16 the result is the rounded FP32 one, which is within the bounds, for every number
 * of theirs. */
static void try_all_halves(TileOp op, Dtype t)
{
    static uint16_t in[65536], got[65536], scratch[65536];
    static float wide[65536];
    for (uint32_t i = 0; i < 65536; i++) {
        in[i] = (uint16_t)i;
        wide[i] = t == DT_FP16 ? half_to_float((uint16_t)i) : bf16_to_float((uint16_t)i);
    }
    on_every_path(op, t, in, got, scratch, 65536);
    static float exact[65536];
    kernel_un(op, DT_FP32, &(KernelArgs){exact, wide, NULL, 1, 65536, 0, 0, 0});
    for (uint32_t i = 0; i < 65536; i++) {
        try_one(op, wide[i], exact[i]);
        uint16_t want =
            t == DT_FP16 ? half_from_double((double)exact[i]) : bf16_from_double((double)exact[i]);
        if (got[i] != want)
            ck_abort_msg("%s of %s %#x: %#x, not %#x", tileop_name(op), dtype_name(t), i, got[i],
                         want);
    }
}

START_TEST(halves_are_the_rounded_result)
{
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        for (int t = DT_FP16; t <= DT_BF16; t++)
            if (tileop_takes(ops[i], (Dtype)t))
                try_all_halves(ops[i], (Dtype)t);
}
END_TEST

/* The difference is rounded to the dtype before the exponential. */
START_TEST(expdif_rounds_the_difference)
{
    uint16_t a[] = {0x6801}, b[] = {0x67ff}, got[1], dif[1], want[1];
    KernelArgs k = {got, a, b, 1, 1, 0, 0, 0};
    ck_assert(kernel_bin(TOP_EXPDIF, DT_FP16, &k));
    k.to = dif;
    kernel_bin(TOP_SUB, DT_FP16, &k);
    kernel_un(TOP_EXP, DT_FP16, &(KernelArgs){want, dif, NULL, 1, 1, 0, 0, 0});
    ck_assert_uint_eq(got[0], want[0]);
}
END_TEST

int main(int argc, char **argv)
{
    Suite *s = suite_create("kernel_math");
    TCase *t = tcase_create("kernel_math");
    tcase_set_timeout(t, 0);
    every_number = argc > 1 && strcmp(argv[1], "all") == 0;
    only = argc > 2 ? argv[2] : NULL;
    if (every_number)
        stride = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 1;
    if (every_number)
        setvbuf(stdout, NULL, _IOLBF, 0);
    tcase_add_test(t, within_the_bounds);
    tcase_add_test(t, what_the_functions_give_at_their_edges);
    tcase_add_test(t, halves_are_the_rounded_result);
    tcase_add_test(t, expdif_rounds_the_difference);
    suite_add_tcase(s, t);
    SRunner *runner = srunner_create(s);
    if (every_number)
        srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
