/* exp, log, rsqrt, sin, cos and expdif: distances from long double precision in units in the last
 * place, the same bits from every table. With an argument `all` over every FP32 number. */
#include "sim/machine/kernel_lanes.h"
#include "sim/machine/kernels.h"
#include "tests/support.h"
#include <math.h>
#include <string.h>

enum { N = 4096 };

static long double reference(TileOp op, long double a)
{
    switch (op) {
    case TOP_EXP: return expl(a);
    case TOP_LOG: return logl(a);
    case TOP_RSQRT: return 1 / sqrtl(a);
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
    if (op == TOP_EXP || op == TOP_LOG)
        return 1;
    if (op == TOP_RSQRT || fabsf(x) <= 1024)
        return 2;
    long double absolute = 0x1p-24L / unit(want);
    return absolute > 4 ? absolute : 4;
}

static const TileOp ops[] = {TOP_EXP, TOP_LOG, TOP_RSQRT, TOP_SIN, TOP_COS};

/* One block of numbers in both tables. */
static void try_block(TileOp op, const uint32_t *bits)
{
    static float in[N], got[N], portable[N];
    memcpy(in, bits, sizeof in);
    KernelArgs k = {got, in, NULL, 1, N, 0, 0, 0};
    kernel_use_portable(false);
    ck_assert(kernel_un(op, DT_FP32, &k));
    k.to = portable;
    kernel_use_portable(true);
    ck_assert(kernel_un(op, DT_FP32, &k));
    ck_assert(memcmp(got, portable, sizeof got) == 0);
    for (int i = 0; i < N; i++) {
        long double want = reference(op, in[i]);
        long double far = distance(got[i], want);
        if (!(far <= bound(op, in[i], want)))
            ck_abort_msg("%s(%a): %a is %Lg units from %La", tileop_name(op), (double)in[i],
                         (double)got[i], far, want);
    }
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

static uint32_t every = 8191;

START_TEST(within_the_bounds)
{
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        try_range(ops[i], every);
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
        for (int portable = 0; portable < 2; portable++) {
            float got;
            kernel_use_portable(portable);
            kernel_un(cases[i].op, DT_FP32, &(KernelArgs){&got, &cases[i].x, NULL, 1, 1, 0, 0, 0});
            uint32_t want = isnan(cases[i].want) ? 0x7fc00000 : lane_bits(cases[i].want);
            if (lane_bits(got) != want)
                ck_abort_msg("%s(%a) is %a", tileop_name(cases[i].op), (double)cases[i].x,
                             (double)got);
        }
    }
}
END_TEST

/* In FP16 and BF16 the result is the rounded FP32 one, for every number of theirs. */
static void try_all_halves(TileOp op, Dtype t)
{
    static uint16_t in[65536], got[65536], portable[65536];
    static float wide[65536];
    for (uint32_t i = 0; i < 65536; i++) {
        in[i] = (uint16_t)i;
        wide[i] = t == DT_FP16 ? half_to_float((uint16_t)i) : bf16_to_float((uint16_t)i);
    }
    KernelArgs k = {got, in, NULL, 1, 65536, 0, 0, 0};
    kernel_use_portable(false);
    kernel_un(op, t, &k);
    k.to = portable;
    kernel_use_portable(true);
    kernel_un(op, t, &k);
    ck_assert(memcmp(got, portable, sizeof got) == 0);
    kernel_un(op, DT_FP32, &(KernelArgs){wide, wide, NULL, 1, 65536, 0, 0, 0});
    for (uint32_t i = 0; i < 65536; i++) {
        uint16_t want = t == DT_FP16 ? half_from_float(wide[i]) : bf16_from_float(wide[i]);
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
    if (argc > 1 && strcmp(argv[1], "all") == 0)
        every = 1;
    tcase_add_test(t, within_the_bounds);
    tcase_add_test(t, what_the_functions_give_at_their_edges);
    tcase_add_test(t, halves_are_the_rounded_result);
    tcase_add_test(t, expdif_rounds_the_difference);
    suite_add_tcase(s, t);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
