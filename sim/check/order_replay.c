/* Following the run again, in an order that depends on certain order alone: a thread goes on until
 * its next event has to come after one that another thread has not done yet; those that can go on
 * take turns. So what is found, and in which order, is the same whatever schedule was run. */
#include "sim/check/order.h"

#include "sim/machine/fault.h"
#include <string.h>

typedef struct {
    uint32_t pos, thread; /* goes on when the other has done event `pos` */
} Sleeper;

typedef struct {
    OrderCheck *c;
    VEC(Sleeper) * sleepers; /* per thread, a heap by pos */
    VEC(uint32_t) ready;
    uint32_t head;
    VEC(uint32_t) starting; /* before the beginning of a dispatch */
} Replay;

static void push_sleeper(Replay *r, uint32_t of, Sleeper s)
{
    vec_push(&r->sleepers[of], s);
    Sleeper *h = r->sleepers[of].at;
    uint32_t i = r->sleepers[of].len - 1;
    for (; i > 0 && s.pos < h[(i - 1) / 2].pos; i = (i - 1) / 2)
        h[i] = h[(i - 1) / 2];
    h[i] = s;
}

static Sleeper pop_sleeper(Replay *r, uint32_t of)
{
    Sleeper *h = r->sleepers[of].at, top = h[0], last = vec_pop(&r->sleepers[of]);
    uint32_t i = 0, n = r->sleepers[of].len;
    for (uint32_t kid; (kid = 2 * i + 1) < n; i = kid) {
        if (kid + 1 < n && h[kid + 1].pos < h[kid].pos)
            kid++;
        if (h[kid].pos >= last.pos)
            break;
        h[i] = h[kid];
    }
    if (n)
        h[i] = last;
    return top;
}

static void wake(Replay *r, uint32_t u)
{
    while (r->sleepers[u].len && r->sleepers[u].at[0].pos <= r->c->threads[u].pos)
        vec_push(&r->ready, pop_sleeper(r, u).thread);
}

static bool behind(Replay *r, uint32_t u, uint32_t of, uint32_t pos)
{
    if (of == u || r->c->threads[of].pos >= pos)
        return false;
    push_sleeper(r, of, (Sleeper){pos, u});
    return true;
}

static bool must_sleep(Replay *r, uint32_t u, const OrderEvent *e)
{
    OrderCheck *c = r->c;
    uint32_t thread, pos;
    if (e->kind == OE_WAITS)
        return rounds_need(c, u, e, &thread, &pos) && behind(r, u, thread, pos);
    if (!e->wait) {
        uint32_t needs = order_needs(c, e);
        return needs && behind(r, u, order_event(c, needs)->thread, order_event(c, needs)->pos);
    }
    const VClock *gets = &c->waits.at[e->wait - 1].gets.at[KNOW_ORDER];
    for (uint32_t of = 0; of < c->n_threads; of++)
        if (behind(r, u, of, vclock_get(gets, of)))
            return true;
    return false;
}

bool order_can_begin(const OrderCheck *c, uint32_t index)
{
    const Dispatch *d = &c->world->dispatches.at[index];
    if (c->state[index])
        return true;
    const Rank *q = &c->world->ranks[d->rank];
    for (uint32_t i = 0; i < q->queue.len && q->queue.at[i] != index; i++)
        if (c->state[q->queue.at[i]] != 2)
            return false;
    for (uint32_t i = 0; i < d->n_deps; i++)
        if (c->state[d->deps[i].dispatch] < (d->deps[i].at_start ? 1 : 2))
            return false;
    return true;
}

static void retry_starting(Replay *r)
{
    for (uint32_t i = 0; i < r->starting.len; i++)
        vec_push(&r->ready, r->starting.at[i]);
    vec_clear(&r->starting);
}

/* Runs a thread as far as it goes. */
static void run_on(Replay *r, uint32_t u)
{
    OrderCheck *c = r->c;
    OrderThread *t = &c->threads[u];
    for (;;) {
        for (; t->access < t->accesses.len && t->accesses.at[t->access].pos <= t->pos; t->access++)
            race_visit(c, u, &t->accesses.at[t->access]);
        if (!t->event)
            return;
        const OrderEvent *e = order_event(c, t->event);
        bool takes = e->kind == OE_START || e->kind == OE_TAKE;
        bool begins = e->kind == OE_BEGIN;
        if ((begins && !order_can_begin(c, e->cell)) || (takes && !order_posted(c, e))) {
            vec_push(&r->starting, u);
            return;
        }
        if ((e->kind == OE_WAIT || e->kind == OE_WAITS) && must_sleep(r, u, e))
            return;
        bool frees = e->kind == OE_BEGIN || e->kind == OE_END || e->kind == OE_POST;
        order_step(c, u);
        wake(r, u);
        if (e->kind == OE_STUCK)
            return;
        if (frees && r->starting.len)
            retry_starting(r);
    }
}

void order_replay(OrderCheck *c)
{
    Replay r = {.c = c};
    r.sleepers = xcalloc(c->n_threads + 1, sizeof *r.sleepers);
    order_rewind(c);
    for (uint32_t u = 0; u < c->n_threads; u++)
        vec_push(&r.ready, u);
    while (r.head < r.ready.len) {
        run_on(&r, r.ready.at[r.head++]);
        if (r.head > 4096 && r.head > r.ready.len / 2) {
            r.ready.len -= r.head;
            memmove(r.ready.at, r.ready.at + r.head, r.ready.len * sizeof *r.ready.at);
            r.head = 0;
        }
    }
    for (uint32_t u = 0; u < c->n_threads; u++)
        vec_free(&r.sleepers[u]);
    xfree(r.sleepers);
    vec_free(&r.ready);
    vec_free(&r.starting);
}
