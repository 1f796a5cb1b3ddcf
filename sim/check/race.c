/* The race check. Per slice of a window it keeps three sets of live records: reads, writes, atomic
 * adds. A new access is compared with the sets it conflicts with; a write that covers and follows a
 * record takes its place, since whoever conflicts with the record unseen conflicts with the write
 * too. Records that every thread has behind it are swept when a set has doubled.
 *
 * Neighbouring accesses of one instruction in one epoch are one record, so a slice staged chunk by
 * chunk or column by column stays one range.
 *
 * Notifies are atomic, and so are reads of one element: they do not conflict. A tile load or a
 * store over a signal cell does conflict with its notifies. */
#include "sim/check/race.h"
#include "sim/check/checks.h"
#include "sim/machine/rect_overlap.h"

#include <string.h>

enum { READS, WRITES, ADDS };

#define FIRST_LIMIT 64u /* records of a set before the first sweep */

static int class_of(EventKind kind)
{
    switch (kind) {
    case EV_WRITE:
    case EV_REMOTE_WRITE: return WRITES;
    case EV_ATOMIC: return ADDS;
    default: return READS;
    }
}

static RangeTree *tree_of(Slice *s, int class)
{
    return class == READS ? &s->reads : class == WRITES ? &s->writes : &s->adds;
}

static Slice *slice_of(RaceCheck *c, FabAddr at)
{
    uint64_t key = (uint64_t)at.window << 32 | at.rank, found;
    if (map_get(&c->slice_index, key, &found))
        return &c->slices.at[found];
    map_set(&c->slice_index, key, c->slices.len);
    vec_push(&c->slices, (Slice){.limit = {FIRST_LIMIT, FIRST_LIMIT, FIRST_LIMIT}});
    Slice *s = &vec_last(&c->slices);
    ranges_init(&s->reads);
    ranges_init(&s->writes);
    ranges_init(&s->adds);
    return s;
}

/* Is the record behind the thread that acts now? A put reads its source until the thread's next
 * notify or fence, even for the thread itself. */
static bool ordered(const RaceCheck *c, const Access *then, const Access *now)
{
    if (then->kind == EV_PUT_SOURCE && then->thread == now->thread)
        return then->puts != c->threads[then->thread].puts;
    return race_knows(c, now->thread, then->thread, then->epoch);
}

/* ---- comparing ---- */

static void judge(RaceCheck *c, const Access *then, const Access *now)
{
    int64_t first, end;
    if (rects_touch(&then->rect, &now->rect) && rects_common(&then->rect, &now->rect, &first, &end))
        race_report(c, then, now, first, end, false);
}

static void compare(RaceCheck *c, RangeTree *t, const Access *now, bool replaces)
{
    if (t->n == 0)
        return;
    vec_clear(&c->found);
    ranges_find(&c->pool, t, now->rect.at.offset, rect_end(&now->rect), &c->found);
    for (uint32_t i = 0; i < c->found.len; i++) {
        const Access *then = &c->pool.nodes.at[c->found.at[i]].a;
        if (!ordered(c, then, now))
            judge(c, then, now);
        else if (replaces && rects_cover(&now->rect, &then->rect))
            ranges_remove(&c->pool, t, c->found.at[i]);
    }
}

/* The notify that last arrived at a cell, as an access. */
static Access notify_access(const RaceCheck *c, const SignalCell *cell)
{
    Access a = {.at = cell->last,
                .thread = cell->last_thread,
                .epoch = cell->last_epoch,
                .kind = EV_NOTIFY,
                .insn = BC_NOTIFY,
                .dtype = DT_INT32,
                .sync = c->threads[cell->last_thread].sync};
    a.rect = (FabRect){.at = cell->at, .run = 4};
    return a;
}

static void compare_cells(RaceCheck *c, const Slice *s, const Access *now)
{
    for (uint32_t i = 0; i < s->cells.len; i++) {
        Access then = notify_access(c, &c->cells.at[s->cells.at[i]]);
        if (!ordered(c, &then, now))
            judge(c, &then, now);
    }
}

/* ---- recording ---- */

static Recent *recent_of(const RaceCheck *c, RaceThread *t, const Slice *s, int class)
{
    uint64_t key = (uint64_t)(s - c->slices.at) * 4 + (unsigned)class + 1;
    Recent *r = &t->recent[(key ^ key >> 4) % RECENT];
    if (r->key != key)
        *r = (Recent){.key = key};
    return r;
}

static bool is_alive(const RaceCheck *c, const Recent *r, int i)
{
    return r->serial[i] && r->id[i] < c->pool.nodes.len &&
           c->pool.nodes.at[r->id[i]].serial == r->serial[i];
}

static bool same_place(CodePlace a, CodePlace b)
{
    return a.func == b.func && a.pc == b.pc && a.dispatch == b.dispatch;
}

/* One record may stand for both. */
static bool alike(const Access *a, const Access *b)
{
    return a->thread == b->thread && a->epoch == b->epoch && a->kind == b->kind &&
           a->puts == b->puts && same_place(a->at, b->at) && same_place(a->sync.at, b->sync.at);
}

static bool try_merge(RaceCheck *c, RangeTree *t, uint32_t id, const Access *a)
{
    const Access *old = &c->pool.nodes.at[id].a;
    FabRect both = old->rect;
    if (!alike(old, a) || !rects_join(&both, &a->rect))
        return false;
    ranges_grow(&c->pool, t, id, &both);
    return true;
}

/* A thread's read (or add) of the same bytes takes the place of its earlier one. */
static bool try_replace(RaceCheck *c, uint32_t id, const Access *a)
{
    Access *old = &c->pool.nodes.at[id].a;
    const FabRect *x = &old->rect, *y = &a->rect;
    if (old->thread != a->thread || old->kind != a->kind || old->insn != a->insn ||
        x->at.offset != y->at.offset || !rects_cover(x, y) || !rects_cover(y, x))
        return false;
    *old = *a;
    return true;
}

/* Drops what every thread has behind it. */
static void sweep(RaceCheck *c, RangeTree *t)
{
    vec_clear(&c->found);
    ranges_find(&c->pool, t, INT64_MIN, INT64_MAX, &c->found);
    for (uint32_t i = 0; i < c->found.len; i++) {
        const Access *a = &c->pool.nodes.at[c->found.at[i]].a;
        bool pending = a->kind == EV_PUT_SOURCE && a->puts == c->threads[a->thread].puts;
        if (!pending && race_known_by_all(c, a->thread, a->epoch))
            ranges_remove(&c->pool, t, c->found.at[i]);
    }
}

/* The last two records of the thread may have become one grid of rows. */
static void merge_last_two(RaceCheck *c, RangeTree *t, Recent *r)
{
    if (!is_alive(c, r, 1) || !is_alive(c, r, 0))
        return;
    Access last = c->pool.nodes.at[r->id[0]].a;
    if (!try_merge(c, t, r->id[1], &last))
        return;
    ranges_remove(&c->pool, t, r->id[0]);
    r->id[0] = r->id[1];
    r->serial[0] = r->serial[1];
}

static void record(RaceCheck *c, Slice *s, int class, const Access *a)
{
    RangeTree *t = tree_of(s, class);
    Recent *r = recent_of(c, &c->threads[a->thread], s, class);
    for (int i = 0; i < 2; i++)
        if (is_alive(c, r, i) &&
            (try_merge(c, t, r->id[i], a) || (class != WRITES && try_replace(c, r->id[i], a))))
            return;
    merge_last_two(c, t, r);
    if (t->n >= s->limit[class]) {
        sweep(c, t);
        s->limit[class] = 2 * t->n > FIRST_LIMIT ? 2 * t->n : FIRST_LIMIT;
    }
    r->id[1] = r->id[0];
    r->serial[1] = r->serial[0];
    r->id[0] = ranges_insert(&c->pool, t, a);
    r->serial[0] = c->pool.nodes.at[r->id[0]].serial;
}

/* ---- accesses ---- */

static Access access_of(RaceCheck *c, const Event *e)
{
    uint32_t u = race_thread(c, e->at);
    RaceThread *t = &c->threads[u];
    return (Access){.rect = e->rect,
                    .at = e->at,
                    .thread = u,
                    .epoch = race_epoch(t),
                    .puts = e->kind == EV_PUT_SOURCE ? t->puts : 0,
                    .kind = (uint8_t)e->kind,
                    .dtype = e->dtype,
                    .insn = e->insn,
                    .sync = t->sync};
}

static void visit(RaceCheck *c, const Event *e)
{
    if (e->rect.run == 0)
        return;
    Access a = access_of(c, e);
    Slice *s = slice_of(c, e->rect.at);
    int class = class_of(e->kind);
    c->tick++;
    compare(c, &s->writes, &a, class == WRITES);
    if (class != ADDS)
        compare(c, &s->adds, &a, class == WRITES);
    if (class != READS)
        compare(c, &s->reads, &a, class == WRITES);
    if (s->cells.len && class != ADDS && e->insn != BC_READ)
        compare_cells(c, s, &a);
    record(c, s, class, &a);
}

/* Sources of puts in device tensors; other accesses of tensors are nobody else's business. */
static void put_source(RaceCheck *c, const Event *e)
{
    if (!e->tensor) {
        visit(c, e);
        return;
    }
    Access a = access_of(c, e);
    RaceThread *t = &c->threads[a.thread];
    if (t->sources.len) {
        Access *last = &vec_last(&t->sources);
        if (alike(last, &a) && last->rect.at.window == a.rect.at.window &&
            rects_join(&last->rect, &a.rect))
            return;
    }
    vec_push(&t->sources, a);
}

static void tensor_write(RaceCheck *c, const Event *e)
{
    uint32_t first = c->first_thread[e->at.rank], n = c->world->ranks[e->at.rank].n_lanes;
    for (uint32_t u = first; u < first + n; u++) {
        const RaceThread *t = &c->threads[u];
        for (uint32_t i = 0; i < t->sources.len; i++) {
            const Access *then = &t->sources.at[i];
            int64_t from, end;
            if (then->rect.at.window != e->rect.at.window ||
                !rects_common(&then->rect, &e->rect, &from, &end))
                continue;
            Access now = access_of(c, e);
            race_report(c, then, &now, from, end, true);
        }
    }
}

/* A notify that lands where tiles are loaded or stored. */
static void arrive(RaceCheck *c, const Event *e)
{
    uint32_t known = c->cells.len;
    SignalCell *cell = race_arrive(c, e);
    if (!cell)
        return;
    Slice *s = slice_of(c, e->rect.at);
    if (c->cells.len > known)
        vec_push(&s->cells, known);
    if (s->reads.n + s->writes.n == 0)
        return;
    Access now = notify_access(c, cell);
    compare(c, &s->writes, &now, false);
    vec_clear(&c->found);
    ranges_find(&c->pool, &s->reads, now.rect.at.offset, now.rect.at.offset + 4, &c->found);
    for (uint32_t i = 0; i < c->found.len; i++) {
        const Access *then = &c->pool.nodes.at[c->found.at[i]].a;
        if (then->insn != BC_READ && !ordered(c, then, &now))
            judge(c, then, &now);
    }
}

static void on_event(Observer *o, World *w, const Event *e)
{
    RaceCheck *c = (RaceCheck *)o;
    c->world = w;
    switch (e->kind) {
    case EV_DISPATCH_BEGIN:
    case EV_DISPATCH_END:
    case EV_LANE_BEGIN:
    case EV_LANE_END: race_order_host(c, e); break;
    case EV_PUT_SOURCE: put_source(c, e); break;
    case EV_TENSOR_WRITE: tensor_write(c, e); break;
    case EV_ARRIVE: arrive(c, e); break;
    case EV_FENCE: race_puts_end(&c->threads[race_thread(c, e->at)]); break;
    case EV_NOTIFY:
    case EV_WAIT: {
        RaceThread *t = &c->threads[race_thread(c, e->at)];
        t->sync = (SyncPoint){.kind = (uint8_t)e->kind, .at = e->at};
        if (e->kind == EV_WAIT)
            race_wait(c, e);
        else
            race_puts_end(t);
        break;
    }
    default: visit(c, e); break;
    }
}

static void payload(Observer *o, World *w, const Event *notify, Buf *out)
{
    RaceCheck *c = (RaceCheck *)o;
    c->world = w;
    race_payload(c, notify, out);
}

static void reset(Observer *o, World *w)
{
    RaceCheck *c = (RaceCheck *)o;
    c->world = w;
    race_order_reset(c);
    for (uint32_t i = 0; i < c->slices.len; i++)
        vec_free(&c->slices.at[i].cells);
    vec_clear(&c->slices);
    map_clear(&c->slice_index);
    map_clear(&c->reported);
    ranges_clear(&c->pool);
}

static void destroy(Observer *o)
{
    RaceCheck *c = (RaceCheck *)o;
    reset(o, c->world);
    race_order_free(c);
    vec_free(&c->slices);
    vec_free(&c->found);
    map_free(&c->slice_index);
    map_free(&c->reported);
    ranges_free(&c->pool);
    free(c);
}

Observer *check_race_new(const World *w)
{
    RaceCheck *c = xcalloc(1, sizeof *c);
    c->base = (Observer){
        .name = "race", .event = on_event, .payload = payload, .reset = reset, .destroy = destroy};
    c->base.mask = EV_BIT(EV_DISPATCH_BEGIN) | EV_BIT(EV_DISPATCH_END) | EV_BIT(EV_LANE_BEGIN) |
                   EV_BIT(EV_LANE_END) | EV_BIT(EV_READ) | EV_BIT(EV_WRITE) |
                   EV_BIT(EV_REMOTE_READ) | EV_BIT(EV_REMOTE_WRITE) | EV_BIT(EV_ATOMIC) |
                   EV_BIT(EV_PUT_SOURCE) | EV_BIT(EV_TENSOR_WRITE) | EV_BIT(EV_NOTIFY) |
                   EV_BIT(EV_ARRIVE) | EV_BIT(EV_WAIT) | EV_BIT(EV_FENCE);
    race_order_init(c, w);
    return &c->base;
}
