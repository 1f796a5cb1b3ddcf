/* Values of literals. */
#include "parser/state.h"
#include <ctype.h>
#include <string.h>

/* Copies the text of a number without its '_'. */
static void number_text(const Parser *p, Span span, Buf *out)
{
    for (uint32_t i = span.begin; i < span.end; i++)
        if (p->src->text[i] != '_')
            buf_char(out, p->src->text[i]);
}

/* Does the minus just before this literal negate it, rather than subtract it? */
static bool follows_unary_minus(const Parser *p)
{
    if (p->before[1] != TOK_MINUS)
        return false;
    switch (p->before[2]) {
    case TOK_NAME:
    case TOK_INT:
    case TOK_FLOAT:
    case TOK_STRING:
    case TOK_TRUE:
    case TOK_FALSE:
    case TOK_NONE:
    case TOK_ELLIPSIS:
    case TOK_RPAREN:
    case TOK_RBRACKET:
    case TOK_RBRACE: return false;
    default: return true;
    }
}

/* Reads digits of a base; false when the value does not fit in 64 bits unsigned. */
static bool read_digits(const char *digits, uint32_t base, uint64_t *value)
{
    *value = 0;
    for (const char *d = digits; *d; d++) {
        uint32_t digit =
            isdigit((unsigned char)*d) ? (uint32_t)(*d - '0') : (uint32_t)((*d | 0x20) - 'a' + 10);
        if (__builtin_mul_overflow(*value, base, value) ||
            __builtin_add_overflow(*value, digit, value))
            return false;
    }
    return true;
}

Ast *literal_int(Parser *p, Span span)
{
    Buf text = {0};
    number_text(p, span, &text);
    char mark = text.len > 1 ? (char)(text.at[1] | 0x20) : 0;
    uint32_t base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    uint64_t value;
    bool fits = read_digits(text.at + (base == 10 ? 0 : 2), base, &value);
    buf_free(&text);
    uint64_t limit = (uint64_t)INT64_MAX + (follows_unary_minus(p) ? 1 : 0);
    if (!fits || value > limit) {
        syntax_error(p, span, "this integer does not fit in 64 bits");
        value = 0;
    }
    Ast *node = ast_node(p, AST_INT, span);
    node->integer.value = value > INT64_MAX ? INT64_MIN : (int64_t)value;
    node->integer.hex = base == 16;
    return ast_finish(p, node);
}

Ast *literal_float(Parser *p, Span span)
{
    Buf text = {0};
    number_text(p, span, &text);
    Ast *node = ast_node(p, AST_FLOAT, span);
    node->real = strtod(text.at, NULL);
    buf_free(&text);
    return ast_finish(p, node);
}

/* --- strings --- */

static void put_utf8(Buf *out, uint32_t c)
{
    if (c < 0x80) {
        buf_char(out, (char)c);
    } else if (c < 0x800) {
        buf_char(out, (char)(0xc0 | c >> 6));
        buf_char(out, (char)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        buf_char(out, (char)(0xe0 | c >> 12));
        buf_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
        buf_char(out, (char)(0x80 | (c & 0x3f)));
    } else {
        buf_char(out, (char)(0xf0 | c >> 18));
        buf_char(out, (char)(0x80 | (c >> 12 & 0x3f)));
        buf_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
        buf_char(out, (char)(0x80 | (c & 0x3f)));
    }
}

/* Reads up to `max` digits of `base` at `at` and returns how many there were. */
static uint32_t escape_digits(const char *at, const char *end, uint32_t max, uint32_t base,
                              uint32_t *value)
{
    uint32_t n = 0;
    for (*value = 0; n < max && at + n < end; n++) {
        char c = at[n];
        uint32_t d = c >= '0' && c <= '9'         ? (uint32_t)(c - '0')
                     : isxdigit((unsigned char)c) ? (uint32_t)((c | 0x20) - 'a' + 10)
                                                  : base;
        if (d >= base)
            break;
        *value = *value * base + d;
    }
    return n;
}

/* An escape that names a code point; returns the bytes used after the backslash. */
static uint32_t put_code_escape(Parser *p, Buf *out, const char *at, const char *end)
{
    bool octal = *at >= '0' && *at <= '7';
    uint32_t skip = octal ? 0 : 1;
    uint32_t want = octal ? 3 : *at == 'x' ? 2 : *at == 'u' ? 4 : 8;
    uint32_t c, n = escape_digits(at + skip, end, want, octal ? 8 : 16, &c);
    uint32_t begin = (uint32_t)(at - 1 - p->src->text);
    Span span = {begin, begin + 1 + skip + n};
    if (!octal && n < want)
        syntax_error(p, span, "'\\%c' needs %u hexadecimal digits", *at, want);
    else if (c == 0)
        syntax_error(p, span, "a string cannot hold the character NUL");
    else if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        syntax_error(p, span, "this escape is no Unicode character");
    else
        put_utf8(out, c);
    return skip + n;
}

/* Resolves the escape after a backslash at `at`; returns the bytes used. */
static uint32_t put_escape(Parser *p, Buf *out, const char *at, const char *end)
{
    static const char plain[] = "\\\\''\"\"a\ab\bf\fn\nr\rt\tv\v";
    if (*at == '\n')
        return 1;
    for (const char *e = plain; *e; e += 2)
        if (*e == *at) {
            buf_char(out, e[1]);
            return 1;
        }
    if ((*at >= '0' && *at <= '7') || *at == 'x' || *at == 'u' || *at == 'U')
        return put_code_escape(p, out, at, end);
    if (*at == 'N') {
        uint32_t begin = (uint32_t)(at - 1 - p->src->text);
        syntax_error(p, (Span){begin, begin + 2},
                     "'\\N{...}' is not supported: write the character itself");
        return 1;
    }
    buf_char(out, '\\'); /* as Python: an unknown escape stands for itself */
    return 0;
}

void literal_unescape(Parser *p, Buf *out, uint32_t at, uint32_t len, bool raw)
{
    const char *s = p->src->text + at, *end = s + len;
    while (s < end) {
        const char *stop = raw ? NULL : memchr(s, '\\', (size_t)(end - s));
        if (!stop || stop + 1 == end)
            stop = end;
        buf_bytes(out, s, (size_t)(stop - s));
        s = stop;
        if (s < end)
            s += 1 + put_escape(p, out, s + 1, end);
    }
}

/* What the prefix and the quotes of a string literal say. */
typedef struct {
    bool raw, formatted, triple;
    Span body;
} StringForm;

static StringForm string_form(const Parser *p, Span span)
{
    const char *text = p->src->text;
    StringForm form = {0};
    uint32_t at = span.begin;
    for (; text[at] != '"' && text[at] != '\''; at++) {
        form.raw |= (text[at] | 0x20) == 'r';
        form.formatted |= (text[at] | 0x20) == 'f';
    }
    form.triple = span.end - at >= 6 && text[at + 1] == text[at] && text[at + 2] == text[at];
    uint32_t quotes = form.triple ? 3 : 1;
    form.body = (Span){at + quotes, span.end - quotes};
    return form;
}

Ast *literal_strings(Parser *p, const Span *spans, uint32_t n)
{
    Buf text = {0};
    AstFParts parts = {0};
    bool formatted = false, triple = false;
    for (uint32_t i = 0; i < n; i++) {
        StringForm form = string_form(p, spans[i]);
        formatted |= form.formatted;
        triple |= form.triple;
        if (form.formatted)
            fstring_parts(p, &parts, &text, form.body, form.raw);
        else
            literal_unescape(p, &text, form.body.begin, form.body.end - form.body.begin, form.raw);
    }
    Span span = {spans[0].begin, spans[n - 1].end};
    Ast *node = ast_node(p, formatted ? AST_FSTRING : AST_STR, span);
    if (formatted) {
        fstring_flush(p, &parts, &text);
        node->fstring = parts;
    } else {
        node->str.text = intern_n(p->in, text.at ? text.at : "", text.len);
        node->str.triple = triple && p->nesting == 0;
    }
    buf_free(&text);
    return ast_finish(p, node);
}
