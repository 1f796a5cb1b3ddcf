/* The programs of tests/verdicts and the samples under 100 random schedules each, the correct ones
 * with weak memory too.
 *
 * The first lines of a program say what must come out:
 *
 *   # expect: VERDICT [or VERDICT] [on N]
 *   # says: TEXT
 *   # texts: of runs that finish
 *
 * VERDICT is ok (nothing reported at all), race, uninit, signal, deadlock, or warning (of the
 * signal check, the run being good). It must come under every schedule. N: devices, 2 when unsaid.
 * TEXT stands in one of the reports of the first schedule. The reports of all schedules are the
 * same texts; with the third line, of all that do not end in a deadlock. */
#include "base/file.h"
#include "cli/compile.h"
#include "sim/check/session.h"
#include "sim/host/run.h"
#include "sim/machine/world.h"
#include "sim/sched/sched.h"
#include "tests/simtest.h"
#include "tests/support.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

enum { SEEDS = 100, TEXT_SEEDS = 15, MAX_DEVICES = 8 };

typedef struct {
    char verdicts[128], says[256];
    uint32_t devices;
    bool if_finished;
} Expect;

typedef struct {
    Compilation compiled;
    RunConfig config;
    RunResult result;
    World *world;
} Case;

static void read_expect(const char *path, Expect *e)
{
    Buf text = {0};
    char *why = NULL;
    ck_assert(file_read(path, &text, 1 << 20, &why));
    *e = (Expect){.devices = 2};
    ck_assert_msg(sscanf(text.at, "# expect: %127[^\n]", e->verdicts) == 1, "%s", path);
    const char *says = strstr(text.at, "\n# says: ");
    if (says)
        (void)sscanf(says, "\n# says: %255[^\n]", e->says);
    e->if_finished = strstr(text.at, "\n# texts: of runs that finish\n");
    const char *on = strstr(e->verdicts, " on ");
    if (on)
        (void)sscanf(on, " on %u", &e->devices);
    buf_free(&text);
}

static void case_open(Case *c, const char *path, uint32_t devices, const Define *define, bool weak)
{
    static const uint32_t ids[MAX_DEVICES] = {0, 1, 2, 3, 4, 5, 6, 7};
    memset(c, 0, sizeof *c);
    CompileOptions o = {.path = path, .stop_after = PASS_FINAL, .quiet = true};
    o.specialize.ranks = devices;
    o.specialize.defines = define;
    o.specialize.n_defines = define ? 1 : 0;
    ck_assert_msg(compile(&c->compiled, &o) == STATUS_OK, "%s does not compile", path);
    c->config = (RunConfig){
        .host = &host_files, .n_devices = devices, .devices = ids, .rtol = -1, .atol = -1};
    c->config.checks = CHECK_ALL;
    c->config.weak = weak;
    c->world = session_new(c->compiled.bytecode, &c->config, &c->result);
    ck_assert_msg(c->world != NULL, "%s cannot be started", path);
}

static void case_run(Case *c, Policy *policy)
{
    run_result_free(&c->result);
    world_reset(c->world, &c->result);
    (void)session_run(c->world, policy);
    policy_free(policy);
}

static void case_close(Case *c)
{
    world_free(c->world);
    run_result_free(&c->result);
    compile_free(&c->compiled);
}

static bool has(const RunResult *r, ReportKind kind, const char *check)
{
    for (uint32_t i = 0; i < r->n_reports; i++)
        if (r->reports[i].kind == kind && strcmp(r->reports[i].check, check) == 0)
            return true;
    return false;
}

static bool is_verdict(const RunResult *r, const Expect *e)
{
    static const char *const checks[] = {"race", "uninit", "signal"};
    if (strncmp(e->verdicts, "ok", 2) == 0)
        return r->status == EXIT_OK && r->n_reports == 0;
    if (strncmp(e->verdicts, "warning", 7) == 0)
        return r->status == EXIT_OK &&
               (has(r, REP_WARNING, "signal") || has(r, REP_WARNING, "tasks"));
    for (size_t i = 0; i < 3; i++)
        if (strstr(e->verdicts, checks[i]) && has(r, REP_CHECK, checks[i]))
            return true;
    return strstr(e->verdicts, "deadlock") && has(r, REP_DEADLOCK, "deadlock");
}

static bool says(const RunResult *r, const char *text)
{
    for (uint32_t i = 0; i < r->n_reports; i++)
        if (strstr(r->reports[i].text, text))
            return true;
    return false;
}

static const char *first_text(const RunResult *r)
{
    return r->n_reports ? r->reports[0].text : "nothing reported";
}

static void check_program(const char *path, const Expect *e, const Define *define, bool weak)
{
    Case c;
    case_open(&c, path, e->devices, define, weak);
    for (uint64_t seed = 0; seed <= SEEDS; seed++) {
        case_run(&c, seed == SEEDS ? policy_clock() : simtest_random(seed));
        bool yes = is_verdict(&c.result, e);
        ck_assert_msg(yes, "%s%s, seed %llu: wanted %s, got: %s", path, weak ? " (weak)" : "",
                      (unsigned long long)seed, e->verdicts, first_text(&c.result));
        if (seed == 0 && e->says[0])
            ck_assert_msg(says(&c.result, e->says), "%s: no '%s' in: %s", path, e->says,
                          first_text(&c.result));
    }
    case_close(&c);
}

/* The programs, in order of name. */
static glob_t programs;

START_TEST(verdict_on_every_schedule)
{
    Expect e;
    read_expect(programs.gl_pathv[_i], &e);
    check_program(programs.gl_pathv[_i], &e, NULL, false);
    if (strncmp(e.verdicts, "ok", 2) == 0)
        check_program(programs.gl_pathv[_i], &e, NULL, true);
}
END_TEST

START_TEST(same_schedule_same_reports)
{
    Expect e;
    const char *path = programs.gl_pathv[_i];
    read_expect(path, &e);
    Case a, b;
    case_open(&a, path, e.devices, NULL, false);
    case_open(&b, path, e.devices, NULL, false);
    case_run(&b, simtest_random(3));
    for (uint64_t seed = 7; seed < 10; seed++) {
        case_run(&a, simtest_random(seed));
        case_run(&b, simtest_random(seed));
        ck_assert_uint_eq(a.result.n_reports, b.result.n_reports);
        for (uint32_t i = 0; i < a.result.n_reports; i++)
            ck_assert_str_eq(a.result.reports[i].text, b.result.reports[i].text);
    }
    case_close(&a);
    case_close(&b);
}
END_TEST

/* What the checks of a run say; what only some schedules come to (a deadlock, a golden) is not
 * theirs. */
static bool of_a_check(const Report *report)
{
    static const char *const checks[] = {"race", "uninit", "signal", "fence"};
    for (size_t k = 0; k < sizeof checks / sizeof checks[0]; k++)
        if (strcmp(report->check, checks[k]) == 0)
            return report->kind != REP_NOTE;
    return false;
}

static void check_texts(const RunResult *r, Buf *out)
{
    buf_clear(out);
    for (uint32_t i = 0; i < r->n_reports; i++)
        if (of_a_check(&r->reports[i]))
            buf_printf(out, "%s\n", r->reports[i].text);
}

/* Also where some schedules end in a deadlock. */
static void check_texts_of(const char *path, bool weak)
{
    Expect e;
    Buf first = {0}, text = {0};
    Case c;
    read_expect(path, &e);
    case_open(&c, path, e.devices, NULL, weak);
    case_run(&c, policy_clock());
    check_texts(&c.result, &first);
    buf_char(&first, '\0');
    for (uint64_t seed = 0; seed < 2 * TEXT_SEEDS; seed++) {
        char name[64];
        const char *why;
        snprintf(name, sizeof name, seed % 2 ? "random:%llu" : "pct:%llu:3",
                 (unsigned long long)seed);
        case_run(&c, policy_parse(name, &why));
        if (e.if_finished && has(&c.result, REP_DEADLOCK, "deadlock"))
            continue;
        check_texts(&c.result, &text);
        buf_char(&text, '\0');
        ck_assert_msg(strcmp(first.at, text.at) == 0, "%s: by clock:\n%sby %s:\n%s", path, first.at,
                      name, text.at);
    }
    case_close(&c);
    buf_free(&first);
    buf_free(&text);
}

START_TEST(same_texts_on_every_schedule)
{
    check_texts_of(programs.gl_pathv[_i], false);
    check_texts_of(programs.gl_pathv[_i], true);
}
END_TEST

typedef struct {
    const char *path, *mode; /* mode NULL: it has none */
    uint32_t devices;
} Sample;

static const Sample samples[] = {
    {"samples/01_hello_rank.pld", NULL, 3},
    {"samples/02_programming_model.pld", NULL, 3},
    {"samples/03_window_buffer.pld", NULL, 3},
    {"samples/04_barrier.pld", "hand", 3},
    {"samples/04_barrier.pld", "builtin", 3},
    {"samples/05_remote_load_store.pld", "load", 3},
    {"samples/05_remote_load_store.pld", "store", 3},
    {"samples/06_put_get.pld", "put", 3},
    {"samples/06_put_get.pld", "get", 3},
    {"samples/07_dynamic_rank_count.pld", NULL, 3},
    {"samples/08_allreduce_mesh.pld", NULL, 3},
    {"samples/09_allreduce_two_phase.pld", NULL, 4},
    {"samples/10_allreduce_ring.pld", NULL, 4},
    {"samples/11_allreduce_reveal.pld", "mesh", 4},
    {"samples/11_allreduce_reveal.pld", "ring", 4},
    {"samples/12_broadcast.pld", "hand", 3},
    {"samples/12_broadcast.pld", "builtin", 3},
    {"samples/13_allgather.pld", "hand", 3},
    {"samples/13_allgather.pld", "builtin", 3},
    {"samples/14_reduce_scatter.pld", "hand", 4},
    {"samples/14_reduce_scatter.pld", "builtin", 4},
    {"samples/15_all_to_all.pld", "hand", 4},
    {"samples/15_all_to_all.pld", "builtin", 4},
    {"samples/16_putting_it_together.pld", NULL, 4},
    {"samples/17_host_collectives.pld", NULL, 3},
    {"samples/18_two_groups.pld", NULL, 4},
};

START_TEST(samples_are_clean)
{
    const Sample *s = &samples[_i];
    Expect e = {.verdicts = "ok", .devices = s->devices};
    Define mode = {.name = "mode", .value = s->mode};
    check_program(s->path, &e, s->mode ? &mode : NULL, false);
    check_program(s->path, &e, s->mode ? &mode : NULL, true);
}
END_TEST

START_TEST(enough_of_both)
{
    uint32_t good = 0, bad = 0;
    for (size_t i = 0; i < programs.gl_pathc; i++) {
        Expect e;
        read_expect(programs.gl_pathv[i], &e);
        *(strncmp(e.verdicts, "ok", 2) == 0 ? &good : &bad) += 1;
    }
    ck_assert_uint_ge(good, 20);
    ck_assert_uint_ge(bad, 25);
}
END_TEST

int main(void)
{
    if (glob("tests/verdicts/*.pld", 0, NULL, &programs) != 0)
        return 1;
    Suite *s = suite_create("verdicts");
    TCase *c = tcase_create("verdicts");
    tcase_add_loop_test(c, verdict_on_every_schedule, 0, (int)programs.gl_pathc);
    tcase_add_loop_test(c, same_schedule_same_reports, 0, (int)programs.gl_pathc);
    tcase_add_loop_test(c, same_texts_on_every_schedule, 0, (int)programs.gl_pathc);
    tcase_add_loop_test(c, samples_are_clean, 0, (int)(sizeof samples / sizeof samples[0]));
    tcase_add_test(c, enough_of_both);
    suite_add_tcase(s, c);
    int status = run_suite(s);
    globfree(&programs);
    return status;
}
