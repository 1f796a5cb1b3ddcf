/* The fabric with late visibility (--mem=weak), over a sequentially consistent memory.
 *
 * A write waits in its rank's store buffer. It lands in memory at the rank's next release fence, or
 * earlier when the scheduler says so; writes of one rank to one target land in order, to different
 * targets in any order. A rank sees its own writes at once, and of memory what it was at its last
 * acquire fence, or at a later refresh that the scheduler chose. Cells changed by notify are
 * coherent: everybody sees them at once.
 *
 * Staleness is kept as histories: each change of a slice with the bytes before it. What a rank sees
 * is memory, with the changes that others made since its acquire undone, newest first, and its
 * buffer on top. */
#include "sim/fabric/weak.h"
#include "base/map.h"
#include "sim/fabric/fabrics.h"
#include "sim/machine/mem.h"

#include <string.h>

/* ---- writes ---- */

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
    vec_push(&w->buffers[self].writes, p);
    vec_push(&w->buffers[self].spans,
             (Span){to->at.rank, to->at.window, to->at.offset, rect_end(to)});
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

static void note_newest(Newest *n, uint32_t from, uint64_t seq)
{
    if (n->from != from)
        n->seq[1] = n->seq[0];
    n->from = from;
    n->seq[0] = seq;
}

/* Up to this change everybody has acquired. */
static uint64_t acquired_by_all(const Weak *w)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t r = 0; r < w->base.n_ranks; r++)
        if (w->acquired[r] < least)
            least = w->acquired[r];
    return least;
}

static void trim(Weak *w, History *h, uint64_t least)
{
    uint32_t n = 0;
    while (n < h->log.len && h->log.at[n].seq <= least)
        xfree(h->log.at[n++].old);
    h->log.len -= n;
    w->changes -= n;
    if (n)
        memmove(h->log.at, h->log.at + n, h->log.len * sizeof *h->log.at);
    h->trim_at = 2 * h->log.len + 16;
}

/* Now and then, so that what nobody changes any more is not kept for ever. */
static void sweep(Weak *w)
{
    uint64_t least = acquired_by_all(w);
    for (uint32_t i = 0; i < w->slices.len; i++)
        for (uint32_t r = 0; r < w->base.n_ranks; r++)
            trim(w, &w->slices.at[i][r], least);
    w->sweep_at = 2 * w->changes + 4096;
}

static void note_change(Weak *w, Change c)
{
    History *h = weak_history(w, c.rect.at.rank, c.rect.at.window);
    if (h->log.len >= h->trim_at)
        trim(w, h, acquired_by_all(w));
    vec_push(&h->log, c);
    note_newest(&h->newest, c.from, c.seq);
    note_newest(&w->newest, c.from, c.seq);
    if (++w->changes >= w->sweep_at)
        sweep(w);
}

/* The write of a rank's buffer becomes part of memory. */
static void land_write(Weak *w, uint32_t self, const PendingWrite *p)
{
    FabToken token;
    Change c = {.rect = p->rect, .from = self, .seq = ++w->seq};
    c.old = xmalloc((size_t)rect_bytes(&p->rect));
    (void)w->mem->ops->read(w->mem, self, &p->rect, packed_local(&p->rect, c.old), &token);
    FabLocal from = packed_local(&p->rect, p->bytes);
    if (p->add)
        (void)w->mem->ops->add(w->mem, self, &p->rect, p->dtype, from, &token);
    else
        (void)w->mem->ops->write(w->mem, self, &p->rect, from, &token);
    note_change(w, c);
    xfree(p->bytes);
}

static void land_one(Weak *w, uint32_t self, uint32_t i)
{
    Buffer *b = &w->buffers[self];
    land_write(w, self, &b->writes.at[i]);
    b->writes.len--;
    b->spans.len--;
    memmove(b->writes.at + i, b->writes.at + i + 1, (b->writes.len - i) * sizeof *b->writes.at);
    memmove(b->spans.at + i, b->spans.at + i + 1, (b->spans.len - i) * sizeof *b->spans.at);
}

static FabStatus weak_fence(Fabric *f, uint32_t self, int kind)
{
    Weak *w = (Weak *)f;
    Buffer *b = &w->buffers[self];
    if (kind == FENCE_ACQUIRE) {
        w->acquired[self] = w->seq;
        return FAB_OK;
    }
    for (uint32_t i = 0; i < b->writes.len; i++)
        land_write(w, self, &b->writes.at[i]);
    vec_clear(&b->writes);
    vec_clear(&b->spans);
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

/* A notified cell is the same to everybody: no change of the past takes it back. */
static void patch_history(Weak *w, FabAddr cell, int32_t value)
{
    WeakCell c = {.offset = cell.offset};
    FabRect r = {.at = cell, .run = 4};
    memcpy(c.bytes, &value, 4);
    const History *h = weak_history(w, cell.rank, cell.window);
    for (uint32_t i = 0; i < h->log.len; i++)
        if (weak_may_overlap(&h->log.at[i].rect, &r))
            weak_runs(&h->log.at[i].rect, h->log.at[i].old, patch_run, &c);
}

static FabStatus weak_notify(Fabric *f, uint32_t self, const FabNotify *n, FabToken *token)
{
    Weak *w = (Weak *)f;
    int32_t now = 0;
    w->mem->deliver = f->deliver;
    w->mem->deliver_env = f->deliver_env;
    FabStatus status = w->mem->ops->notify(w->mem, self, n, token);
    if (status == FAB_OK && w->mem->ops->cell(w->mem, n->cell, &now) == FAB_OK)
        patch_history(w, n->cell, now);
    return status;
}

static FabStatus weak_cell(Fabric *f, FabAddr cell, int32_t *value)
{
    Weak *w = (Weak *)f;
    return w->mem->ops->cell(w->mem, cell, value);
}

/* ---- landings ---- */

/* The pending writes of a rank that are the first to their target, in order. */
static uint32_t first_writes(const Weak *w, uint32_t from, FabLanding *out, uint32_t n,
                             uint32_t max)
{
    const Buffer *b = &w->buffers[from];
    Map targets = {0};
    for (uint32_t i = 0; i < b->writes.len; i++) {
        const PendingWrite *p = &b->writes.at[i];
        if (map_get(&targets, p->rect.at.rank, NULL))
            continue;
        map_set(&targets, p->rect.at.rank, 1);
        if (n < max)
            out[n] = (FabLanding){p->id, from, p->rect.at.rank, p->rect};
        n++;
    }
    map_free(&targets);
    return n;
}

/* A write that lands is named (source, target); a refresh of a reader (n_ranks, reader). */
static uint32_t weak_landings(Fabric *f, FabLanding *out, uint32_t max)
{
    Weak *w = (Weak *)f;
    uint32_t n = 0;
    for (uint32_t from = 0; from < f->n_ranks; from++)
        n = first_writes(w, from, out, n, max);
    for (uint32_t r = 0; r < f->n_ranks; r++)
        if (weak_others_newer(w, &w->newest, r)) {
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
        w->acquired[reader] = w->seq;
        return FAB_OK;
    }
    if (from >= f->n_ranks)
        return FAB_RANGE;
    for (uint32_t i = 0; i < w->buffers[from].writes.len; i++)
        if (w->buffers[from].writes.at[i].id == id) {
            land_one(w, from, i);
            return FAB_OK;
        }
    return FAB_RANGE;
}

/* ---- the rest ---- */

static void drop_history(History *h)
{
    for (uint32_t i = 0; i < h->log.len; i++)
        xfree(h->log.at[i].old);
    vec_clear(&h->log);
    h->trim_at = 16;
    h->newest = (Newest){0};
}

static void drop_state(Weak *w)
{
    for (uint32_t r = 0; r < w->base.n_ranks; r++) {
        Buffer *b = &w->buffers[r];
        for (uint32_t i = 0; i < b->writes.len; i++)
            xfree(b->writes.at[i].bytes);
        vec_clear(&b->writes);
        vec_clear(&b->spans);
        w->next_id[r] = 1;
        w->acquired[r] = 0;
    }
    for (uint32_t i = 0; i < w->slices.len; i++)
        for (uint32_t r = 0; r < w->base.n_ranks; r++)
            drop_history(&w->slices.at[i][r]);
    w->newest = (Newest){0};
    w->seq = w->changes = 0;
    w->sweep_at = 4096;
}

static void weak_reset(Fabric *f, bool keep)
{
    Weak *w = (Weak *)f;
    drop_state(w);
    w->mem->ops->reset(w->mem, keep);
}

static void weak_destroy(Fabric *f)
{
    Weak *w = (Weak *)f;
    drop_state(w);
    for (uint32_t r = 0; r < f->n_ranks; r++) {
        vec_free(&w->buffers[r].writes);
        vec_free(&w->buffers[r].spans);
    }
    for (uint32_t i = 0; i < w->slices.len; i++) {
        for (uint32_t r = 0; r < f->n_ranks; r++)
            vec_free(&w->slices.at[i][r].log);
        xfree(w->slices.at[i]);
    }
    vec_free(&w->slices);
    w->mem->ops->destroy(w->mem);
    xfree(w->buffers);
    xfree(w->next_id);
    xfree(w->acquired);
    xfree(w);
}

static FabStatus weak_window_create(Fabric *f, uint32_t window, int64_t bytes)
{
    Weak *w = (Weak *)f;
    FabStatus status = w->mem->ops->window_create(w->mem, window, bytes);
    if (status == FAB_OK)
        vec_push(&w->slices, xcalloc(f->n_ranks, sizeof(History)));
    return status;
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

static void save_buffer(Buf *out, const Buffer *b)
{
    save_vec(out, &b->spans);
    for (uint32_t i = 0; i < b->writes.len; i++) {
        save_value(out, b->writes.at[i]);
        save_bytes(out, b->writes.at[i].bytes, (size_t)rect_bytes(&b->writes.at[i].rect));
    }
}

static void load_buffer(SaveReader *in, Buffer *b)
{
    load_vec(in, &b->spans);
    for (uint32_t i = 0; i < b->spans.len; i++) {
        PendingWrite p;
        load_value(in, p);
        p.bytes = xmalloc((size_t)rect_bytes(&p.rect));
        load_bytes(in, p.bytes, (size_t)rect_bytes(&p.rect));
        vec_push(&b->writes, p);
    }
}

static void save_history(Buf *out, const History *h)
{
    save_value(out, h->log.len);
    save_value(out, h->trim_at);
    save_value(out, h->newest);
    for (uint32_t i = 0; i < h->log.len; i++) {
        save_value(out, h->log.at[i]);
        save_bytes(out, h->log.at[i].old, (size_t)rect_bytes(&h->log.at[i].rect));
    }
}

static void load_history(SaveReader *in, History *h)
{
    uint32_t n;
    load_value(in, n);
    load_value(in, h->trim_at);
    load_value(in, h->newest);
    for (; n; n--) {
        Change c;
        load_value(in, c);
        c.old = xmalloc((size_t)rect_bytes(&c.rect));
        load_bytes(in, c.old, (size_t)rect_bytes(&c.rect));
        vec_push(&h->log, c);
    }
}

static void weak_save(const Fabric *f, Buf *out)
{
    const Weak *w = (const Weak *)f;
    w->mem->ops->save(w->mem, out);
    save_value(out, w->newest);
    save_value(out, w->seq);
    save_value(out, w->changes);
    save_value(out, w->sweep_at);
    save_bytes(out, w->next_id, f->n_ranks * sizeof *w->next_id);
    save_bytes(out, w->acquired, f->n_ranks * sizeof *w->acquired);
    for (uint32_t r = 0; r < f->n_ranks; r++)
        save_buffer(out, &w->buffers[r]);
    for (uint32_t i = 0; i < w->slices.len; i++)
        for (uint32_t r = 0; r < f->n_ranks; r++)
            save_history(out, &w->slices.at[i][r]);
}

static void weak_load(Fabric *f, SaveReader *in)
{
    Weak *w = (Weak *)f;
    drop_state(w);
    w->mem->ops->load(w->mem, in);
    load_value(in, w->newest);
    load_value(in, w->seq);
    load_value(in, w->changes);
    load_value(in, w->sweep_at);
    load_bytes(in, w->next_id, f->n_ranks * sizeof *w->next_id);
    load_bytes(in, w->acquired, f->n_ranks * sizeof *w->acquired);
    for (uint32_t r = 0; r < f->n_ranks; r++)
        load_buffer(in, &w->buffers[r]);
    for (uint32_t i = 0; i < w->slices.len; i++)
        for (uint32_t r = 0; r < f->n_ranks; r++)
            load_history(in, &w->slices.at[i][r]);
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
    .save = weak_save,
    .load = weak_load,
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
