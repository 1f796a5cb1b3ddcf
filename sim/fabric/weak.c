/* The fabric with late visibility (--mem=weak), over a sequentially consistent memory.
 *
 * A write waits in its rank's store buffer. It lands in memory at the rank's next release fence, or
 * earlier when the scheduler says so; writes of one rank to one target land in order, to different
 * targets in any order. A rank sees its own writes at once, and of memory what it was at its last
 * acquire fence, or at a later refresh that the scheduler chose. Cells changed by notify are
 * coherent: everybody sees them at once.
 *
 * Staleness is kept as an undo log: each change of memory with the bytes before it. What a rank
 * sees is memory, with the changes that others made since its acquire undone, newest first, and its
 * buffer on top. */
#include "base/vec.h"
#include "sim/fabric/fabrics.h"
#include "sim/machine/mem.h"

#include <string.h>

typedef struct {
    FabRect rect;
    char *bytes; /* packed: run after run; NULL when empty */
    bool add;    /* atomic add of `dtype` elements */
    Dtype dtype;
    uint64_t id;
} PendingWrite;

typedef struct {
    FabRect rect;
    uint32_t from; /* rank whose write it was */
    char *old;     /* packed bytes before it */
    uint64_t seq;  /* counts changes, from 1 */
} Change;

typedef VEC(PendingWrite) Buffer;

typedef struct {
    Fabric base;
    Fabric *mem;
    Buffer *buffers;    /* per rank, oldest first */
    uint64_t *next_id;  /* per rank */
    uint64_t *acquired; /* per rank: it sees changes up to this one */
    VEC(Change) log;    /* oldest first */
    uint64_t seq;       /* of the latest change */
} Weak;

/* ---- rectangles as runs of bytes ---- */

typedef void RunFn(void *env, int64_t offset, int64_t len, char *packed);

static char *each_run(const FabRect *r, int dim, int64_t offset, char *packed, RunFn *fn, void *env)
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

static void runs(const FabRect *r, char *packed, RunFn *fn, void *env)
{
    (void)each_run(r, 0, r->at.offset, packed, fn, env);
}

static bool same_slice(const FabRect *a, const FabRect *b)
{
    return a->at.rank == b->at.rank && a->at.window == b->at.window;
}

static bool may_overlap(const FabRect *a, const FabRect *b)
{
    return same_slice(a, b) && a->at.offset < rect_end(b) && b->at.offset < rect_end(a);
}

/* The dense strides of a packed rectangle. */
static FabLocal packed_local(const FabRect *r, char *bytes)
{
    FabLocal l = {.at = bytes};
    int64_t step = r->run;
    for (int d = r->n - 1; d >= 0; d--) {
        l.stride[d] = step;
        step *= r->count[d];
    }
    return l;
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

static void undo_changes(Weak *w, uint32_t self, const FabRect *r, View *v)
{
    for (uint32_t i = w->log.len; i-- > 0 && w->log.at[i].seq > w->acquired[self];) {
        Change *c = &w->log.at[i];
        if (!may_overlap(&c->rect, r))
            continue;
        v->protect = c->from == self;
        runs(&c->rect, c->old, undo_run, v);
    }
}

static void overlay_own(Weak *w, uint32_t self, const FabRect *r, View *v)
{
    for (uint32_t i = 0; i < w->buffers[self].len; i++) {
        PendingWrite *p = &w->buffers[self].at[i];
        if (!may_overlap(&p->rect, r))
            continue;
        v->add = p->add;
        v->dtype = p->dtype;
        runs(&p->rect, p->bytes, overlay_run, v);
    }
}

static FabStatus weak_read(Fabric *f, uint32_t self, const FabRect *from, FabLocal to,
                           FabToken *token)
{
    Weak *w = (Weak *)f;
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

/* ---- writes ---- */

static FabStatus check_range(Weak *w, uint32_t self, const FabRect *r)
{
    int64_t len = rect_end(r) - r->at.offset;
    return w->mem->ops->direct(w->mem, self, r->at, len, false) ? FAB_OK : FAB_RANGE;
}

static FabStatus buffer_write(Weak *w, uint32_t self, const FabRect *to, FabLocal from, bool add,
                              Dtype dtype)
{
    FabStatus status = check_range(w, self, to);
    int64_t bytes = rect_bytes(to);
    if (status != FAB_OK || bytes == 0)
        return status;
    PendingWrite p = {.rect = *to, .bytes = xmalloc((size_t)bytes), .add = add, .dtype = dtype};
    FabLocal packed = packed_local(to, p.bytes);
    rect_copy(to, packed.at, packed.stride, from.at, from.stride);
    p.id = w->next_id[self]++;
    vec_push(&w->buffers[self], p);
    return FAB_OK;
}

static FabStatus weak_write(Fabric *f, uint32_t self, const FabRect *to, FabLocal from,
                            FabToken *token)
{
    *token = 0;
    return buffer_write((Weak *)f, self, to, from, false, DT_FP32);
}

static FabStatus weak_add(Fabric *f, uint32_t self, const FabRect *to, Dtype dtype, FabLocal from,
                          FabToken *token)
{
    *token = 0;
    return buffer_write((Weak *)f, self, to, from, true, dtype);
}

/* Moves the oldest changes out of the log that everybody has acquired. */
static void trim_log(Weak *w)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t r = 0; r < w->base.n_ranks; r++)
        if (w->acquired[r] < least)
            least = w->acquired[r];
    uint32_t n = 0;
    while (n < w->log.len && w->log.at[n].seq <= least)
        xfree(w->log.at[n++].old);
    if (!n)
        return;
    w->log.len -= n;
    memmove(w->log.at, w->log.at + n, w->log.len * sizeof *w->log.at);
}

/* Lands entry `i` of a rank's buffer in memory. */
static void flush_one(Weak *w, uint32_t self, uint32_t i)
{
    Buffer *b = &w->buffers[self];
    PendingWrite p = b->at[i];
    FabToken token;
    Change c = {.rect = p.rect, .from = self, .seq = ++w->seq};
    c.old = xmalloc((size_t)rect_bytes(&p.rect));
    (void)w->mem->ops->read(w->mem, self, &p.rect, packed_local(&p.rect, c.old), &token);
    FabLocal from = packed_local(&p.rect, p.bytes);
    if (p.add)
        (void)w->mem->ops->add(w->mem, self, &p.rect, p.dtype, from, &token);
    else
        (void)w->mem->ops->write(w->mem, self, &p.rect, from, &token);
    vec_push(&w->log, c);
    xfree(p.bytes);
    b->len--;
    memmove(b->at + i, b->at + i + 1, (b->len - i) * sizeof *b->at);
}

static void acquire(Weak *w, uint32_t self)
{
    w->acquired[self] = w->seq;
    trim_log(w);
}

static FabStatus weak_fence(Fabric *f, uint32_t self, int kind)
{
    Weak *w = (Weak *)f;
    if (kind == FENCE_ACQUIRE) {
        acquire(w, self);
        return FAB_OK;
    }
    while (w->buffers[self].len)
        flush_one(w, self, 0);
    return FAB_OK;
}

/* ---- signals ---- */

typedef struct {
    int64_t offset;
    char bytes[4];
} WeakCell;

static void patch_run(void *env, int64_t offset, int64_t len, char *old)
{
    const WeakCell *c = env;
    for (int64_t i = 0; i < 4; i++)
        if (c->offset + i >= offset && c->offset + i < offset + len)
            old[c->offset + i - offset] = c->bytes[i];
}

/* A notified cell is the same to everybody: no change of the log takes it back. */
static void patch_log(Weak *w, FabAddr cell, int32_t value)
{
    WeakCell c = {.offset = cell.offset};
    FabRect r = {.at = cell, .run = 4};
    memcpy(c.bytes, &value, 4);
    for (uint32_t i = 0; i < w->log.len; i++)
        if (may_overlap(&w->log.at[i].rect, &r))
            runs(&w->log.at[i].rect, w->log.at[i].old, patch_run, &c);
}

static FabStatus weak_notify(Fabric *f, uint32_t self, const FabNotify *n, FabToken *token)
{
    Weak *w = (Weak *)f;
    int32_t now = 0;
    w->mem->deliver = f->deliver;
    w->mem->deliver_env = f->deliver_env;
    FabStatus status = w->mem->ops->notify(w->mem, self, n, token);
    if (status == FAB_OK && w->mem->ops->cell(w->mem, n->cell, &now) == FAB_OK)
        patch_log(w, n->cell, now);
    return status;
}

static FabStatus weak_cell(Fabric *f, FabAddr cell, int32_t *value)
{
    Weak *w = (Weak *)f;
    return w->mem->ops->cell(w->mem, cell, value);
}

static FabStatus weak_test(Fabric *f, uint32_t self, FabAddr cell, int cmp, int32_t expected,
                           bool *yes)
{
    int32_t value = 0;
    FabToken token;
    FabRect r = {.at = cell, .run = 4};
    FabStatus status =
        cell.offset % 4 ? FAB_ALIGN : weak_read(f, self, &r, (FabLocal){.at = &value}, &token);
    *yes = status == FAB_OK && (cmp == WAIT_GE ? value >= expected : value == expected);
    return status;
}

/* ---- landings ---- */

static bool first_for_target(const Buffer *b, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (b->at[k].rect.at.rank == b->at[i].rect.at.rank)
            return false;
    return true;
}

static bool is_stale(const Weak *w, uint32_t reader)
{
    for (uint32_t i = w->log.len; i-- > 0 && w->log.at[i].seq > w->acquired[reader];)
        if (w->log.at[i].from != reader)
            return true;
    return false;
}

/* A write that lands is named (source, target); a refresh of a reader (n_ranks, reader). */
static uint32_t weak_landings(Fabric *f, FabLanding *out, uint32_t max)
{
    Weak *w = (Weak *)f;
    uint32_t n = 0;
    for (uint32_t from = 0; from < f->n_ranks; from++)
        for (uint32_t i = 0; i < w->buffers[from].len; i++) {
            const PendingWrite *p = &w->buffers[from].at[i];
            if (!first_for_target(&w->buffers[from], i))
                continue;
            if (n < max)
                out[n] = (FabLanding){p->id, from, p->rect.at.rank, p->rect};
            n++;
        }
    for (uint32_t r = 0; r < f->n_ranks; r++)
        if (is_stale(w, r)) {
            if (n < max)
                out[n] = (FabLanding){.from = f->n_ranks, .reader = r};
            n++;
        }
    return n;
}

static FabStatus weak_land(Fabric *f, uint64_t id, uint32_t from, uint32_t reader)
{
    Weak *w = (Weak *)f;
    if (from == f->n_ranks && reader < f->n_ranks) {
        acquire(w, reader);
        return FAB_OK;
    }
    if (from >= f->n_ranks)
        return FAB_RANGE;
    for (uint32_t i = 0; i < w->buffers[from].len; i++)
        if (w->buffers[from].at[i].id == id) {
            flush_one(w, from, i);
            return FAB_OK;
        }
    return FAB_RANGE;
}

/* ---- the rest ---- */

static void drop_state(Weak *w)
{
    for (uint32_t r = 0; r < w->base.n_ranks; r++) {
        for (uint32_t i = 0; i < w->buffers[r].len; i++)
            xfree(w->buffers[r].at[i].bytes);
        vec_clear(&w->buffers[r]);
        w->next_id[r] = 1;
        w->acquired[r] = 0;
    }
    for (uint32_t i = 0; i < w->log.len; i++)
        xfree(w->log.at[i].old);
    vec_clear(&w->log);
    w->seq = 0;
}

static void weak_reset(Fabric *f)
{
    Weak *w = (Weak *)f;
    drop_state(w);
    w->mem->ops->reset(w->mem);
}

static void weak_destroy(Fabric *f)
{
    Weak *w = (Weak *)f;
    drop_state(w);
    for (uint32_t r = 0; r < f->n_ranks; r++)
        vec_free(&w->buffers[r]);
    vec_free(&w->log);
    w->mem->ops->destroy(w->mem);
    xfree(w->buffers);
    xfree(w->next_id);
    xfree(w->acquired);
    xfree(w);
}

static FabStatus weak_window_create(Fabric *f, uint32_t window, int64_t bytes)
{
    Weak *w = (Weak *)f;
    return w->mem->ops->window_create(w->mem, window, bytes);
}

static bool weak_done(Fabric *f, FabToken token)
{
    (void)f, (void)token;
    return true;
}

static bool weak_progress(Fabric *f)
{
    (void)f;
    return false;
}

static void *weak_direct(Fabric *f, uint32_t self, FabAddr at, int64_t bytes, bool write)
{
    (void)f, (void)self, (void)at, (void)bytes, (void)write;
    return NULL;
}

static const void *weak_memory(Fabric *f, uint32_t rank, uint32_t window)
{
    Weak *w = (Weak *)f;
    return w->mem->ops->memory(w->mem, rank, window);
}

static const FabricOps weak_ops = {
    .name = "weak",
    .destroy = weak_destroy,
    .reset = weak_reset,
    .window_create = weak_window_create,
    .read = weak_read,
    .write = weak_write,
    .add = weak_add,
    .notify = weak_notify,
    .test = weak_test,
    .cell = weak_cell,
    .fence = weak_fence,
    .done = weak_done,
    .landings = weak_landings,
    .land = weak_land,
    .progress = weak_progress,
    .direct = weak_direct,
    .memory = weak_memory,
};

Fabric *fabric_weak_new(uint32_t n_ranks)
{
    Weak *w = xcalloc(1, sizeof *w);
    w->base = (Fabric){.ops = &weak_ops, .n_ranks = n_ranks};
    w->mem = fabric_local_new(n_ranks);
    w->buffers = xcalloc(n_ranks, sizeof *w->buffers);
    w->next_id = xcalloc(n_ranks, sizeof *w->next_id);
    w->acquired = xcalloc(n_ranks, sizeof *w->acquired);
    drop_state(w);
    return &w->base;
}
