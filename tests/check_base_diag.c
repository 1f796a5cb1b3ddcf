/* Diagnostics: what they look like, their order and number; name suggestions. tests/diags/NAME.txt
 * is a source, NAME.say what is reported about it, NAME.out and NAME.json what is printed then;
 * `make update-goldens` writes these anew. */
#include "base/diag.h"
#include "tests/files.h"
#include "tests/support.h"
#include <glob.h>
#include <stdlib.h>
#include <string.h>

static Arena arena;
static Diags diags;

static void start(const char *text)
{
    diags_init(&diags, &arena, source_from_bytes(&arena, "k.pld", text, strlen(text)));
}

static void finish(void)
{
    diags_free(&diags);
    arena_free(&arena);
}

/* The span of the first `needle` in the source. */
static Span at(const char *needle)
{
    const char *p = strstr(diags.src->text, needle);
    ck_assert_ptr_nonnull(p);
    uint32_t begin = (uint32_t)(p - diags.src->text);
    return (Span){begin, begin + (uint32_t)strlen(needle)};
}

static char *print(DiagFormat format, bool colour)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    diags_print(&diags, out, format, colour);
    fclose(out);
    char *copy = arena_strndup(&arena, text, size);
    free(text);
    return copy;
}

static glob_t cases;

/* One line of a .say file: "error CODE PLACE: MESSAGE", "warning NAME PLACE: MESSAGE" or
 * "note - PLACE: MESSAGE". A place is the first such text of the source, or @BEGIN-END; \n is a
 * line end. */
static void say(const char *line)
{
    char *words = arena_printf(&arena, "%s", line), *out = words;
    for (const char *in = line; *in; in++)
        *out++ = in[0] == '\\' && in[1] == 'n' ? (in++, '\n') : *in;
    *out = '\0';
    const char *kind = strsep(&words, " "), *code = strsep(&words, " ");
    char *message = strstr(words, ": ");
    ck_assert_ptr_nonnull(message);
    *message = '\0';
    Span span;
    if (sscanf(words, "@%u-%u", &span.begin, &span.end) != 2)
        span = at(words);
    if (strcmp(kind, "error") == 0)
        diag_error(&diags, span, code, "%s", message + 2);
    else if (strcmp(kind, "note") == 0)
        diag_note(&diags, span, "%s", message + 2);
    else
        diag_warn(&diags, span, WARN_UNREACHABLE, "%s", message + 2);
}

START_TEST(as_expected)
{
    Arena own = {0};
    const char *path = cases.gl_pathv[_i];
    start(files_read(&own, path));
    char *says = arena_printf(
        &own, "%s", files_read(&own, arena_printf(&own, "%.*s.say", (int)strlen(path) - 4, path)));
    for (char *line; (line = strsep(&says, "\n")) && *line;)
        say(line);
    ck_assert(diags_failed(&diags) && !diags_internal(&diags));
    files_expect(&own, path, ".out", print(DIAG_TEXT, false));
    files_expect(&own, path, ".json", print(DIAG_JSON, false));
    arena_free(&own);
    finish();
}
END_TEST

#define check_text(want) ck_assert_str_eq(print(DIAG_TEXT, false), (want))

START_TEST(colour)
{
    start("foo\n");
    diag_error(&diags, at("oo"), "name", "m");
    ck_assert_str_eq(print(DIAG_TEXT, true), "\033[1mk.pld:1:2: \033[1;31merror: \033[0mm\n"
                                             "    foo\n"
                                             "     \033[1;32m^~\033[0m\n");
    finish();
}
END_TEST

START_TEST(long_lines_are_windowed)
{
    char line[1001];
    for (int i = 0; i < 1000; i++)
        line[i] = (char)('a' + i % 26);
    line[1000] = '\0';
    memcpy(line + 500, "BAD", 3);
    start(line);
    diag_error(&diags, at("BAD"), "name", "m");
    char want[400];
    snprintf(want, sizeof want, "k.pld:1:501: error: m\n    ...%.160s...\n%67s^~~\n", line + 440,
             "");
    check_text(want);
    finish();

    memcpy(line, "BAD", 3);
    start(line);
    diag_error(&diags, (Span){0, 1000}, "name", "m");
    snprintf(want, sizeof want, "k.pld:1:1: error: m\n    %.160s...\n    ^", line);
    char *text = print(DIAG_TEXT, false);
    ck_assert_int_eq(strncmp(text, want, strlen(want)), 0);
    ck_assert_uint_eq(strlen(text), strlen(want) + 159 + 1);
    finish();

    start(line);
    diag_error(&diags, (Span){998, 1000}, "name", "m");
    snprintf(want, sizeof want, "k.pld:1:999: error: m\n    ...%s\n%165s^~\n", line + 840, "");
    check_text(want);
    finish();
}
END_TEST

/* Two hundred messages on a line of two megabytes, in the middle of two-byte characters. */
START_TEST(huge_lines_cost_no_more)
{
    size_t size = 2 << 20;
    char *line = arena_alloc(&arena, size);
    for (size_t i = 0; i + 1 < size; i++)
        line[i] = i % 2 ? '\xa9' : '\xc3';
    start(line);
    for (uint32_t i = 0; i < 200; i++)
        diag_warn(&diags, (Span){1000000 + 2 * i, 1000002 + 2 * i}, WARN_UNREACHABLE, "m");
    char *text = print(DIAG_TEXT, false);
    char *caret = strstr(text, "\n    ...\xc3\xa9");
    ck_assert_ptr_nonnull(caret);
    char want[100];
    snprintf(want, sizeof want, "...\n%67s^\n", "");
    ck_assert_ptr_nonnull(strstr(caret, want));
    ck_assert_uint_eq(diags.n_hidden_warnings, 100);
    ck_assert_str_eq(text + strlen(text) - 28, "100 more warnings not shown\n");
    finish();
}
END_TEST

START_TEST(no_place_and_no_source)
{
    start("x\n");
    diag_error(&diags, (Span){0, 0}, "option", "no program in the file");
    check_text("k.pld: error: no program in the file\n");
    finish();
    diags_init(&diags, &arena, NULL);
    diag_error(&diags, (Span){0, 0}, "option", "bad option");
    check_text("error: bad option\n");
    finish();
}
END_TEST

START_TEST(too_many_errors_are_counted)
{
    start("0123456789012345678901234567890123456789\n");
    for (uint32_t i = 1; i <= DIAG_MAX_ERRORS + 3; i++) {
        diag_error(&diags, (Span){i, i + 1}, "type", "m");
        diag_note(&diags, (Span){i, i + 1}, "n");
    }
    ck_assert_uint_eq(diags.n_errors, DIAG_MAX_ERRORS + 3);
    ck_assert_uint_eq(diags.list.len, 2 * DIAG_MAX_ERRORS);
    char *text = print(DIAG_TEXT, false);
    static const char end[] = "^\n3 more errors not shown\n";
    ck_assert_str_eq(text + strlen(text) - strlen(end), end);
    ck_assert_ptr_nonnull(strstr(print(DIAG_JSON, false), "3 more errors not shown"));
    diag_error(&diags, (Span){50, 51}, "type", "m");
    finish();
}
END_TEST

START_TEST(repetitions_are_reported_once)
{
    start("ab\n");
    for (int i = 0; i < 3; i++) {
        diag_error(&diags, at("a"), "type", "same");
        diag_note(&diags, at("b"), "note");
        diag_warn(&diags, at("b"), WARN_UNREACHABLE, "text %d", i);
    }
    ck_assert_uint_eq(diags.n_errors, 1);
    ck_assert_uint_eq(diags.n_warnings, 1);
    ck_assert_uint_eq(diags.list.len, 3);
    finish();
}
END_TEST

START_TEST(warning_switches)
{
    start("ab\n");
    diag_warn(&diags, at("a"), WARN_UNUSED_VARIABLE, "off by default");
    ck_assert_uint_eq(diags.list.len, 0);
    diag_note(&diags, at("a"), "goes with it");
    ck_assert_uint_eq(diags.list.len, 0);
    ck_assert(diags_set_warning(&diags, "unused-variable"));
    ck_assert(diags.enabled[WARN_UNUSED_VARIABLE]);
    ck_assert(diags_set_warning(&diags, "no-unused-variable"));
    ck_assert(!diags.enabled[WARN_UNUSED_VARIABLE]);
    ck_assert(!diags_set_warning(&diags, "nonsense"));
    ck_assert(!diags_set_warning(&diags, "no-nonsense"));
    ck_assert(diags_set_warning(&diags, "no-all"));
    ck_assert(!diags.enabled[WARN_UNREACHABLE] && !diags.enabled[WARN_UNCHECKED_OUTPUT]);
    ck_assert(diags_set_warning(&diags, "all"));
    ck_assert(diags.enabled[WARN_UNREACHABLE] && diags.enabled[WARN_UNCHECKED_OUTPUT]);
    diag_warn(&diags, at("a"), WARN_UNREACHABLE, "w");
    ck_assert(!diags_failed(&diags));
    diags.werror = true;
    diag_warn(&diags, at("b"), WARN_UNREACHABLE, "w");
    ck_assert(diags_failed(&diags));
    check_text("k.pld:1:1: warning: w [-Wunreachable]\n    ab\n    ^\n"
               "k.pld:1:2: error: w [-Werror=unreachable]\n    ab\n     ^\n");
    finish();
}
END_TEST

START_TEST(muted_counts_and_records_nothing)
{
    start("ab\n");
    diags.muted = true;
    diag_error(&diags, at("a"), "type", "m");
    diag_note(&diags, at("a"), "n");
    ck_assert_uint_eq(diags.n_errors, 1);
    ck_assert_uint_eq(diags.list.len, 0);
    finish();
}
END_TEST

START_TEST(internal_errors)
{
    start("ab\n");
    diag_internal(&diags, at("b"), "pass %s broke %s", "x", "y");
    ck_assert(diags_failed(&diags));
    ck_assert(diags_internal(&diags));
    check_text("k.pld:1:2: internal error: pass x broke y\n    ab\n     ^\n");
    finish();
}
END_TEST

static const char *near(const char *name)
{
    static const char *const names[] = {
        "notify", "wait", "remote_load",   "remote_store", "alloc_window_buffer",
        "Sum",    "add",  "reduce_scatter"};
    return nearest_name(name, names, sizeof names / sizeof names[0]);
}

START_TEST(nearest_names)
{
    ck_assert_str_eq(near("notfy"), "notify");
    ck_assert_str_eq(near("notifyy"), "notify");
    ck_assert_str_eq(near("wiat"), "wait");
    ck_assert_str_eq(near("remote_laod"), "remote_load");
    ck_assert_str_eq(near("remote_stored"), "remote_store");
    ck_assert_str_eq(near("aloc_windw_bufer"), "alloc_window_buffer");
    ck_assert_str_eq(near("sum"), "Sum");
    ck_assert_str_eq(near("adt"), "add");
}
END_TEST

START_TEST(nearest_names_know_when_to_be_silent)
{
    ck_assert_ptr_null(near("xyz"));
    ck_assert_ptr_null(near("notiable"));
    ck_assert_ptr_null(near("ad")); /* one of two letters is more than a third */
    ck_assert_ptr_null(near(""));
    ck_assert_ptr_null(nearest_name("abc", NULL, 0));
    char *huge = arena_alloc(&arena, 1 << 20);
    memset(huge, 'a', (1 << 20) - 1);
    ck_assert_ptr_null(near(huge));
    static const char *const ties[] = {"cat", "bat"};
    ck_assert_str_eq(nearest_name("rat", ties, 2), "cat");
    arena_free(&arena);
}
END_TEST

int main(void)
{
    if (glob("tests/diags/*.txt", 0, NULL, &cases) != 0)
        return 1;
    Suite *s = suite_create("diag");
    TCase *tc = tcase_create("diag");
    tcase_add_loop_test(tc, as_expected, 0, (int)cases.gl_pathc);
    tcase_add_test(tc, colour);
    tcase_add_test(tc, long_lines_are_windowed);
    tcase_add_test(tc, huge_lines_cost_no_more);
    tcase_add_test(tc, no_place_and_no_source);
    tcase_add_test(tc, too_many_errors_are_counted);
    tcase_add_test(tc, repetitions_are_reported_once);
    tcase_add_test(tc, warning_switches);
    tcase_add_test(tc, muted_counts_and_records_nothing);
    tcase_add_test(tc, internal_errors);
    tcase_add_test(tc, nearest_names);
    tcase_add_test(tc, nearest_names_know_when_to_be_silent);
    suite_add_tcase(s, tc);
    int status = run_suite(s);
    globfree(&cases);
    return status;
}
