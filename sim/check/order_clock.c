/* Who knows what, event by event. A thread learns from a wait what its rules give: for a cell with
 * one sender and one waiting lane everything up to the sender's add that makes it true; for other
 * cells what order_solve.c has found. */
#include "sim/check/order.h"

#include <string.h>

/* ---- what is known ---- */

static int n_know(const OrderCheck *c)
{
    return c->weak ? N_KNOW : 1;
}

void order_know_free(Know *k)
{
    for (int i = 0; i < N_KNOW; i++)
        vclock_free(&k->at[i]);
}

static void know_copy(OrderCheck *c, Know *to, const Know *from)
{
    for (int i = 0; i < n_know(c); i++)
        vclock_copy(&to->at[i], &from->at[i]);
}

/* What the rank of another thread sees is no business of this one. */
static bool know_join(OrderCheck *c, Know *to, const Know *from, bool same_rank)
{
    bool changed = vclock_join(&to->at[KNOW_ORDER], &from->at[KNOW_ORDER]);
    if (c->weak) {
        changed |= vclock_join(&to->at[KNOW_LANDED], &from->at[KNOW_LANDED]);
        if (same_rank)
            changed |= vclock_join(&to->at[KNOW_SEEN], &from->at[KNOW_SEEN]);
    }
    return changed;
}

static void raise(VClock *c, uint32_t thread, uint32_t epoch)
{
    if (vclock_get(c, thread) < epoch)
        vclock_set(c, thread, epoch);
}

void order_tell(OrderCheck *c, Know *to, uint32_t thread, uint32_t pos)
{
    (void)know_join(c, to, &c->threads[thread].know, false);
    raise(&to->at[KNOW_ORDER], thread, pos);
}

/* ---- snapshots ---- */

static void snap_drop(OrderCheck *c, uint32_t id)
{
    if (!id)
        return;
    OrderSnap *s = &c->snaps.at[id];
    if (--s->refs)
        return;
    order_know_free(&s->know);
    s->free = c->free_snap;
    c->free_snap = id;
}

/* A snapshot of what the thread knows, with one more reference. */
static uint32_t snap_of(OrderCheck *c, OrderThread *t)
{
    if (t->snap) {
        c->snaps.at[t->snap].refs++;
        return t->snap;
    }
    if (c->snaps.len == 0)
        vec_push(&c->snaps, (OrderSnap){0});
    uint32_t id = c->free_snap;
    if (id) {
        c->free_snap = c->snaps.at[id].free;
    } else {
        id = c->snaps.len;
        vec_push(&c->snaps, (OrderSnap){0});
    }
    OrderSnap *s = &c->snaps.at[id];
    s->refs = 2;
    know_copy(c, &s->know, &t->know);
    return t->snap = id;
}

static void changed(OrderCheck *c, OrderThread *t)
{
    snap_drop(c, t->snap);
    t->snap = 0;
}

void order_learn(OrderCheck *c, uint32_t thread, const Know *from)
{
    OrderThread *t = &c->threads[thread];
    if (know_join(c, &t->know, from, false))
        changed(c, t);
}

static void set_snap(OrderCheck *c, OrderEvent *e, OrderThread *t)
{
    uint32_t old = e->snap;
    e->snap = snap_of(c, t);
    snap_drop(c, old);
}

void order_snaps_free(OrderCheck *c)
{
    for (uint32_t i = 1; i < c->snaps.len; i++)
        if (c->snaps.at[i].refs)
            order_know_free(&c->snaps.at[i].know);
    vec_free(&c->snaps);
    c->free_snap = 0;
}

/* ---- questions ---- */

bool order_knows(const OrderCheck *c, uint32_t thread, uint32_t of, uint32_t epoch)
{
    return (thread == of && epoch > c->threads[of].base) ||
           vclock_get(&c->threads[thread].know.at[KNOW_ORDER], of) >= epoch;
}

bool order_before(const OrderCheck *c, const OrderEvent *a, const OrderEvent *b)
{
    if (a->thread == b->thread)
        return a->pos < b->pos;
    if (b->snap && vclock_get(&c->snaps.at[b->snap].know.at[KNOW_ORDER], a->thread) >= a->pos)
        return true;
    return b->wait &&
           vclock_get(&c->waits.at[b->wait - 1].gets.at[KNOW_ORDER], a->thread) >= a->pos;
}

static void meet(VClock *all, const VClock *clock, bool *first)
{
    if (*first)
        vclock_copy(all, clock);
    else
        vclock_meet(all, clock);
    *first = false;
}

static void find_known(OrderCheck *c)
{
    bool first = true;
    for (uint32_t u = 0; u < c->n_threads; u++) {
        const OrderThread *t = &c->threads[u];
        if (t->finished || (t->base && !t->running))
            continue;
        uint32_t own = first ? UINT32_MAX : vclock_get(&c->known, u);
        meet(&c->known, &t->know.at[KNOW_ORDER], &first);
        own = own < t->pos + 1 ? own : t->pos + 1;
        raise(&c->known, u, own);
    }
}

/* Does somebody still have to begin with what was known when it was made? */
static bool waits_to_start(const OrderCheck *c)
{
    for (uint32_t i = 0; i < c->tokens.len; i++)
        if (c->tokens.at[i].takes)
            return true;
    return false;
}

bool order_known_by_all(OrderCheck *c, uint32_t thread, uint32_t epoch)
{
    if (c->tick - c->known_at > 8ull * c->n_threads && !waits_to_start(c)) {
        c->known_at = c->tick;
        find_known(c);
    }
    return vclock_get(&c->known, thread) >= epoch;
}

/* ---- from the start ---- */

void order_rewind(OrderCheck *c)
{
    for (uint32_t u = 0; u < c->n_threads; u++) {
        OrderThread *t = &c->threads[u];
        changed(c, t);
        order_know_free(&t->know);
        t->pos = t->access = 0;
        t->event = t->first;
        t->running = false;
        t->finished = t->first == 0;
        t->base = t->block = 0;
        t->sync = (SyncPoint){.kind = EV_LANE_BEGIN};
        t->done_puts = 0;
        t->last_wait = t->next_member = 0;
        memset(t->recent, 0, sizeof t->recent);
    }
    for (uint32_t i = 0; i < c->n_ranks; i++)
        order_know_free(&c->rank_end[i]);
    for (uint32_t i = 0; i < c->n_dispatches; i++) {
        order_know_free(&c->starts[i]);
        order_know_free(&c->ends[i]);
        c->lanes_left[i] = c->cut ? c->left_at_cut[i] : c->cores[i];
        c->state[i] = c->cut ? c->state_at_cut[i] : 0;
    }
    for (uint32_t i = 0; i < c->tokens.len; i++) {
        order_know_free(&c->tokens.at[i].know);
        c->tokens.at[i].posts = c->tokens.at[i].takes = 0;
    }
    for (uint32_t i = 0; i < c->cells.len; i++) {
        OrderCell *cell = &c->cells.at[i];
        cell->base = cell->start;
        cell->sum = 0;
        cell->cursor = cell->dropped = 0;
    }
    rounds_rewind(c);
    vclock_free(&c->known);
    c->tick = c->known_at = 0;
}

/* ---- dispatches ---- */

static void begin_dispatch(OrderCheck *c, uint32_t index)
{
    const Dispatch *d = &c->world->dispatches.at[index];
    Know *start = &c->starts[index];
    c->state[index] = 1;
    know_copy(c, start, &c->rank_end[d->rank]);
    for (uint32_t i = 0; i < d->n_deps; i++) {
        uint32_t on = d->deps[i].dispatch;
        (void)know_join(c, start, d->deps[i].at_start ? &c->starts[on] : &c->ends[on], false);
    }
    if (c->weak)
        (void)vclock_join(&start->at[KNOW_SEEN], &start->at[KNOW_LANDED]);
}

static void begin(OrderCheck *c, OrderThread *t, const OrderEvent *e)
{
    if (c->state[e->cell] == 0)
        begin_dispatch(c, e->cell);
    (void)know_join(c, &t->know, &c->starts[e->cell], true);
    changed(c, t);
    t->running = true;
    t->dispatch = e->cell;
    t->block = 0;
    t->sync = (SyncPoint){.kind = EV_LANE_BEGIN};
}

/* All that the rank has written lands: its lanes' accesses that are known here. */
static void release(OrderCheck *c, Know *k, uint32_t rank, uint32_t self, uint32_t epoch)
{
    for (uint32_t u = c->first_thread[rank]; u < c->first_thread[rank + 1]; u++)
        raise(&k->at[KNOW_LANDED], u, u == self ? epoch : vclock_get(&k->at[KNOW_ORDER], u));
}

static void end(OrderCheck *c, uint32_t u, OrderThread *t, const OrderEvent *e)
{
    Know *ends = &c->ends[e->cell];
    (void)know_join(c, ends, &t->know, true);
    raise(&ends->at[KNOW_ORDER], u, e->pos);
    t->running = false;
    if (--c->lanes_left[e->cell])
        return;
    if (c->weak)
        release(c, ends, t->rank, UINT32_MAX, 0);
    (void)know_join(c, &c->rank_end[t->rank], ends, true);
    c->state[e->cell] = 2;
}

/* ---- jobs ---- */

bool order_posted(const OrderCheck *c, const OrderEvent *e)
{
    const OrderToken *token = &c->tokens.at[e->cell];
    return token->posts + token->before >= (e->kind == OE_START ? 1 : (uint32_t)e->value);
}

/* What is taken for the last time is not kept. */
static void taken(OrderToken *token)
{
    if (token->takes && --token->takes == 0)
        order_know_free(&token->know);
}

/* A lane of a job knows what was known when the job was made, whatever ran on it before. */
static void start_job(OrderCheck *c, OrderThread *t, const OrderEvent *e)
{
    OrderToken *token = &c->tokens.at[e->cell];
    know_copy(c, &t->know, &token->know);
    changed(c, t);
    t->running = true;
    t->dispatch = e->next;
    t->block = (uint32_t)e->value;
    t->base = e->pos;
    t->sync = (SyncPoint){.kind = EV_LANE_BEGIN};
    taken(token);
}

static void post(OrderCheck *c, uint32_t u, OrderThread *t, const OrderEvent *e)
{
    OrderToken *token = &c->tokens.at[e->cell];
    (void)know_join(c, &token->know, &t->know, true);
    raise(&token->know.at[KNOW_ORDER], u, e->pos);
    token->posts++;
    token->takes = (uint32_t)e->value;
    if (e->value == 0)
        t->running = false; /* the end of a job's lane */
}

static void take(OrderCheck *c, OrderThread *t, const OrderEvent *e)
{
    (void)know_join(c, &t->know, &c->tokens.at[e->cell].know, true);
    changed(c, t);
}

/* ---- cells ---- */

static void notify(OrderCheck *c, OrderThread *t, OrderEvent *e)
{
    OrderCell *cell = &c->cells.at[e->cell];
    t->sync =
        (SyncPoint){.kind = EV_NOTIFY,
                    .at = {.rank = t->rank, .dispatch = t->dispatch, .func = e->func, .pc = e->pc}};
    bool own = t->rank == cell->at.rank;
    if (own)
        cell->base += e->value;
    if (!own || cell->flags)
        set_snap(c, e, t);
}

static uint32_t next_sent(const OrderCheck *c, const OrderCell *cell)
{
    uint32_t i = cell->cursor ? order_event(c, cell->cursor)->next : cell->first;
    while (i) {
        const OrderEvent *e = order_event(c, i);
        if (e->kind == OE_NOTIFY && e->thread + 1 == cell->sender)
            return i;
        i = e->next;
    }
    return 0;
}

uint32_t order_needs(OrderCheck *c, const OrderEvent *wait)
{
    OrderCell *cell = &c->cells.at[wait->cell];
    while (cell->base + cell->sum < wait->value) {
        uint32_t i = next_sent(c, cell);
        if (!i)
            break;
        cell->cursor = i;
        cell->sum += order_event(c, i)->value;
    }
    return cell->cursor;
}

static void acquire(OrderCheck *c, uint32_t u, const OrderEvent *add)
{
    if (!add->snap || order_knows(c, u, add->thread, add->pos))
        return;
    OrderThread *t = &c->threads[u];
    const Know *from = &c->snaps.at[add->snap].know;
    (void)know_join(c, &t->know, from, t->rank == c->threads[add->thread].rank);
    raise(&t->know.at[KNOW_ORDER], add->thread, add->pos);
    changed(c, t);
}

/* Credits that their only waiter has behind it are of no use any more. */
static void drop_behind(OrderCheck *c, OrderCell *cell)
{
    if (cell->dropped == cell->cursor)
        return;
    uint32_t i = cell->dropped ? order_event(c, cell->dropped)->next : cell->first;
    for (; i; i = order_event(c, i)->next) {
        OrderEvent *e = order_event(c, i);
        if (e->kind == OE_NOTIFY) {
            snap_drop(c, e->snap);
            e->snap = 0;
        }
        if (i == cell->cursor)
            break;
    }
    cell->dropped = cell->cursor;
}

static void wait(OrderCheck *c, uint32_t u, OrderThread *t, uint32_t index)
{
    OrderEvent *e = order_event(c, index);
    OrderCell *cell = &c->cells.at[e->cell];
    t->sync =
        (SyncPoint){.kind = EV_WAIT,
                    .at = {.rank = t->rank, .dispatch = t->dispatch, .func = e->func, .pc = e->pc}};
    t->last_wait = index;
    if (!e->wait) {
        (void)order_needs(c, e);
        if (cell->cursor)
            acquire(c, u, order_event(c, cell->cursor));
        if (!cell->flags)
            drop_behind(c, cell);
        return;
    }
    set_snap(c, e, t);
    const Know *gets = &c->waits.at[e->wait - 1].gets;
    if (know_join(c, &t->know, gets, false))
        changed(c, t);
}

static void fence(OrderCheck *c, uint32_t u, OrderThread *t, const OrderEvent *e)
{
    if (e->op == FENCE_RELEASE)
        release(c, &t->know, t->rank, u, e->pos);
    else
        (void)vclock_join(&t->know.at[KNOW_SEEN], &t->know.at[KNOW_LANDED]);
    changed(c, t);
}

void order_step(OrderCheck *c, uint32_t u)
{
    OrderThread *t = &c->threads[u];
    OrderEvent *e = order_event(c, t->event);
    switch (e->kind) {
    case OE_BEGIN: begin(c, t, e); break;
    case OE_END: end(c, u, t, e); break;
    case OE_NOTIFY: notify(c, t, e); break;
    case OE_WAIT: wait(c, u, t, t->event); break;
    case OE_FENCE: fence(c, u, t, e); break;
    case OE_START: start_job(c, t, e); break;
    case OE_POST: post(c, u, t, e); break;
    case OE_TAKE: take(c, t, e); break;
    case OE_NOTIFIES:
    case OE_WAITS:
    case OE_LOWERS: rounds_step(c, u, e); break;
    default: set_snap(c, e, t); break;
    }
    if (e->kind == OE_STUCK || e->kind == OE_WAITS)
        t->last_wait = t->event;
    t->pos = e->pos;
    t->event = e->follows;
    t->finished = t->event == 0;
}
