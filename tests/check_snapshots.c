/* Explorations that go on from snapshots see what those see that begin each execution anew: same
 * executions, orders, reports, tokens and outcomes, on every program of tests/explore, litmus and
 * verdicts, under both memory models. */
#include "base/file.h"
#include "cli/compile.h"
#include "sim/explore/explore.h"
#include "sim/host/run.h"
#include "tests/support.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEVICES = 8, BOUND = 120 };

static glob_t programs;

/* "# devices N", or "... on N" in the line of what is expected; 2 when unsaid. */
static uint32_t devices_of(const char *path)
{
    Buf text = {0};
    char *why = NULL;
    uint32_t n = 2;
    ck_assert(file_read(path, &text, 1 << 20, &why));
    const char *at = strstr(text.at, "\n# devices ");
    if (strncmp(text.at, "# devices ", 10) == 0)
        at = text.at - 1;
    if (at) {
        (void)sscanf(at + 1, "# devices %u", &n);
    } else {
        char line[128] = "";
        (void)sscanf(text.at, "# expect: %127[^\n]", line);
        const char *on = strstr(line, " on ");
        if (on)
            (void)sscanf(on, " on %u", &n);
    }
    buf_free(&text);
    ck_assert_uint_le(n, MAX_DEVICES);
    return n;
}

static void compile_program(Compilation *c, const char *path, uint32_t devices)
{
    CompileOptions o = {.path = path, .stop_after = PASS_FINAL, .quiet = true};
    o.specialize.ranks = devices;
    ck_assert_msg(compile(c, &o) == STATUS_OK, "%s does not compile", path);
}

static void same_failures(const ExploreResult *a, const ExploreResult *b)
{
    ck_assert_uint_eq(a->n_failures, b->n_failures);
    for (uint32_t i = 0; i < a->n_failures; i++) {
        ck_assert_str_eq(a->failures[i].text, b->failures[i].text);
        ck_assert_str_eq(a->failures[i].token, b->failures[i].token);
        ck_assert_uint_eq(a->failures[i].count, b->failures[i].count);
    }
}

static void same(const ExploreResult *a, const ExploreResult *b)
{
    ck_assert_int_eq(a->status, b->status);
    ck_assert_int_eq(a->complete, b->complete);
    ck_assert_uint_eq(a->executions, b->executions);
    ck_assert_uint_eq(a->blocked, b->blocked);
    ck_assert_uint_eq(a->orders, b->orders);
    ck_assert_uint_eq(a->orders_hash, b->orders_hash);
    ck_assert_uint_eq(a->most_steps, b->most_steps);
    same_failures(a, b);
    ck_assert_uint_eq(a->n_outcomes, b->n_outcomes);
    for (uint32_t i = 0; i < a->n_outcomes; i++)
        ck_assert_str_eq(a->outcomes[i], b->outcomes[i]);
}

START_TEST(snapshots_change_nothing)
{
    static const uint32_t ids[MAX_DEVICES] = {0, 1, 2, 3, 4, 5, 6, 7};
    const char *path = programs.gl_pathv[_i];
    uint32_t devices = devices_of(path);
    Compilation compiled = {0};
    compile_program(&compiled, path, devices);
    RunConfig config = {.host = &host_files,
                        .n_devices = devices,
                        .devices = ids,
                        .checks = CHECK_ALL,
                        .rtol = -1,
                        .atol = -1};
    for (int how = 0; how < 8; how++) {
        ExploreOptions o = {.bound = BOUND, .search = true, .brute = how & 1};
        ExploreResult with = {0}, without = {0};
        o.outcomes = how & 2;
        config.weak = how & 4;
        (void)explore(compiled.bytecode, &config, &o, &with);
        o.anew = true;
        (void)explore(compiled.bytecode, &config, &o, &without);
        same(&with, &without);
        explore_free(&with);
        explore_free(&without);
    }
    compile_free(&compiled);
}
END_TEST

int main(void)
{
    if (glob("tests/explore/*.pld", 0, NULL, &programs) != 0 ||
        glob("tests/litmus/*.pld", GLOB_APPEND, NULL, &programs) != 0 ||
        glob("tests/verdicts/*.pld", GLOB_APPEND, NULL, &programs) != 0)
        return 1;
    Suite *s = suite_create("snapshots");
    TCase *c = tcase_create("snapshots");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, snapshots_change_nothing, 0, (int)programs.gl_pathc);
    suite_add_tcase(s, c);
    int status = run_suite(s);
    globfree(&programs);
    return status;
}
