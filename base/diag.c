#include "base/diag.h"
#include <string.h>
#include <strings.h>

typedef struct {
    const char *name;
    bool on;
} WarningRow;

static const WarningRow warnings[WARN_COUNT] = {
#define PLD_WARNING(ENUM, name, on, doc) [WARN_##ENUM] = {name, on},
#include "base/warnings.def"
};

void diags_init(Diags *diags, Arena *arena, const Source *src)
{
    *diags = (Diags){.arena = arena, .src = src};
    for (int i = 0; i < WARN_COUNT; i++)
        diags->enabled[i] = warnings[i].on;
}

void diags_free(Diags *diags)
{
    vec_free(&diags->list);
}

/* One mistake in a function that is compiled twice is reported once. */
static bool already_reported(const Diags *diags, const Diag *d, bool same_code_is_enough)
{
    for (uint32_t i = 0; i < diags->list.len; i++) {
        const Diag *old = &diags->list.at[i];
        if (old->severity != d->severity || old->span.begin != d->span.begin ||
            old->span.end != d->span.end || strcmp(old->code, d->code) != 0)
            continue;
        if (same_code_is_enough || strcmp(old->message, d->message) == 0)
            return true;
    }
    return false;
}

static void record(Diags *diags, Diag d)
{
    vec_push(&diags->list, d);
    diags->dropped = false;
}

__attribute__((format(printf, 4, 0))) static void
report_error(Diags *diags, Span span, const char *code, const char *fmt, va_list ap)
{
    diags->dropped = true;
    if (diags->muted) {
        diags->n_errors++;
        return;
    }
    Diag d = {.severity = DIAG_ERROR, .code = code, .span = span};
    d.message = arena_vprintf(diags->arena, fmt, ap);
    if (already_reported(diags, &d, false))
        return;
    diags->n_errors++;
    if (diags->n_errors <= DIAG_MAX_ERRORS)
        record(diags, d);
    else
        diags->n_hidden_errors++;
}

void diag_error(Diags *diags, Span span, const char *code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    report_error(diags, span, code, fmt, ap);
    va_end(ap);
}

void diag_warn(Diags *diags, Span span, WarningId id, const char *fmt, ...)
{
    diags->dropped = true;
    if (!diags->enabled[id] || diags->muted)
        return;
    Diag d = {.severity = diags->werror ? DIAG_ERROR : DIAG_WARNING, .span = span};
    d.code = warnings[id].name;
    if (already_reported(diags, &d, true))
        return;
    va_list ap;
    va_start(ap, fmt);
    if (diags->werror) {
        report_error(diags, span, d.code, fmt, ap);
    } else if (++diags->n_warnings > DIAG_MAX_WARNINGS) {
        diags->n_hidden_warnings++;
    } else {
        d.message = arena_vprintf(diags->arena, fmt, ap);
        record(diags, d);
    }
    va_end(ap);
}

void diag_note(Diags *diags, Span span, const char *fmt, ...)
{
    if (diags->muted || diags->dropped || diags->list.len == 0)
        return;
    Diag d = {.severity = DIAG_NOTE, .code = "note", .span = span};
    va_list ap;
    va_start(ap, fmt);
    d.message = arena_vprintf(diags->arena, fmt, ap);
    va_end(ap);
    uint32_t owner = diags->list.len - 1;
    while (owner > 0 && diags->list.at[owner].severity == DIAG_NOTE && !diags->list.at[owner].alone)
        owner--;
    diags->list.at[owner].n_notes++;
    vec_push(&diags->list, d);
}

/* Recorded even while muted and over the limit: nothing may hide it. */
void diag_internal(Diags *diags, Span span, const char *fmt, ...)
{
    Diag d = {.severity = DIAG_INTERNAL, .code = "internal", .span = span};
    va_list ap;
    va_start(ap, fmt);
    d.message = arena_vprintf(diags->arena, fmt, ap);
    va_end(ap);
    record(diags, d);
}

bool diags_internal(const Diags *diags)
{
    for (uint32_t i = 0; i < diags->list.len; i++)
        if (diags->list.at[i].severity == DIAG_INTERNAL)
            return true;
    return false;
}

static bool line_has(const Diags *diags, uint32_t n, Span span)
{
    uint32_t len;
    const char *line = source_line(diags->src, span.begin, &len);
    for (uint32_t i = 0; i < n; i++)
        if (diags->list.at[i].span.end &&
            source_line(diags->src, diags->list.at[i].span.begin, &len) == line)
            return true;
    return false;
}

void diags_drop_repeated_lines(Diags *diags, uint32_t from)
{
    uint32_t kept = from;
    for (uint32_t i = from, size; i < diags->list.len; i += size) {
        const Diag *d = &diags->list.at[i];
        size = 1 + d->n_notes;
        if (d->severity == DIAG_ERROR && d->span.end && line_has(diags, from, d->span)) {
            diags->n_errors--;
            continue;
        }
        memmove(&diags->list.at[kept], d, size * sizeof *d);
        kept += size;
    }
    diags->list.len = kept;
}

bool diags_failed(const Diags *diags)
{
    return diags->n_errors > 0 || diags_internal(diags);
}

bool diags_set_warning(Diags *diags, const char *name)
{
    bool on = strncmp(name, "no-", 3) != 0, found = false;
    const char *wanted = on ? name : name + 3;
    bool all = strcmp(wanted, "all") == 0;
    for (int i = 0; i < WARN_COUNT; i++) {
        if (!all && strcmp(warnings[i].name, wanted) != 0)
            continue;
        diags->enabled[i] = on;
        found = true;
    }
    return found;
}

enum { NAME_MAX_LEN = 100 };

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours, each place edited at most once
 * (Damerau 1964; optimal string alignment). */
static uint32_t edit_distance(const char *a, uint32_t n, const char *b, uint32_t m)
{
    uint32_t rows[3][NAME_MAX_LEN * 2 + 1];
    for (uint32_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (uint32_t i = 1; i <= n; i++) {
        uint32_t *row = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];
        row[0] = i;
        for (uint32_t j = 1; j <= m; j++) {
            row[j] = least(least(up[j], row[j - 1]) + 1, up[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], up2[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

const char *nearest_name(const char *name, const char *const *candidates, uint32_t n)
{
    size_t len = strlen(name);
    if (len > NAME_MAX_LEN)
        return NULL;
    uint32_t limit = (uint32_t)len / 3;
    uint32_t best_distance = limit + 1;
    const char *best = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (strcasecmp(name, candidates[i]) == 0)
            return candidates[i];
        size_t other = strlen(candidates[i]);
        if (other > len + limit || other + limit < len)
            continue;
        uint32_t d = edit_distance(name, (uint32_t)len, candidates[i], (uint32_t)other);
        if (d < best_distance) {
            best_distance = d;
            best = candidates[i];
        }
    }
    return best;
}

void diag_tell(Diags *diags, Span span, const char *fmt, ...)
{
    if (diags->muted)
        return;
    Diag d = {.severity = DIAG_NOTE, .code = "note", .span = span, .alone = true};
    va_list ap;
    va_start(ap, fmt);
    d.message = arena_vprintf(diags->arena, fmt, ap);
    va_end(ap);
    diags->dropped = false;
    vec_push(&diags->list, d);
}
