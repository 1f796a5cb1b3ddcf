/* From "this token does not fit" to a message: first what a Python programmer is likely to have
 * meant, then what the grammar expected. */
#include "parser/errors.h"
#include <string.h>

#define SHOWN_NAME 40    /* bytes of a name shown in a message */
#define SHOWN_EXPECTED 3 /* kinds listed at most */

static bool is_keyword(TokenKind kind)
{
    return kind >= TOK_ASSERT && kind <= TOK_YIELD;
}

/* Kinds whose text is a description, not a spelling. */
static bool is_described(TokenKind kind)
{
    return kind <= TOK_STRING;
}

static bool starts_expression(TokenKind kind)
{
    return (kind >= TOK_NAME && kind <= TOK_STRING) || kind == TOK_TRUE || kind == TOK_FALSE ||
           kind == TOK_NONE || kind == TOK_LBRACE;
}

static void append_kind(Buf *out, TokenKind kind)
{
    buf_printf(out, is_described(kind) ? "%s" : "'%s'", token_text(kind));
}

static void append_found(Buf *out, const Parser *p, Token t)
{
    if (t.kind == TOK_END)
        buf_str(out, "its end");
    else
        append_kind(out, t.kind);
    if (t.kind == TOK_NAME) {
        const char *name = p->src->text + t.span.begin;
        uint32_t len = t.span.end - t.span.begin;
        bool cut = len > SHOWN_NAME;
        if (cut)
            for (len = SHOWN_NAME; (name[len] & 0xc0) == 0x80;)
                len--; /* not in the middle of a character */
        buf_printf(out, " '%.*s%s'", (int)len, name, cut ? "..." : "");
    }
}

/* "a, b or c"; false when there are too many to be of use. */
static bool append_expected(Buf *out, const ExpectedTokens *expected)
{
    uint32_t n = 0, shown = 0;
    for (int k = 0; k < TOK_COUNT; k++)
        n += expected->kind[k];
    if (n == 0 || n > SHOWN_EXPECTED)
        return false;
    for (int k = 0; k < TOK_COUNT; k++) {
        if (!expected->kind[k])
            continue;
        shown++;
        buf_str(out, shown == 1 ? "" : shown == n ? " or " : ", ");
        append_kind(out, (TokenKind)k);
    }
    return true;
}

static bool line_head_is(const Parser *p, const char *word)
{
    Token head = p->layout.tokens.at[p->layout.line_pos];
    size_t len = strlen(word);
    return head.kind == TOK_NAME && head.span.end - head.span.begin == len &&
           memcmp(p->src->text + head.span.begin, word, len) == 0;
}

/* Does the logical line at hand end in ':'? */
static bool line_ends_in_colon(const Parser *p)
{
    uint32_t i = p->layout.line_pos + 1;
    while (!p->layout.tokens.at[i].first)
        i++;
    return p->layout.tokens.at[i - 1].kind == TOK_COLON;
}

/* `match` and `case` are names to the scanner, but what their users mean is plain. */
static bool report_match(Parser *p)
{
    if (p->layout.expression || !line_ends_in_colon(p))
        return false;
    if (line_head_is(p, "match")) {
        Token head = p->layout.tokens.at[p->layout.line_pos];
        syntax_error(p, head.span, "'match' is not supported: write if, elif and else");
        p->match_reported = true;
        return true;
    }
    if (p->match_reported && line_head_is(p, "case")) {
        p->layout.line_failed = true;
        return true;
    }
    return false;
}

/* else, elif, except, finally at the start of a line that they cannot start. */
static bool report_dangling(Parser *p, Token t)
{
    const char *before;
    switch (t.kind) {
    case TOK_ELSE: before = "if, for, while or try"; break;
    case TOK_ELIF: before = "if"; break;
    case TOK_EXCEPT:
    case TOK_FINALLY: before = "try"; break;
    default: return false;
    }
    if (!t.first)
        return false;
    syntax_error(p, t.span, "'%s' belongs to no %s at this indentation", token_text(t.kind),
                 before);
    return true;
}

/* Mistakes with a message of their own. */
static bool report_known(Parser *p, Token t, const ExpectedTokens *expected)
{
    const bool *want = expected->kind;
    if (token_note(t.kind)) {
        syntax_error(p, t.span, "%s", token_note(t.kind));
        return true;
    }
    if (report_dangling(p, t) || report_match(p))
        return true;
    TokenKind head = p->layout.tokens.at[p->layout.line_pos].kind;
    if (want[TOK_COLON] && t.kind == TOK_NEWLINE && token_heads_block(head)) {
        syntax_error(p, t.span, "':' is missing at the end of this line");
        return true;
    }
    if (t.kind == TOK_ASSIGN && want[TOK_EQ]) {
        syntax_error(p, t.span, "'=' cannot stand here: comparison is written '=='");
        return true;
    }
    if (want[TOK_ELSE] && !t.first) {
        syntax_error(p, t.span, "'else' is missing before this: write 'a if condition else b'");
        return true;
    }
    if (t.kind == TOK_COLON && want[TOK_ASSIGN] && want[TOK_COMMA]) {
        syntax_error(p, t.span,
                     "put the names before ':' in parentheses: (a, b): tuple[S, T] = ...");
        return true;
    }
    if (is_keyword(t.kind) && want[TOK_NAME] && !want[TOK_INT]) {
        syntax_error(p, t.span, "'%s' is a keyword, a name is needed here", token_text(t.kind));
        return true;
    }
    return false;
}

void parser_report_unexpected(Parser *p, const ExpectedTokens *expected)
{
    Token t = p->layout.last;
    if (t.kind == TOK_ERROR || p->layout.line_failed || report_known(p, t, expected))
        return;
    Buf text = {0};
    if (expected->kind[TOK_INT]) {
        buf_str(&text, "an expression is needed here, not ");
        append_found(&text, p, t);
    } else {
        buf_str(&text, "unexpected ");
        append_found(&text, p, t);
        size_t len = text.len;
        buf_str(&text, ", expected ");
        if (!append_expected(&text, expected)) {
            text.len = len;
            text.at[len] = '\0';
        }
        if (expected->kind[TOK_COMMA] && starts_expression(t.kind) && p->layout.brackets.len > 0)
            buf_str(&text, ": is ',' missing before it?");
    }
    syntax_error(p, t.span, "%s", text.at);
    buf_free(&text);
}

/* ---- what is kept of a line with a mistake */

static Ast *bad_node(Parser *p, Span span)
{
    Ast *node = ast_node(p, AST_ERROR, span);
    node->value = NULL;
    return ast_finish(p, node);
}

static void bad_name(Parser *p, AstList *out, Token t)
{
    Sym name = intern_n(p->in, p->src->text + t.span.begin, t.span.end - t.span.begin);
    AstList targets = ast_list_one(p, ast_make_name(p, name, t.span));
    avec_push(p->arena, out, ast_make_assign(p, targets, bad_node(p, t.span), t.span));
}

/* `a, b = ...`, `a: T = ...`, `a += ...`: the names before the sign. 0: it is none of these. */
static uint32_t count_targets(const Token *at, uint32_t n)
{
    uint32_t i = 0;
    while (i + 1 < n && at[i].kind == TOK_NAME && at[i + 1].kind == TOK_COMMA)
        i += 2;
    bool sign = i + 1 < n && at[i].kind == TOK_NAME &&
                (at[i + 1].kind == TOK_ASSIGN || at[i + 1].kind == TOK_COLON ||
                 (at[i + 1].kind >= TOK_ADD_ASSIGN && at[i + 1].kind <= TOK_SHR_ASSIGN));
    return sign ? i + 1 : 0;
}

AstList parser_bad_line(Parser *p)
{
    const Layout *l = &p->layout;
    const Token *at = l->tokens.at + l->line_pos;
    uint32_t n = l->tokens.len - l->line_pos, targets = count_targets(at, n);
    AstList out = {0};
    if ((at->kind == TOK_DEF || at->kind == TOK_CLASS) && n > 1 && at[1].kind == TOK_NAME)
        bad_name(p, &out, at[1]);
    for (uint32_t i = 0; i < targets; i += 2)
        bad_name(p, &out, at[i]);
    if (!out.len)
        avec_push(p->arena, &out, bad_node(p, at->span));
    return out;
}
