/* The longest common subsequence of two lists of lines, by the textbook table: functions are short,
 * and what is too long for a table is shown as replaced. */
#include "cli/compare.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 3 };
#define MAX_TABLE ((size_t)1 << 24)

typedef struct {
    const char *at;
    size_t len; /* without the newline */
} Line;
typedef VEC(Line) Lines;

typedef struct {
    char mark; /* ' ', '-', '+' */
    Line line;
} Edit;
typedef VEC(Edit) Edits;

static void split(Lines *out, const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t n = end ? (size_t)(end - text) - at : len - at;
        vec_push(out, ((Line){text + at, n}));
        at += n + 1;
    }
}

static bool same(Line a, Line b)
{
    return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

/* length[i][j]: of the common subsequence of a[i..] and b[j..]. */
static uint32_t *lengths(const Line *a, size_t n, const Line *b, size_t m)
{
    uint32_t *t = xcalloc((n + 1) * (m + 1), sizeof *t);
    for (size_t i = n; i-- > 0;)
        for (size_t j = m; j-- > 0;) {
            uint32_t down = t[(i + 1) * (m + 1) + j], right = t[i * (m + 1) + j + 1];
            t[i * (m + 1) + j] = same(a[i], b[j]) ? t[(i + 1) * (m + 1) + j + 1] + 1
                                 : down > right   ? down
                                                  : right;
        }
    return t;
}

static void middle(Edits *out, const Line *a, size_t n, const Line *b, size_t m)
{
    size_t i = 0, j = 0;
    uint32_t *t = n && m && n < MAX_TABLE / (m + 1) ? lengths(a, n, b, m) : NULL;
    while (t && i < n && j < m) {
        if (same(a[i], b[j])) {
            vec_push(out, ((Edit){' ', a[i]}));
            i++, j++;
        } else if (t[(i + 1) * (m + 1) + j] >= t[i * (m + 1) + j + 1]) {
            vec_push(out, ((Edit){'-', a[i++]}));
        } else {
            vec_push(out, ((Edit){'+', b[j++]}));
        }
    }
    for (; i < n; i++)
        vec_push(out, ((Edit){'-', a[i]}));
    for (; j < m; j++)
        vec_push(out, ((Edit){'+', b[j]}));
    xfree(t);
}

static void edits(Edits *out, const Lines *a, const Lines *b)
{
    size_t head = 0, tail = 0, least = a->len < b->len ? a->len : b->len;
    while (head < least && same(a->at[head], b->at[head]))
        head++;
    while (tail < least - head && same(a->at[a->len - 1 - tail], b->at[b->len - 1 - tail]))
        tail++;
    for (size_t i = 0; i < head; i++)
        vec_push(out, ((Edit){' ', a->at[i]}));
    middle(out, a->at + head, a->len - head - tail, b->at + head, b->len - head - tail);
    for (size_t i = a->len - tail; i < a->len; i++)
        vec_push(out, ((Edit){' ', a->at[i]}));
}

/* True when a change lies within CONTEXT lines. */
static bool shown(const Edits *e, uint32_t i)
{
    uint32_t lo = i < CONTEXT ? 0 : i - CONTEXT, hi = i + CONTEXT;
    for (uint32_t k = lo; k <= hi && k < e->len; k++)
        if (e->at[k].mark != ' ')
            return true;
    return false;
}

bool diff_text(Buf *out, const char *heading, const char *a, size_t a_len, const char *b,
               size_t b_len)
{
    Lines la = {0}, lb = {0};
    Edits e = {0};
    bool gap = true, any = false;
    split(&la, a, a_len);
    split(&lb, b, b_len);
    edits(&e, &la, &lb);
    for (uint32_t i = 0; i < e.len; i++) {
        bool show = shown(&e, i);
        if (show && gap)
            buf_printf(out, "@@ %s @@\n", heading);
        if (show)
            buf_printf(out, "%c%.*s\n", e.at[i].mark, (int)e.at[i].line.len, e.at[i].line.at);
        gap = !show;
        any |= show;
    }
    vec_free(&la);
    vec_free(&lb);
    vec_free(&e);
    return any;
}
