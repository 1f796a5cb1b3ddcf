/* Device tensors that are sources of puts. A put may read its source until the next notify or fence
 * of its lane; nobody but lanes of the same dispatch can change it meanwhile. */
#include "sim/check/order.h"

#include "sim/machine/rect_overlap.h"

static Access access_now(OrderCheck *c, const Event *e)
{
    OrderThread *t = &c->threads[order_thread(c, e->at)];
    return (Access){.rect = e->rect,
                    .at = e->at,
                    .thread = order_thread(c, e->at),
                    .epoch = t->n_events,
                    .puts = t->puts,
                    .kind = (uint8_t)e->kind,
                    .dtype = e->dtype,
                    .insn = e->insn,
                    .sync = t->last_sync};
}

void sources_note(OrderCheck *c, const Event *e)
{
    Access a = access_now(c, e);
    OrderThread *t = &c->threads[a.thread];
    if (t->sources.len) {
        Access *last = &vec_last(&t->sources);
        if (last->at.func == a.at.func && last->at.pc == a.at.pc && last->puts == a.puts &&
            last->rect.at.window == a.rect.at.window && rects_join(&last->rect, &a.rect))
            return;
    }
    vec_push(&t->sources, a);
}

/* One for each pair of lines and thread: that of the lowest is told. */
static void keep(OrderCheck *c, const SourceRace *race)
{
    for (uint32_t i = 0; i < c->source_races.len; i++) {
        SourceRace *old = &c->source_races.at[i];
        if (place_key(c->world, old->then.at) == place_key(c->world, race->then.at) &&
            place_key(c->world, old->now.at) == place_key(c->world, race->now.at) &&
            old->now.thread == race->now.thread)
            return;
    }
    vec_push(&c->source_races, *race);
}

void sources_written(OrderCheck *c, const Event *e)
{
    uint32_t last = c->first_thread[e->at.rank + 1];
    for (uint32_t u = c->first_thread[e->at.rank]; u < last; u++) {
        const OrderThread *t = &c->threads[u];
        for (uint32_t i = 0; i < t->sources.len; i++) {
            const Access *then = &t->sources.at[i];
            int64_t from, end;
            if (then->rect.at.window != e->rect.at.window ||
                !rects_common(&then->rect, &e->rect, &from, &end))
                continue;
            Access now = access_now(c, e);
            keep(c, &(SourceRace){*then, now, from, end});
        }
    }
}

static int by_place(const void *a_, const void *b_)
{
    const SourceRace *a = a_, *b = b_;
    uint64_t x[2] = {(uint64_t)a->now.at.func << 32 | a->now.at.pc,
                     (uint64_t)a->then.at.func << 32 | a->then.at.pc};
    uint64_t y[2] = {(uint64_t)b->now.at.func << 32 | b->now.at.pc,
                     (uint64_t)b->then.at.func << 32 | b->then.at.pc};
    int i = x[0] == y[0];
    if (x[i] != y[i])
        return x[i] < y[i] ? -1 : 1;
    return (a->now.thread > b->now.thread) - (a->now.thread < b->now.thread);
}

void sources_judge(OrderCheck *c)
{
    if (c->source_races.len)
        vec_sort(&c->source_races, by_place);
    for (uint32_t i = 0; i < c->source_races.len; i++) {
        const SourceRace *r = &c->source_races.at[i];
        if (order_comes_to(c, r->now.thread, r->now.epoch))
            race_report(c, &(Race){&r->then, &r->now, r->first, r->end, true, NULL});
    }
    vec_clear(&c->source_races);
}
