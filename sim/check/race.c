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
#include "sim/check/order.h"
#include "sim/machine/rect_overlap.h"

#include <string.h>

enum { READS, WRITES, ADDS };

#define FIRST_LIMIT 64u /* records of a set before the first sweep */

static int class_of(EventKind kind)
{
    switch (kind) {
    case EV_WRITE:
    case EV_TENSOR_WRITE:
    case EV_REMOTE_WRITE: return WRITES;
    case EV_ATOMIC: return ADDS;
    default: return READS;
    }
}

static RangeTree *tree_of(Slice *s, int class)
{
    return class == READS ? &s->reads : class == WRITES ? &s->writes : &s->adds;
}

/* Is the record behind the thread that acts now? A put reads its source until the thread's next
 * notify or fence, even for the thread itself. */
static bool ordered(const OrderCheck *c, const Access *then, const Access *now)
{
    if (then->kind == EV_PUT_SOURCE && then->thread == now->thread &&
        then->epoch > c->threads[then->thread].base)
        return then->puts != c->threads[then->thread].done_puts;
    return order_knows(c, now->thread, then->thread, then->epoch);
}

/* ---- comparing ---- */

static bool is_read(const Access *a)
{
    return class_of(a->kind) == READS;
}

/* Two adds: only floating ones whose sum depends on their order conflict. */
static bool harmless(const OrderCheck *c, const Access *then, const Access *now, int64_t first,
                     int64_t end)
{
    if (class_of(then->kind) != ADDS || class_of(now->kind) != ADDS)
        return false;
    if (c->slices.at[c->slice].tensor) /* those of blocks are done in their order */
        return !dtype_is_float(now->dtype) || (then->at.block && now->at.block);
    return !dtype_is_float(now->dtype) || !float_sums_vary(c, &c->slices.at[c->slice], first, end);
}

/* Of a read and a write the report is about the read. */
static void judge(OrderCheck *c, const Access *then, const Access *now)
{
    int64_t first, end;
    if (!rects_touch(&then->rect, &now->rect) ||
        !rects_common(&then->rect, &now->rect, &first, &end) || harmless(c, then, now, first, end))
        return;
    const Slice *s = &c->slices.at[c->slice];
    bool swap = is_read(then) && then->kind != EV_PUT_SOURCE && !is_read(now);
    Race r = {swap ? now : then, swap ? then : now, first, end, s->tensor, NULL};
    if (class_of(then->kind) == ADDS && class_of(now->kind) == ADDS)
        r.why = "floating adds in another order give another sum";
    race_report(c, &r);
}

/* Under weak memory what comes before is not there yet: a release fence must have landed it, and
 * another rank that reads must have acquired since. */
static void fenced(OrderCheck *c, const Access *then, const Access *now)
{
    const OrderThread *t = &c->threads[now->thread];
    if (is_read(then) || c->threads[then->thread].rank == t->rank ||
        !rects_touch(&then->rect, &now->rect))
        return;
    int which = is_read(now) ? KNOW_SEEN : KNOW_LANDED;
    if (vclock_get(&t->know.at[which], then->thread) >= then->epoch)
        return;
    Buf text = {0};
    place_text(c->world, &text, now->at);
    buf_str(&text, " and ");
    place_text(c->world, &text, then->at);
    order_fails(c, "no fences between the accesses at %s", text.at);
    buf_free(&text);
}

static void compare(OrderCheck *c, RangeTree *t, const Access *now, bool replaces)
{
    if (t->n == 0)
        return;
    vec_clear(&c->found);
    ranges_find(&c->pool, t, now->rect.at.offset, rect_end(&now->rect), &c->found);
    for (uint32_t i = 0; i < c->found.len; i++) {
        const Access *then = &c->pool.nodes.at[c->found.at[i]].a;
        if (!ordered(c, then, now)) {
            judge(c, then, now);
            continue;
        }
        if (c->weak)
            fenced(c, then, now);
        if (replaces && rects_cover(&now->rect, &then->rect))
            ranges_remove(&c->pool, t, c->found.at[i]);
    }
}

/* ---- recording ---- */

static Recent *recent_of(const OrderCheck *c, OrderThread *t, const Slice *s, int class)
{
    uint64_t key = (uint64_t)(s - c->slices.at) * 4 + (unsigned)class + 1;
    Recent *r = &t->recent[(key ^ key >> 4) % RECENT];
    if (r->key != key)
        *r = (Recent){.key = key};
    return r;
}

static bool is_alive(const OrderCheck *c, const Recent *r, int i)
{
    return r->serial[i] && r->id[i] < c->pool.nodes.len &&
           c->pool.nodes.at[r->id[i]].serial == r->serial[i];
}

static bool same_place(CodePlace a, CodePlace b)
{
    return a.func == b.func && a.pc == b.pc && a.dispatch == b.dispatch && a.block == b.block;
}

/* One record may stand for both. */
static bool alike(const Access *a, const Access *b)
{
    return a->thread == b->thread && a->epoch == b->epoch && a->kind == b->kind &&
           a->puts == b->puts && same_place(a->at, b->at) && same_place(a->sync.at, b->sync.at);
}

static bool try_merge(OrderCheck *c, RangeTree *t, uint32_t id, const Access *a)
{
    const Access *old = &c->pool.nodes.at[id].a;
    FabRect both = old->rect;
    if (!alike(old, a) || !rects_join(&both, &a->rect))
        return false;
    ranges_grow(&c->pool, t, id, &both);
    return true;
}

/* A thread's read (or add) of the same bytes takes the place of its earlier one. */
static bool try_replace(OrderCheck *c, uint32_t id, const Access *a)
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
static void sweep(OrderCheck *c, RangeTree *t)
{
    vec_clear(&c->found);
    ranges_find(&c->pool, t, INT64_MIN, INT64_MAX, &c->found);
    for (uint32_t i = 0; i < c->found.len; i++) {
        const Access *a = &c->pool.nodes.at[c->found.at[i]].a;
        bool pending = a->kind == EV_PUT_SOURCE && a->puts == c->threads[a->thread].done_puts;
        if (!pending && order_known_by_all(c, a->thread, a->epoch))
            ranges_remove(&c->pool, t, c->found.at[i]);
    }
}

/* The last two records of the thread may have become one grid of rows. */
static void merge_last_two(OrderCheck *c, RangeTree *t, Recent *r)
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

static void record(OrderCheck *c, Slice *s, int class, const Access *a)
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

static Access access_of(const OrderCheck *c, uint32_t thread, const OrderAccess *a)
{
    const OrderThread *t = &c->threads[thread];
    return (Access){.rect = order_rect(c, a),
                    .at = {.rank = t->rank,
                           .core = thread - c->first_thread[t->rank],
                           .dispatch = t->dispatch,
                           .block = t->block,
                           .func = a->func,
                           .pc = a->pc},
                    .thread = thread,
                    .epoch = t->pos + 1,
                    .puts = a->kind == EV_PUT_SOURCE ? a->puts : 0,
                    .kind = a->kind,
                    .dtype = a->dtype,
                    .insn = a->insn,
                    .sync = t->sync};
}

void race_visit(OrderCheck *c, uint32_t thread, const OrderAccess *written)
{
    if (written->run == 0)
        return;
    Access a = access_of(c, thread, written);
    Slice *s = &c->slices.at[written->slice];
    int class = class_of(a.kind);
    c->slice = written->slice;
    c->threads[thread].done_puts = written->puts;
    c->tick++;
    compare(c, &s->writes, &a, class == WRITES);
    if (class != ADDS || dtype_is_float(a.dtype))
        compare(c, &s->adds, &a, class == WRITES);
    if (class != READS)
        compare(c, &s->reads, &a, class == WRITES);
    record(c, s, class, &a);
}
