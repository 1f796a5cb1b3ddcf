/* The inside of f-strings: literal text and `{expression[=][!r][:format]}` fields. */
#include "parser/state.h"
#include <string.h>

void fstring_flush(Parser *p, AstFParts *parts, Buf *text)
{
    if (text->len == 0)
        return;
    AstFPart part = {.text = intern_n(p->in, text->at, text->len)};
    avec_push(p->arena, parts, part);
    buf_clear(text);
}

/* The end of the string literal that starts with the quote at `at`, at most `end`. */
static uint32_t skip_string(const char *text, uint32_t at, uint32_t end)
{
    char quote = text[at];
    uint32_t n = at + 2 < end && text[at + 1] == quote && text[at + 2] == quote ? 3 : 1;
    for (at += n; at < end; at++) {
        if (text[at] == '\\')
            at++;
        else if (text[at] == quote &&
                 (n == 1 || (at + 2 < end && text[at + 1] == quote && text[at + 2] == quote)))
            return at + n;
    }
    return end;
}

/* Is the character at `at` the start of `!=`, `==`, `<=` or `>=`, or the '=' of one? */
static bool in_comparison(const char *text, uint32_t at)
{
    if (text[at] == '!')
        return text[at + 1] == '=';
    return text[at + 1] == '=' || strchr("=!<>", text[at - 1]) != NULL;
}

/* Where the expression of a field ends: its '}', ':', '!' or '='. `end` when there is none. */
static uint32_t expression_end(const char *text, uint32_t at, uint32_t end)
{
    uint32_t depth = 0;
    while (at < end) {
        char c = text[at];
        if (c == '"' || c == '\'') {
            at = skip_string(text, at, end);
            continue;
        }
        if (c == '(' || c == '[' || c == '{')
            depth++;
        if (depth == 0 && (c == '}' || c == ':'))
            return at;
        if (depth == 0 && (c == '!' || c == '=') && !in_comparison(text, at))
            return at;
        if (depth > 0 && (c == ')' || c == ']' || c == '}'))
            depth--;
        at++;
    }
    return end;
}

/* Reads a format after its ':' up to the closing '}'. Nested fields stay text. */
static uint32_t read_format(Parser *p, AstFPart *part, uint32_t at, uint32_t end)
{
    const char *text = p->src->text;
    uint32_t begin = at, depth = 0;
    for (; at < end && (depth > 0 || text[at] != '}'); at++) {
        depth += text[at] == '{';
        depth -= text[at] == '}';
        if (strchr("\\\"'\n", text[at])) {
            syntax_error(p, (Span){at, at + 1}, "this character cannot be part of a format");
            return end;
        }
    }
    part->spec = intern_n(p->in, text + begin, at - begin);
    return at;
}

/* Reads what may stand between the expression and the '}'. Returns where that '}' should be. */
static uint32_t read_suffix(Parser *p, AstFPart *part, uint32_t at, uint32_t end)
{
    const char *text = p->src->text;
    if (at < end && text[at] == '=') {
        part->debug = true;
        at++;
        while (at < end && text[at] == ' ')
            at++;
    }
    if (at < end && text[at] == '!') {
        part->conversion = at + 1 < end ? text[at + 1] : 0;
        if (!part->conversion || !strchr("rsa", part->conversion)) {
            syntax_error(p, (Span){at, at + 1}, "'!' must be followed by r, s or a");
            return end;
        }
        at += 2;
    }
    if (at < end && text[at] == ':')
        at = read_format(p, part, at + 1, end);
    return at;
}

/* Reads the field whose '{' is at `at`; returns the offset after its '}', `end` after an error. */
static uint32_t read_field(Parser *p, AstFParts *parts, uint32_t at, uint32_t end)
{
    const char *text = p->src->text;
    Span brace = {at, at + 1};
    uint32_t stop = expression_end(text, at + 1, end);
    Span inner = {at + 1, stop};
    while (inner.begin < inner.end && strchr(" \t\n", text[inner.begin]))
        inner.begin++;
    if (stop < end && inner.begin == inner.end) {
        syntax_error(p, brace, "this field of the f-string is empty");
        return end;
    }
    AstFPart part = {0};
    stop = read_suffix(p, &part, stop, end);
    if (stop >= end || text[stop] != '}') {
        syntax_error(p, brace, "this '{' is not closed in the f-string (a brace itself is '{{')");
        return end;
    }
    part.expr = parse_inner(p, inner);
    if (part.expr)
        avec_push(p->arena, parts, part);
    return stop + 1;
}

void fstring_parts(Parser *p, AstFParts *parts, Buf *text, Span body, bool raw)
{
    const char *s = p->src->text;
    uint32_t at = body.begin;
    while (at < body.end) {
        uint32_t run = at;
        while (at < body.end && s[at] != '{' && s[at] != '}')
            at += !raw && s[at] == '\\' && at + 1 < body.end && s[at + 1] != '{' && s[at + 1] != '}'
                      ? 2
                      : 1;
        literal_unescape(p, text, run, at - run, raw);
        if (at >= body.end)
            break;
        if (at + 1 < body.end && s[at + 1] == s[at]) {
            buf_char(text, s[at]);
            at += 2;
        } else if (s[at] == '}') {
            syntax_error(p, (Span){at, at + 1}, "a lone '}' in an f-string is written '}}'");
            at++;
        } else {
            fstring_flush(p, parts, text);
            at = read_field(p, parts, at, body.end);
        }
    }
}
