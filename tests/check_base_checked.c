/* Checked integer arithmetic against 128 bits. */
#include "base/checked.h"
#include "tests/support.h"

__extension__ typedef __int128 Wide;

static const int64_t hard[] = {0,
                               1,
                               -1,
                               2,
                               -2,
                               3,
                               -7,
                               (INT64_C(1) << 31) - 1,
                               INT64_C(1) << 31,
                               INT64_C(3037000499),
                               INT64_C(3037000500),
                               INT64_C(1) << 62,
                               -(INT64_C(1) << 62),
                               INT64_MAX - 1,
                               INT64_MAX,
                               INT64_MIN + 1,
                               INT64_MIN};
enum { N = sizeof hard / sizeof hard[0] };

static bool fits(Wide v)
{
    return v >= INT64_MIN && v <= INT64_MAX;
}

START_TEST(sums_and_products)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            Wide a = hard[i], b = hard[k];
            int64_t v;
            ck_assert(checked_add(hard[i], hard[k], &v) == fits(a + b));
            ck_assert(!fits(a + b) || v == a + b);
            ck_assert(checked_sub(hard[i], hard[k], &v) == fits(a - b));
            ck_assert(!fits(a - b) || v == a - b);
            ck_assert(checked_mul(hard[i], hard[k], &v) == fits(a * b));
            ck_assert(!fits(a * b) || v == a * b);
        }
}
END_TEST

/* Of every equation mul * x + add == value, the solution and nothing else; *x stays without one. */
START_TEST(linear_equations)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) {
                Wide rest = (Wide)hard[k] - hard[j];
                if (hard[i] == 0)
                    continue;
                bool want = fits(rest) && rest % hard[i] == 0 && rest / hard[i] >= 0 &&
                            fits(rest / hard[i]);
                int64_t x = -5;
                ck_assert(checked_solve(hard[i], hard[j], hard[k], &x) == want);
                ck_assert(x == (want ? (int64_t)(rest / hard[i]) : -5));
            }
}
END_TEST

START_TEST(sizes)
{
    int64_t v;
    ck_assert(checked_size(4, 3, (int64_t[]){2, 3, 5}, &v));
    ck_assert_int_eq(v, 120);
    ck_assert(checked_size(4, 0, NULL, &v));
    ck_assert_int_eq(v, 4);
    ck_assert(!checked_size(1, 2, (int64_t[]){2, -1}, &v));
    ck_assert(!checked_size(1, 2, (int64_t[]){0, -1}, &v));
    ck_assert(!checked_size(1, 2, (int64_t[]){INT64_C(1) << 32, INT64_C(1) << 31}, &v));
    ck_assert(checked_size(1, 2, (int64_t[]){INT64_C(1) << 31, INT64_C(1) << 31}, &v));
    ck_assert_int_eq(v, INT64_C(1) << 62);
    /* nothing is there, but its strides must fit */
    ck_assert(checked_size(1, 3, (int64_t[]){INT64_C(1) << 62, 0, 1}, &v));
    ck_assert_int_eq(v, 0);
    ck_assert(!checked_size(4, 3, (int64_t[]){0, INT64_C(1) << 62, 1}, &v));
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("checked");
    tcase_add_test(tc, sums_and_products);
    tcase_add_test(tc, linear_equations);
    tcase_add_test(tc, sizes);
    Suite *suite = suite_create("base_checked");
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
