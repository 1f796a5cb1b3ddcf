/* Whether a wait goes on, or stands, whatever the schedule: the part of the certificate that is
 * about waits (pld-memory(7)). Where it does not, the update after which it does not hold any more
 * is found. */
#include "sim/check/order.h"

/* ---- updates in certain order ---- */

/* From the first value that satisfies it, a wait that has not run yet has to stay satisfied. */
static bool stays_true(const OrderCheck *c, CellOrder *o, const OrderEvent *w, uint32_t *spoiler)
{
    uint32_t f = order_first(c, &o->s, w);
    if (f == UINT32_MAX)
        return w->kind == OE_STUCK;
    for (uint32_t k = f; k < o->s.updates.len; k++) {
        const OrderEvent *u = order_event(c, o->s.updates.at[k]);
        if (order_before(c, w, u))
            return true;
        if (!order_holds(w, o->s.values.at[k + 1])) {
            *spoiler = o->s.updates.at[k];
            o->misses = true;
            return false;
        }
    }
    return w->kind == OE_WAIT;
}

/* ---- counters ---- */

static bool is_lower(const OrderCheck *c, uint32_t a, uint32_t b)
{
    return b == 0 || order_by_thread(&a, &b, (void *)c) < 0;
}

/* The open update that can make the wait false, by thread; 0: none. */
static uint32_t spoils(const OrderCheck *c, const OrderView *v)
{
    const OrderEvent *w = v->wait;
    int64_t most = v->base, least = v->base;
    uint32_t up = 0, down = 0;
    for (uint32_t i = 0; i < v->open.len; i++) {
        uint32_t x = v->open.at[i];
        const OrderEvent *u = order_event(c, x);
        bool first = order_before(c, u, w);
        most += u->value > 0 ? u->value : 0;
        least += u->value < 0 || first ? u->value : 0;
        uint32_t *which = u->value > 0 ? &up : &down;
        if (u->value && !first && is_lower(c, x, *which))
            *which = x;
    }
    if (w->op == WAIT_EQ && most > w->value)
        return up;
    return least < w->value ? down : 0;
}

/* The same where values are set, in no order with each other: any update that leaves what is not
 * waited for, and does not come before the wait. */
static uint32_t replaces_it(const OrderCheck *c, const OrderView *v)
{
    const OrderEvent *w = v->wait;
    uint32_t found = 0;
    for (uint32_t i = 0; i < v->open.len; i++) {
        uint32_t x = v->open.at[i];
        const OrderEvent *u = order_event(c, x);
        bool false_after = order_replaces(u)  ? !order_holds(w, u->value)
                           : w->op == WAIT_EQ ? u->value != 0
                                              : u->value < 0;
        if (false_after && !order_before(c, u, w) && is_lower(c, x, found))
            found = x;
    }
    return found;
}

/* Can the wait be false of the value that an update puts there? */
static bool too_little(const OrderCheck *c, const OrderCell *cell, const OrderEvent *w,
                       const OrderEvent *set)
{
    int64_t least = set->value;
    for (uint32_t i = cell->first; i; i = order_event(c, i)->next) {
        const OrderEvent *u = order_event(c, i);
        if (!order_is_update(u) || order_replaces(u) || order_before(c, w, u))
            continue;
        if (w->op == WAIT_EQ && u->value)
            return true;
        least += u->value < 0 ? u->value : 0;
    }
    return !order_holds(w, least);
}

/* Are there two updates in no order, one of which replaces the value, so that the one that comes
 * last decides whether the wait finds what it waits for? */
static bool replaced_for_it(const OrderCheck *c, const OrderCell *cell, const OrderEvent *w)
{
    for (uint32_t i = cell->first; i; i = order_event(c, i)->next) {
        const OrderEvent *a = order_event(c, i);
        if (!order_is_update(a) || !order_replaces(a) || order_before(c, w, a) ||
            !too_little(c, cell, w, a))
            continue;
        for (uint32_t k = cell->first; k; k = order_event(c, k)->next) {
            const OrderEvent *b = order_event(c, k);
            if (order_is_update(b) && cell_order_matters(a, b) && !order_before(c, w, b) &&
                !order_before(c, a, b) && !order_before(c, b, a))
                return true;
        }
    }
    return false;
}

/* A cell that is only added to: an Eq is a Ge when the value cannot pass it. */
static bool counts(const OrderCheck *c, CellOrder *o, uint32_t wait, uint32_t *spoiler)
{
    const OrderEvent *w = order_event(c, wait);
    bool sets = o->cell->flags & (CELL_SET | CELL_PLAIN);
    order_view(c, wait, &o->v);
    bool possible = order_enough(c, &o->v, o->v.open.at, o->v.open.len);
    if (w->kind == OE_STUCK && !possible)
        return !sets;
    *spoiler = sets ? replaces_it(c, &o->v) : spoils(c, &o->v);
    o->misses = *spoiler || (sets && replaced_for_it(c, o->cell, w));
    return w->kind == OE_WAIT && !*spoiler && !sets;
}

/* A counter that several lanes wait on and lower: their order must be the program's. */
static bool lowered_in_order(const OrderCheck *c, const OrderCell *cell)
{
    if (cell->flags & CELL_LOWERED)
        return false;
    if (!(cell->flags & CELL_WAITERS) || cell->down == 0)
        return true;
    uint32_t last = 0;
    for (uint32_t i = cell->first; i; i = order_event(c, i)->next) {
        const OrderEvent *e = order_event(c, i), *before = order_event(c, last);
        bool wait = e->kind == OE_WAIT || e->kind == OE_STUCK;
        if (!wait && !(e->kind == OE_NOTIFY && e->value < 0))
            continue;
        if (last && before->thread != e->thread &&
            (!order_before(c, before, e) ||
             order_event_place(c, i).dispatch == order_event_place(c, last).dispatch))
            return false;
        last = i;
    }
    return true;
}

/* ---- cells ---- */

bool cell_order_matters(const OrderEvent *a, const OrderEvent *b)
{
    if (order_replaces(a) && order_replaces(b))
        return a->value != b->value;
    const OrderEvent *add = order_replaces(a) ? b : a;
    return (order_replaces(a) || order_replaces(b)) && add->value != 0;
}

void cell_order_set(const OrderCheck *c, CellOrder *o, const OrderCell *cell)
{
    o->cell = cell;
    o->in_order = order_sequence(c, cell, &o->s);
    o->counting = lowered_in_order(c, cell);
}

bool cell_wait_certain(const OrderCheck *c, CellOrder *o, uint32_t wait, uint32_t *spoiler)
{
    const OrderEvent *w = order_event(c, wait);
    *spoiler = 0;
    o->misses = false;
    if (!o->in_order)
        return counts(c, o, wait, spoiler) && o->counting;
    bool certain = stays_true(c, o, w, spoiler);
    if (!certain && !*spoiler && w->kind == OE_STUCK)
        return counts(c, o, wait, spoiler) && o->counting;
    return certain;
}

void cell_order_free(CellOrder *o)
{
    vec_free(&o->s.updates);
    vec_free(&o->s.values);
    vec_free(&o->v.open);
}
