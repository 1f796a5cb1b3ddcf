/* Programs, tests/ast_print/NAME.pld, and what the printer makes of them, NAME.out; the same text
 * where there is none. `make update-goldens` writes the expected files anew. */
#include "tests/files.h"
#include "tests/parsetest.h"
#include "tests/support.h"
#include <glob.h>
#include <string.h>

static glob_t cases;

START_TEST(canonical_spelling)
{
    Arena arena = {0};
    Parsed p;
    const char *path = cases.gl_pathv[_i], *text = files_read(&arena, path);
    parse_text(&p, text, strlen(text));
    const char *printed = arena_printf(&arena, "%s", parsed_printed(&p));
    parsed_free(&p);
    expect_printed(text, printed);
    files_expect(&arena, path, ".out", strcmp(printed, text) == 0 ? "" : printed);
    arena_free(&arena);
}
END_TEST

START_TEST(different_trees_are_not_equal)
{
    static const char *const distinct[] = {
        "a",
        "b",
        "1",
        "0x1",
        "1.0",
        "'a'",
        "'''a'''",
        "f'a'",
        "True",
        "None",
        "a.b",
        "a[b]",
        "a[b:]",
        "a(b)",
        "a(b=c)",
        "a(b=d)",
        "a(*b)",
        "a(**b)",
        "-a",
        "~a",
        "a + b",
        "a - b",
        "a < b",
        "a > b",
        "a < b < c",
        "a and b",
        "a or b",
        "a and b and c",
        "a if b else c",
        "(a,)",
        "[a]",
        "(a, b)",
        "[a for a in b]",
        "(a for a in b)",
        "[a for a in b if c]",
        "lambda: a",
        "lambda a: a",
        "{a: b}",
        "{**b}",
        "{a}",
        "{a for a in b}",
        "{a: c for a in b}",
        "(a := b)",
        "(a := c)",
        "(yield)",
        "(yield a)",
        "(yield from a)",
        "f'{a}'",
        "f'{a=}'",
        "f'{a!r}'",
        "f'{a:b}'",
    };
    enum { N = sizeof distinct / sizeof distinct[0] };
    Parsed p[N];
    for (int i = 0; i < N; i++) {
        parse_text(&p[i], distinct[i], strlen(distinct[i]));
        ck_assert_uint_eq(p[i].diags.n_errors, 0);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            ck_assert_msg(ast_equal(p[i].module->body.at[0], p[j].module->body.at[0]) == (i == j),
                          "%s, %s", distinct[i], distinct[j]);
    for (int i = 0; i < N; i++)
        parsed_free(&p[i]);
}
END_TEST

int main(void)
{
    if (glob("tests/ast_print/*.pld", 0, NULL, &cases) != 0)
        return 1;
    Suite *s = suite_create("ast_print");
    TCase *tc = tcase_create("ast_print");
    tcase_add_loop_test(tc, canonical_spelling, 0, (int)cases.gl_pathc);
    tcase_add_test(tc, different_trees_are_not_equal);
    suite_add_tcase(s, tc);
    int status = run_suite(s);
    globfree(&cases);
    return status;
}
