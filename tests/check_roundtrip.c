/* Every dump is a program: each sample, in each mode, at every pass; and the programs of
 * tests/roundtrip, which are made to be difficult to print. */
#include "base/file.h"
#include "codegen/emit.h"
#include "elab/specialize.h"
#include "ir/print.h"
#include "lower/pass.h"
#include "parser/parser.h"
#include "tests/support.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, MAX_CASES = 64 };

/* A sample and a value of its `mode` parameter, or NULL. */
typedef struct {
    char path[300];
    char mode[40];
} Case;

static Case cases[MAX_CASES];
static int n_cases;

/* A compilation with everything it owns. */
typedef struct {
    Arena arena;
    Interner names;
    Diags diags;
    AstModule *module;
    Program *p;
} Unit;

/* What a compilation leaves behind. */
typedef struct {
    bool locs;              /* dumps with places */
    char *text[PASS_COUNT]; /* the dump after each pass, or NULL */
    Buf code;               /* bytecode: with a source map if the dumps have places */
} Dumps;

static char *print_stage(Program *p, bool locs)
{
    Buf out = {0};
    const PrintOptions options = {
        .ssa = p->properties & PROP_SSA,
        .locs = locs,
        .pass = pass_info((PassId)p->stage)->file,
    };
    ir_print(&out, p, &options);
    return out.at;
}

static bool keep_dump(void *env, Program *p, PassId pass)
{
    Dumps *dumps = env;
    ck_assert_ptr_null(dumps->text[pass]);
    dumps->text[pass] = print_stage(p, dumps->locs);
    return true;
}

static void dumps_free(Dumps *dumps)
{
    for (int i = 0; i < PASS_COUNT; i++)
        xfree(dumps->text[i]);
    buf_free(&dumps->code);
}

static void fail_with(const Unit *u, const char *what)
{
    diags_print(&u->diags, stderr, DIAG_TEXT, false);
    ck_abort_msg("%s", what);
}

static void unit_read(Unit *u, const char *name, const char *text, const SpecializeOptions *options)
{
    *u = (Unit){0};
    const Source *src = source_from_bytes(&u->arena, name, text, strlen(text));
    diags_init(&u->diags, &u->arena, src);
    u->module = parse_module(&u->arena, &u->names, src, &u->diags);
    if (!diags_failed(&u->diags))
        u->p = specialize(&u->arena, &u->names, u->module, options, &u->diags);
    if (u->p == NULL)
        fail_with(u, name);
}

/* The dump 00_parsed; a module read from one prints its first line itself. */
static char *print_parsed(Unit *u, const SpecializeOptions *options)
{
    Buf out = {0};
    if (u->module->header == NULL &&
        !specialize_header(&u->arena, &u->names, u->module, options, &u->diags, &out))
        fail_with(u, "specialize_header");
    ast_print_module(&out, u->module);
    return out.at;
}

static void unit_run(Unit *u, Dumps *dumps, bool verify)
{
    const PassOptions options = {
        .verify_each = verify,
        .stop_after = PASS_FINAL,
        .hook = keep_dump,
        .env = dumps,
    };
    if (!passes_run(u->p, &options))
        fail_with(u, "passes_run");
    BcProgram *code = emit_program(&u->arena, u->p);
    if (code == NULL)
        fail_with(u, "emit_program");
    bc_encode(code, !dumps->locs, &dumps->code);
}

static void unit_free(Unit *u)
{
    diags_free(&u->diags);
    interner_free(&u->names);
    arena_free(&u->arena);
}

static char *read_sample(const Case *c)
{
    Buf text = {0};
    char *why = NULL;
    if (!file_read(c->path, &text, 1 << 20, &why))
        ck_abort_msg("%s", why);
    return text.at;
}

/* Compiles the sample of a case and keeps the dump of every pass. */
static void compile_case(const Case *c, Dumps *dumps)
{
    Unit u;
    const Define mode = {.name = "mode", .value = c->mode};
    const SpecializeOptions options = {
        .defines = &mode,
        .n_defines = *c->mode != 0,
        .ranks = RANKS,
    };
    char *text = read_sample(c);
    unit_read(&u, c->path, text, &options);
    dumps->text[PASS_PARSED] = print_parsed(&u, &options);
    unit_run(&u, dumps, true);
    unit_free(&u);
    xfree(text);
}

/* Compares whole dumps, showing the first line that differs. */
static void same_dump(const char *got, const char *want, PassId from, PassId at)
{
    uint32_t line = 1;
    const char *start = want;
    for (size_t i = 0; got[i] == want[i]; i++) {
        if (want[i] == '\0')
            return;
        if (want[i] == '\n') {
            line++;
            start = want + i + 1;
        }
    }
    const char *other = got + (start - want);
    ck_abort_msg("read %s, %s differs in line %u:\n- %.*s\n+ %.*s", pass_info(from)->file,
                 from == at ? "its own print" : pass_info(at)->file, line,
                 (int)strcspn(start, "\n"), start, (int)strcspn(other, "\n"), other);
}

/* Reads the dump of one pass, prints it, goes on from it. */
static void continue_from(const Dumps *dumps, PassId pass)
{
    Unit u;
    Dumps again = {.locs = dumps->locs};
    const SpecializeOptions none = {0};
    unit_read(&u, pass_info(pass)->file, dumps->text[pass], &none);
    if (pass == PASS_PARSED)
        again.text[PASS_PARSED] = print_parsed(&u, &none);
    else
        ck_assert_uint_eq(u.p->stage, pass);
    unit_run(&u, &again, false);
    for (int at = pass; at < PASS_COUNT; at++)
        same_dump(again.text[at], dumps->text[at], pass, (PassId)at);
    if (again.code.len != dumps->code.len ||
        memcmp(again.code.at, dumps->code.at, again.code.len) != 0)
        ck_abort_msg("the bytecode made from %s differs", pass_info(pass)->file);
    dumps_free(&again);
    unit_free(&u);
}

static void ck_every_dump(const Case *c, bool locs)
{
    Dumps dumps = {.locs = locs};
    compile_case(c, &dumps);
    /* The places in what is made from 00_parsed are of that text. */
    for (int pass = locs ? PASS_SPECIALIZE : PASS_PARSED; pass < PASS_COUNT; pass++)
        continue_from(&dumps, (PassId)pass);
    dumps_free(&dumps);
}

START_TEST(every_dump_reads_back_and_goes_on_alike)
{
    ck_every_dump(&cases[_i], false);
}
END_TEST

START_TEST(dumps_with_places_keep_the_source_map)
{
    ck_every_dump(&cases[_i], true);
}
END_TEST

static char *replace_all(const char *text, const char *from, const char *to)
{
    Buf out = {0};
    const char *at;
    while ((at = strstr(text, from)) != NULL) {
        buf_bytes(&out, text, (size_t)(at - text));
        buf_str(&out, to);
        text = at + strlen(from);
    }
    buf_str(&out, text);
    return out.at;
}

/* A constant changed in the dump of a pass is the constant of all that follows. */
START_TEST(an_edited_dump_is_the_program)
{
    const Case reduce = {"samples/14_reduce_scatter.pld", "hand"};
    Dumps dumps = {0}, edited = {0};
    compile_case(&reduce, &dumps);
    Unit u;
    char *text = replace_all(dumps.text[_i], "expected=1,", "expected=3,");
    ck_assert_str_ne(text, dumps.text[_i]);
    unit_read(&u, "edited", text, &(SpecializeOptions){0});
    unit_run(&u, &edited, true);
    char *final = replace_all(dumps.text[PASS_FINAL], "expected=1,", "expected=3,");
    ck_assert_str_eq(edited.text[PASS_FINAL], final);
    ck_assert(edited.code.len != dumps.code.len ||
              memcmp(edited.code.at, dumps.code.at, dumps.code.len) != 0);
    unit_free(&u);
    dumps_free(&dumps);
    dumps_free(&edited);
    xfree(text);
    xfree(final);
}
END_TEST

START_TEST(compiling_twice_gives_the_same_dumps)
{
    Dumps first = {0}, second = {0};
    compile_case(&cases[_i], &first);
    compile_case(&cases[_i], &second);
    for (int pass = PASS_SPECIALIZE; pass < PASS_COUNT; pass++)
        ck_assert_str_eq(first.text[pass], second.text[pass]);
    dumps_free(&first);
    dumps_free(&second);
}
END_TEST

START_TEST(there_are_samples)
{
    ck_assert_int_gt(n_cases, 10);
}
END_TEST

static void add_case(const char *path, const char *mode, size_t mode_len)
{
    if (n_cases == MAX_CASES)
        return;
    Case *c = &cases[n_cases++];
    snprintf(c->path, sizeof c->path, "%s", path);
    snprintf(c->mode, sizeof c->mode, "%.*s", (int)mode_len, mode);
}

/* One case a value of `mode: Literal["a", "b"]`, or one for a program without modes. */
static void add_program(const Case *probe)
{
    char *text = read_sample(probe);
    const char *at = strstr(text, "mode: Literal["), *end = at ? strchr(at, ']') : NULL;
    if (end == NULL)
        add_case(probe->path, "", 0);
    while (end && (at = strchr(at, '"')) != NULL && at < end) {
        size_t len = strcspn(at + 1, "\"");
        add_case(probe->path, at + 1, len);
        at += len + 2;
    }
    xfree(text);
}

static int is_program(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".pld") == 0;
}

static void find_cases(const char *directory)
{
    struct dirent **found;
    int n = scandir(directory, &found, is_program, alphasort);
    for (int i = 0; i < n; i++) {
        Case probe = {0};
        snprintf(probe.path, sizeof probe.path, "%s/%s", directory, found[i]->d_name);
        add_program(&probe);
        free(found[i]);
    }
    if (n >= 0)
        free(found);
}

int main(void)
{
    find_cases("samples");
    find_cases("tests/roundtrip");
    TCase *tc = tcase_create("roundtrip");
    tcase_add_test(tc, there_are_samples);
    tcase_add_loop_test(tc, every_dump_reads_back_and_goes_on_alike, 0, n_cases);
    tcase_add_loop_test(tc, dumps_with_places_keep_the_source_map, 0, n_cases);
    tcase_add_loop_test(tc, an_edited_dump_is_the_program, 0, PASS_COUNT);
    tcase_add_loop_test(tc, compiling_twice_gives_the_same_dumps, 0, n_cases);
    Suite *suite = suite_create("roundtrip");
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
