/* Two rectangles of the same view have the same strides: the common cases are settled by
 * arithmetic. Otherwise the runs of the one that has fewer are looked up in the other. */
#include "sim/machine/rect_overlap.h"

typedef struct {
    const FabRect *r;
    RunVisit *run;
    void *env;
} RunWalk;

static bool walk_dim(const RunWalk *w, int dim, int64_t at)
{
    if (dim >= w->r->n || dim >= FAB_MAX_DIMS)
        return w->run(w->env, at, w->r->run);
    for (int64_t i = 0; i < w->r->count[dim]; i++)
        if (!walk_dim(w, dim + 1, at + i * w->r->stride[dim]))
            return false;
    return true;
}

bool rects_each_run(const FabRect *r, RunVisit *run, void *env)
{
    return r->run == 0 || walk_dim(&(RunWalk){r, run, env}, 0, r->at.offset);
}

/* Bytes from the first to one past the last, of the dimensions from `dim` inwards. */
static int64_t span(const FabRect *r, int dim)
{
    int64_t bytes = r->run;
    for (int i = dim; i < r->n && i < FAB_MAX_DIMS; i++)
        bytes += (r->count[i] - 1) * r->stride[i];
    return bytes;
}

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* First (or last) byte of the part of `r` from `dim` inwards, which starts at `at`, that lies in
 * [lo, hi); -1: none. */
static int64_t find_byte(const FabRect *r, int dim, int64_t at, int64_t lo, int64_t hi, bool last)
{
    int64_t end = at + span(r, dim);
    if (at >= hi || end <= lo)
        return -1;
    if (dim >= r->n || dim >= FAB_MAX_DIMS)
        return last ? min64(end, hi) - 1 : max64(at, lo);
    int64_t stride = r->stride[dim], inner = span(r, dim + 1);
    int64_t from = max64(0, (lo - at - inner) / stride);
    int64_t to = min64(r->count[dim] - 1, (hi - 1 - at) / stride);
    for (int64_t i = last ? to : from; i >= from && i <= to; i += last ? -1 : 1) {
        int64_t found = find_byte(r, dim + 1, at + i * stride, lo, hi, last);
        if (found >= 0)
            return found;
    }
    return -1;
}

static int64_t runs(const FabRect *r)
{
    int64_t n = 1;
    for (int i = 0; i < r->n; i++)
        n *= r->count[i];
    return n;
}

typedef struct {
    const FabRect *other;
    int64_t first, end; /* of what has been found so far; first -1: nothing */
    bool all;           /* look for the whole extent, not only for one byte */
} Common;

static bool common_run(void *env, int64_t offset, int64_t bytes)
{
    Common *c = env;
    const FabRect *o = c->other;
    int64_t first = find_byte(o, 0, o->at.offset, offset, offset + bytes, false);
    if (first < 0)
        return true;
    if (c->first < 0)
        c->first = first;
    c->end = find_byte(o, 0, o->at.offset, offset, offset + bytes, true) + 1;
    return c->all;
}

/* Rows of a and b, both one stride apart, that lie `shift` rows from each other. */
static bool rows_meet(const FabRect *a, const FabRect *b, int64_t shift)
{
    return shift < a->count[0] && shift > -b->count[0];
}

static bool same_grid(const FabRect *a, const FabRect *b)
{
    return a->n == 1 && b->n == 1 && a->stride[0] == b->stride[0];
}

/* b's rows start `*rest` bytes after row `*shift` of a. */
static void grid_offset(const FabRect *a, const FabRect *b, int64_t *shift, int64_t *rest)
{
    int64_t d = b->at.offset - a->at.offset, s = a->stride[0];
    *shift = d >= 0 ? d / s : -((s - 1 - d) / s);
    *rest = d - *shift * s;
}

bool rects_touch(const FabRect *a, const FabRect *b)
{
    if (a->at.offset >= rect_end(b) || b->at.offset >= rect_end(a))
        return false;
    if (a->n == 0 && b->n == 0)
        return true;
    if (same_grid(a, b)) {
        int64_t shift, rest;
        grid_offset(a, b, &shift, &rest);
        return (rest < a->run && rows_meet(a, b, shift)) ||
               (a->stride[0] - rest < b->run && rows_meet(a, b, shift + 1));
    }
    Common c = {.first = -1};
    bool swap = runs(b) < runs(a);
    c.other = swap ? a : b;
    return !rects_each_run(swap ? b : a, common_run, &c);
}

bool rects_common(const FabRect *a, const FabRect *b, int64_t *first, int64_t *end)
{
    Common c = {.first = -1, .all = true};
    bool swap = runs(b) < runs(a);
    c.other = swap ? a : b;
    (void)rects_each_run(swap ? b : a, common_run, &c);
    *first = c.first;
    *end = c.end;
    return c.first >= 0;
}

static bool same_shape(const FabRect *a, const FabRect *b)
{
    if (a->n != b->n || a->run != b->run)
        return false;
    for (int i = 0; i < a->n; i++)
        if (a->count[i] != b->count[i] || a->stride[i] != b->stride[i])
            return false;
    return true;
}

bool rects_cover(const FabRect *whole, const FabRect *part)
{
    if (part->at.offset < whole->at.offset || rect_end(part) > rect_end(whole))
        return false;
    if (whole->n == 0)
        return true;
    if (part->at.offset == whole->at.offset && same_shape(whole, part))
        return true;
    if (part->n == 0 && whole->n == 1) {
        int64_t rest = (part->at.offset - whole->at.offset) % whole->stride[0];
        return rest + part->run <= whole->run;
    }
    if (!same_grid(whole, part))
        return false;
    int64_t shift, rest;
    grid_offset(whole, part, &shift, &rest);
    return rest + part->run <= whole->run && shift + part->count[0] <= whole->count[0];
}

static void flatten(FabRect *r)
{
    if (r->n == 1 && r->stride[0] == r->run) {
        r->run *= r->count[0];
        r->n = 0;
    }
}

/* Two runs: one if they touch, a grid of two rows if they are equal. */
static bool join_runs(FabRect *to, const FabRect *more)
{
    int64_t a = to->at.offset, b = more->at.offset;
    if (a <= b + more->run && b <= a + to->run) {
        int64_t end = max64(a + to->run, b + more->run);
        to->at.offset = min64(a, b);
        to->run = end - to->at.offset;
        return true;
    }
    if (to->run != more->run)
        return false;
    to->n = 1;
    to->count[0] = 2;
    to->stride[0] = max64(a, b) - min64(a, b);
    to->at.offset = min64(a, b);
    return true;
}

/* Rows, `n` of them `stride` apart (a run is one row), below or above a grid. */
static bool join_rows(FabRect *to, const FabRect *more)
{
    int64_t stride = to->stride[0], n = more->n ? more->count[0] : 1;
    if (more->run != to->run || (more->n && more->stride[0] != stride))
        return false;
    if (more->at.offset == to->at.offset - n * stride)
        to->at.offset = more->at.offset;
    else if (more->at.offset != to->at.offset + to->count[0] * stride)
        return false;
    to->count[0] += n;
    return true;
}

/* The same rows of the next columns. */
static bool join_columns(FabRect *to, const FabRect *more)
{
    if (!same_grid(to, more) || to->count[0] != more->count[0])
        return false;
    if (more->at.offset == to->at.offset - more->run)
        to->at.offset = more->at.offset;
    else if (more->at.offset != to->at.offset + to->run)
        return false;
    to->run += more->run;
    flatten(to);
    return true;
}

bool rects_join(FabRect *to, const FabRect *more)
{
    if (rects_cover(to, more))
        return true;
    if (to->n == 0 && more->n == 0)
        return join_runs(to, more);
    if (to->n == 1 && more->n <= 1)
        return join_rows(to, more) || join_columns(to, more);
    return false;
}
