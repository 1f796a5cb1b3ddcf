/* Replay tokens: what they say, what they bind, and what is no token. */
#include "base/crc32.h"
#include "sim/check/session.h"
#include "sim/sched/replay.h"
#include "tests/simtest.h"
#include "tests/support.h"

#include <string.h>

static const BcInsn kernel[] = {
    {BC_LDI, 4, 0, 0, 0, 0, 1}, {BC_LDI, 2, 0, 0, 0, 0, 0},
    {BC_LDI, 3, 0, 0, 0, 0, 0}, {BC_NOTIFY, 3, 2, 2, 2, 4, NOTIFY_ATOMIC_ADD},
    {BC_RET, 0, 0, 0, 0, 0, 0},
};

static World *open(SimTest *t)
{
    simtest_new(t, 3, (SimKernel){KERNEL(kernel)});
    World *w = session_new(&t->p, &t->config, &t->result);
    ck_assert_ptr_nonnull(w);
    return w;
}

static void done(SimTest *t, World *w)
{
    world_free(w);
    simtest_free(t);
}

static const char *schedule_of(const char *token)
{
    for (int i = 0; i < 8; i++)
        token = strchr(token, '.') + 1;
    return token;
}

START_TEST(choices_are_folded)
{
    SimTest t;
    World *w = open(&t);
    Arena a = {0};
    const uint32_t names[] = {0, 0, 0, 2, LANDING_BIT | 4, LANDING_BIT | 4, 1};
    const char *token = replay_token(&a, w, NULL, names, 7), *why = "";
    ck_assert(replay_is_token(token));
    ck_assert_str_eq(schedule_of(token), "x3:0-2-2:w4-1");
    ck_assert_str_eq(schedule_of(replay_token(&a, w, "pct:3:2", NULL, 0)), "pct:3:2");
    ck_assert_str_eq(schedule_of(replay_token(&a, w, NULL, NULL, 0)), "x");
    RunConfig c = t.config;
    ck_assert(replay_adopt(&a, token, &t.p, &c, &why));
    Policy *p = replay_policy(&a, token, w, &why);
    ck_assert_msg(p != NULL, "%s", why);
    policy_free(p);
    arena_free(&a);
    done(&t, w);
}
END_TEST

START_TEST(brings_its_modes)
{
    SimTest t;
    World *w = open(&t);
    Arena a = {0};
    RunConfig weak = t.config, c = t.config;
    const char *why = "";
    weak.weak = true;
    weak.checks = CHECK_RACES;
    weak.without = 12;
    weak.repeat = 2;
    w->config = &weak;
    const char *token = replay_token(&a, w, "clock", NULL, 0);
    ck_assert_str_eq(schedule_of(token), "k12h/clock");
    ck_assert(replay_adopt(&a, token, &t.p, &c, &why));
    ck_assert(c.weak);
    ck_assert_uint_eq(c.checks, CHECK_RACES);
    ck_assert_uint_eq(c.without, 12);
    ck_assert_uint_eq(c.repeat, 2);
    w->config = &t.config;
    arena_free(&a);
    done(&t, w);
}
END_TEST

START_TEST(binds_its_program)
{
    SimTest t;
    World *w = open(&t);
    Arena a = {0};
    const char *why = "", *token = replay_token(&a, w, "clock", NULL, 0);
    RunConfig c = t.config;
    t.p.hash ^= 1;
    ck_assert(!replay_adopt(&a, token, &t.p, &c, &why));
    ck_assert_ptr_nonnull(strstr(why, "bytecode"));
    t.p.hash ^= 1;
    c.n_devices = 2;
    ck_assert(!replay_adopt(&a, token, &t.p, &c, &why));
    ck_assert_ptr_nonnull(strstr(why, "3 devices"));
    c = t.config;
    Platform other = platforms[t.p.platform];
    other.link_latency++;
    c.platform = &other;
    ck_assert(!replay_adopt(&a, token, &t.p, &c, &why));
    ck_assert_ptr_nonnull(strstr(why, "platform"));
    w->tensors[0].initial[0] ^= 1;
    ck_assert_ptr_null(replay_policy(&a, token, w, &why));
    ck_assert_ptr_nonnull(strstr(why, "inputs"));
    w->tensors[0].initial[0] ^= 1;
    arena_free(&a);
    done(&t, w);
}
END_TEST

/* Tails in place of the schedule of a good token. */
static const char *const bad_schedules[] = {
    "",    "y",      "x-",      "x1-",   "x1--2",       "x:1",         "x1:",
    "xw",  "x1w",    "x 1",     "x1 ",   "x-1",         "x4294967296", "x99999999999:1",
    "xx1", "clock:", "random:", "k",     "k/x",         "k0/x1",       "k-1/x1",
    "k1",  "k1x",    "k1hh/x",  "k1z/x", "k99999999/x", "d1:w",
};

static bool accepted(Arena *a, const char *token, const SimTest *t, const World *w)
{
    const char *why = NULL;
    RunConfig c = t->config;
    bool ok = replay_is_token(token) && replay_adopt(a, token, &t->p, &c, &why);
    Policy *p = ok ? replay_policy(a, token, w, &why) : NULL;
    ck_assert_msg(p || !replay_is_token(token) || why, "%s: no reason", token);
    policy_free(p);
    return p != NULL;
}

START_TEST(broken_schedules)
{
    SimTest t;
    World *w = open(&t);
    Arena a = {0};
    const char *token = replay_token(&a, w, "clock", NULL, 0);
    const char *rest = token + strlen("r2.12345678.");
    rest = arena_printf(&a, "%.*s%s", (int)(schedule_of(token) - rest), rest, bad_schedules[_i]);
    const char *bad = arena_printf(&a, "r2.%08x.%s", crc32_bytes(0, rest, strlen(rest)), rest);
    ck_assert(accepted(&a, token, &t, w));
    ck_assert_msg(!accepted(&a, bad, &t, w), "%s", bad);
    arena_free(&a);
    done(&t, w);
}
END_TEST

/* Every cut of a token, every byte of it changed, and every byte more is refused. */
START_TEST(cuts_and_changes)
{
    SimTest t;
    World *w = open(&t);
    Arena a = {0};
    const uint32_t names[] = {0, 1, 2};
    const char *token = replay_token(&a, w, NULL, names, 3);
    for (size_t i = 0; i < strlen(token); i++)
        ck_assert(!accepted(&a, arena_strndup(&a, token, i), &t, w));
    for (size_t i = 0; i < strlen(token); i++) {
        static const char other[] = "~0123456789abcdefrwx.:-";
        for (const char *by = other; *by; by++) {
            char *copy = arena_strndup(&a, token, strlen(token));
            copy[i] = *by;
            ck_assert_msg(*by == token[i] || !accepted(&a, copy, &t, w), "%s", copy);
            copy = arena_printf(&a, "%.*s%c%s", (int)i, token, *by, token + i);
            ck_assert_msg(!accepted(&a, copy, &t, w), "%s", copy);
        }
    }
    arena_free(&a);
    done(&t, w);
}
END_TEST

/* A choice that is not there is an error, not the end of the run. */
START_TEST(lanes_that_cannot_move)
{
    static const uint32_t names[] = {0, 7};
    SimTest t;
    simtest_new(&t, 3, (SimKernel){KERNEL(kernel)});
    World *w = session_new(&t.p, &t.config, &t.result);
    Arena a = {0};
    t.config.schedule = replay_token(&a, w, NULL, names, 2);
    world_free(w);
    ck_assert_int_eq(simtest_run(&t), EXIT_USAGE);
    ck_assert_ptr_nonnull(strstr(simtest_text(&t), "lane 7, which cannot move"));
    arena_free(&a);
    simtest_free(&t);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("replay");
    TCase *c = tcase_create("replay");
    tcase_add_test(c, choices_are_folded);
    tcase_add_test(c, brings_its_modes);
    tcase_add_test(c, binds_its_program);
    tcase_add_loop_test(c, broken_schedules, 0,
                        (int)(sizeof bad_schedules / sizeof *bad_schedules));
    tcase_add_test(c, cuts_and_changes);
    tcase_add_test(c, lanes_that_cannot_move);
    suite_add_tcase(s, c);
    return run_suite(s);
}
