/* Exploration against a search of every state, on random programs and on the classical shapes with
 * every subset of their fences. usage: check_explore_random [BUILD [PROGRAMS [SEED]]] */
#include "base/buf.h"
#include "sim/explore/explore.h"
#include "tests/memmodel.h"
#include "tests/simtest.h"
#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

enum { STATES = 60000, EXECUTIONS = 60000, BRUTE = 500 };

static uint32_t programs = 300;
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

/* ---- comparing ---- */

static const char *lines(Arena *arena, const char *const *at, uint32_t n)
{
    Buf text = {0};
    for (uint32_t i = 0; i < n; i++)
        buf_printf(&text, "    %s\n", at[i]);
    const char *copy = arena_strndup(arena, text.at ? text.at : "", text.len);
    buf_free(&text);
    return copy;
}

static bool same(const MmOutcomes *m, const ExploreResult *r)
{
    bool ok = m->n == r->n_outcomes;
    for (uint32_t i = 0; ok && i < m->n; i++)
        ok = strcmp(m->lines[i], r->outcomes[i]) == 0;
    return ok;
}

static bool has_deadlock(const MmOutcomes *m)
{
    return m->n && strcmp(m->lines[0], "deadlock") == 0;
}

static void differs(const MmProgram *p, const char *what, bool weak, const MmOutcomes *m,
                    const ExploreResult *r)
{
    Arena arena = {0};
    Buf text = {0};
    mm_print(p, &text);
    ck_abort_msg("%s, %s:\n%s  right:\n%s  explored (%llu executions):\n%s", what,
                 weak ? "weak" : "sc", text.at, lines(&arena, m->lines, m->n),
                 (unsigned long long)r->executions, lines(&arena, r->outcomes, r->n_outcomes));
}

/* Returns the number of executions, 0 when not all could be seen. */
static uint64_t explored(const MmProgram *p, SimTest *t, bool weak, ExploreOptions o,
                         const MmOutcomes *m)
{
    ExploreResult r = {0};
    t->config.weak = weak;
    (void)explore(&t->p, &t->config, &o, &r);
    ck_assert_msg(!r.text, "%s", r.text);
    uint64_t n = r.complete ? r.executions : 0;
    if (r.complete && o.outcomes && !same(m, &r))
        differs(p, o.brute ? "brute force" : "reduction", weak, m, &r);
    if (r.complete && !o.outcomes && (r.status == EXIT_DEADLOCK) != has_deadlock(m))
        differs(p, "deadlock", weak, m, &r);
    explore_free(&r);
    return n;
}

/* With the race check, accesses are no transitions: what it lets pass has one outcome. */
static void raced(const MmProgram *p, SimTest *t, const MmOutcomes *m)
{
    ExploreResult r = {0};
    ExploreOptions o = {.bound = EXECUTIONS, .search = true};
    t->config.weak = false;
    t->config.checks = CHECK_RACES;
    (void)explore(&t->p, &t->config, &o, &r);
    if (r.complete && (r.status == EXIT_DEADLOCK) != has_deadlock(m))
        differs(p, "deadlock, with the race check", false, m, &r);
    if (r.complete && r.status == EXIT_OK && m->n != 1)
        differs(p, "verified", false, m, &r);
    explore_free(&r);
    t->config.checks = 0;
}

static void includes(const MmProgram *p, const MmOutcomes *sc, const MmOutcomes *weak)
{
    for (uint32_t i = 0, k = 0; i < sc->n; i++, k++) {
        while (k < weak->n && strcmp(weak->lines[k], sc->lines[i]) != 0)
            k++;
        if (k == weak->n)
            differs(p, "an outcome under sc is none", true, weak, &(ExploreResult){0});
    }
}

/* Returns false when the program is too large to be enumerated. */
static bool compare(const MmProgram *p, uint64_t *total)
{
    MmOutcomes m[2] = {{.n = 0}, {.n = 0}};
    SimTest t;
    BcInsn code[MM_INSNS];
    bool small = mm_outcomes(p, false, STATES, &m[0]) && mm_outcomes(p, true, STATES, &m[1]);
    SimKernel k = {.code = code, .n = mm_kernel(p, code), .ints = true};
    k.cores = (uint16_t)p->cores;
    k.times = (uint16_t)p->times;
    simtest_new(&t, p->ranks, k);
    t.config.checks = 0;
    t.config.no_golden = true;
    for (int weak = 0; small && weak < 2; weak++) {
        ExploreOptions all = {.bound = EXECUTIONS, .outcomes = true},
                       few = {.bound = EXECUTIONS, .search = true};
        ExploreOptions brute = {.bound = BRUTE, .outcomes = true, .brute = true};
        uint64_t n = explored(p, &t, weak, all, &m[weak]);
        all.anew = true; /* without snapshots the same executions */
        if (++*total % 8 == 0)
            ck_assert_uint_eq(explored(p, &t, weak, all, &m[weak]), n);
        (void)explored(p, &t, weak, few, &m[weak]);
        (void)explored(p, &t, weak, brute, &m[weak]);
    }
    if (small) {
        raced(p, &t, &m[0]);
        includes(p, &m[0], &m[1]);
    }
    mm_free(&m[0]);
    mm_free(&m[1]);
    simtest_free(&t);
    return small;
}

/* ---- random programs ---- */

static MmOp random_op(uint64_t *s, const MmProgram *p, uint32_t lane, uint32_t *slots, int taste)
{
    static const uint8_t kinds[][16] = {
        {MM_STORE, MM_STORE, MM_READ, MM_READ, MM_NOTIFY, MM_NOTIFY, MM_WAIT_GE, MM_WAIT_GE,
         MM_RELEASE, MM_ACQUIRE, MM_LOAD, MM_ADD, MM_STORE_PAIR, MM_NOTIFY, MM_WAIT_GE, MM_READ},
        {MM_STORE, MM_READ, MM_NOTIFY, MM_SET, MM_WAIT_GE, MM_WAIT_EQ, MM_POLL, MM_READ, MM_LOAD,
         MM_NOTIFY, MM_NOTIFY, MM_WAIT_GE, MM_RELEASE, MM_ACQUIRE, MM_NOTIFY, MM_SET},
        {MM_STORE, MM_STORE, MM_STORE_PAIR, MM_READ, MM_READ, MM_READ, MM_LOAD, MM_ADD, MM_ADD,
         MM_RELEASE, MM_RELEASE, MM_ACQUIRE, MM_ACQUIRE, MM_STORE, MM_READ, MM_LOAD},
        {MM_NOTIFY, MM_NOTIFY, MM_NOTIFY, MM_NOTIFY, MM_NOTIFY, MM_NOTIFY, MM_WAIT_GE, MM_WAIT_GE,
         MM_WAIT_GE, MM_WAIT_GE, MM_READ, MM_STORE, MM_STORE, MM_READ, MM_LOAD, MM_RELEASE}};
    MmOp o = {.kind = kinds[taste][below(s, 16)], .rank = (uint8_t)below(s, p->ranks)};
    uint32_t per_lane = 4 / p->cores, core = lane % p->cores;
    if (o.kind == MM_LOAD && core > 0)
        o.kind = MM_READ; /* y[4..7] has one writer: a load is two steps, and one in the model */
    bool cell = o.kind >= MM_NOTIFY && o.kind <= MM_POLL;
    o.at = (uint8_t)below(s, cell ? MM_CELLS : 2);
    if (o.kind == MM_STORE_PAIR)
        o.at = 0;
    o.value = (int8_t)(1 + below(s, o.kind == MM_NOTIFY ? 2 : 3));
    if (o.kind == MM_NOTIFY && below(s, 6) == 0) {
        o.value = (int8_t)-o.value;
        if (below(s, 3))
            o.rank = (uint8_t)(lane / p->cores);
    }
    o.slot = (uint8_t)(core * per_lane + *slots % per_lane);
    *slots += o.kind == MM_READ || o.kind == MM_POLL;
    return o;
}

static MmProgram random_program(uint64_t *s)
{
    MmProgram p = {.ranks = 2 + below(s, 2), .cores = 1, .times = 1};
    uint32_t form = below(s, 10), most = p.ranks == 2 ? 5 : 4;
    int taste = (int)below(s, 4);
    if (form == 0 || form == 3)
        p.times = 2;
    if (form >= 1 && form <= 3)
        p.cores = 2;
    if (form <= 3)
        most = p.ranks * p.cores * p.times > 5 ? 2 : 3;
    for (uint32_t l = 0; l < p.ranks * p.cores; l++) {
        uint32_t slots = 0;
        for (uint32_t i = 0, n = 1 + below(s, most); i < n; i++)
            p.ops[l][i] = random_op(s, &p, l, &slots, taste);
    }
    return p;
}

START_TEST(random_programs)
{
    uint64_t state = seed, total = 0;
    uint32_t done = 0;
    for (uint32_t tries = 0; done < programs && tries < 2 * programs; tries++) {
        MmProgram p = random_program(&state);
        done += compare(&p, &total);
    }
    ck_assert_uint_eq(done, programs);
}
END_TEST

/* ---- shapes ---- */

#define W(rank_, at_, value_)                                                                      \
    {                                                                                              \
        .kind = MM_STORE, .rank = rank_, .at = at_, .value = value_                                \
    }
#define R(at_, slot_)                                                                              \
    {                                                                                              \
        .kind = MM_READ, .at = at_, .slot = slot_                                                  \
    }
#define L(rank_, at_)                                                                              \
    {                                                                                              \
        .kind = MM_LOAD, .rank = rank_, .at = at_                                                  \
    }
#define N(rank_, at_)                                                                              \
    {                                                                                              \
        .kind = MM_NOTIFY, .rank = rank_, .at = at_, .value = 1                                    \
    }
#define T(at_)                                                                                     \
    {                                                                                              \
        .kind = MM_WAIT_GE, .at = at_, .value = 1                                                  \
    }
#define A(rank_, at_, value_)                                                                      \
    {                                                                                              \
        .kind = MM_ADD, .rank = rank_, .at = at_, .value = value_                                  \
    }
#define REL                                                                                        \
    {                                                                                              \
        .kind = MM_RELEASE                                                                         \
    }
#define ACQ                                                                                        \
    {                                                                                              \
        .kind = MM_ACQUIRE                                                                         \
    }

/* All fences of a shape; the test takes every subset. */
static const MmProgram shapes[] = {
    /* MP, by reads and by signals */
    {2, 1, 1, {{W(1, 0, 1), REL, W(1, 1, 1), REL}, {R(1, 0), ACQ, R(0, 1)}}},
    {2, 1, 1, {{W(1, 0, 1), REL, N(1, 0)}, {T(0), ACQ, R(0, 0)}}},
    {2, 1, 1, {{W(0, 0, 1), REL, N(1, 0)}, {T(0), ACQ, L(0, 0)}}},
    /* SB */
    {2, 1, 1, {{W(1, 0, 1), REL, ACQ, R(0, 0)}, {W(0, 0, 1), REL, ACQ, R(0, 0)}}},
    {2, 1, 1, {{W(0, 0, 1), REL, ACQ, L(1, 0)}, {W(1, 0, 1), REL, ACQ, L(0, 0)}}},
    {2,
     1,
     1,
     {{W(1, 0, 1), REL, N(1, 0), T(0), ACQ, R(0, 0)},
      {W(0, 0, 1), REL, N(0, 0), T(0), ACQ, R(0, 0)}}},
    /* LB */
    {2, 1, 1, {{R(0, 0), REL, W(1, 0, 1)}, {R(0, 0), REL, W(0, 0, 1)}}},
    /* CoRR, CoWW, overwriting */
    {2, 1, 1, {{W(1, 0, 1), REL, W(1, 0, 2)}, {R(0, 0), ACQ, R(0, 1)}}},
    {3, 1, 1, {{W(2, 0, 1), REL}, {W(2, 0, 2), REL}, {R(0, 0), ACQ, R(0, 1)}}},
    {2, 1, 1, {{W(1, 0, 1), REL, N(1, 0)}, {W(1, 0, 2), REL, T(0), ACQ, R(0, 0)}}},
    {2, 1, 1, {{W(1, 0, 1), W(1, 0, 2), REL, N(1, 0), W(1, 0, 3)}, {T(0), ACQ, R(0, 0)}}},
    /* WRC, a message passed on, ISA2 */
    {3, 1, 1, {{W(1, 0, 1), REL}, {R(0, 0), REL, N(2, 0)}, {T(0), ACQ, L(1, 0)}}},
    {3, 1, 1, {{W(2, 0, 1), REL, N(1, 0)}, {T(0), ACQ, REL, N(2, 0)}, {T(0), ACQ, R(0, 0)}}},
    {3, 1, 1, {{W(2, 0, 1), REL, W(1, 0, 1), REL}, {R(0, 0), REL, N(2, 0)}, {T(0), ACQ, R(0, 0)}}},
    /* IRIW */
    {4, 1, 1, {{W(2, 0, 1)}, {W(3, 0, 1)}, {R(0, 0), ACQ, L(3, 0)}, {R(0, 0), ACQ, L(2, 0)}}},
    /* R, S, 2+2W */
    {2, 1, 1, {{W(1, 0, 1), REL, W(1, 1, 1)}, {W(1, 1, 2), REL, ACQ, R(0, 0), R(1, 1)}}},
    {3,
     1,
     1,
     {{W(1, 0, 2), REL, N(1, 0)}, {T(0), ACQ, W(1, 0, 1), REL, N(2, 0)}, {T(0), ACQ, L(1, 0)}}},
    {3,
     1,
     1,
     {{W(2, 0, 1), REL, W(2, 1, 2), REL, N(2, 0)},
      {W(2, 1, 1), REL, W(2, 0, 2), N(2, 1)},
      {T(0), T(1), ACQ, R(0, 0), R(1, 1)}}},
    /* two messages */
    {2, 1, 1, {{W(1, 0, 1), W(1, 1, 1), REL, N(1, 0)}, {T(0), ACQ, R(0, 0), R(1, 1)}}},
    {2,
     1,
     1,
     {{W(1, 0, 1), REL, N(1, 0), W(1, 1, 1), REL, N(1, 1)},
      {T(0), ACQ, R(0, 0), T(1), ACQ, R(1, 1)}}},
    {3,
     1,
     1,
     {{W(2, 0, 1), REL, N(2, 0)},
      {W(2, 1, 1), REL, N(2, 1)},
      {T(0), ACQ, R(0, 0), T(1), ACQ, R(1, 1)}}},
    /* two cores of a rank write to one target: what was made first lands first */
    {2, 2, 1, {{A(1, 0, 1)}, {A(1, 0, 2)}, {R(0, 0), ACQ}}},
    {2, 2, 1, {{A(1, 1, 2), A(1, 0, 1)}, {T(0), A(1, 0, 2)}, {R(0, 0), ACQ}, {N(0, 0)}}},
    {2, 2, 1, {{W(1, 0, 1)}, {N(1, 0), W(1, 1, 1), REL}, {R(0, 0), T(0), ACQ, R(1, 1)}}},
    {2, 2, 1, {{W(1, 0, 1)}, {T(0), W(1, 1, 1)}, {R(1, 0), ACQ, R(0, 1)}, {N(0, 0)}}},
};

enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

static bool is_fence(const MmOp *o)
{
    return o->kind == MM_RELEASE || o->kind == MM_ACQUIRE;
}

/* The shape with those of its fences whose bits are set. */
static MmProgram with_fences(const MmProgram *shape, uint32_t bits)
{
    MmProgram p = *shape;
    memset(p.ops, 0, sizeof p.ops);
    uint32_t fence = 0;
    for (uint32_t l = 0; l < MM_RANKS * MM_CORES; l++)
        for (uint32_t i = 0, n = 0; i < MM_OPS; i++) {
            const MmOp *o = &shape->ops[l][i];
            if (!is_fence(o) || bits >> fence++ & 1)
                p.ops[l][n++] = *o;
        }
    return p;
}

START_TEST(shape)
{
    const MmProgram *s = &shapes[_i];
    uint32_t n = 0;
    uint64_t total = 0;
    for (uint32_t l = 0; l < MM_RANKS * MM_CORES; l++)
        for (uint32_t i = 0; i < MM_OPS; i++)
            n += is_fence(&s->ops[l][i]);
    for (uint32_t bits = 0; bits < 1u << n; bits++) {
        MmProgram p = with_fences(s, bits);
        ck_assert(compare(&p, &total));
    }
}
END_TEST

int main(int argc, char **argv)
{
    if (argc > 2)
        programs = (uint32_t)strtoul(argv[2], NULL, 10);
    if (argc > 3)
        seed = strtoull(argv[3], NULL, 10);
    Suite *s = suite_create("explore_random");
    TCase *c = tcase_create("explore_random");
    tcase_set_timeout(c, 3600);
    tcase_add_test(c, random_programs);
    tcase_add_loop_test(c, shape, 0, N_SHAPES);
    suite_add_tcase(s, c);
    return run_suite(s);
}
