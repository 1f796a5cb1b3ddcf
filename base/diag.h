/* Diagnostics: libraries collect them here and return a status; only cli/ prints and exits. */
#ifndef PLD_BASE_DIAG_H
#define PLD_BASE_DIAG_H

#include "base/arena.h"
#include "base/source.h"
#include "base/vec.h"
#include <stdbool.h>
#include <stdio.h>

typedef enum { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE, DIAG_INTERNAL } DiagSeverity;

typedef enum {
#define PLD_WARNING(ENUM, name, on, doc) WARN_##ENUM,
#include "base/warnings.def"
    WARN_COUNT
} WarningId;

typedef struct {
    DiagSeverity severity;
    const char *code; /* warning name, or a short error class such as "syntax", "type" */
    Span span;
    const char *message; /* one line, no final newline */
    uint32_t n_notes;    /* notes follow their diagnostic directly in the list */
    bool alone;          /* a note that belongs to no other */
} Diag;

typedef struct {
    Arena *arena;      /* owns messages */
    const Source *src; /* may be NULL: messages without a place */
    VEC(Diag) list;    /* in the order reported */
    uint32_t n_errors;
    uint32_t n_warnings;
    bool enabled[WARN_COUNT];
    bool werror;              /* warnings count as errors */
    bool muted;               /* set while trying something: nothing is recorded, errors count */
    bool dropped;             /* the last one was not recorded: nor are its notes */
    uint32_t n_hidden_errors; /* those over the limits below */
    uint32_t n_hidden_warnings;
} Diags;

#define DIAG_MAX_ERRORS 20 /* later ones are counted, not recorded */
#define DIAG_MAX_WARNINGS 100

void diags_init(Diags *diags, Arena *arena, const Source *src);
void diags_free(Diags *diags);

/* Records an error at a span. `code` is its class: "syntax", "name", "type", "value", "level",
 * "shape", "memory", "option". */
void diag_error(Diags *diags, Span span, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Records a warning if it is enabled (an error under -Werror). Same span and warning only once. */
void diag_warn(Diags *diags, Span span, WarningId id, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Records a note by itself. */
void diag_tell(Diags *diags, Span span, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Attaches a note to the diagnostic reported last. */
void diag_note(Diags *diags, Span span, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A bug of the compiler itself; exit status 70. */
void diag_internal(Diags *diags, Span span, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Forgets those from the `from`th on that are about a line which an earlier one is about. */
void diags_drop_repeated_lines(Diags *diags, uint32_t from);

bool diags_failed(const Diags *diags); /* any error (or warning under -Werror) or internal */
bool diags_internal(const Diags *diags);

/* Sets -W names: "name", "no-name", "all" or "no-all"; false when unknown. */
bool diags_set_warning(Diags *diags, const char *name);

typedef enum { DIAG_TEXT, DIAG_JSON } DiagFormat;

/* Prints everything in source order (notes after their diagnostic). Text form:
 *     file:line:col: error: message
 *         source line
 *         ^~~~~
 * Under a --dump-loc place the line of the dump follows as a note. Control characters are escaped,
 * lines over 160 columns are cut around the caret. JSON form: one object a line with the fields
 * file, line, col, end {line, col}, severity, code, message, notes[]; no place is line 0. */
void diags_text(const Diags *diags, DiagFormat format, bool colour, Buf *out);
/* The same on a file. */
void diags_print(const Diags *diags, FILE *out, DiagFormat format, bool colour);

/* Where a diagnostic is; no place: line 0. */
typedef struct {
    const char *file; /* "": no source */
    LineCol from, to;
} DiagPlace;
DiagPlace diag_place(const Diags *diags, const Diag *d);

/* The list in source order, notes behind their diagnostic. */
typedef struct {
    uint32_t index; /* in the list */
    int64_t parent; /* of a note: position of its diagnostic here; else -1 */
} SortedDiag;
typedef struct {
    SortedDiag *at;
    uint32_t n;
} SortedDiags;
void diags_sort(const Diags *diags, Arena *arena, SortedDiags *out);

/* The candidate nearest to `name` by Damerau-Levenshtein distance, at most a third of its length
 * away, or NULL. Ties go to the first. */
const char *nearest_name(const char *name, const char *const *candidates, uint32_t n);

#endif
