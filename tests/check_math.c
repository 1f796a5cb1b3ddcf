/* Mathematical functions against the long double ones of the C library, and random numbers. */
#include "base/math.h"
#include "sim/machine/random.h"
#include "tests/support.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* A fixed sequence of well mixed numbers for the tests. */
static uint64_t next(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15;
    uint64_t z = (*state ^ *state >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static double between(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(next(state) >> 11) * 0x1p-53);
}

static double any_finite(uint64_t *state)
{
    double v;
    do {
        uint64_t bits = next(state);
        memcpy(&v, &bits, sizeof v);
    } while (!isfinite(v));
    return v;
}

/* The error in units of the last place of the right result. */
static double ulps(double got, long double want)
{
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want) ? 0 : INFINITY;
    if ((double)want == got)
        return 0;
    int e;
    frexpl(want, &e);
    long double unit = ldexpl(1, e - 53 < -1074 ? -1074 : e - 53);
    return (double)(fabsl((long double)got - want) / unit);
}

/* No ck_assert per sample: each reports its place through a pipe. */
static void assert_close(const char *what, double got, long double want, double x)
{
    if (!(ulps(got, want) < 1))
        ck_abort_msg("%s at %a: %a, not %La: %g ulp", what, x, got, want, ulps(got, want));
}

#define ASSERT_CLOSE(got, want, x) assert_close(#got, got, want, x)

START_TEST(exp_and_log_are_within_one_ulp)
{
    uint64_t state = 1;
    for (int i = 0; i < 300000; i++) {
        double x = between(&state, -745, 709.7), y = between(&state, -1, 1);
        ASSERT_CLOSE(math_exp(x), expl(x), x);
        ASSERT_CLOSE(math_exp(y), expl(y), y);
        double p = fabs(any_finite(&state)), q = between(&state, 0.5, 2);
        ASSERT_CLOSE(math_log(p), logl(p), p);
        ASSERT_CLOSE(math_log(q), logl(q), q);
    }
}
END_TEST

START_TEST(sin_and_cos_are_within_one_ulp)
{
    uint64_t state = 2;
    for (int i = 0; i < 300000; i++) {
        double x[] = {between(&state, -10, 10), between(&state, -1e6, 1e6), any_finite(&state)};
        for (int k = 0; k < 3; k++) {
            ASSERT_CLOSE(math_sin(x[k]), sinl(x[k]), x[k]);
            ASSERT_CLOSE(math_cos(x[k]), cosl(x[k]), x[k]);
        }
    }
}
END_TEST

START_TEST(pow_is_within_one_ulp)
{
    uint64_t state = 3;
    for (int i = 0; i < 200000; i++) {
        double x = fabs(any_finite(&state)), y = between(&state, -3, 3);
        ASSERT_CLOSE(math_pow(x, y), powl(x, y), x);
        double near = between(&state, 0.9, 1.1), big = between(&state, -7000, 7000);
        ASSERT_CLOSE(math_pow(near, big), powl(near, big), near);
        double n = floor(between(&state, -20, 20)), base = between(&state, -50, 50);
        ASSERT_CLOSE(math_pow(base, n), powl(base, n), base);
    }
}
END_TEST

/* Doubles next to multiples of pi/2, where a short reduction has no good bit left. */
START_TEST(reduction_is_exact_near_multiples_of_half_pi)
{
    const double x[] = {0x1.921fb54442d18p+0,
                        0x1.921fb54442d18p+1,
                        0x1.6ac5b262ca1ffp+849,
                        0x1.921fb54442d18p+20,
                        355,
                        1e22,
                        DBL_MAX,
                        0x1p-1074,
                        -0x1.921fb54442d18p+1};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        ASSERT_CLOSE(math_sin(x[i]), sinl(x[i]), x[i]);
        ASSERT_CLOSE(math_cos(x[i]), cosl(x[i]), x[i]);
    }
}
END_TEST

START_TEST(ends_of_the_ranges)
{
    ck_assert_double_eq(math_exp(0), 1);
    ck_assert_double_eq(math_exp(-INFINITY), 0);
    ck_assert(isinf(math_exp(710)) && math_exp(-746) == 0 && isnan(math_exp(NAN)));
    ck_assert(math_log(0) == -INFINITY && isnan(math_log(-1)) && math_log(INFINITY) == INFINITY);
    ck_assert_double_eq(math_log(1), 0);
    ck_assert(isnan(math_sin(INFINITY)) && isnan(math_cos(-INFINITY)) && isnan(math_sin(NAN)));
    ck_assert(signbit(math_sin(-0.0)) && math_sin(-0.0) == 0);
    ck_assert_double_eq(math_cos(0), 1);
}
END_TEST

START_TEST(pow_agrees_with_c_at_special_values)
{
    const double v[] = {0.0,
                        -0.0,
                        1,
                        -1,
                        2,
                        -2,
                        3,
                        -3,
                        0.5,
                        -0.5,
                        1e300,
                        -1e300,
                        INFINITY,
                        -INFINITY,
                        NAN,
                        0x1p-1074,
                        1e20,
                        -1e20,
                        9007199254740993.0};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        for (size_t j = 0; j < sizeof v / sizeof *v; j++) {
            double got = math_pow(v[i], v[j]);
            long double want = powl(v[i], v[j]);
            ck_assert_msg(ulps(got, want) < 1 && (isnan(want) || !signbit(got) == !signbit(want)),
                          "pow(%g, %g): %g, not %Lg", v[i], v[j], got, want);
        }
    }
}
END_TEST

/* Whatever machine and compiler: a sum over the bits of many results. */
START_TEST(bits_are_the_same_everywhere)
{
    uint64_t state = 4, hash = 0;
    for (int i = 0; i < 20000; i++) {
        double x = between(&state, -700, 700);
        double r[] = {math_exp(x),       math_log(fabs(x)),      math_sin(x),
                      math_cos(x * 1e9), math_pow(fabs(x), 1.7), random_normal(7, (uint64_t)i)};
        for (int k = 0; k < 6; k++) {
            uint64_t bits;
            memcpy(&bits, &r[k], sizeof bits);
            hash = (hash ^ bits) * 0x100000001b3;
        }
    }
    ck_assert_uint_eq(hash, UINT64_C(14068780810305484274));
}
END_TEST

/* Ten rounds as the paper gives them. */
static void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    memcpy(out, counter, 4 * sizeof *out);
    for (uint32_t i = 0; i < 10; i++) {
        uint64_t a = UINT64_C(0xD2511F53) * out[0], b = UINT64_C(0xCD9E8D57) * out[2];
        uint32_t left = (uint32_t)(b >> 32) ^ out[1] ^ (key[0] + i * 0x9E3779B9);
        uint32_t right = (uint32_t)(a >> 32) ^ out[3] ^ (key[1] + i * 0xBB67AE85);
        out[0] = left;
        out[1] = (uint32_t)b;
        out[2] = right;
        out[3] = (uint32_t)a;
    }
}

/* Known answers of the paper's own distribution. */
START_TEST(philox_known_answers)
{
    static const uint32_t cases[][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int i = 0; i < 3; i++) {
        uint32_t out[4];
        philox(cases[i], cases[i] + 4, out);
        for (int k = 0; k < 4; k++)
            ck_assert_uint_eq(out[k], cases[i][6 + k]);
    }
}
END_TEST

START_TEST(uniform_numbers_are_its_words)
{
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t seed = i * UINT64_C(0x9e3779b97f4a7c15), index = seed ^ i << 32;
        const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), 0, 0};
        const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
        uint32_t out[4];
        philox(counter, key, out);
        double want = (double)(((uint64_t)out[0] << 32 | out[1]) >> 11) * 0x1p-53;
        ck_assert_double_eq(random_uniform(seed, index), want);
    }
}
END_TEST

START_TEST(random_numbers_have_their_moments)
{
    enum { N = 200000 };
    double mean = 0, square = 0, cube = 0, fourth = 0, uniform = 0, beyond = 0;
    int in_range = 0;
    for (uint64_t i = 0; i < N; i++) {
        double x = random_normal(42, i), u = random_uniform(42, i);
        in_range += u >= 0 && u < 1 && isfinite(x);
        mean += x / N;
        square += x * x / N;
        cube += x * x * x / N;
        fourth += x * x * x * x / N;
        uniform += u / N;
        beyond += fabs(x) > 1.959963985;
    }
    ck_assert_int_eq(in_range, N);
    ck_assert_double_lt(fabs(mean), 0.01);
    ck_assert_double_lt(fabs(square - 1), 0.015);
    ck_assert_double_lt(fabs(cube), 0.04);
    ck_assert_double_lt(fabs(fourth - 3), 0.1);
    ck_assert_double_lt(fabs(uniform - 0.5), 0.003);
    ck_assert_double_lt(fabs(beyond / N - 0.05), 0.002);
    ck_assert_double_ne(random_normal(1, 5), random_normal(2, 5));
    ck_assert_double_eq(random_normal(1, 5), random_normal(1, 5));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("math");
    TCase *tc = tcase_create("math");
    tcase_add_test(tc, exp_and_log_are_within_one_ulp);
    tcase_add_test(tc, sin_and_cos_are_within_one_ulp);
    tcase_add_test(tc, pow_is_within_one_ulp);
    tcase_add_test(tc, reduction_is_exact_near_multiples_of_half_pi);
    tcase_add_test(tc, ends_of_the_ranges);
    tcase_add_test(tc, pow_agrees_with_c_at_special_values);
    tcase_add_test(tc, bits_are_the_same_everywhere);
    tcase_add_test(tc, philox_known_answers);
    tcase_add_test(tc, uniform_numbers_are_its_words);
    tcase_add_test(tc, random_numbers_have_their_moments);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
