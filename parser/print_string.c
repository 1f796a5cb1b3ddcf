/* Strings and f-strings as text.
 *
 * Strings have double quotes. But the expressions of an f-string must not contain its own quotes,
 * so the quotes around and in f-strings are chosen from the innermost outwards. */
#include "parser/print.h"

static const char *const quotes_by_level[] = {"'", "\"", "'''", "\"\"\""};
#define MAX_LEVEL 3

/* Writes one character of a string in a form that fits on a line. */
static void print_char(Buf *out, char c)
{
    switch (c) {
    case '\n': buf_str(out, "\\n"); break;
    case '\r': buf_str(out, "\\r"); break;
    case '\t': buf_str(out, "\\t"); break;
    case '\\': buf_str(out, "\\\\"); break;
    default:
        if ((unsigned char)c < 0x20 || c == 0x7f)
            buf_printf(out, "\\x%02x", (unsigned)c);
        else
            buf_char(out, c);
    }
}

static void print_outside(Buf *out, const char *text, bool triple)
{
    buf_str(out, triple ? "\"\"\"" : "\"");
    for (const char *s = text; *s; s++) {
        if (*s == '"' && (!triple || s[1] == '"' || s[1] == '\0'))
            buf_str(out, "\\\"");
        else if (*s == '\n' && triple)
            buf_char(out, '\n');
        else
            print_char(out, *s);
    }
    buf_str(out, triple ? "\"\"\"" : "\"");
}

/* Text of or in an f-string: no quote stays a quote. */
static void print_guarded(Buf *out, const char *text, bool double_braces)
{
    for (const char *s = text; *s; s++) {
        if (*s == '"' || *s == '\'')
            buf_printf(out, "\\x%02x", (unsigned)*s);
        else if (double_braces && (*s == '{' || *s == '}'))
            buf_printf(out, "%c%c", *s, *s);
        else
            print_char(out, *s);
    }
}

void ast_put_str(Printer *p, const Ast *str)
{
    if (!p->inside) {
        print_outside(p->out, str->str.text, str->str.triple);
        return;
    }
    buf_str(p->out, quotes_by_level[0]);
    print_guarded(p->out, str->str.text, false);
    buf_str(p->out, quotes_by_level[0]);
    if (p->levels < 1)
        p->levels = 1;
}

static void print_field(Printer *p, const AstFPart *part)
{
    Buf *out = p->out;
    buf_char(out, '{');
    size_t begin = out->len;
    ast_put_expr(p, part->expr, BIND_OR);
    if (out->at[begin] == '{') { /* "{{" would be a brace */
        Buf text = {0};
        buf_bytes(&text, out->at + begin, out->len - begin);
        out->len = begin;
        buf_printf(out, " %s", text.at);
        buf_free(&text);
    }
    if (part->debug)
        buf_char(out, '=');
    if (part->conversion)
        buf_printf(out, "!%c", part->conversion);
    if (part->spec)
        buf_printf(out, ":%s", part->spec);
    buf_char(out, '}');
}

void ast_put_fstring(Printer *p, const Ast *fstring)
{
    Buf body = {0};
    Printer inner = {.out = &body, .inside = true};
    buf_str(&body, "");
    for (uint32_t i = 0; i < fstring->fstring.len; i++) {
        const AstFPart *part = &fstring->fstring.at[i];
        if (part->expr)
            print_field(&inner, part);
        else
            print_guarded(&body, part->text, true);
    }
    uint32_t level = inner.levels < MAX_LEVEL ? inner.levels : MAX_LEVEL;
    const char *quote = quotes_by_level[level == 0 && !p->inside ? 1 : level];
    buf_printf(p->out, "f%s%s%s", quote, body.at ? body.at : "", quote);
    buf_free(&body);
    if (p->levels < level + 1)
        p->levels = level + 1;
}
