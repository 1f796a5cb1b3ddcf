/* Deadlocks: found at once, and what the report says. */
#include "tests/simtest.h"
#include "tests/support.h"

#include <string.h>

/* Rank r waits for cell [r + 1] of its own signal, which nobody changes. r2 = 0, r4 = 1. */
static const BcInsn nobody[] = {
    {BC_LDI, 2, 0, 0, 0, 0, 0},  {BC_LDI, 3, 0, 0, 0, 0, 0}, {BC_LDI, 4, 0, 0, 0, 0, 1},
    {BC_RANK, 5, 2, 0, 0, 0, 0}, {BC_JNZ, 5, 0, 0, 0, 0, 6}, {BC_WAIT, 3, 2, 2, 4, 0, WAIT_GE},
    {BC_RET, 0, 0, 0, 0, 0, 0},
};

START_TEST(nobody_notifies)
{
    SimTest t;
    simtest_new(&t, 4, (SimKernel){KERNEL(nobody)});
    ck_assert_int_eq(simtest_run(&t), EXIT_DEADLOCK);
    ck_assert_str_eq(simtest_text(&t),
                     "deadlock: 1 of 4 devices cannot go on\n"
                     "  k.pld:105:5: rank 0: wait on signal[0, 0]: value 0, needs >= 1\n"
                     "    ranks 1-3: exited\n"
                     "  root: rank 0 waits at line 105 for a cell that nobody can change any more");
    ck_assert_int_eq(t.result.reports[0].line, 105);
    ck_assert_uint_eq(t.result.reports[0].rank, 0);
    simtest_free(&t);
}
END_TEST

/* Each waits for its neighbour before it notifies the other one: a cycle. r7 right, r8 left. */
static const BcInsn ring[] = {
    {BC_LDI, 4, 0, 0, 0, 0, 1},
    {BC_RANK, 5, 2, 0, 0, 0, 0},
    {BC_NRANKS, 6, 2, 0, 0, 0, 0},
    {BC_BIN, 7, 5, 4, DT_INT32, 0, SC_ADD},
    {BC_BIN, 7, 7, 6, DT_INT32, 0, SC_MOD},
    {BC_BIN, 8, 5, 6, DT_INT32, 0, SC_ADD},
    {BC_BIN, 8, 8, 4, DT_INT32, 0, SC_SUB},
    {BC_BIN, 8, 8, 6, DT_INT32, 0, SC_MOD},
    {BC_MOV, 10, 8, 0, 0, 0, 0},
    {BC_LDI, 11, 0, 0, 0, 0, 0},
    {BC_WAIT, 3, 10, 2, 4, 0, WAIT_GE},
    {BC_MOV, 12, 5, 0, 0, 0, 0},
    {BC_LDI, 13, 0, 0, 0, 0, 0},
    {BC_NOTIFY, 3, 7, 12, 2, 4, NOTIFY_ATOMIC_ADD},
    {BC_RET, 0, 0, 0, 0, 0, 0},
};

START_TEST(cycle)
{
    SimTest t;
    simtest_new(&t, 3, (SimKernel){KERNEL(ring)});
    ck_assert_int_eq(simtest_run(&t), EXIT_DEADLOCK);
    const char *text = simtest_text(&t);
    ck_assert_ptr_nonnull(strstr(text,
                                 "cycle: rank 0 (line 110) waits for rank 2 (line 110) waits for "
                                 "rank 1 (line 110) waits for rank 0"));
    ck_assert_ptr_nonnull(
        strstr(text, "rank 0: wait on signal[2, 0]: value 0, needs >= 1\n"
                     "    rank 1: blocked at line 110, no notify of this cell reachable "
                     "from there\n    rank 2: blocked at line 110\n"));
    simtest_free(&t);
}
END_TEST

/* The notify stands before the wait: nothing of it is reachable from there. Eq 7 where 3 come. */
static const BcInsn overshot[] = {
    {BC_LDI, 2, 0, 0, 0, 0, 0},
    {BC_LDI, 3, 0, 0, 0, 0, 0},
    {BC_LDI, 4, 0, 0, 0, 0, 1},
    {BC_LDI, 5, 0, 0, 0, 0, 7},
    {BC_NOTIFY, 3, 2, 2, 2, 4, NOTIFY_ATOMIC_ADD},
    {BC_RANK, 6, 2, 0, 0, 0, 0},
    {BC_JNZ, 6, 0, 0, 0, 0, 8},
    {BC_WAIT, 3, 2, 2, 5, 0, WAIT_EQ},
    {BC_MOV, 2, 4, 0, 0, 0, 0},
    {BC_WAIT, 3, 2, 2, 4, 0, WAIT_EQ},
    {BC_RET, 0, 0, 0, 0, 0, 0},
};

START_TEST(value_and_reachability)
{
    SimTest t;
    simtest_new(&t, 3, (SimKernel){KERNEL(overshot)});
    ck_assert_int_eq(simtest_run(&t), EXIT_DEADLOCK);
    const char *text = simtest_text(&t);
    ck_assert_ptr_nonnull(strstr(text, "deadlock: 3 of 3 devices cannot go on"));
    ck_assert_ptr_nonnull(strstr(text,
                                 "k.pld:107:5: rank 0: wait on signal[0, 0]: value 3, needs == 7\n"
                                 "    ranks 1, 2: blocked at line 109, no notify of this window "
                                 "reachable from there"));
    ck_assert_ptr_null(strstr(text, "cycle"));
    simtest_free(&t);
}
END_TEST

START_TEST(same_report_under_every_schedule)
{
    const char *schedules[] = {"clock", "random:1", "random:77", "pct:3:3"};
    char *first = NULL;
    for (int i = 0; i < 4; i++) {
        SimTest t;
        simtest_new(&t, 3, (SimKernel){KERNEL(overshot)});
        t.config.schedule = schedules[i];
        ck_assert_int_eq(simtest_run(&t), EXIT_DEADLOCK);
        if (first)
            ck_assert_str_eq(simtest_text(&t), first);
        else
            first = xstrdup(simtest_text(&t));
        simtest_free(&t);
    }
    xfree(first);
}
END_TEST

/* Devices that all write the same host bytes run one after the other: they cannot meet. */
START_TEST(host_bytes)
{
    static const BcInsn meet[] = {
        {BC_LDI, 2, 0, 0, 0, 0, 0},
        {BC_LDI, 3, 0, 0, 0, 0, 0},
        {BC_LDI, 4, 0, 0, 0, 0, 1},
        {BC_RANK, 5, 2, 0, 0, 0, 0},
        {BC_BIN, 6, 4, 5, DT_INT32, 0, SC_SUB},
        {BC_NOTIFY, 3, 6, 2, 2, 4, NOTIFY_SET},
        {BC_WAIT, 3, 2, 2, 4, 0, WAIT_EQ},
        {BC_RET, 0, 0, 0, 0, 0, 0},
    };
    SimTest t;
    simtest_new(&t, 2, (SimKernel){KERNEL(meet)});
    ck_assert_int_eq(simtest_run(&t), EXIT_OK);
    simtest_free(&t);
    simtest_new(&t, 2, (SimKernel){KERNEL(meet), .share_y = true});
    ck_assert_int_eq(simtest_run(&t), EXIT_DEADLOCK);
    ck_assert_ptr_nonnull(
        strstr(simtest_text(&t), "rank 1: its next dispatch waits for one of another device"));
    ck_assert_ptr_nonnull(strstr(simtest_text(&t),
                                 "k.pld:31:5: rank 1: this dispatch waits for host tensor y, "
                                 "which the one at line 31 on rank 0 writes too"));
    simtest_free(&t);
}
END_TEST

START_TEST(divergence_names_the_builtin)
{
    SimTest t;
    simtest_new(&t, 3, (SimKernel){KERNEL(overshot), .builtin = true, .second = 8});
    ck_assert_int_eq(simtest_run(&t), EXIT_DEADLOCK);
    ck_assert_ptr_nonnull(strstr(simtest_text(&t),
                                 "\n  rank 0 is in barrier at line 100, ranks 1, 2 are in "
                                 "barrier at line 108\n"));
    simtest_free(&t);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("deadlock");
    TCase *c = tcase_create("deadlock");
    tcase_add_test(c, nobody_notifies);
    tcase_add_test(c, cycle);
    tcase_add_test(c, value_and_reachability);
    tcase_add_test(c, same_report_under_every_schedule);
    tcase_add_test(c, host_bytes);
    tcase_add_test(c, divergence_names_the_builtin);
    suite_add_tcase(s, c);
    return run_suite(s);
}
