#include "tests/parsetest.h"
#include "tests/support.h"
#include <string.h>

START_TEST(five_mistakes_give_five_messages_in_order)
{
    expect_messages("@pl.function(type=pl.FunctionType.InCore)\n"
                    "def f(self, x, y):\n"
                    "    a = pl.load(x, [0, 0], [1, SIZE)\n"
                    "    for i in pl.range(3)\n"
                    "        a = a +\n"
                    "    if a = 3:\n"
                    "        pass\n"
                    "    return a\n"
                    "\n"
                    "def g(\n"
                    "x = 3\n",
                    "3:28: this '[' is never closed\n"
                    "4:25: ':' is missing at the end of this line\n"
                    "5:16: an expression is needed here, not end of line\n"
                    "6:10: '=' cannot stand here: comparison is written '=='\n"
                    "10:6: this '(' is never closed\n");
}
END_TEST

START_TEST(a_nul_byte_is_reported_and_ends_parsing)
{
    Parsed p;
    parse_text(&p, "a = 1\nb = '\0' c c\n", 17);
    ck_assert_str_eq(parsed_messages(&p), "2:6: NUL byte in the text\n");
    ck_assert_uint_eq(p.module->body.len, 0);
    parsed_free(&p);
}
END_TEST

/* `lead`, then `unit` n times, then `tail`. */
static char *repeat(const char *lead, const char *unit, uint32_t n, const char *tail)
{
    Buf out = {0};
    buf_str(&out, lead);
    for (uint32_t i = 0; i < n; i++)
        buf_str(&out, unit);
    buf_str(&out, tail);
    return out.at;
}

static const struct {
    const char *lead, *unit, *tail;
    const char *message; /* start of the only message but the one about line 2; "" for none */
} deep_cases[] = {
    {"x = ", "(", "\n", "1:5: this '(' is never closed\n"},
    {"x = ", "([{", "\n", "1:5: this '(' is never closed\n"},
    {"x = ", "(\n", "\n", "1:5: this '(' is never closed\n"},
    {"x = ", "(]", "\n", "1:5: this '(' is never closed\n"},
    {"x = ", "f(a[", "1\n", "1:6: this '(' is never closed\n"},
    {"x = ", ")", "\n", "1:5: nothing opens this ')'\n"},
    {"x = ", "-", "1\n", "nested too deeply"},
    {"x = ", "not ", "1\n", "nested too deeply"},
    {"x = ", "a**", "1\n", "nested too deeply"},
    {"x = ", "a if b else ", "1\n", "nested too deeply"},
    {"x = ", "lambda: ", "1\n", "nested too deeply"},
    {"x = ", "a + ", "1\n", "nested too deeply"},
    {"x = a", ".a", "\n", "nested too deeply"},
    {"x = a", "(a)", "\n", "nested too deeply"},
    {"if a:\n    b\n", "elif a:\n    b\n", "\n", "nested too deeply"},
    {"x = ", "a and ", "1\n", ""},
    {"x = ", "a < ", "1\n", ""},
    {"x = [", "a, ", "1]\n", ""},
    {"x = '", "a' 'a", "'\n", ""},
    {"x = ", "x = ", "1\n", ""},
    {"x = f(", "a=1, ", ")\n", ""},
    {"import a", ".a", "\n", ""},
    {"#", "aaaaaaaaaaaa", "\n", ""},
    {"x = '", "aaaaaaaaaaaa", "'\n", ""},
    {"x = f'", "{a}", "'\n", ""},
    {"x = f'", "{", "'\n", ""},
    {"", "a\n", "", ""},
    {"if a:\n", "    if a:\n        b\n", "", ""},
};

START_TEST(depth_gives_one_error_and_size_none)
{
    char *text = repeat(deep_cases[_i].lead, deep_cases[_i].unit, 100000, deep_cases[_i].tail);
    Parsed p;
    parse_text(&p, text, strlen(text));
    const char *messages = parsed_messages(&p), *wanted = deep_cases[_i].message;
    ck_assert_uint_eq(p.diags.n_errors, wanted[0] ? 1 : 0);
    ck_assert_msg(strstr(messages, wanted) != NULL, "got %s", messages);
    parsed_printed(&p);
    parsed_free(&p);
    xfree(text);
}
END_TEST

START_TEST(nested_blocks_give_one_error)
{
    Buf text = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        buf_fill(&text, ' ', i);
        buf_str(&text, "if a:\n");
    }
    buf_fill(&text, ' ', 1000);
    buf_str(&text, "b\nc c\n");
    expect_messages(text.at, "202:202: blocks are nested too deeply (more than 200 levels)\n"
                             "1002:3: unexpected name 'c'\n");
    buf_free(&text);
}
END_TEST

START_TEST(trees_as_high_as_allowed_parse_and_print)
{
    char *text = repeat("x = ", "-", PARSER_MAX_HEIGHT - 3, "a\n");
    expect_printed(text, text);
    xfree(text);
    text = repeat("x = a", " + a", PARSER_MAX_HEIGHT - 3, "\n");
    expect_printed(text, text);
    xfree(text);
    text = repeat("if a:\n    b\n", "elif a:\n    b\n", PARSER_MAX_HEIGHT - 3, "else:\n    c\n");
    expect_printed(text, text);
    xfree(text);
}
END_TEST

/* The text that a span covers. */
static void expect_span(const Parsed *p, Span span, const char *text)
{
    char *got = strndup(p->src->text + span.begin, span.end - span.begin);
    ck_assert_str_eq(got, text);
    free(got);
}

START_TEST(spans_cover_what_they_name)
{
    Parsed p;
    const char *text = "@d\n"
                       "def  fun( a, b : int ) -> r :\n"
                       "    x.y = ( pl . add(a, k = 3) + (b) ) [1, 2:3]\n"
                       "    for i in pl.range( 3 ) :\n"
                       "        return (a, b), \n";
    parse_text(&p, text, strlen(text));
    ck_assert_uint_eq(p.diags.n_errors, 0);
    const Ast *def = p.module->body.at[0];
    expect_span(&p, def->span, "def  fun( a, b : int ) -> r");
    expect_span(&p, def->def.name_span, "fun");
    expect_span(&p, def->def.params.at[1].span, "b");
    expect_span(&p, def->def.params.at[1].annotation->span, "int");
    const Ast *assign = def->def.body.at[0];
    expect_span(&p, assign->span, "x.y = ( pl . add(a, k = 3) + (b) ) [1, 2:3]");
    expect_span(&p, assign->assign.targets.at[0]->attr.name_span, "y");
    const Ast *sub = assign->assign.value;
    expect_span(&p, sub->span, "( pl . add(a, k = 3) + (b) ) [1, 2:3]");
    expect_span(&p, sub->sub.index.at[1]->span, "2:3");
    const Ast *sum = sub->sub.base;
    expect_span(&p, sum->span, "pl . add(a, k = 3) + (b)");
    expect_span(&p, sum->binary.right->span, "b");
    const Ast *call = sum->binary.left;
    expect_span(&p, call->span, "pl . add(a, k = 3)");
    expect_span(&p, call->call.callee->span, "pl . add");
    expect_span(&p, call->call.callee->attr.name_span, "add");
    expect_span(&p, call->call.keywords.at[0].span, "k");
    expect_span(&p, call->call.keywords.at[0].value->span, "3");
    const Ast *loop = def->def.body.at[1];
    expect_span(&p, loop->span, "for i in pl.range( 3 )");
    const Ast *ret = loop->for_.body.at[0];
    expect_span(&p, ret->span, "return (a, b),");
    expect_span(&p, ret->value->items.at[0]->span, "(a, b)");
    parsed_free(&p);
}
END_TEST

START_TEST(literals_have_their_values)
{
    Parsed p;
    const char *text = "9223372036854775807\n-9223372036854775808\n0xFf\n1_000.5\n"
                       "'a' \"b\" r'\\n' '\\n\\x41\\u00e9\\101'\n'\\\n\\q'\n1e999\n";
    parse_text(&p, text, strlen(text));
    ck_assert_uint_eq(p.diags.n_errors, 0);
    Ast **body = p.module->body.at;
    ck_assert_int_eq(body[0]->value->integer.value, INT64_MAX);
    ck_assert_int_eq(body[1]->value->kind, AST_INT);
    ck_assert_int_eq(body[1]->value->integer.value, INT64_MIN);
    ck_assert_int_eq(body[2]->value->integer.value, 255);
    ck_assert(body[2]->value->integer.hex);
    ck_assert(body[3]->value->real == 1000.5);
    ck_assert_str_eq(body[4]->value->str.text, "ab\\n\nA\xc3\xa9"
                                               "A");
    ck_assert_str_eq(body[5]->value->str.text, "\\q");
    ck_assert(body[6]->value->real > 1e308);
    parsed_free(&p);
}
END_TEST

START_TEST(the_header_is_the_first_line_only)
{
    Parsed p;
    parse_text(&p, "# pld-ir 04 ranks=2\nx = 1\n", 26);
    ck_assert_str_eq(p.module->header, "# pld-ir 04 ranks=2");
    parsed_free(&p);
    parse_text(&p, "\n# pld-ir 04\n", 13);
    ck_assert_ptr_null(p.module->header);
    parsed_free(&p);
    parse_text(&p, "# pld-iron\n", 11);
    ck_assert_ptr_null(p.module->header);
    parsed_free(&p);
    parse_text(&p, "# pld-ir", 8);
    ck_assert_str_eq(p.module->header, "# pld-ir");
    parsed_free(&p);
}
END_TEST

static Ast *parse_value(Parsed *p, const char *text)
{
    *p = (Parsed){0};
    p->src = source_from_bytes(&p->arena, "-D", text, strlen(text));
    diags_init(&p->diags, &p->arena, p->src);
    return parse_expression(&p->arena, &p->names, p->src, &p->diags);
}

START_TEST(lone_expressions)
{
    Parsed p;
    ck_assert_int_eq(parse_value(&p, "-5")->kind, AST_UNARY);
    parsed_free(&p);
    ck_assert_int_eq(parse_value(&p, "  pl.FP16 ")->kind, AST_ATTR);
    parsed_free(&p);
    ck_assert_int_eq(parse_value(&p, "a,\nb")->kind, AST_TUPLE);
    parsed_free(&p);
    ck_assert_ptr_null(parse_value(&p, "3 3"));
    ck_assert_str_eq(parsed_messages(&p), "1:3: unexpected integer\n");
    parsed_free(&p);
    ck_assert_ptr_null(parse_value(&p, ""));
    ck_assert_uint_eq(p.diags.n_errors, 1);
    parsed_free(&p);
    ck_assert_ptr_null(parse_value(&p, "x = 3"));
    ck_assert_uint_eq(p.diags.n_errors, 1);
    parsed_free(&p);
    ck_assert_ptr_null(parse_value(&p, "f(a"));
    ck_assert_uint_eq(p.diags.n_errors, 1);
    parsed_free(&p);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("parser");
    TCase *tc = tcase_create("parser");
    tcase_add_test(tc, five_mistakes_give_five_messages_in_order);
    tcase_add_test(tc, a_nul_byte_is_reported_and_ends_parsing);
    tcase_add_loop_test(tc, depth_gives_one_error_and_size_none, 0,
                        sizeof deep_cases / sizeof deep_cases[0]);
    tcase_add_test(tc, nested_blocks_give_one_error);
    tcase_add_test(tc, trees_as_high_as_allowed_parse_and_print);
    tcase_add_test(tc, spans_cover_what_they_name);
    tcase_add_test(tc, literals_have_their_values);
    tcase_add_test(tc, the_header_is_the_first_line_only);
    tcase_add_test(tc, lone_expressions);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
