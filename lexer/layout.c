/* The layout: line structure becomes NEWLINE, INDENT and DEDENT, brackets are made to balance, and
 * what goes wrong is reported once a logical line.
 *
 * The grammar relies on three things: every INDENT has its DEDENT; a NEWLINE ends every logical
 * line before any DEDENT; an INDENT comes only after a line that promises a block. */
#include "lexer/brackets.h"
#include "lexer/lexer.h"
#include <string.h>

void layout_init(Layout *layout, const Source *src, Diags *diags, TokenList tokens, bool expression,
                 uint32_t max_depth)
{
    *layout = (Layout){.src = src,
                       .diags = diags,
                       .tokens = tokens,
                       .expression = expression,
                       .max_depth = max_depth};
    brackets_match(&layout->tokens);
    vec_push(&layout->levels, (LayoutLevel){0});
    layout->line_open = expression;
}

void layout_free(Layout *layout)
{
    vec_free(&layout->tokens);
    vec_free(&layout->levels);
    vec_free(&layout->brackets);
}

void layout_error(Layout *layout, Span span, const char *fmt, ...)
{
    if (layout->line_failed)
        return;
    layout->line_failed = true;
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    diag_error(layout->diags, span, "syntax", "%s", text);
}

/* --- bad text --- */

static const char *character_hint(uint32_t c)
{
    switch (c) {
    case 0x2018:
    case 0x2019:
    case 0x201c:
    case 0x201d: return ": write a plain quote";
    case 0x2010:
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2014:
    case 0x2212: return ": write '-'";
    case 0x00a0:
    case 0x2002:
    case 0x2003:
    case 0x2009:
    case 0x3000:
    case 0x200b:
    case 0xfeff: return ": write a plain space";
    case 0x00d7: return ": write '*'";
    case 0x2264: return ": write '<='";
    case 0x2265: return ": write '>='";
    case 0x2260: return ": write '!='";
    default: return "";
    }
}

static void character_error(Layout *l, Token t)
{
    const char *at = l->src->text + t.span.begin;
    uint32_t c;
    utf8_decode(at, t.span.end - t.span.begin, &c);
    if (c >= 0x80)
        layout_error(l, t.span, "unexpected character '%.*s' (U+%04X)%s",
                     (int)(t.span.end - t.span.begin), at, c, character_hint(c));
    else if (c < 0x20 || c == 0x7f)
        layout_error(l, t.span, "unexpected control character U+%04X", c);
    else
        layout_error(l, t.span, "unexpected character '%c'", (int)c);
}

static void text_error(Layout *l, Token t)
{
    switch ((LexError)t.error) {
    case LEX_STRING: layout_error(l, t.span, "this string is not closed on its line"); break;
    case LEX_TRIPLE_STRING:
        layout_error(l, (Span){t.span.begin, t.span.begin + 3},
                     "this triple-quoted string is never closed");
        break;
    case LEX_NUMBER: layout_error(l, t.span, "this is not a number"); break;
    case LEX_COMPLEX: layout_error(l, t.span, "complex numbers are not supported"); break;
    case LEX_BYTES: layout_error(l, t.span, "bytes are not supported: write a plain string"); break;
    case LEX_BACKSLASH:
        layout_error(l, t.span, "'\\' joins lines only as the last character of a line");
        break;
    case LEX_BACKSLASH_END:
        layout_error(l, (Span){t.span.begin, t.span.begin + 1},
                     "the file ends inside a line that this '\\' continues");
        break;
    case LEX_STRAY_CLOSER:
        layout_error(l, t.span, "nothing opens this '%c'", l->src->text[t.span.begin]);
        break;
    default: character_error(l, t); break;
    }
}

/* --- lines and blocks --- */

/* A token that is not in the text: it stands just after what was given last. */
static Token made(const Layout *l, TokenKind kind)
{
    uint32_t at = l->last.span.end;
    return (Token){.kind = (uint8_t)kind, .span = {at, at + 1}};
}

/* Open blocks and brackets; column 0 is no block. */
static uint32_t depth(const Layout *l)
{
    return l->levels.len - 1 + l->brackets.len;
}

static void enqueue(Layout *l, TokenKind kind)
{
    l->queue[l->n_queue++] = made(l, kind);
}

static void report_tab(Layout *l, Token first)
{
    if (l->tab_reported)
        return;
    l->tab_reported = true;
    uint32_t at = first.span.begin;
    while (l->src->text[at] != '\t')
        at--;
    layout_error(l, (Span){at, at + 1}, "tab in the indentation: use spaces, four a level");
}

/* Steps over a block that is nested too deeply; the grammar gets one bad statement for it. */
static void skip_block(Layout *l, Token first)
{
    layout_error(l, first.span, "blocks are nested too deeply (more than %u levels)", l->max_depth);
    while (
        l->tokens.at[l->pos].kind != TOK_END &&
        !(l->tokens.at[l->pos].first && l->tokens.at[l->pos].indent <= vec_last(&l->levels).indent))
        l->pos++;
    l->announces = false;
    enqueue(l, TOK_DEDENT);
    enqueue(l, TOK_NEWLINE);
    enqueue(l, TOK_BAD_EXPR);
    enqueue(l, TOK_INDENT);
}

static void indent(Layout *l, Token first)
{
    if (!l->announces)
        layout_error(l, first.span, "unexpected indentation: no block starts here");
    vec_push(&l->levels, (LayoutLevel){.indent = first.indent, .silent = !l->announces});
    if (l->announces)
        enqueue(l, TOK_INDENT);
}

/* Closes the blocks deeper than `first`. A column between two levels is a mistake: the line stays
 * in the inner block, which from here on has that column. */
static void dedent(Layout *l, Token first)
{
    LayoutLevel inner = vec_last(&l->levels);
    while (vec_last(&l->levels).indent > first.indent) {
        inner = vec_pop(&l->levels);
        l->dedents += !inner.silent;
    }
    if (vec_last(&l->levels).indent == first.indent)
        return;
    layout_error(l, first.span, "this indentation matches no block around it");
    l->dedents -= !inner.silent;
    inner.indent = first.indent;
    vec_push(&l->levels, inner);
}

/* Starts a logical line; false when there was a block to skip instead. */
static bool begin_line(Layout *l, Token first)
{
    l->line_failed = false;
    if (first.tab)
        report_tab(l, first);
    uint32_t column = vec_last(&l->levels).indent;
    if (first.indent > column && l->announces && depth(l) >= l->max_depth) {
        skip_block(l, first);
        return false;
    }
    if (first.indent > column)
        indent(l, first);
    else if (first.indent < column)
        dedent(l, first);
    l->line_open = true;
    l->line_pos = l->pos;
    l->colon_seen = false;
    return true;
}

/* A line promises a block when it ends in ':', or when it is a header that forgot the ':'. */
static Token end_line(Layout *l)
{
    TokenKind head = l->tokens.at[l->line_pos].kind;
    l->announces = l->last.kind == TOK_COLON || (token_heads_block(head) && !l->colon_seen);
    l->line_open = false;
    return made(l, TOK_NEWLINE);
}

/* --- brackets --- */

/* Does `first`, at the start of a physical line, show that an unclosed bracket ended before it? */
static bool shows_unclosed(const Layout *l, Token first)
{
    if (first.kind == TOK_END || token_starts_statement(first.kind))
        return true;
    Token head = l->tokens.at[l->line_pos];
    if (token_heads_block(head.kind) && l->tokens.at[l->pos - 1].kind == TOK_COLON)
        return true;
    if (first.indent > head.indent)
        return false;
    return first.kind == TOK_NAME || first.kind == TOK_AT || first.kind == TOK_FROM ||
           token_heads_block(first.kind);
}

static Token close_bracket(Layout *l)
{
    return made(l, vec_pop(&l->brackets).closer);
}

/* Steps over the contents of a bracket that is nested too deeply, after its opener. */
static void skip_bracket(Layout *l, Token opener)
{
    uint32_t open = opener.unclosed ? 0 : 1;
    for (;; l->pos++) {
        Token t = l->tokens.at[l->pos];
        if (t.kind == TOK_END || (t.first && open == 0 && shows_unclosed(l, t)))
            return;
        if (token_is_opener(t.kind) && !t.unclosed)
            open++;
        if (!token_is_closer(t.kind))
            continue;
        if (open == 0)
            return;
        if (--open == 0 && !opener.unclosed) {
            l->pos++;
            return;
        }
    }
}

static Token open_bracket(Layout *l, Token t)
{
    if (t.unclosed)
        layout_error(l, t.span, "this '%s' is never closed", token_text(t.kind));
    if (depth(l) >= l->max_depth) {
        layout_error(l, t.span, "nested too deeply (more than %u levels)", l->max_depth);
        skip_bracket(l, t);
        t.kind = TOK_BAD_EXPR;
        return t;
    }
    LayoutBracket b = {.closer = (uint8_t)token_closer_of(t.kind), .unclosed = t.unclosed};
    vec_push(&l->brackets, b);
    return t;
}

/* --- the stream --- */

/* The next token inside a logical line. */
static Token next_in_line(Layout *l)
{
    Token t = l->tokens.at[l->pos];
    if ((t.first && l->pos != l->line_pos) || t.kind == TOK_END) {
        if (l->brackets.len > 0 && vec_last(&l->brackets).unclosed && shows_unclosed(l, t))
            return close_bracket(l);
        if (l->brackets.len == 0 && !l->expression)
            return end_line(l);
        if (t.kind == TOK_END)
            return t;
    }
    if (token_is_closer(t.kind)) {
        if (l->brackets.len == 0) { /* its opener was in a skipped block */
            t.kind = TOK_ERROR;
            t.error = LEX_STRAY_CLOSER;
        } else if (vec_last(&l->brackets).closer != t.kind) {
            return close_bracket(l);
        } else {
            l->brackets.len--;
        }
    }
    l->pos++;
    if (token_is_opener(t.kind))
        return open_bracket(l, t);
    if (t.kind == TOK_COLON && l->brackets.len == 0)
        l->colon_seen = true;
    if (t.kind == TOK_ERROR)
        text_error(l, t);
    return t;
}

static Token next(Layout *l)
{
    for (;;) {
        if (l->n_queue == 0 && l->dedents == 0 && !l->line_open) {
            Token t = l->tokens.at[l->pos];
            if (t.kind != TOK_END && !begin_line(l, t))
                continue;
            if (t.kind == TOK_END && l->levels.len > 1)
                dedent(l, t);
            else if (t.kind == TOK_END)
                return t;
        }
        if (l->dedents > 0) {
            l->dedents--;
            return made(l, TOK_DEDENT);
        }
        if (l->n_queue > 0)
            return l->queue[--l->n_queue];
        if (l->line_open)
            return next_in_line(l);
    }
}

Token layout_next(Layout *layout)
{
    return layout->last = next(layout);
}
