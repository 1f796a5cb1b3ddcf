/* Diagnostics as text and as JSON. */
#include "base/diag.h"
#include "base/json.h"
#include "base/terminal.h"
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 160, BEFORE_CARET = 60, INDENT = 4, NEARBY = 1024 };

typedef struct {
    uint64_t key;
    uint32_t index;
} SortItem;

/* One source line as it is shown: columns instead of bytes. */
typedef struct {
    const char *text;
    uint32_t len;
    uint32_t caret, caret_end; /* columns of the marked part, half open */
    uint32_t width;            /* columns of the whole line */
    bool more_before, more_after;
} Shown;

static const char *const severity_names[] = {"error", "warning", "note", "internal error"};
static const char *const severity_colours[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m",
                                               "\033[1;31m"};

/* Appends one code point in a form that cannot change the terminal, for text that stands at column
 * `col`; returns its width. `buf` may be NULL. Controls include those that reorder text. */
static uint32_t put_code(Buf *buf, const char *bytes, uint32_t n, uint32_t code, uint32_t col)
{
    char escape[TERMINAL_ESCAPE];
    if (code == '\t') {
        uint32_t width = 8 - col % 8;
        if (buf)
            buf_fill(buf, ' ', width);
        return width;
    }
    terminal_escape(escape, bytes, n, code);
    if (!escape[0]) {
        if (buf)
            buf_bytes(buf, bytes, n);
        return code_width(code);
    }
    if (buf)
        buf_str(buf, escape);
    return (uint32_t)strlen(escape);
}

static void put_text(Buf *buf, const char *text)
{
    size_t len = strlen(text);
    for (size_t i = 0; i < len;) {
        uint32_t code;
        uint32_t n = utf8_decode(text + i, len - i, &code);
        put_code(buf, text + i, n, code, 7); /* a tab becomes one space */
        i += n;
    }
}

/* Measures a line whose bytes [begin, end) are marked. Of a very long one only what lies near the
 * mark counts, so that the time for a message does not grow with the line. */
static Shown measure(const char *text, uint32_t len, uint32_t begin, uint32_t end)
{
    uint32_t from = begin > NEARBY && begin <= len ? begin - NEARBY : 0;
    while (from > 0 && from < begin && (text[from] & 0xc0) == 0x80)
        from++;
    Shown s = {.text = text + from, .len = len - from, .more_before = from > 0};
    s.more_after = s.len > 2 * NEARBY;
    if (s.more_after)
        s.len = 2 * NEARBY;
    text = s.text, len = s.len, begin -= from, end -= from;
    bool started = false, ended = false;
    for (uint32_t i = 0; i < len;) {
        uint32_t code;
        if (!started && i >= begin)
            s.caret = s.width, started = true;
        if (!ended && i >= end)
            s.caret_end = s.width, ended = true;
        uint32_t n = utf8_decode(text + i, len - i, &code);
        s.width += put_code(NULL, text + i, n, code, s.width);
        i += n;
    }
    if (!started)
        s.caret = s.width;
    if (!ended)
        s.caret_end = s.width;
    if (s.caret_end <= s.caret)
        s.caret_end = s.caret + 1;
    return s;
}

/* Appends the columns [from, to) of the line. */
static void put_columns(Buf *buf, const Shown *s, uint32_t from, uint32_t to)
{
    uint32_t col = 0;
    for (uint32_t i = 0; i < s->len && col < to;) {
        uint32_t code;
        uint32_t n = utf8_decode(s->text + i, s->len - i, &code);
        uint32_t width = put_code(NULL, s->text + i, n, code, col);
        if (col >= from && col + width <= to)
            put_code(buf, s->text + i, n, code, col);
        else if (col + width > from) /* cut in two by the window's edge */
            buf_fill(buf, ' ', (col + width < to ? col + width : to) - (col > from ? col : from));
        col += width;
        i += n;
    }
}

/* The source line with the span marked below it. */
static void put_snippet(Buf *buf, const Source *src, Span span, const char *colour)
{
    uint32_t len;
    const char *text = source_line(src, span.begin, &len);
    uint32_t line_begin = (uint32_t)(text - src->text);
    Shown s = measure(text, len, span.begin - line_begin, span.end - line_begin);

    uint32_t from = 0, to = s.width;
    if (s.width > WINDOW) {
        from = s.caret > BEFORE_CARET ? s.caret - BEFORE_CARET : 0;
        to = from + WINDOW;
        if (to > s.width)
            to = s.width, from = to - WINDOW;
    }
    bool cut = from > 0 || s.more_before;
    buf_fill(buf, ' ', INDENT);
    buf_str(buf, cut ? "..." : "");
    put_columns(buf, &s, from, to);
    buf_str(buf, to < s.width || s.more_after ? "...\n" : "\n");

    uint32_t last = s.caret_end > to && s.caret < to ? to : s.caret_end;
    buf_fill(buf, ' ', INDENT + (cut ? 3 : 0) + s.caret - from);
    buf_str(buf, colour ? colour : "");
    buf_char(buf, '^');
    buf_fill(buf, '~', last - s.caret - 1);
    buf_str(buf, colour ? "\033[0m\n" : "\n");
}

static bool is_warning_code(const char *code)
{
#define PLD_WARNING(ENUM, name, on, doc)                                                           \
    if (strcmp(code, name) == 0)                                                                   \
        return true;
#include "base/warnings.def"
    return false;
}

static void put_place(Buf *buf, const Source *src, Span span)
{
    if (!src)
        return;
    put_text(buf, source_part(src, span.begin)->name);
    LineCol at = source_line_col(src, span.begin);
    if (span.end)
        buf_printf(buf, ":%u:%u", at.line, at.col);
    buf_str(buf, ": ");
}

static void put_head(Buf *buf, const Source *src, Span span, DiagSeverity severity, bool colour)
{
    buf_str(buf, colour ? "\033[1m" : "");
    put_place(buf, src, span);
    buf_printf(buf, "%s%s: %s", colour ? severity_colours[severity] : "", severity_names[severity],
               colour ? "\033[0m" : "");
}

static void put_diag(Buf *buf, const Diags *diags, const Diag *d, bool colour)
{
    put_head(buf, diags->src, d->span, d->severity, colour);
    put_text(buf, d->message);
    if (is_warning_code(d->code))
        buf_printf(buf, " [-W%s%s]", d->severity == DIAG_ERROR ? "error=" : "", d->code);
    buf_char(buf, '\n');
    if (d->span.end == 0 || diags->src == NULL)
        return;
    put_snippet(buf, diags->src, d->span, colour ? "\033[1;32m" : NULL);
}

DiagPlace diag_place(const Diags *diags, const Diag *d)
{
    DiagPlace at = {.file = diags->src ? source_part(diags->src, d->span.begin)->name : ""};
    if (diags->src && d->span.end) {
        at.from = source_line_col(diags->src, d->span.begin);
        at.to = source_line_col(diags->src, d->span.end);
    }
    return at;
}

static void json_place(JsonWriter *w, const Diags *diags, const Diag *d)
{
    DiagPlace at = diag_place(diags, d);
    json_member_str(w, "file", at.file);
    json_member_int(w, "line", at.from.line);
    json_member_int(w, "col", at.from.col);
    json_member_open(w, "end", '{');
    json_member_int(w, "line", at.to.line);
    json_member_int(w, "col", at.to.col);
    json_close(w);
}

static void json_message(JsonWriter *w, const Diag *d)
{
    json_member_str(w, "severity", severity_names[d->severity]);
    json_member_str(w, "code", d->code);
    json_member_str(w, "message", d->message);
}

static void json_diag(Buf *buf, const Diags *diags, const Diag *d)
{
    JsonWriter w;
    json_init(&w, buf);
    json_open(&w, '{');
    json_place(&w, diags, d);
    json_message(&w, d);
    json_member_open(&w, "notes", '[');
    for (uint32_t i = 1; i <= d->n_notes; i++) {
        json_open(&w, '{');
        json_place(&w, diags, d + i);
        json_message(&w, d + i);
        json_close(&w);
    }
    json_close(&w);
    json_close(&w);
    buf_char(buf, '\n');
}

static int by_place(const void *a, const void *b)
{
    const SortItem *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* The diagnostics without notes, in source order; the caller frees the list. */
static SortItem *sorted(const Diags *diags, uint32_t *count)
{
    SortItem *items = xcalloc(diags->list.len, sizeof *items);
    uint32_t n = 0;
    for (uint32_t i = 0; i < diags->list.len; i++) {
        const Diag *d = &diags->list.at[i];
        if (d->severity == DIAG_NOTE && !d->alone)
            continue;
        items[n++] = (SortItem){d->span.begin, i};
    }
    qsort(items, n, sizeof *items, by_place);
    *count = n;
    return items;
}

static void put_hidden(Buf *buf, const Diags *diags, DiagFormat format, uint32_t n,
                       const char *what)
{
    char text[64];
    if (n == 0)
        return;
    snprintf(text, sizeof text, "%u more %s%s not shown", n, what, n == 1 ? "" : "s");
    Diag d = {.severity = DIAG_NOTE, .code = "hidden", .message = text};
    if (format == DIAG_JSON)
        json_diag(buf, diags, &d);
    else
        buf_printf(buf, "%s\n", text);
}

void diags_text(const Diags *diags, DiagFormat format, bool colour, Buf *out)
{
    uint32_t n;
    SortItem *items = sorted(diags, &n);
    for (uint32_t i = 0; i < n; i++) {
        const Diag *d = &diags->list.at[items[i].index];
        if (format == DIAG_JSON) {
            json_diag(out, diags, d);
            continue;
        }
        for (uint32_t k = 0; k <= d->n_notes; k++)
            put_diag(out, diags, d + k, colour);
    }
    put_hidden(out, diags, format, diags->n_hidden_errors, "error");
    put_hidden(out, diags, format, diags->n_hidden_warnings, "warning");
    xfree(items);
}

void diags_print(const Diags *diags, FILE *out, DiagFormat format, bool colour)
{
    Buf buf = {0};
    diags_text(diags, format, colour, &buf);
    if (buf.len)
        fwrite(buf.at, 1, buf.len, out);
    buf_free(&buf);
}

void diags_sort(const Diags *diags, Arena *arena, SortedDiags *out)
{
    uint32_t n;
    SortItem *items = sorted(diags, &n);
    out->at = arena_new_n(arena, SortedDiag, diags->list.len + 1);
    out->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = items[i].index, parent = out->n;
        out->at[out->n++] = (SortedDiag){first, -1};
        for (uint32_t k = 1; k <= diags->list.at[first].n_notes; k++)
            out->at[out->n++] = (SortedDiag){first + k, parent};
    }
    xfree(items);
}
