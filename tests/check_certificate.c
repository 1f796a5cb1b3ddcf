/* The certificate on random programs, against a search of every state: a certified program has one
 * outcome, and what a run says of any program does not depend on its schedule.
 * usage: check_certificate [BUILD [PROGRAMS [SEED]]] */
#include "base/buf.h"
#include "sim/host/run.h"
#include "tests/memmodel.h"
#include "tests/simtest.h"
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 60000, RUNS = 4 };

static uint32_t programs = 500;
static uint64_t seed = 1;

static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint32_t below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((next(state) >> 32) * n >> 32);
}

/* ---- programs ---- */

typedef struct {
    uint32_t cells;
    bool sets, fences;
} Taste;

static MmOp signal_op(uint64_t *s, const MmProgram *p, uint32_t rank, const Taste *t)
{
    MmOp o = {.at = (uint8_t)below(s, t->cells), .rank = (uint8_t)below(s, p->ranks)};
    uint32_t k = below(s, 70);
    o.value = (int8_t)(1 + below(s, 6) / 4);
    if (k < 35) {
        bool set = t->sets && below(s, 2);
        o.kind = set ? MM_SET : MM_NOTIFY;
        if (set)
            o.value = (int8_t)below(s, 4);
    } else if (k < 62) {
        o.kind = t->sets && below(s, 3) == 0 ? MM_WAIT_EQ : MM_WAIT_GE;
        o.value = (int8_t)(1 + below(s, 4) % 3);
    } else {
        o.kind = MM_NOTIFY;
        o.rank = (uint8_t)rank;
        o.value = (int8_t)-o.value;
    }
    return o;
}

static MmOp random_op(uint64_t *s, const MmProgram *p, uint32_t rank, const Taste *t,
                      uint32_t *slots)
{
    static const uint8_t data[] = {MM_STORE, MM_STORE, MM_READ, MM_READ, MM_LOAD, MM_ADD, MM_POLL};
    static const uint8_t fenced[] = {MM_STORE,   MM_READ,    MM_LOAD,   MM_RELEASE,
                                     MM_RELEASE, MM_ACQUIRE, MM_ACQUIRE};
    if (below(s, 100) < 68)
        return signal_op(s, p, rank, t);
    uint32_t k = below(s, 7);
    MmOp o = {.kind = t->fences ? fenced[k] : data[k], .rank = (uint8_t)below(s, p->ranks)};
    o.value = (int8_t)(1 + below(s, 3));
    if (o.kind == MM_POLL)
        o.at = (uint8_t)below(s, t->cells);
    o.slot = (uint8_t)(*slots % 4);
    *slots += o.kind == MM_READ || o.kind == MM_POLL;
    return o;
}

static MmProgram random_program(uint64_t *s)
{
    MmProgram p = {.ranks = 2 + below(s, 2), .cores = 1, .times = 1};
    Taste t = {.cells = 1 + below(s, 2), .sets = below(s, 5) < 3, .fences = below(s, 3) == 0};
    if (below(s, 10) == 0)
        p.cores = 2;
    if (below(s, 10) == 0)
        p.times = 2;
    uint32_t most = p.cores * p.times > 2 ? 2 : p.cores * p.times > 1 ? 3 : p.ranks == 2 ? 6 : 5;
    for (uint32_t l = 0; l < p.ranks * p.cores; l++) {
        uint32_t slots = 0;
        for (uint32_t i = 0, n = 1 + below(s, most); i < n && i < MM_OPS; i++)
            p.ops[l][i] = random_op(s, &p, l / p.cores, &t, &slots);
    }
    return p;
}

/* ---- judging ---- */

typedef struct {
    uint32_t tried, certified, single, missed;
} Count;

static void fails(const MmProgram *p, bool weak, const char *what, const char *more)
{
    Buf text = {0};
    mm_print(p, &text);
    ck_abort_msg("%s, %s:\n%s%s", what, weak ? "weak" : "sc", text.at, more);
}

/* The reports of checks, in order; notes and deadlocks are left out. */
static char *found(const RunResult *r)
{
    Buf text = {0};
    for (uint32_t i = 0; i < r->n_reports; i++)
        if (r->reports[i].kind == REP_CHECK)
            buf_printf(&text, "%s\n", r->reports[i].text);
    return text.at ? text.at : xstrdup("");
}

/* Two lanes of a rank may make each other miss what they wait for: a run that ends so says so, and
 * what it has not come to it does not say. */
static bool misses(const MmProgram *p, const SimTest *t, const char *text)
{
    return p->cores > 1 && t->result.status == EXIT_DEADLOCK &&
           strstr(text, "it may never see the value");
}

static bool judge(const MmProgram *p, SimTest *t, bool weak, const MmOutcomes *m)
{
    static const char *const schedules[RUNS] = {"clock", "random:1", "random:2", "pct:3:3"};
    bool certified = false, missed = false;
    char *first = NULL;
    for (int i = 0; i < RUNS; i++) {
        t->config.weak = weak;
        t->config.schedule = schedules[i];
        (void)simtest_run(t);
        char *now = found(&t->result);
        missed |= misses(p, t, now);
        if (i == 0) {
            certified = t->result.certified;
            first = now;
            continue;
        }
        if (certified != t->result.certified)
            fails(p, weak, "certified under one schedule only", schedules[i]);
        if (missed ? !*first != !*now : strcmp(first, now) != 0) {
            Buf both = {0};
            buf_printf(&both, "by clock:\n%sby %s:\n%s", first, schedules[i], now);
            fails(p, weak, "reports differ", both.at);
        }
        xfree(now);
    }
    xfree(first);
    if (certified && m->n != 1)
        fails(p, weak, "certified with several outcomes", m->lines[1]);
    return certified;
}

/* False when the program is too large to be enumerated. */
static bool try_program(const MmProgram *p, Count *count)
{
    MmOutcomes m[2] = {{.n = 0}, {.n = 0}};
    SimTest t;
    BcInsn code[MM_INSNS];
    bool small = mm_outcomes(p, false, STATES, &m[0]) && mm_outcomes(p, true, STATES, &m[1]);
    SimKernel k = {.code = code, .n = mm_kernel(p, code), .ints = true};
    k.cores = (uint16_t)p->cores;
    k.times = (uint16_t)p->times;
    simtest_new(&t, p->ranks, k);
    t.config.checks = CHECK_RACES | CHECK_SIGNALS;
    t.config.no_golden = true;
    for (int weak = 0; small && weak < 2; weak++) {
        bool certified = judge(p, &t, weak, &m[weak]);
        count[weak].tried++;
        count[weak].certified += certified;
        count[weak].single += m[weak].n == 1;
    }
    mm_free(&m[0]);
    mm_free(&m[1]);
    simtest_free(&t);
    return small;
}

START_TEST(random_programs)
{
    uint64_t state = seed;
    Count count[2] = {{0}, {0}};
    uint32_t done = 0;
    for (uint32_t tries = 0; done < programs && tries < 3 * programs; tries++) {
        MmProgram p = random_program(&state);
        done += try_program(&p, count);
    }
    ck_assert_uint_eq(done, programs);
    for (int weak = 0; weak < 2; weak++) {
        const Count *c = &count[weak];
        printf("%s: %u programs, %u with one outcome, %u certified\n", weak ? "weak" : "sc",
               c->tried, c->single, c->certified);
        ck_assert_uint_gt(c->certified, c->tried / 10);
    }
}
END_TEST

int main(int argc, char **argv)
{
    if (argc > 2)
        programs = (uint32_t)strtoul(argv[2], NULL, 10);
    if (argc > 3)
        seed = strtoull(argv[3], NULL, 10);
    Suite *s = suite_create("certificate");
    TCase *c = tcase_create("certificate");
    tcase_set_timeout(c, 3600);
    tcase_add_test(c, random_programs);
    suite_add_tcase(s, c);
    return run_suite(s);
}
