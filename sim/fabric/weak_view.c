/* What a rank sees: memory, with what it has not acquired undone and its own writes on top. */
#include "sim/fabric/weak.h"

#include "base/heap.h"
#include "sim/machine/mem.h"
#include <string.h>

/* ---- rectangles as runs of bytes ---- */

static char *each_run(const FabRect *r, int dim, int64_t offset, char *packed, WeakRunFn *fn,
                      void *env)
{
    if (dim >= r->n || dim >= FAB_MAX_DIMS) {
        if (r->run)
            fn(env, offset, r->run, packed);
        return packed + r->run;
    }
    for (int64_t i = 0; i < r->count[dim]; i++)
        packed = each_run(r, dim + 1, offset + i * r->stride[dim], packed, fn, env);
    return packed;
}

void weak_runs(const FabRect *r, char *packed, WeakRunFn *fn, void *env)
{
    (void)each_run(r, 0, r->at.offset, packed, fn, env);
}

static bool same_slice(const FabRect *a, const FabRect *b)
{
    return a->at.rank == b->at.rank && a->at.window == b->at.window;
}

bool weak_may_overlap(const FabRect *a, const FabRect *b)
{
    return same_slice(a, b) && a->at.offset < rect_end(b) && b->at.offset < rect_end(a);
}

/* ---- what a rank sees ---- */

/* Bytes [lo, hi) of a slice as one rank sees them. */
typedef struct {
    int64_t lo, hi;
    char *bytes;
    char *own;    /* 1: the rank's own write, newer than what is undone from here on */
    bool protect; /* the runs being visited are own changes */
    bool add;
    Dtype dtype;
} View;

static void undo_run(void *env, int64_t offset, int64_t len, char *old)
{
    View *v = env;
    int64_t from = offset > v->lo ? offset : v->lo;
    int64_t to = offset + len < v->hi ? offset + len : v->hi;
    for (int64_t i = from; i < to; i++) {
        if (v->protect)
            v->own[i - v->lo] = 1;
        else if (!v->own[i - v->lo])
            v->bytes[i - v->lo] = old[i - offset];
    }
}

static void overlay_add(View *v, int64_t offset, int64_t len, char *bytes)
{
    int64_t size = dtype_bytes(v->dtype);
    for (int64_t i = 0; i < len; i += size) {
        FabRect one = {.run = size};
        if (offset + i >= v->lo && offset + i + size <= v->hi)
            fab_add_rect(&one, v->dtype, v->bytes + (offset + i - v->lo),
                         (FabLocal){.at = bytes + i}, 0);
    }
}

static void overlay_run(void *env, int64_t offset, int64_t len, char *bytes)
{
    View *v = env;
    if (v->add) {
        overlay_add(v, offset, len, bytes);
        return;
    }
    int64_t from = offset > v->lo ? offset : v->lo;
    int64_t to = offset + len < v->hi ? offset + len : v->hi;
    if (from < to)
        memcpy(v->bytes + (from - v->lo), bytes + (from - offset), (size_t)(to - from));
}

static void undo_changes(const Weak *w, uint32_t self, const FabRect *r, View *v)
{
    const History *h = weak_history(w, r->at.rank, r->at.window);
    for (uint32_t i = h->log.len; i-- > 0 && h->log.at[i].seq > w->acquired[self];) {
        Change *c = &h->log.at[i];
        if (!weak_may_overlap(&c->rect, r))
            continue;
        v->protect = c->from == self;
        weak_runs(&c->rect, c->old, undo_run, v);
    }
}

/* The first of a rank's pending writes, from `i` on, that may touch the bytes. */
static uint32_t next_own(const Buffer *b, uint32_t i, const FabRect *r, int64_t end)
{
    for (; i < b->spans.len; i++) {
        const Span *s = &b->spans.at[i];
        if (s->from < end && s->end > r->at.offset && s->rank == r->at.rank &&
            s->window == r->at.window)
            break;
    }
    return i;
}

static void overlay_own(const Weak *w, uint32_t self, const FabRect *r, View *v)
{
    const Buffer *b = &w->buffers[self];
    for (uint32_t i = 0; (i = next_own(b, i, r, v->hi)) < b->writes.len; i++) {
        PendingWrite *p = &b->writes.at[i];
        v->add = p->add;
        v->dtype = p->dtype;
        weak_runs(&p->rect, p->bytes, overlay_run, v);
    }
}

/* Is memory what the rank sees there? */
static bool sees_memory(const Weak *w, uint32_t self, const FabRect *r)
{
    const History *h = weak_history(w, r->at.rank, r->at.window);
    const Buffer *b = &w->buffers[self];
    return !h || (!weak_others_newer(w, &h->newest, self) &&
                  next_own(b, 0, r, rect_end(r)) == b->writes.len);
}

FabStatus weak_read(Fabric *f, uint32_t self, const FabRect *from, FabLocal to, FabToken *token)
{
    Weak *w = (Weak *)f;
    if (sees_memory(w, self, from))
        return w->mem->ops->read(w->mem, self, from, to, token);
    View v = {.lo = from->at.offset, .hi = rect_end(from)};
    FabRect line = {.at = from->at, .run = v.hi - v.lo};
    *token = 0;
    if (v.hi == v.lo)
        return FAB_OK;
    v.bytes = xmalloc((size_t)(v.hi - v.lo));
    FabStatus status = w->mem->ops->read(w->mem, self, &line, (FabLocal){.at = v.bytes}, token);
    if (status == FAB_OK) {
        v.own = xcalloc((size_t)(v.hi - v.lo), 1);
        undo_changes(w, self, &line, &v);
        overlay_own(w, self, &line, &v);
        rect_copy(from, to.at, to.stride, v.bytes, from->stride);
        xfree(v.own);
    }
    xfree(v.bytes);
    return status;
}

FabStatus weak_test(Fabric *f, uint32_t self, FabAddr cell, int cmp, int32_t expected, bool *yes)
{
    int32_t value = 0;
    FabToken token;
    FabRect r = {.at = cell, .run = 4};
    FabStatus status =
        cell.offset % 4 ? FAB_ALIGN : weak_read(f, self, &r, (FabLocal){.at = &value}, &token);
    *yes = status == FAB_OK && (cmp == WAIT_GE ? value >= expected : value == expected);
    return status;
}
