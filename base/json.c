#include "base/json.h"
#include "base/source.h"
#include "base/terminal.h"
#include <math.h>
#include <string.h>

void json_init(JsonWriter *w, Buf *out)
{
    *w = (JsonWriter){.out = out, .first = true};
}

/* Before every value: a comma unless it is the first of its level or belongs to a key. */
static void separate(JsonWriter *w)
{
    if (!w->after_key && !w->first)
        buf_char(w->out, ',');
    if (w->line_break)
        buf_char(w->out, '\n');
    w->after_key = w->first = w->line_break = false;
}

void json_open(JsonWriter *w, char bracket)
{
    separate(w);
    w->stack[w->depth++] = bracket;
    buf_char(w->out, bracket);
    w->first = true;
}

void json_close(JsonWriter *w)
{
    if (w->line_break)
        buf_char(w->out, '\n');
    w->line_break = false;
    buf_char(w->out, w->stack[--w->depth] == '{' ? '}' : ']');
    w->first = false;
}

static void put_string(Buf *out, const char *text)
{
    size_t len = strlen(text);
    buf_char(out, '"');
    for (size_t i = 0; i < len;) {
        uint32_t code;
        uint32_t n = utf8_decode(text + i, len - i, &code);
        if (code == '"' || code == '\\')
            buf_printf(out, "\\%c", (char)code);
        else if (code == '\n')
            buf_str(out, "\\n");
        else if (code == '\t')
            buf_str(out, "\\t");
        else if (code_is_control(code))
            buf_printf(out, "\\u%04x", code);
        else if (code == 0xfffd)
            buf_str(out, "\xef\xbf\xbd");
        else
            buf_bytes(out, text + i, n);
        i += n;
    }
    buf_char(out, '"');
}

void json_key(JsonWriter *w, const char *key)
{
    separate(w);
    put_string(w->out, key);
    buf_char(w->out, ':');
    w->after_key = true;
}

void json_str(JsonWriter *w, const char *text)
{
    separate(w);
    put_string(w->out, text);
}

void json_int(JsonWriter *w, int64_t v)
{
    separate(w);
    buf_printf(w->out, "%lld", (long long)v);
}

static void json_double(JsonWriter *w, double v)
{
    separate(w);
    if (!isfinite(v))
        buf_char(w->out, '"');
    buf_double(w->out, v);
    if (!isfinite(v))
        buf_char(w->out, '"');
}

void json_number(JsonWriter *w, const char *text)
{
    separate(w);
    buf_str(w->out, text);
}

void json_bool(JsonWriter *w, bool v)
{
    separate(w);
    buf_str(w->out, v ? "true" : "false");
}

void json_member_str(JsonWriter *w, const char *key, const char *text)
{
    if (!text)
        return;
    json_key(w, key);
    json_str(w, text);
}

void json_member_int(JsonWriter *w, const char *key, int64_t v)
{
    json_key(w, key);
    json_int(w, v);
}

void json_member_double(JsonWriter *w, const char *key, double v)
{
    json_key(w, key);
    json_double(w, v);
}

void json_member_bool(JsonWriter *w, const char *key, bool v)
{
    json_key(w, key);
    json_bool(w, v);
}

void json_member_open(JsonWriter *w, const char *key, char bracket)
{
    json_key(w, key);
    json_open(w, bracket);
}

void json_newline(JsonWriter *w)
{
    /* Outside of everything it separates whole values; inside, a comma may have to come first. */
    if (w->depth == 0) {
        buf_char(w->out, '\n');
        w->first = true;
    } else {
        w->line_break = true;
    }
}

static const char *xml_entity(uint32_t code)
{
    switch (code) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&apos;";
    case '\n': return "&#10;";
    case '\t': return "&#9;";
    default: return NULL;
    }
}

void xml_escape(Buf *out, const char *text)
{
    size_t len = strlen(text);
    for (size_t i = 0; i < len;) {
        uint32_t code;
        uint32_t n = utf8_decode(text + i, len - i, &code);
        const char *entity = xml_entity(code);
        bool control = code_is_control(code);
        if (entity)
            buf_str(out, entity);
        else if (code == 0xfffd || code == 0xfffe || code == 0xffff)
            buf_str(out, "\xef\xbf\xbd"); /* not characters of XML */
        else if (!control)
            buf_bytes(out, text + i, n);
        i += n;
    }
}
