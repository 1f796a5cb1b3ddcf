#include "tests/parsetest.h"
#include "tests/support.h"
#include <string.h>

void parse_text(Parsed *p, const char *text, size_t len)
{
    *p = (Parsed){0};
    p->src = source_from_bytes(&p->arena, "test.pld", text, len);
    diags_init(&p->diags, &p->arena, p->src);
    p->module = parse_module(&p->arena, &p->names, p->src, &p->diags);
}

void parsed_free(Parsed *p)
{
    diags_free(&p->diags);
    buf_free(&p->text);
    interner_free(&p->names);
    arena_free(&p->arena);
}

static int by_place(const void *a, const void *b)
{
    uint32_t x = (*(const Diag *const *)a)->span.begin, y = (*(const Diag *const *)b)->span.begin;
    return (x > y) - (x < y);
}

const char *parsed_messages(Parsed *p)
{
    const Diag *sorted[2 * DIAG_MAX_ERRORS];
    uint32_t n = p->diags.list.len;
    ck_assert_uint_le(n, 2 * DIAG_MAX_ERRORS);
    for (uint32_t i = 0; i < n; i++)
        sorted[i] = &p->diags.list.at[i];
    qsort(sorted, n, sizeof sorted[0], by_place);
    buf_clear(&p->text);
    buf_str(&p->text, "");
    for (uint32_t i = 0; i < n; i++) {
        LineCol where = source_line_col(p->src, sorted[i]->span.begin);
        buf_printf(&p->text, "%u:%u: %s\n", where.line, where.col, sorted[i]->message);
    }
    return p->text.at ? p->text.at : "";
}

const char *parsed_printed(Parsed *p)
{
    buf_clear(&p->text);
    ast_print_module(&p->text, p->module);
    return p->text.at ? p->text.at : "";
}

void expect_messages(const char *text, const char *messages)
{
    Parsed p;
    parse_text(&p, text, strlen(text));
    ck_assert_str_eq(parsed_messages(&p), messages);
    parsed_free(&p);
}

void expect_printed(const char *text, const char *printed)
{
    Parsed p, again;
    parse_text(&p, text, strlen(text));
    ck_assert_str_eq(parsed_messages(&p), "");
    ck_assert_str_eq(parsed_printed(&p), printed);
    parse_text(&again, p.text.at ? p.text.at : "", p.text.len);
    ck_assert_str_eq(parsed_messages(&again), "");
    ck_assert_str_eq(parsed_printed(&again), printed);
    ck_assert_uint_eq(p.module->body.len, again.module->body.len);
    for (uint32_t i = 0; i < p.module->body.len; i++)
        ck_assert(ast_equal(p.module->body.at[i], again.module->body.at[i]));
    parsed_free(&p);
    parsed_free(&again);
}
