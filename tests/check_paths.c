/* Meanings of names on paths: changes, going back, meeting. */
#include "ir/paths.h"
#include "tests/support.h"

static Paths p;

static void setup(void)
{
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_uint_eq(paths_add(&p, 10 * i), i);
}

static void teardown(void)
{
    paths_free(&p);
}

START_TEST(changes_are_the_newest_in_order_of_the_first)
{
    Meanings c = {0};
    paths_set(&p, 3, 1);
    uint32_t mark = paths_mark(&p);
    paths_set(&p, 2, 5);
    paths_set(&p, 0, 6);
    paths_set(&p, 2, 7);
    paths_changes(&p, mark, &c);
    ck_assert_uint_eq(c.len, 2);
    ck_assert(c.at[0].name == 2 && c.at[0].value == 7);
    ck_assert(c.at[1].name == 0 && c.at[1].value == 6);
    vec_free(&c);
}
END_TEST

START_TEST(going_back_restores_what_was_meant)
{
    paths_set(&p, 1, 3);
    uint32_t mark = paths_mark(&p);
    paths_set(&p, 1, 4);
    paths_set(&p, 1, 5);
    paths_set(&p, 2, 6);
    paths_back(&p, mark);
    ck_assert_uint_eq(paths_now(&p, 1), 3);
    ck_assert_uint_eq(paths_now(&p, 2), 20);
    ck_assert_uint_eq(paths_mark(&p), mark);
}
END_TEST

typedef struct {
    uint32_t name, a, b;
} Met;
typedef VEC(Met) MetList;

static void meet(void *env, uint32_t name, uint32_t a, uint32_t b)
{
    MetList *list = env;
    vec_push(list, (Met){name, a, b});
    paths_set(&p, name, a + b);
}

START_TEST(each_name_changed_on_either_path_meets_once)
{
    Meanings a = {0}, b = {0};
    MetList met = {0};
    vec_push(&a, (Meaning){2, 5});
    vec_push(&a, (Meaning){0, 6});
    vec_push(&b, (Meaning){3, 7});
    vec_push(&b, (Meaning){2, 8});
    paths_join(&p, &a, &b, meet, &met);
    ck_assert_uint_eq(met.len, 3);
    ck_assert(met.at[0].name == 2 && met.at[0].a == 5 && met.at[0].b == 8);
    ck_assert(met.at[1].name == 0 && met.at[1].a == 6 && met.at[1].b == 0);
    ck_assert(met.at[2].name == 3 && met.at[2].a == 30 && met.at[2].b == 7);
    ck_assert_uint_eq(paths_now(&p, 2), 13);
    ck_assert_uint_eq(paths_now(&p, 3), 37);
    vec_free(&a);
    vec_free(&b);
    vec_free(&met);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("paths");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, changes_are_the_newest_in_order_of_the_first);
    tcase_add_test(c, going_back_restores_what_was_meant);
    tcase_add_test(c, each_name_changed_on_either_path_meets_once);
    Suite *suite = suite_create("paths");
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
