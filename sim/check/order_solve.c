/* The order that waits on shared cells give. A wait takes from the updates of its cell what no
 * schedule can do without: event e comes before it when the updates that are neither e, nor after
 * e, nor after the wait, cannot make it true (counting); and where the updates are in certain
 * order, the first of them that can (sequenced).
 *
 * What comes after what decides which updates count, so the rules are applied again and again. The
 * first guess is that a wait follows all updates that had arrived: more than any rule gives. Each
 * round then drops what the rules no longer bear out, until nothing changes: the largest order in
 * which every edge is borne out by the others. For one thread u the rule asks for the largest
 * number n such that the updates that know fewer than n events of u are not enough: it is found by
 * adding them up in order of what they know of u. */
#include "sim/check/order.h"

#include <string.h>

#define MAX_ROUNDS 1000u
#define MAX_WORK (UINT64_C(400) * 1000 * 1000)

void order_waits_free(OrderCheck *c)
{
    for (uint32_t i = 0; i < c->waits.len; i++) {
        order_know_free(&c->waits.at[i].gets);
        order_event(c, c->waits.at[i].event)->wait = 0;
    }
    vec_clear(&c->waits);
}

static bool is_shared(const OrderCheck *c)
{
    for (uint32_t i = 0; i < c->cells.len; i++)
        if (c->cells.at[i].flags & CELL_SHARED)
            return true;
    return false;
}

static bool collect(OrderCheck *c)
{
    order_waits_free(c);
    if (!is_shared(c))
        return false;
    for (uint32_t i = 1; i <= c->n_events; i++) {
        OrderEvent *e = order_event(c, i);
        if ((e->kind != OE_WAIT && e->kind != OE_STUCK) ||
            !(c->cells.at[e->cell].flags & CELL_SHARED))
            continue;
        vec_push(&c->waits, (OrderWait){.event = i});
        e->wait = c->waits.len;
    }
    return c->waits.len > 0;
}

static void join_update(const OrderCheck *c, Know *to, const OrderEvent *u)
{
    const Know *from = &c->snaps.at[u->snap].know;
    for (int i = 0; i <= (c->weak ? KNOW_LANDED : KNOW_ORDER); i++)
        (void)vclock_join(&to->at[i], &from->at[i]);
    if (vclock_get(&to->at[KNOW_ORDER], u->thread) < u->pos)
        vclock_set(&to->at[KNOW_ORDER], u->thread, u->pos);
}

/* All that has arrived. */
static void guess(OrderCheck *c, uint32_t wait)
{
    const OrderEvent *w = order_event(c, wait);
    Know *gets = &c->waits.at[w->wait - 1].gets;
    for (uint32_t i = c->cells.at[w->cell].first; i != wait; i = order_event(c, i)->next) {
        const OrderEvent *u = order_event(c, i);
        if (order_is_update(u))
            join_update(c, gets, u);
    }
}

static void follow(OrderCheck *c, bool first)
{
    order_rewind(c);
    for (uint32_t i = 1; i <= c->n_events; i++) {
        const OrderEvent *e = order_event(c, i);
        if (first && e->kind == OE_WAIT && e->wait)
            guess(c, i);
        order_step(c, e->thread);
    }
}

/* ---- one wait ---- */

typedef struct {
    uint32_t event, key;
} Ranked;

static int by_key(const void *a_, const void *b_)
{
    const Ranked *a = a_, *b = b_;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->event < b->event ? -1 : 1;
}

static uint32_t key_of(const OrderCheck *c, const OrderEvent *u, int which, uint32_t thread)
{
    uint32_t n = vclock_get(&c->snaps.at[u->snap].know.at[which], thread);
    return which == KNOW_ORDER && u->thread == thread && u->pos > n ? u->pos : n;
}

typedef struct {
    Ranked *ranked;
    uint32_t *list;
} Scratch;

/* The smallest n such that the updates that know at most n events of the thread are enough. */
static uint32_t surely(const OrderCheck *c, const OrderView *v, Scratch *s, int which,
                       uint32_t thread)
{
    uint32_t n = v->open.len, lo = 0, hi = n, most = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t key = key_of(c, order_event(c, v->open.at[i]), which, thread);
        s->ranked[i] = (Ranked){v->open.at[i], key};
        most = key > most ? key : most;
    }
    if (most <= vclock_get(&c->snaps.at[v->wait->snap].know.at[which], thread))
        return 0; /* nothing new */
    qsort(s->ranked, n, sizeof *s->ranked, by_key);
    for (uint32_t i = 0; i < n; i++)
        s->list[i] = s->ranked[i].event;
    while (lo < hi) { /* enough with the first `hi`, not with fewer than `lo` */
        uint32_t mid = (lo + hi) / 2;
        if (order_enough(c, v, s->list, mid))
            hi = mid;
        else
            lo = mid + 1;
    }
    return hi ? s->ranked[hi - 1].key : 0;
}

/* True when the wait needs every update that can help it: then it knows what they know. */
static bool needs_all(const OrderCheck *c, const OrderView *v, Scratch *s)
{
    uint32_t n = v->open.len;
    for (uint32_t out = 0; out < n; out++) {
        const OrderEvent *u = order_event(c, v->open.at[out]);
        if (!order_replaces(u) && u->value <= 0)
            continue;
        uint32_t k = 0;
        for (uint32_t i = 0; i < n; i++)
            if (i != out)
                s->list[k++] = v->open.at[i];
        if (order_enough(c, v, s->list, k))
            return false;
        if (n > 64 && out == 0 && !order_replaces(u)) {
            /* adds of one size: one stands for all */
            bool same = true;
            for (uint32_t i = 0; i < n && same; i++) {
                const OrderEvent *x = order_event(c, v->open.at[i]);
                same = !order_replaces(x) && x->value == u->value;
            }
            if (same)
                return true;
        }
    }
    return true;
}

static void counting(OrderCheck *c, OrderWait *w, const OrderView *v, Know *gets)
{
    uint32_t n = v->open.len;
    Scratch s = {xcalloc(n + 1, sizeof *s.ranked), xcalloc(n + 1, sizeof *s.list)};
    w->loose = false;
    if (needs_all(c, v, &s)) {
        for (uint32_t i = 0; i < n; i++) {
            const OrderEvent *u = order_event(c, v->open.at[i]);
            if (order_replaces(u) || u->value > 0)
                join_update(c, gets, u);
        }
    } else {
        w->loose = true;
        for (int which = 0; which <= (c->weak ? KNOW_LANDED : KNOW_ORDER); which++)
            for (uint32_t u = 0; u < c->n_threads; u++) {
                uint32_t known = surely(c, v, &s, which, u);
                if (known)
                    vclock_set(&gets->at[which], u, known);
            }
    }
    xfree(s.ranked);
    xfree(s.list);
}

static void sequenced(OrderCheck *c, const OrderEvent *e, Know *gets, OrderSequence *s)
{
    if (!order_sequence(c, &c->cells.at[e->cell], s))
        return;
    uint32_t f = order_first(c, s, e);
    if (f != UINT32_MAX && f > 0)
        join_update(c, gets, order_event(c, s->updates.at[f - 1]));
}

/* True when the wait gets something else than in the round before. Of one that is stuck: what it
 * would get. */
static bool solve_wait(OrderCheck *c, OrderWait *w, OrderView *v, OrderSequence *s)
{
    const OrderEvent *e = order_event(c, w->event);
    Know gets = {0};
    order_view(c, w->event, v);
    w->open = !order_enough(c, v, v->open.at, v->open.len);
    if (!w->open && !order_enough(c, v, v->open.at, 0))
        counting(c, w, v, &gets);
    sequenced(c, e, &gets, s);
    bool changed = false;
    for (int i = 0; i < N_KNOW; i++)
        changed |= !vclock_equal(&w->gets.at[i], &gets.at[i]);
    order_know_free(&w->gets);
    w->gets = gets;
    return changed;
}

void order_solve(OrderCheck *c)
{
    c->unsolved = false;
    if (!collect(c))
        return;
    OrderView v = {0};
    OrderSequence s = {0};
    uint64_t work = 0;
    for (uint32_t round = 0;; round++) {
        follow(c, round == 0);
        work += c->n_events;
        bool changed = false;
        for (uint32_t i = 0; i < c->waits.len; i++)
            changed |= solve_wait(c, &c->waits.at[i], &v, &s);
        if (!changed)
            break;
        if (round >= MAX_ROUNDS || work > MAX_WORK) {
            c->unsolved = true;
            break;
        }
    }
    vec_free(&v.open);
    vec_free(&s.updates);
    vec_free(&s.values);
}
