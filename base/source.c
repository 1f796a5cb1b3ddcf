#include "base/source.h"
#include "base/file.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_SOURCE = 256 * 1024 * 1024 };

/* Copies the text in its canonical form; `to` has room for len + 2 bytes. Returns its length. */
static uint32_t copy_text(char *to, const char *bytes, size_t len)
{
    uint32_t n = 0;
    size_t i = len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < len) {
        const char *end = memchr(bytes + i + 1, '\r', len - i - 1);
        size_t run = (end ? (size_t)(end - bytes) : len) - i;
        bool joins = bytes[i] == '\r' && i + 1 < len && bytes[i + 1] == '\n';
        memcpy(to + n, bytes + i + joins, run - joins);
        n += (uint32_t)(run - joins);
        i += run;
    }
    if (n == 0 || to[n - 1] != '\n')
        to[n++] = '\n';
    to[n] = '\0';
    return n;
}

static void find_lines(Arena *arena, Source *src)
{
    src->n_lines = 0;
    const char *text = src->text, *end = text + src->len;
    for (const char *at = text; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++)
        src->n_lines++;
    src->line_starts = arena_new_n(arena, uint32_t, src->n_lines);
    uint32_t line = 0;
    for (uint32_t i = 0; i + 1 < src->len; i++)
        if (src->text[i] == '\n')
            src->line_starts[++line] = i + 1;
}

static void add_part(Arena *arena, Source *src, const char *name, uint32_t begin, uint32_t line)
{
    SourcePart *parts = arena_new_n(arena, SourcePart, src->n_parts + 1);
    if (src->n_parts)
        memcpy(parts, src->parts, src->n_parts * sizeof *parts);
    parts[src->n_parts++] = (SourcePart){name, begin, src->len, line, 0};
    src->parts = parts;
}

Source *source_from_bytes(Arena *arena, const char *name, const char *bytes, size_t len)
{
    Source *src = arena_new(arena, Source);
    char *text = arena_alloc(arena, len + 2);
    src->name = arena_strndup(arena, name, strlen(name));
    src->len = copy_text(text, bytes, len);
    src->text = text;
    find_lines(arena, src);
    add_part(arena, src, src->name, 0, 0);
    return src;
}

/* A line of its own parts two files: the end of one is not the start of the next. */
uint32_t source_append(Arena *arena, Source *src, const char *name, const char *bytes, size_t len)
{
    if (len > MAX_SOURCE || src->len > UINT32_MAX - MAX_SOURCE - 3)
        return 0;
    uint32_t begin = src->len + 1, line = src->n_lines + 1;
    char *text = arena_alloc(arena, begin + len + 2);
    memcpy(text, src->text, src->len);
    text[src->len] = '\n';
    src->len = begin + copy_text(text + begin, bytes, len);
    src->text = text;
    find_lines(arena, src);
    add_part(arena, src, arena_strndup(arena, name, strlen(name)), begin, line);
    return begin;
}

Source *source_load(Arena *arena, const char *path, const char **why)
{
    Buf buf = {0};
    char *reason = NULL;
    Source *src = NULL;
    if (file_read(path, &buf, MAX_SOURCE, &reason))
        src = source_from_bytes(arena, strcmp(path, "-") == 0 ? "<stdin>" : path, buf.at, buf.len);
    else
        *why = arena_strndup(arena, reason, strlen(reason));
    xfree(reason);
    buf_free(&buf);
    return src;
}

/* Index of the last line that starts at or before `offset`. */
static uint32_t find_line(const Source *src, uint32_t offset)
{
    uint32_t low = 0, high = src->n_lines;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (src->line_starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

const SourcePart *source_part(const Source *src, uint32_t offset)
{
    uint32_t i = src->n_parts - 1;
    while (i > 0 && src->parts[i].begin > offset)
        i--;
    return &src->parts[i];
}

bool source_line_begin(const Source *src, uint32_t part, uint32_t line, uint32_t *offset)
{
    if (part >= src->n_parts || line == 0 || line > src->n_lines - src->parts[part].line)
        return false;
    *offset = src->line_starts[src->parts[part].line + line - 1];
    return *offset < src->parts[part].end;
}

LineCol source_line_col(const Source *src, uint32_t offset)
{
    const SourcePart *part = source_part(src, offset);
    if (offset >= part->end)
        offset = part->end - 1; /* the end of the file is shown at the end of its last line */
    uint32_t line = find_line(src, offset);
    LineCol at = {line - part->line + 1, 1};
    for (uint32_t i = src->line_starts[line]; i < offset; i++)
        if ((src->text[i + 1] & 0xc0) != 0x80)
            at.col++;
    return at;
}

const char *source_line(const Source *src, uint32_t offset, uint32_t *len)
{
    const SourcePart *part = source_part(src, offset);
    uint32_t line = find_line(src, offset < part->end ? offset : part->end - 1);
    uint32_t begin = src->line_starts[line];
    uint32_t end = line + 1 < src->n_lines ? src->line_starts[line + 1] : src->len;
    *len = (end < part->end ? end : part->end) - begin - 1;
    return src->text + begin;
}

Span span_join(Span a, Span b)
{
    if (a.end == 0)
        return b;
    if (b.end == 0)
        return a;
    return (Span){a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}
