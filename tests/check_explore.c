/* Exploration: counts that arithmetic gives, agreement with brute force, the relation it rests on.
 */
#include "sim/explore/explore.h"
#include "sim/explore/explore_step.h"
#include "tests/simtest.h"
#include "tests/support.h"

#include <string.h>

/* Every rank sets cell 0 of rank 0. */
static const BcInsn all_set[] = {
    {BC_LDI, 4, 0, 0, 0, 0, 1}, {BC_LDI, 2, 0, 0, 0, 0, 0},
    {BC_LDI, 3, 0, 0, 0, 0, 0}, {BC_NOTIFY, 3, 2, 2, 2, 4, NOTIFY_SET},
    {BC_RET, 0, 0, 0, 0, 0, 0},
};

/* Every rank adds 1 to cell 0 of rank 0. */
static const BcInsn all_add[] = {
    {BC_LDI, 4, 0, 0, 0, 0, 1}, {BC_LDI, 2, 0, 0, 0, 0, 0},
    {BC_LDI, 3, 0, 0, 0, 0, 0}, {BC_NOTIFY, 3, 2, 2, 2, 4, NOTIFY_ATOMIC_ADD},
    {BC_RET, 0, 0, 0, 0, 0, 0},
};

/* Every rank adds to row 0 of rank 0 three times. */
static const BcInsn add_data[] = {
    {BC_LDI, 2, 0, 0, 0, 0, 0},
    {BC_LDI, 3, 0, 0, 0, 0, 0},
    {BC_TFULL, 0, 0, 0, 0, 0, 3},
    {BC_RSTORE, 0, 2, 2, 2, 2, ATOMIC_ADD},
    {BC_RSTORE, 0, 2, 2, 2, 2, ATOMIC_ADD},
    {BC_RSTORE, 0, 2, 2, 2, 2, ATOMIC_ADD},
    {BC_RET, 0, 0, 0, 0, 0, 0},
};

/* Rank 0 waits for one of two credits, then takes the other. */
static const BcInsn any_of[] = {
    {BC_LDI, 4, 0, 0, 0, 0, 1}, {BC_LDI, 2, 0, 0, 0, 0, 0},
    {BC_LDI, 3, 0, 0, 0, 0, 0}, {BC_RANK, 5, 2, 0, 0, 0, 0},
    {BC_JNZ, 5, 0, 0, 0, 0, 7}, {BC_WAIT, 3, 2, 2, 4, 0, WAIT_GE},
    {BC_RET, 0, 0, 0, 0, 0, 0}, {BC_NOTIFY, 3, 2, 2, 2, 4, NOTIFY_ATOMIC_ADD},
    {BC_RET, 0, 0, 0, 0, 0, 0},
};

/* Every rank adds 1 to its own cell of rank 0. */
static const BcInsn own_cells[] = {
    {BC_LDI, 4, 0, 0, 0, 0, 1}, {BC_RANK, 2, 2, 0, 0, 0, 0},
    {BC_LDI, 3, 0, 0, 0, 0, 0}, {BC_NOTIFY, 3, 3, 2, 2, 4, NOTIFY_ATOMIC_ADD},
    {BC_RET, 0, 0, 0, 0, 0, 0},
};

/* Rank 0 waits for exactly 1 on its cell, the others add to it. */
static const BcInsn wait_eq[] = {
    {BC_LDI, 4, 0, 0, 0, 0, 1}, {BC_LDI, 2, 0, 0, 0, 0, 0},
    {BC_LDI, 3, 0, 0, 0, 0, 0}, {BC_RANK, 5, 2, 0, 0, 0, 0},
    {BC_JNZ, 5, 0, 0, 0, 0, 7}, {BC_WAIT, 3, 2, 2, 4, 0, WAIT_EQ},
    {BC_RET, 0, 0, 0, 0, 0, 0}, {BC_NOTIFY, 3, 2, 2, 2, 4, NOTIFY_ATOMIC_ADD},
    {BC_RET, 0, 0, 0, 0, 0, 0},
};

/* Rank 0 reads a cell for ever. */
static const BcInsn poll[] = {
    {BC_LDI, 2, 0, 0, 0, 0, 0},  {BC_LDI, 3, 0, 0, 0, 0, 0},        {BC_LDI, 4, 0, 0, 0, 0, 1},
    {BC_LDI, 9, 0, 0, 0, 0, 0},  {BC_LDI, 10, 0, 0, 0, 0, 1000000}, {BC_FORPREP, 9, 10, 4, 0, 0, 8},
    {BC_READ, 8, 3, 2, 2, 0, 0}, {BC_FORLOOP, 9, 10, 4, 0, 0, 6},   {BC_RET, 0, 0, 0, 0, 0, 0},
};

#define EXPLORE(kernel, n, options, r)                                                             \
    SimTest t;                                                                                     \
    ExploreResult r = {0};                                                                         \
    simtest_new(&t, n, (SimKernel){KERNEL(kernel)});                                               \
    t.config.checks = 0;                                                                           \
    (void)explore(&t.p, &t.config, options, &r)

static void done(SimTest *t, ExploreResult *r)
{
    explore_free(r);
    simtest_free(t);
}

START_TEST(factorial)
{
    static const uint64_t orders[] = {1, 1, 2, 6, 24, 120};
    ExploreOptions o = {0};
    EXPLORE(all_set, (uint32_t)_i, &o, r);
    ck_assert(r.complete);
    ck_assert_int_eq(r.status, EXIT_OK);
    ck_assert_uint_eq(r.executions, orders[_i]);
    done(&t, &r);
}
END_TEST

START_TEST(adds_commute)
{
    ExploreOptions o = {0};
    EXPLORE(all_add, 6, &o, r);
    ck_assert(r.complete);
    ck_assert_uint_eq(r.executions, 1);
    done(&t, &r);
}
END_TEST

/* Either credit may be the one that the wait takes. */
START_TEST(credits_take_each_others_place)
{
    ExploreOptions o = {0};
    EXPLORE(any_of, 3, &o, r);
    ck_assert(r.complete);
    ck_assert_uint_eq(r.executions, 2);
    done(&t, &r);
}
END_TEST

/* Sums of integers, not of floating-point numbers: those are rounded. */
START_TEST(atomic_adds)
{
    for (int weak = 0; weak < 2; weak++)
        for (int ints = 0; ints < 2; ints++) {
            SimTest t;
            ExploreResult r = {0};
            ExploreOptions o = {0};
            simtest_new(&t, 3, (SimKernel){KERNEL(add_data), .ints = ints});
            t.config.weak = weak;
            t.config.checks = CHECK_RACES;
            (void)explore(&t.p, &t.config, &o, &r);
            ck_assert(r.complete);
            ck_assert(ints ? r.executions == 1 : r.executions > 1);
            done(&t, &r);
        }
}
END_TEST

START_TEST(brute_counts)
{
    static const uint64_t all[] = {0, 1, 6, 90, 2520}, orders[] = {0, 1, 2, 6, 24};
    ExploreOptions few = {0}, o = {.brute = true};
    EXPLORE(all_set, (uint32_t)_i, &o, r);
    ck_assert_uint_eq(r.executions, all[_i]);
    ck_assert_uint_eq(r.orders, orders[_i]);
    ExploreResult q = {0};
    (void)explore(&t.p, &t.config, &few, &q);
    ck_assert_uint_eq(q.orders, r.orders);
    ck_assert_uint_eq(q.orders_hash, r.orders_hash);
    explore_free(&q);
    done(&t, &r);
}
END_TEST

START_TEST(independent)
{
    ExploreOptions o = {0};
    EXPLORE(own_cells, 8, &o, r);
    ck_assert(r.complete);
    ck_assert_uint_eq(r.executions, 1);
    done(&t, &r);
}
END_TEST

START_TEST(eq_wait_missed)
{
    ExploreOptions o = {0};
    EXPLORE(wait_eq, 3, &o, r);
    ck_assert(r.complete);
    ck_assert_int_eq(r.status, EXIT_DEADLOCK);
    ck_assert_uint_eq(r.executions, 4);
    ck_assert_uint_eq(r.n_failures, 1);
    ck_assert_uint_eq(r.failures[0].count, 2);
    ck_assert_str_eq(r.failures[0].check, "deadlock");
    RunConfig again = t.config;
    again.schedule = r.failures[0].token;
    ck_assert_int_eq(sim_run(&t.p, &again, &t.result), EXIT_DEADLOCK);
    ck_assert_ptr_nonnull(strstr(r.failures[0].text, simtest_text(&t)));
    done(&t, &r);
}
END_TEST

START_TEST(first_failure_stops)
{
    ExploreOptions o = {.first_failure = true};
    EXPLORE(wait_eq, 3, &o, r);
    ck_assert(!r.complete);
    ck_assert_uint_eq(r.n_failures, 1);
    ck_assert_uint_eq(r.failures[0].count, 1);
    done(&t, &r);
}
END_TEST

START_TEST(bound)
{
    ExploreOptions o = {.bound = 5};
    EXPLORE(all_set, 3, &o, r);
    ck_assert(!r.complete);
    ck_assert_uint_eq(r.executions, 5);
    ck_assert_int_eq(r.status, EXIT_INCOMPLETE);
    done(&t, &r);
}
END_TEST

START_TEST(exact_bound_is_complete)
{
    ExploreOptions o = {.bound = 6};
    EXPLORE(all_set, 3, &o, r);
    ck_assert(r.complete);
    done(&t, &r);
}
END_TEST

START_TEST(polling_is_cut)
{
    ExploreOptions o = {0};
    EXPLORE(poll, 2, &o, r);
    ck_assert(!r.complete);
    ck_assert_int_eq(r.status, EXIT_INCOMPLETE);
    ck_assert_uint_eq(r.most_steps, EXPLORE_DEPTH);
    done(&t, &r);
}
END_TEST

static Step signal_step(StepKind kind, int op, int64_t offset, int32_t value)
{
    Step s = {.kind = (uint8_t)kind, .op = (uint8_t)op, .value = value};
    s.rect.at.offset = offset;
    s.rect.run = 4;
    s.monotone = kind == STEP_NOTIFY && op == NOTIFY_ATOMIC_ADD && value >= 0;
    return s;
}

START_TEST(dependence_of_signals)
{
    Step add = signal_step(STEP_NOTIFY, NOTIFY_ATOMIC_ADD, 0, 1);
    Step down = signal_step(STEP_NOTIFY, NOTIFY_ATOMIC_ADD, 0, -1);
    Step set = signal_step(STEP_NOTIFY, NOTIFY_SET, 0, 1);
    Step other = signal_step(STEP_NOTIFY, NOTIFY_SET, 4, 1);
    Step ge = signal_step(STEP_WAIT, WAIT_GE, 0, 1), eq = signal_step(STEP_WAIT, WAIT_EQ, 0, 1);
    for (int weak = 0; weak < 2; weak++)
        for (int cell = 0; cell < 2; cell++) {
            Scope scope = {.weak = weak}, *s = &scope;
            if (cell)
                scope_add_cell(s, &add.rect);
            ck_assert_int_eq(step_dependent(s, &add, &add), cell);
            ck_assert_int_eq(step_dependent(s, &add, &down), cell);
            ck_assert(step_dependent(s, &set, &add));
            ck_assert(!step_dependent(s, &add, &other));
            ck_assert(!step_dependent(s, &ge, &add));
            ck_assert(!step_dependent(s, &add, &ge));
            ck_assert(step_dependent(s, &ge, &down));
            ck_assert(step_dependent(s, &set, &ge));
            ck_assert(step_dependent(s, &eq, &add));
            ck_assert(!step_dependent(s, &eq, &ge));
            ck_assert(!step_dependent(s, &eq, &other));
            scope_free(s);
        }
}
END_TEST

START_TEST(dependence_of_data)
{
    Step a = {.kind = STEP_DATA, .rank = 0}, b = {.kind = STEP_DATA, .rank = 1};
    Scope sc = {0}, weak = {.weak = true};
    FabRect left = {.run = 8}, right = {.at = {.offset = 8}, .run = 8};
    step_access(&a, ACC_READ, &left);
    step_access(&b, ACC_READ, &left);
    ck_assert(!step_dependent(&sc, &a, &b));
    step_access(&b, ACC_WRITE, &right);
    ck_assert(!step_dependent(&sc, &a, &b));
    step_access(&a, ACC_ADD, &right);
    ck_assert(step_dependent(&sc, &a, &b));
    ck_assert_msg(!step_dependent(&weak, &a, &b), "writes of two ranks lie in two buffers");
    b.rank = 0;
    ck_assert_msg(step_dependent(&weak, &a, &b), "lanes of one rank share its buffer");
    xfree(a.access);
    xfree(b.access);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("explore");
    TCase *c = tcase_create("explore");
    tcase_add_loop_test(c, factorial, 1, 6);
    tcase_add_loop_test(c, brute_counts, 1, 5);
    tcase_add_test(c, adds_commute);
    tcase_add_test(c, credits_take_each_others_place);
    tcase_add_test(c, atomic_adds);
    tcase_add_test(c, independent);
    tcase_add_test(c, eq_wait_missed);
    tcase_add_test(c, first_failure_stops);
    tcase_add_test(c, bound);
    tcase_add_test(c, exact_bound_is_complete);
    tcase_add_test(c, polling_is_cut);
    tcase_add_test(c, dependence_of_signals);
    tcase_add_test(c, dependence_of_data);
    suite_add_tcase(s, c);
    return run_suite(s);
}
