/* Schedules: determinism, scripts, step limits, pre-emption. */
#include "sim/check/session.h"
#include "tests/simtest.h"
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

/* Every rank adds 1 to rank 0's cell 0; rank 0 waits for all and writes the count of its own turn.
 */
static const BcInsn gather[] = {
    {BC_LDI, 2, 0, 0, 0, 0, 0},          {BC_LDI, 3, 0, 0, 0, 0, 0},
    {BC_LDI, 4, 0, 0, 0, 0, 1},          {BC_RANK, 5, 2, 0, 0, 0, 0},
    {BC_NRANKS, 6, 2, 0, 0, 0, 0},       {BC_NOTIFY, 3, 2, 2, 2, 4, NOTIFY_ATOMIC_ADD},
    {BC_JNZ, 5, 0, 0, 0, 0, 9},          {BC_WAIT, 3, 2, 2, 6, 0, WAIT_GE},
    {BC_WRITE, 1, 2, 2, 6, DT_INT32, 0}, {BC_RET, 0, 0, 0, 0, 0, 0},
};

/* Every rank Sets rank 0's cell to its rank; rank 0 reads it at the end. */
static const BcInsn last_set[] = {
    {BC_LDI, 2, 0, 0, 0, 0, 0},
    {BC_LDI, 3, 0, 0, 0, 0, 0},
    {BC_LDI, 4, 0, 0, 0, 0, 1},
    {BC_RANK, 5, 2, 0, 0, 0, 0},
    {BC_NOTIFY, 3, 2, 2, 2, 5, NOTIFY_SET},
    {BC_MOV, 2, 4, 0, 0, 0, 0},
    {BC_LDI, 7, 0, 0, 0, 0, 0},
    {BC_NOTIFY, 3, 7, 2, 2, 4, NOTIFY_ATOMIC_ADD},
    {BC_JNZ, 5, 0, 0, 0, 0, 13},
    {BC_NRANKS, 6, 2, 0, 0, 0, 0},
    {BC_WAIT, 3, 2, 2, 6, 0, WAIT_GE},
    {BC_READ, 9, 3, 7, 2, 0, 0},
    {BC_WRITE, 1, 7, 2, 9, DT_INT32, 0},
    {BC_RET, 0, 0, 0, 0, 0, 0},
};

START_TEST(all_policies_end)
{
    static const char *const schedules[] = {"clock", "random:1", "random:2", "pct:1:1", "pct:9:4"};
    SimTest t;
    simtest_new(&t, 6, (SimKernel){KERNEL(gather)});
    t.config.schedule = schedules[_i];
    ck_assert_msg(simtest_run(&t) == EXIT_OK, "%s", simtest_text(&t));
    ck_assert_float_eq(simtest_y(&t, 0, 0), 6.0f);
    simtest_free(&t);
}
END_TEST

START_TEST(bad_schedules)
{
    static const char *const bad[] = {"",        "clock:1",  "random",
                                      "random:", "random:x", "random:1:2",
                                      "pct:1",   "pct:1:0",  "random:99999999999999999999999",
                                      "pct:-1:2"};
    const char *why = NULL;
    ck_assert_ptr_null(policy_parse(bad[_i], &why));
    ck_assert_ptr_nonnull(why);
}
END_TEST

/* The names of one recorded run, replayed, give the same outcome; another order another one. */
START_TEST(script_replays)
{
    SimTest t;
    simtest_new(&t, 4, (SimKernel){KERNEL(last_set)});
    World *w = session_new(&t.p, &t.config, &t.result);
    ck_assert_ptr_nonnull(w);
    w->record = true;
    float seen[8];
    bool differ = false;
    for (uint64_t seed = 0; seed < 8; seed++) {
        Policy *p = simtest_random(seed);
        ck_assert_int_eq(session_run(w, p), EXIT_OK);
        policy_free(p);
        memcpy(&seen[seed], w->tensors[1].data, sizeof(float));
        differ |= seen[seed] != seen[0];
        uint32_t n = t.result.n_choices;
        uint32_t *names = xcalloc(n, sizeof *names);
        memcpy(names, t.result.choices, n * sizeof *names);
        int64_t time = t.result.time_ps;
        run_result_free(&t.result);
        world_reset(w, &t.result);
        p = policy_script(names, n, false, NULL);
        ck_assert_int_eq(session_run(w, p), EXIT_OK);
        ck_assert(memcmp(&seen[seed], w->tensors[1].data, sizeof(float)) == 0);
        ck_assert_int_eq(t.result.time_ps, time);
        ck_assert_uint_eq(t.result.n_choices, n);
        policy_free(p);
        xfree(names);
        run_result_free(&t.result);
        world_reset(w, &t.result);
    }
    ck_assert_msg(differ, "random schedules never changed the outcome");
    world_free(w);
    simtest_free(&t);
}
END_TEST

/* What a policy sees: lanes in order of id, each before its pending operation. */
static uint32_t watch(Policy *p, World *w, const Choice *enabled, uint32_t n)
{
    (void)p, (void)w;
    for (uint32_t i = 0; i < n; i++) {
        ck_assert_ptr_nonnull(enabled[i].lane);
        ck_assert_int_ne(enabled[i].lane->pending.kind, PEND_NONE);
        ck_assert(enabled[i].lane->pending.enabled);
        if (i)
            ck_assert_uint_lt(enabled[i - 1].lane->id, enabled[i].lane->id);
    }
    const Pending *last = &enabled[n - 1].lane->pending;
    if (last->kind == PEND_NOTIFY) {
        ck_assert_uint_eq(last->rect.at.rank, 0);
        ck_assert_uint_eq(last->rect.at.window, 1);
        ck_assert_int_eq(last->value, 1);
        ck_assert_int_eq(last->op, NOTIFY_ATOMIC_ADD);
    }
    return n - 1;
}

static void nothing(Policy *p)
{
    (void)p;
}

START_TEST(policy_sees_pending)
{
    SimTest t;
    simtest_new(&t, 5, (SimKernel){KERNEL(gather)});
    World *w = session_new(&t.p, &t.config, &t.result);
    Policy p = {.choose = watch, .stop_at_reads = true, .destroy = nothing};
    ck_assert_int_eq(sched_run(w, &p), END_DONE);
    world_free(w);
    simtest_free(&t);
}
END_TEST

/* Rank 0 polls a cell with pl.read until it is 1; rank 1 sets it. */
static const BcInsn poll[] = {
    {BC_LDI, 2, 0, 0, 0, 0, 0},        {BC_LDI, 3, 0, 0, 0, 0, 0},
    {BC_LDI, 4, 0, 0, 0, 0, 1},        {BC_RANK, 5, 2, 0, 0, 0, 0},
    {BC_JZ, 5, 0, 0, 0, 0, 7},         {BC_NOTIFY, 3, 2, 2, 2, 4, NOTIFY_SET},
    {BC_JMP, 0, 0, 0, 0, 0, 13},       {BC_LDI, 9, 0, 0, 0, 0, 0},
    {BC_LDI, 10, 0, 0, 0, 0, 1000000}, {BC_FORPREP, 9, 10, 4, 0, 0, 13},
    {BC_READ, 8, 3, 2, 2, 0, 0},       {BC_JNZ, 8, 0, 0, 0, 0, 13},
    {BC_FORLOOP, 9, 10, 4, 0, 0, 10},  {BC_WRITE, 1, 2, 2, 8, DT_INT32, 0},
    {BC_RET, 0, 0, 0, 0, 0, 0},
};

START_TEST(polling_ends)
{
    static const char *const schedules[] = {"clock", "random:5", "random:6"};
    char pct[32];
    SimTest t;
    simtest_new(&t, 2, (SimKernel){KERNEL(poll)});
    snprintf(pct, sizeof pct, "pct:%d:%d", _i, 1 + _i % 3);
    t.config.schedule = _i < 3 ? schedules[_i] : pct;
    t.config.max_steps = 100000;
    ck_assert_msg(simtest_run(&t) == EXIT_OK, "%s", simtest_text(&t));
    ck_assert_float_eq(simtest_y(&t, 0, 0), 1.0f);
    simtest_free(&t);
}
END_TEST

static const BcInsn spin[] = {
    {BC_LDI, 9, 0, 0, 0, 0, 0},      {BC_LDK, 10, 0, 0, 0, 0, 1},     {BC_LDI, 4, 0, 0, 0, 0, 1},
    {BC_FORPREP, 9, 10, 4, 0, 0, 5}, {BC_FORLOOP, 9, 10, 4, 0, 0, 4}, {BC_RET, 0, 0, 0, 0, 0, 0},
};

START_TEST(step_limit_is_exact)
{
    static const char *const schedules[] = {"clock", "random:5"};
    SimTest t;
    simtest_new(&t, 2, (SimKernel){KERNEL(spin)});
    t.config.schedule = schedules[_i];
    t.config.max_steps = 123456;
    ck_assert_int_eq(simtest_run(&t), EXIT_STEPS);
    ck_assert_uint_eq(t.result.steps, 123456);
    static const char want[] = "step limit: 123456 instructions were executed (--max-steps)\n"
                               "  rank 0: ";
    ck_assert_int_eq(strncmp(simtest_text(&t), want, strlen(want)), 0);
    ck_assert_ptr_nonnull(
        strstr(simtest_text(&t), ", in the loop at k.pld:103:5, whose index is "));
    simtest_free(&t);
}
END_TEST

/* A mesh barrier on many ranks costs no more than its notifies. */
static const BcInsn mesh[] = {
    {BC_LDI, 4, 0, 0, 0, 0, 1},     {BC_RANK, 5, 2, 0, 0, 0, 0},
    {BC_NRANKS, 6, 2, 0, 0, 0, 0},  {BC_LDI, 10, 0, 0, 0, 0, 0},
    {BC_LDI, 11, 0, 0, 0, 0, 0},    {BC_LDI, 2, 0, 0, 0, 0, 0},
    {BC_FORPREP, 2, 6, 4, 0, 0, 9}, {BC_NOTIFY, 3, 2, 10, 2, 4, NOTIFY_ATOMIC_ADD},
    {BC_FORLOOP, 2, 6, 4, 0, 0, 7}, {BC_WAIT, 3, 10, 2, 6, 0, WAIT_GE},
    {BC_RET, 0, 0, 0, 0, 0, 0},
};

START_TEST(many_ranks)
{
    static const char *const schedules[] = {"clock", "random:5"};
    SimTest t;
    simtest_new(&t, 256, (SimKernel){KERNEL(mesh)});
    t.config.schedule = schedules[_i];
    ck_assert_msg(simtest_run(&t) == EXIT_OK, "%s", simtest_text(&t));
    ck_assert_uint_eq(probe_cost(&t.world->probe, 255, 2)->notifies, 255);
    simtest_free(&t);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sched");
    TCase *c = tcase_create("sched");
    tcase_add_loop_test(c, all_policies_end, 0, 5);
    tcase_add_loop_test(c, bad_schedules, 0, 10);
    tcase_add_test(c, script_replays);
    tcase_add_test(c, policy_sees_pending);
    tcase_add_loop_test(c, polling_ends, 0, 30);
    tcase_add_loop_test(c, step_limit_is_exact, 0, 2);
    tcase_add_loop_test(c, many_ranks, 0, 2);
    suite_add_tcase(s, c);
    return run_suite(s);
}
