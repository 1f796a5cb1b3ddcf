/* Diagnostics: what they look like, their order and number; name suggestions. */
#include "base/diag.h"
#include "tests/support.h"
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

#define check_text(want) ck_assert_str_eq(print(DIAG_TEXT, false), (want))

START_TEST(caret_and_span)
{
    start("x = 1\ny = foo + 2\n");
    diag_error(&diags, at("foo"), "name", "unknown name '%s'", "foo");
    check_text("k.pld:2:5: error: unknown name 'foo'\n"
               "    y = foo + 2\n"
               "        ^~~\n");
    ck_assert(diags_failed(&diags));
    ck_assert(!diags_internal(&diags));
    finish();
}
END_TEST

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

START_TEST(wide_and_combining_characters_align)
{
    start("\xe4\xb8\xad\xe6\x96\x87 e\xcc\x81 = bad\n");
    diag_error(&diags, at("bad"), "name", "m");
    diag_error(&diags, at("\xe6\x96\x87"), "name", "m");
    check_text("k.pld:1:2: error: m\n"
               "    \xe4\xb8\xad\xe6\x96\x87 e\xcc\x81 = bad\n"
               "      ^~\n"
               "k.pld:1:9: error: m\n"
               "    \xe4\xb8\xad\xe6\x96\x87 e\xcc\x81 = bad\n"
               "             ^~~\n");
    finish();
}
END_TEST

START_TEST(tabs_and_control_bytes)
{
    start("\tab\tbad\033[31m\x80\xe2\x80\xae end\n");
    diag_error(&diags, at("bad"), "syntax", "found \033 and\nmore");
    diag_error(&diags, at("end"), "syntax", "m");
    check_text("k.pld:1:5: error: found \\x1b and\\x0amore\n"
               "            ab      bad\\x1b[31m\\x80\\u202e end\n"
               "                    ^~~\n"
               "k.pld:1:15: error: m\n"
               "            ab      bad\\x1b[31m\\x80\\u202e end\n"
               "                                          ^~~\n");
    finish();
}
END_TEST

START_TEST(several_lines_underline_the_first)
{
    start("f(a,\n  b)\n");
    diag_error(&diags, at("a,\n  b"), "type", "m");
    check_text("k.pld:1:3: error: m\n    f(a,\n      ^~\n");
    finish();
}
END_TEST

START_TEST(ends_of_lines_and_of_the_file)
{
    start("ab\n");
    diag_error(&diags, (Span){2, 3}, "syntax", "line end");
    diag_error(&diags, (Span){3, 3}, "syntax", "file end");
    diag_error(&diags, (Span){7000, 8000}, "syntax", "beyond");
    diag_error(&diags, (Span){1, 1}, "syntax", "empty");
    check_text("k.pld:1:2: error: empty\n    ab\n     ^\n"
               "k.pld:1:3: error: line end\n    ab\n      ^\n"
               "k.pld:1:3: error: file end\n    ab\n      ^\n"
               "k.pld:1:3: error: beyond\n    ab\n      ^\n");
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

START_TEST(source_order_with_notes_in_place)
{
    start("one\ntwo\nthree\n");
    diag_error(&diags, at("three"), "type", "third");
    diag_note(&diags, at("one"), "declared here");
    diag_warn(&diags, at("two"), WARN_UNREACHABLE, "second");
    diag_note(&diags, (Span){0, 0}, "no place");
    diag_error(&diags, at("one"), "type", "first");
    diag_error(&diags, at("one"), "type", "first, too");
    check_text("k.pld:1:1: error: first\n    one\n    ^~~\n"
               "k.pld:1:1: error: first, too\n    one\n    ^~~\n"
               "k.pld:2:1: warning: second [-Wunreachable]\n    two\n    ^~~\n"
               "k.pld: note: no place\n"
               "k.pld:3:1: error: third\n    three\n    ^~~~~\n"
               "k.pld:1:1: note: declared here\n    one\n    ^~~\n");
    ck_assert_uint_eq(diags.n_errors, 3);
    ck_assert_uint_eq(diags.n_warnings, 1);
    finish();
}
END_TEST

START_TEST(json_form)
{
    start("ab \"q\"\ncd\n");
    diag_error(&diags, at("\"q\"\nc"), "type", "not \"%s\"", "q");
    diag_note(&diags, at("ab"), "n");
    diag_warn(&diags, (Span){0, 0}, WARN_UNREACHABLE, "w");
    ck_assert_str_eq(
        print(DIAG_JSON, false),
        "{\"file\":\"k.pld\",\"line\":0,\"col\":0,\"end\":{\"line\":0,\"col\":0},"
        "\"severity\":\"warning\",\"code\":\"unreachable\",\"message\":\"w\",\"notes\":[]}\n"
        "{\"file\":\"k.pld\",\"line\":1,\"col\":4,\"end\":{\"line\":2,\"col\":2},"
        "\"severity\":\"error\",\"code\":\"type\",\"message\":\"not \\\"q\\\"\",\"notes\":["
        "{\"file\":\"k.pld\",\"line\":1,\"col\":1,\"end\":{\"line\":1,\"col\":3},"
        "\"severity\":\"note\",\"code\":\"note\",\"message\":\"n\"}]}\n");
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
    Suite *s = suite_create("diag");
    TCase *tc = tcase_create("diag");
    tcase_add_test(tc, caret_and_span);
    tcase_add_test(tc, colour);
    tcase_add_test(tc, wide_and_combining_characters_align);
    tcase_add_test(tc, tabs_and_control_bytes);
    tcase_add_test(tc, several_lines_underline_the_first);
    tcase_add_test(tc, ends_of_lines_and_of_the_file);
    tcase_add_test(tc, long_lines_are_windowed);
    tcase_add_test(tc, huge_lines_cost_no_more);
    tcase_add_test(tc, no_place_and_no_source);
    tcase_add_test(tc, source_order_with_notes_in_place);
    tcase_add_test(tc, json_form);
    tcase_add_test(tc, too_many_errors_are_counted);
    tcase_add_test(tc, repetitions_are_reported_once);
    tcase_add_test(tc, warning_switches);
    tcase_add_test(tc, muted_counts_and_records_nothing);
    tcase_add_test(tc, internal_errors);
    tcase_add_test(tc, nearest_names);
    tcase_add_test(tc, nearest_names_know_when_to_be_silent);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
