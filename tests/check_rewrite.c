/* Blocks rewritten in place: dropping, replacing by more, stopping. */
#include "tests/irtest.h"
#include "tests/support.h"

static IrTest t;

static void setup(void)
{
    irtest_setup(&t);
}

static void teardown(void)
{
    irtest_teardown(&t);
}

/* A block of `n` statements, number i with line i. */
static Block numbered(uint32_t n)
{
    Block b = {0};
    for (uint32_t i = 0; i < n; i++)
        avec_push(&t.arena, &b, stmt_new(t.p, ST_EXPR, (Loc){.site = i}));
    return b;
}

/* How often each statement is written, and after which one nothing more is read. */
typedef struct {
    const uint32_t *times;
    uint32_t stop, n_read;
} Plan;

static bool repeat(void *env, Rewrite *r, Stmt *s)
{
    Plan *plan = env;
    uint32_t i = s->loc.site;
    ck_assert_uint_eq(i, plan->n_read++);
    for (uint32_t k = 0; k < r->n_rest; k++)
        ck_assert_uint_eq(r->rest[k]->loc.site, i + 1 + k);
    for (uint32_t k = 0; k < plan->times[i]; k++)
        avec_push(&t.arena, r->out, s);
    return i != plan->stop;
}

static void ck_lines(const Block *b, uint32_t n, const uint32_t *lines)
{
    ck_assert_uint_eq(b->len, n);
    for (uint32_t i = 0; i < n; i++)
        ck_assert_uint_eq(b->at[i]->loc.site, lines[i]);
}

START_TEST(statements_are_dropped_and_repeated)
{
    const uint32_t times[] = {0, 3, 0, 0, 1, 4, 1}, want[] = {1, 1, 1, 4, 5, 5, 5, 5, 6};
    Block b = numbered(7);
    block_rewrite(&b, repeat, &(Plan){.times = times, .stop = 7});
    ck_lines(&b, 9, want);
}
END_TEST

START_TEST(what_does_not_grow_stays_where_it_is)
{
    const uint32_t times[] = {0, 2, 1, 0, 1}, want[] = {1, 1, 2, 4};
    Block b = numbered(5);
    Stmt **at = b.at;
    uint32_t cap = b.cap;
    block_rewrite(&b, repeat, &(Plan){.times = times, .stop = 5});
    ck_lines(&b, 4, want);
    ck_assert_ptr_eq(b.at, at);
    ck_assert_uint_eq(b.cap, cap);
}
END_TEST

START_TEST(the_rest_is_dropped_on_demand)
{
    const uint32_t times[] = {1, 1, 1, 1}, want[] = {0, 1};
    Block b = numbered(4);
    Plan plan = {.times = times, .stop = 1};
    block_rewrite(&b, repeat, &plan);
    ck_lines(&b, 2, want);
    ck_assert_uint_eq(plan.n_read, 2);
}
END_TEST

START_TEST(an_empty_block_stays_empty)
{
    Block b = {0};
    block_rewrite(&b, repeat, &(Plan){0});
    ck_lines(&b, 0, NULL);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("rewrite");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, statements_are_dropped_and_repeated);
    tcase_add_test(c, what_does_not_grow_stays_where_it_is);
    tcase_add_test(c, the_rest_is_dropped_on_demand);
    tcase_add_test(c, an_empty_block_stays_empty);
    Suite *suite = suite_create("rewrite");
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
