#include "lexer/lexer.h"
#include "tests/support.h"
#include <string.h>

/* Writes the tokens that the grammar would see, by name, and after '!' the messages. */
static void layout_text(const char *text, uint32_t max_depth, Buf *out)
{
    Arena arena = {0};
    Diags diags;
    Layout layout;
    TokenList tokens = {0};
    Source *src = source_from_bytes(&arena, "test.pld", text, strlen(text));
    diags_init(&diags, &arena, src);
    lexer_scan(&tokens, src->text, src->len, 0);
    layout_init(&layout, src, &diags, tokens, false, max_depth);
    for (Token t = layout_next(&layout); t.kind != TOK_END; t = layout_next(&layout)) {
        switch ((TokenKind)t.kind) {
        case TOK_NEWLINE: buf_str(out, ";"); break;
        case TOK_INDENT: buf_str(out, "{"); break;
        case TOK_DEDENT: buf_str(out, "}"); break;
        case TOK_ERROR: buf_str(out, "ERROR "); break;
        case TOK_BAD_EXPR: buf_str(out, "BAD "); break;
        default:
            if (t.kind > TOK_STRING)
                buf_printf(out, "%s ", token_text((TokenKind)t.kind));
            else
                buf_printf(out, "%.*s ", (int)(t.span.end - t.span.begin),
                           src->text + t.span.begin);
        }
    }
    for (uint32_t i = 0; i < diags.list.len; i++) {
        LineCol at = source_line_col(src, diags.list.at[i].span.begin);
        buf_printf(out, "!%u:%u %s", at.line, at.col, diags.list.at[i].message);
    }
    layout_free(&layout);
    diags_free(&diags);
    arena_free(&arena);
}

static void expect_layout(const char *text, const char *tokens)
{
    Buf out = {0};
    buf_str(&out, "");
    layout_text(text, 200, &out);
    ck_assert_str_eq(out.at, tokens);
    buf_free(&out);
}

/* Scans one token and says whether it spans all of the text. */
static Token scan_one(const char *text)
{
    TokenList tokens = {0};
    char line[64];
    snprintf(line, sizeof line, "%s\n", text);
    lexer_scan(&tokens, line, (uint32_t)strlen(line), 0);
    Token first = tokens.at[0];
    ck_assert_msg(tokens.len == 2 && first.span.end == strlen(text), "'%s' is not one token", text);
    vec_free(&tokens);
    return first;
}

START_TEST(every_fixed_token_scans_as_itself)
{
    for (int k = TOK_ASSERT; k < TOK_COUNT; k++)
        ck_assert_int_eq(scan_one(token_text((TokenKind)k)).kind, k);
}
END_TEST

static const struct {
    const char *text;
    TokenKind kind;
    LexError error;
} single_cases[] = {
    {"a", TOK_NAME, LEX_OK},
    {"_1", TOK_NAME, LEX_OK},
    {"ifx", TOK_NAME, LEX_OK},
    {"defs", TOK_NAME, LEX_OK},
    {"In", TOK_NAME, LEX_OK},
    {"\xce\xb1\xce\xb2", TOK_NAME, LEX_OK},
    {"0", TOK_INT, LEX_OK},
    {"00_0", TOK_INT, LEX_OK},
    {"1_000", TOK_INT, LEX_OK},
    {"0xFf_0", TOK_INT, LEX_OK},
    {"0o17", TOK_INT, LEX_OK},
    {"0B1_1", TOK_INT, LEX_OK},
    {"1.", TOK_FLOAT, LEX_OK},
    {".5", TOK_FLOAT, LEX_OK},
    {"1_0.5e-1_0", TOK_FLOAT, LEX_OK},
    {"1e5", TOK_FLOAT, LEX_OK},
    {"012.5", TOK_FLOAT, LEX_OK},
    {"012", TOK_ERROR, LEX_NUMBER},
    {"1__0", TOK_ERROR, LEX_NUMBER},
    {"1_", TOK_ERROR, LEX_NUMBER},
    {"0x", TOK_ERROR, LEX_NUMBER},
    {"0b2", TOK_ERROR, LEX_NUMBER},
    {"1abc", TOK_ERROR, LEX_NUMBER},
    {"1.5x", TOK_ERROR, LEX_NUMBER},
    {"3j", TOK_ERROR, LEX_COMPLEX},
    {"1.5e3J", TOK_ERROR, LEX_COMPLEX},
    {"'a'", TOK_STRING, LEX_OK},
    {"\"\"", TOK_STRING, LEX_OK},
    {"'\\''", TOK_STRING, LEX_OK},
    {"'\\\n'", TOK_STRING, LEX_OK},
    {"\"\"\"a\"b\"\"c\nd\"\"\"", TOK_STRING, LEX_OK},
    {"'''\\''''", TOK_STRING, LEX_OK},
    {"rF'a'", TOK_STRING, LEX_OK},
    {"b'a'", TOK_ERROR, LEX_BYTES},
    {"Rb\"a\"", TOK_ERROR, LEX_BYTES},
    {"'a", TOK_ERROR, LEX_STRING},
    {"f\"a", TOK_ERROR, LEX_STRING},
    {"$", TOK_ERROR, LEX_CHARACTER},
    {"\xe2\x80\x9c", TOK_ERROR, LEX_CHARACTER},
    {"\xf0\x9f\x98\x80", TOK_ERROR, LEX_CHARACTER},
};

START_TEST(single_tokens)
{
    Token t = scan_one(single_cases[_i].text);
    ck_assert_int_eq(t.kind, single_cases[_i].kind);
    ck_assert_int_eq(t.error, single_cases[_i].error);
}
END_TEST

START_TEST(an_unclosed_triple_string_takes_the_rest)
{
    expect_layout("a = '''x\nb\n", "a = ERROR ;!1:5 this triple-quoted string is never closed");
}
END_TEST

START_TEST(blocks_from_indentation)
{
    expect_layout("if a:\n  b\n\n # c\n  d\ne\n", "if a : ;{b ;d ;}e ;");
    expect_layout("if a:\n  if b:\n    c\n", "if a : ;{if b : ;{c ;}}");
    expect_layout("a", "a ;");
    expect_layout("", "");
    expect_layout("\n\n  # only a comment\n", "");
    expect_layout("if a:\n\tb\n",
                  "if a : ;{b ;}!2:1 tab in the indentation: use spaces, four a level");
    expect_layout("a = (\n\tb)\n", "a = ( b ) ;");
}
END_TEST

START_TEST(lines_join_in_brackets_and_after_a_backslash)
{
    expect_layout("a(b,\nc\n)\nd\n", "a ( b , c ) ;d ;");
    expect_layout("a + \\\n  b\nc\n", "a + b ;c ;");
    expect_layout("a \\ b\n",
                  "a ERROR b ;!1:3 '\\' joins lines only as the last character of a line");
}
END_TEST

START_TEST(wrong_indentation_is_reported_once)
{
    expect_layout("a\n  b\n  c\nd\n",
                  "a ;b ;c ;d ;!2:3 unexpected indentation: no block starts here");
    expect_layout("if a:\n    b\n  c\n  d\ne\n",
                  "if a : ;{b ;c ;d ;}e ;!3:3 this indentation matches no block around it");
    expect_layout("if a\n  b\nc\n", "if a ;{b ;}c ;");
}
END_TEST

START_TEST(unclosed_brackets_are_closed_where_the_next_statement_starts)
{
    expect_layout("a = f(b,\nc = 1\n", "a = f ( b , ) ;c = 1 ;!1:6 this '(' is never closed");
    expect_layout("a = [f(b\nreturn c\n",
                  "a = [ f ( b ) ] ;return c ;!1:5 this '[' is never closed");
    expect_layout("a = f([b)\n", "a = f ( [ b ] ) ;!1:7 this '[' is never closed");
    expect_layout("a = b)\n", "a = b ERROR ;!1:6 nothing opens this ')'");
    expect_layout("def f(a:\n  b\n", "def f ( a : ) ;{b ;}!1:6 this '(' is never closed");
    expect_layout("f(\n", "f ( ) ;!1:2 this '(' is never closed");
}
END_TEST

START_TEST(depth_is_limited)
{
    Buf out = {0};
    layout_text("a = ((((b)))) + c\n", 2, &out);
    ck_assert_str_eq(out.at, "a = ( ( BAD ) ) + c ;!1:7 nested too deeply (more than 2 levels)");
    buf_clear(&out);
    layout_text("a = ((b))\nif c:\n (d)\n", 2, &out);
    ck_assert_str_eq(out.at, "a = ( ( b ) ) ;if c : ;{( d ) ;}");
    buf_clear(&out);
    layout_text("if a:\n if b:\n  if c:\n   if d:\n    e\nf\n", 3, &out);
    ck_assert_str_eq(out.at, "if a : ;{if b : ;{if c : ;{if d : ;{BAD ;}}}}f ;"
                             "!5:5 blocks are nested too deeply (more than 3 levels)");
    buf_free(&out);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("lexer");
    TCase *tc = tcase_create("lexer");
    tcase_add_test(tc, every_fixed_token_scans_as_itself);
    tcase_add_loop_test(tc, single_tokens, 0, sizeof single_cases / sizeof single_cases[0]);
    tcase_add_test(tc, an_unclosed_triple_string_takes_the_rest);
    tcase_add_test(tc, blocks_from_indentation);
    tcase_add_test(tc, lines_join_in_brackets_and_after_a_backslash);
    tcase_add_test(tc, wrong_indentation_is_reported_once);
    tcase_add_test(tc, unclosed_brackets_are_closed_where_the_next_statement_starts);
    tcase_add_test(tc, depth_is_limited);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
