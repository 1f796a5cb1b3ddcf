/* The entry points: text checks, then scanner, layout and grammar over a file or one expression. */
#include "parser/errors.h"
#include "parser/grammar.h"
#include <string.h>

#define MAX_FSTRING_NESTING 3 /* the two kinds of quotes, once and thrice, allow no more */

static const char header_mark[] = "# pld-ir";

/* The next token, remembered in `before`. */
static Token next_token(Parser *p)
{
    Token t = layout_next(&p->layout);
    p->before[2] = p->before[1];
    p->before[1] = p->before[0];
    p->before[0] = t.kind;
    return t;
}

int parser_lex(YYSTYPE *value, Span *span, Parser *p)
{
    if (p->start != 0) {
        int start = p->start;
        p->start = 0;
        *span = (Span){0};
        return start;
    }
    Token t = next_token(p);
    *span = t.span;
    if (t.kind == TOK_NAME)
        value->sym = intern_n(p->in, p->src->text + t.span.begin, t.span.end - t.span.begin);
    else if (t.kind == TOK_INT)
        value->node = literal_int(p, t.span);
    else if (t.kind == TOK_FLOAT)
        value->node = literal_float(p, t.span);
    return t.kind == TOK_END ? 0 : 257 + t.kind;
}

static Parser parser_on(Arena *arena, Interner *in, const Source *src, Diags *diags)
{
    return (Parser){.arena = arena, .in = in, .src = src, .diags = diags};
}

/* Text that is no text gets one message and is not looked at further. */
static bool check_text(const Source *src, Span span, Diags *diags)
{
    const char *text = src->text + span.begin;
    uint32_t len = span.end - span.begin;
    const char *nul = memchr(text, '\0', len);
    uint32_t bad = (uint32_t)utf8_check(text, len), at = nul ? (uint32_t)(nul - text) : len;
    if (at < len && at <= bad) {
        diag_error(diags, (Span){span.begin + at, span.begin + at + 1}, "syntax",
                   "NUL byte in the text");
        return false;
    }
    if (bad < len) {
        diag_error(diags, (Span){span.begin + bad, span.begin + bad + 1}, "syntax",
                   "byte 0x%02x is not valid UTF-8", (unsigned char)text[bad]);
        return false;
    }
    return true;
}

/* Lines that end in CR alone would be one line, and a comment in it the rest of the file. */
static bool check_lines(const Source *src, Span span, Diags *diags)
{
    const char *text = src->text + span.begin, *cr = memchr(text, '\r', span.end - span.begin);
    if (!cr || memchr(text, '\n', span.end - span.begin - 1))
        return true;
    uint32_t at = (uint32_t)(cr - src->text);
    diag_error(diags, (Span){at, at + 1}, "syntax",
               "the lines of this file end in CR alone: save it with LF or CRLF line ends");
    return false;
}

static Sym read_header(Interner *in, const Source *src)
{
    size_t mark = sizeof header_mark - 1;
    if (src->len <= mark || memcmp(src->text, header_mark, mark) != 0 ||
        (src->text[mark] != ' ' && src->text[mark] != '\n'))
        return NULL;
    const char *end = memchr(src->text, '\n', src->len);
    return intern_n(in, src->text, end ? (size_t)(end - src->text) : src->len);
}

/* Lines of a block count from its own margin. */
static void dedent(TokenList *tokens)
{
    uint32_t margin = tokens->at[0].indent;
    for (uint32_t i = 0; margin && i < tokens->len; i++)
        tokens->at[i].indent -= tokens->at[i].indent < margin ? tokens->at[i].indent : margin;
}

static void run(Parser *p, const char *text, uint32_t len, uint32_t base, bool expression)
{
    TokenList tokens = {0};
    lexer_scan(&tokens, text, len, base);
    if (base && !expression)
        dedent(&tokens);
    bool failed = p->layout.line_failed;
    layout_init(&p->layout, p->src, p->diags, tokens, expression, PARSER_MAX_DEPTH);
    p->layout.line_failed = failed;
    p->layout.last.span.end = base;
    parser_run(p, expression);
    layout_free(&p->layout);
}

bool parser_check_text(const Source *src, Span span, Diags *diags)
{
    return check_text(src, span, diags) && check_lines(src, span, diags);
}

AstModule *parse_module(Arena *arena, Interner *in, const Source *src, Diags *diags)
{
    Parser p = parser_on(arena, in, src, diags);
    p.module = arena_new(arena, AstModule);
    p.module->src = src;
    p.module->span = (Span){0, src->len};
    if (!parser_check_text(src, (Span){0, src->len}, diags))
        return p.module;
    p.module->header = read_header(in, src);
    run(&p, src->text, src->len, 0, false);
    return p.module;
}

AstModule *parse_lines(Arena *arena, Interner *in, const Source *src, Span span, Diags *diags)
{
    Parser p = parser_on(arena, in, src, diags);
    uint32_t len = span.end - span.begin;
    p.module = arena_new(arena, AstModule);
    p.module->src = src;
    p.module->span = span;
    run(&p, arena_strndup(arena, src->text + span.begin, len), len, span.begin, false);
    return p.module;
}

Ast *parse_expression(Arena *arena, Interner *in, const Source *src, Diags *diags)
{
    uint32_t errors = diags->n_errors;
    Parser p = parser_on(arena, in, src, diags);
    if (check_text(src, (Span){0, src->len}, diags))
        run(&p, src->text, src->len, 0, true);
    return diags->n_errors == errors ? p.expr : NULL;
}

Ast *parse_inner(Parser *p, Span span)
{
    if (p->nesting >= MAX_FSTRING_NESTING) {
        syntax_error(p, span, "f-strings are nested too deeply");
        return NULL;
    }
    uint32_t errors = p->diags->n_errors;
    Parser inner = parser_on(p->arena, p->in, p->src, p->diags);
    inner.nesting = p->nesting + 1;
    inner.layout.line_failed = p->layout.line_failed;
    const char *text = arena_strndup(p->arena, p->src->text + span.begin, span.end - span.begin);
    run(&inner, text, span.end - span.begin, span.begin, true);
    p->layout.line_failed = inner.layout.line_failed;
    return p->diags->n_errors == errors ? inner.expr : NULL;
}
