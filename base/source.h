/* Source text: loading, spans, lines and columns. */
#ifndef PLD_BASE_SOURCE_H
#define PLD_BASE_SOURCE_H

#include "base/arena.h"
#include "base/buf.h"
#include <stdbool.h>
#include <stdint.h>

/* A half-open range of byte offsets into one Source. {0,0} with `end == 0` means "no place". */
typedef struct {
    uint32_t begin, end;
} Span;

/* One of several files in a Source. */
typedef struct {
    const char *name;
    uint32_t begin, end; /* of its text */
    uint32_t line;       /* index of its first line in line_starts */
    uint32_t order;      /* of its functions among those of other files */
} SourcePart;

/* A file, and those that were appended: one text, so that a Span says which of them it is in. */
typedef struct {
    const char *name;      /* of the first; "<stdin>" for standard input */
    const char *text;      /* NUL-terminated; always ends with a newline; BOM removed */
    uint32_t len;          /* bytes of text, without the NUL */
    uint32_t *line_starts; /* offset of each line's first byte */
    uint32_t n_lines;
    SourcePart *parts; /* in the order of the text */
    uint32_t n_parts;
} Source;

typedef struct {
    uint32_t line; /* from 1 */
    uint32_t col;  /* from 1, in code points (what an editor shows) */
} LineCol;

/* Builds a Source over a copy of `len` bytes: drops a BOM, turns CRLF into LF, appends a missing
 * last newline. Text and tables are owned by the arena. Bad bytes (NUL, invalid UTF-8) stay in the
 * text: the lexer reports them with their place. */
Source *source_from_bytes(Arena *arena, const char *name, const char *bytes, size_t len);

/* Reads a file, or standard input for "-". On failure returns NULL and sets *why to a message that
 * names the file ("cannot read kernel.pld: No such file or directory"), owned by the arena. Files
 * over 256 MiB are refused. */
Source *source_load(Arena *arena, const char *path, const char **why);

/* Appends another file to a Source; returns where its text begins. `text` and the tables are new
 * ones: offsets stay what they were, pointers into them do not. 0: too much text. */
uint32_t source_append(Arena *arena, Source *src, const char *name, const char *bytes, size_t len);
/* The file that an offset lies in. */
const SourcePart *source_part(const Source *src, uint32_t offset);

/* Where line `line` (from 1) of file number `part` begins; false when there is no such line. */
bool source_line_begin(const Source *src, uint32_t part, uint32_t line, uint32_t *offset);

/* Line and column in the file that the offset lies in. */
LineCol source_line_col(const Source *src, uint32_t offset);
/* The text of the line at an offset without its newline; *len in bytes. */
const char *source_line(const Source *src, uint32_t offset, uint32_t *len);

/* The smallest span that covers both; an empty one ({0,0}) is ignored. */
Span span_join(Span a, Span b);

/* Reads one code point; returns its length in bytes (`len` > 0). A byte that begins no valid
 * sequence is U+FFFD, one byte long. */
uint32_t utf8_decode(const char *text, size_t len, uint32_t *code);
/* Terminal columns of one code point: 0, 1 or 2. */
uint32_t code_width(uint32_t code);

/* Offset of the first byte that is not valid UTF-8 (RFC 3629), or `len`. */
size_t utf8_check(const char *text, size_t len);

#endif
