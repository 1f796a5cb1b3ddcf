/* What a wait can find in its cell, as far as the order of events is known. */
#include "sim/check/order.h"

bool order_holds(const OrderEvent *wait, int64_t value)
{
    return wait->op == WAIT_GE ? value >= wait->value : value == wait->value;
}

bool order_is_update(const OrderEvent *e)
{
    return e->kind == OE_NOTIFY || e->kind == OE_PLAIN;
}

bool order_replaces(const OrderEvent *u)
{
    return u->kind == OE_PLAIN || u->op == NOTIFY_SET;
}

/* Known before the wait by the thread that waits, without what the wait itself gives. */
static bool known(const OrderCheck *c, const OrderEvent *u, const OrderEvent *wait)
{
    if (u->thread == wait->thread)
        return u->pos < wait->pos;
    return vclock_get(&c->snaps.at[wait->snap].know.at[KNOW_ORDER], u->thread) >= u->pos;
}

typedef VEC(const OrderEvent *) EventList;

static bool replaced(const OrderCheck *c, const OrderEvent *u, const EventList *sets)
{
    for (uint32_t i = 0; i < sets->len; i++)
        if (sets->at[i] != u && order_before(c, u, sets->at[i]))
            return true;
    return false;
}

/* The largest value that the known updates can have left. What a known Set replaced is gone. */
static void bound(const OrderCheck *c, const OrderCell *cell, const EventList *before,
                  const EventList *sets, OrderView *v)
{
    int64_t top = cell->start;
    uint32_t last = 0; /* Sets that none replaced */
    for (uint32_t i = 0; i < sets->len; i++) {
        if (replaced(c, sets->at[i], sets))
            continue;
        top = last++ && top > sets->at[i]->value ? top : sets->at[i]->value;
    }
    for (uint32_t i = 0; i < before->len; i++) {
        const OrderEvent *u = before->at[i];
        if (order_replaces(u))
            continue;
        if (u->value > 0 && !replaced(c, u, sets))
            v->positive += u->value;
        bool counts = sets->len == 0 || (sets->len == 1 && order_before(c, sets->at[0], u));
        if (u->value < 0 && counts)
            top += u->value;
    }
    v->base = top + v->positive;
}

void order_view(const OrderCheck *c, uint32_t wait, OrderView *out)
{
    const OrderEvent *w = order_event(c, wait);
    const OrderCell *cell = &c->cells.at[w->cell];
    EventList before = {0}, sets = {0};
    out->wait = w;
    out->adds = (cell->flags & CELL_PLAIN) && c->weak;
    out->positive = 0;
    vec_clear(&out->open);
    for (uint32_t i = cell->first; i; i = order_event(c, i)->next) {
        const OrderEvent *u = order_event(c, i);
        if (!order_is_update(u))
            continue;
        out->adds |= !order_replaces(u);
        if (known(c, u, w)) {
            vec_push(&before, u);
            if (order_replaces(u))
                vec_push(&sets, u);
        } else if (!order_before(c, w, u)) {
            vec_push(&out->open, i);
        }
    }
    bound(c, cell, &before, &sets, out);
    vec_free(&before);
    vec_free(&sets);
}

bool order_enough(const OrderCheck *c, const OrderView *v, const uint32_t *list, uint32_t n)
{
    int64_t top = v->base, more = 0;
    if (!v->adds && order_holds(v->wait, v->base))
        return true;
    for (uint32_t i = 0; i < n; i++) {
        const OrderEvent *u = order_event(c, list[i]);
        if (u->kind == OE_PLAIN && c->weak)
            return true;
        if (!order_replaces(u))
            more += u->value > 0 ? u->value : 0;
        else if (!v->adds && order_holds(v->wait, u->value))
            return true;
        else if (u->value + v->positive > top)
            top = u->value + v->positive;
    }
    return (v->adds || v->wait->op == WAIT_GE) && top + more >= v->wait->value;
}

bool order_sequence(const OrderCheck *c, const OrderCell *cell, OrderSequence *out)
{
    const OrderEvent *last = NULL;
    int64_t value = cell->start;
    vec_clear(&out->updates);
    vec_clear(&out->values);
    vec_push(&out->values, value);
    for (uint32_t i = cell->first; i; i = order_event(c, i)->next) {
        const OrderEvent *u = order_event(c, i);
        if (!order_is_update(u))
            continue;
        if ((last && !order_before(c, last, u)) || (u->kind == OE_PLAIN && c->weak))
            return false;
        last = u;
        value = order_replaces(u) ? u->value : value + u->value;
        vec_push(&out->updates, i);
        vec_push(&out->values, value);
    }
    return true;
}

uint32_t order_first(const OrderCheck *c, const OrderSequence *s, const OrderEvent *wait)
{
    uint32_t lo = 0;
    for (uint32_t k = 0; k < s->updates.len; k++)
        if (known(c, order_event(c, s->updates.at[k]), wait))
            lo = k + 1;
    for (uint32_t k = lo; k < s->values.len; k++)
        if (order_holds(wait, s->values.at[k]))
            return k;
    return UINT32_MAX;
}

int order_by_thread(const void *a_, const void *b_, void *c_)
{
    const OrderEvent *a = order_event(c_, *(const uint32_t *)a_);
    const OrderEvent *b = order_event(c_, *(const uint32_t *)b_);
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->pos > b->pos) - (a->pos < b->pos);
}

void order_sort(const OrderCheck *c, uint32_t *events, uint32_t n)
{
    if (n)
        qsort_r(events, n, sizeof *events, order_by_thread, (void *)c);
}
