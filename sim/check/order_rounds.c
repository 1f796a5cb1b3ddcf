/* Barriers of builtins, written down at once. A barrier of P members is P (P - 1) notifies, as many
 * waits and as many adds that take the credits back: on a thousand devices millions of events, each
 * with its cell, of which nothing is to be said. While the cells of a window are used for nothing
 * else, three events a member stand for them: its notifies, where the first of them is; its waits,
 * where the last one is; and its adds to its own cells.
 *
 * This loses nothing. Between the notifies of a member, as between its waits, it does nothing else,
 * so whoever knows one of them knows all; and as only those waits look at the cells, the run in
 * which notifies come earlier and waits later is a run as well. A cell has one sender and one
 * waiter, so its waits take the sender's notifies one after another: the wait for round k comes
 * after every member's notify of round k. What is followed is followed in the same order as event
 * by event: a member sleeps until the next peer, in the order of its waits, has notified it.
 *
 * Whatever does not look like this - another notify, a read, a run that does not end well - makes
 * the check write all of it down event by event, as it does from there on. */
#include "sim/check/order.h"

#include <string.h>

void rounds_free(OrderCheck *c)
{
    for (uint32_t i = 0; i < c->rounds.len; i++) {
        OrderRounds *x = &c->rounds.at[i];
        for (uint32_t k = 0; k < x->rounds.len; k++)
            order_know_free(&x->rounds.at[k].know);
        vec_free(&x->rounds);
        vec_free(&x->events);
        xfree(x->members);
    }
    vec_free(&c->rounds);
    for (uint32_t u = 0; u < c->n_threads; u++)
        c->threads[u].open.open = false;
    xfree(c->window_use);
    c->window_use = NULL;
    c->in_rounds = false;
}

void rounds_begin(OrderCheck *c)
{
    const World *w = c->world;
    if (c->in_rounds || c->rounds.len)
        return;
    c->in_rounds = w->in_one && !c->weak && !w->processes && c->n_threads == c->n_ranks;
    if (c->in_rounds && !c->window_use)
        c->window_use = xcalloc(w->windows.len + (size_t)1, sizeof *c->window_use);
}

/* ---- writing down ---- */

static uint32_t member_of(const OrderCheck *c, const OrderRounds *x, uint32_t rank)
{
    return window_rank(c->world, x->window, rank);
}

static uint32_t first_peer(uint32_t self)
{
    return self == 0;
}

static uint32_t next_peer(uint32_t member, uint32_t self)
{
    return member + 1 + (member + 1 == self);
}

static OrderRounds *make_rounds(OrderCheck *c, const Event *e, uint32_t self)
{
    uint32_t n = window_domain(c->world, e->rect.at.window)->n;
    int64_t base = e->rect.at.offset - 4 * (int64_t)self;
    if (base < 0 || e->kind != EV_ARRIVE)
        return NULL;
    vec_push(&c->rounds, (OrderRounds){.window = e->rect.at.window,
                                       .n = n,
                                       .base = base,
                                       .members = xcalloc(n, sizeof(struct OrderMember))});
    c->window_use[e->rect.at.window] = c->rounds.len;
    return &vec_last(&c->rounds);
}

/* The rounds that the event may be part of; NULL: none. */
static OrderRounds *rounds_of(OrderCheck *c, const Event *e, uint32_t *self)
{
    uint32_t window = e->rect.at.window, use = c->window_use[window];
    if (use == ORDER_SINGLE ||
        !(call_flags(c->world->call_sites, e->at.func, e->at.pc) & CALL_EACH))
        return NULL;
    *self = window_rank(c->world, window, e->at.rank);
    if (*self == UINT32_MAX)
        return NULL;
    return use ? &c->rounds.at[use - 1] : make_rounds(c, e, *self);
}

static uint8_t kind_of(const Event *e)
{
    if (e->kind == EV_WAIT)
        return OE_WAITS;
    return e->target == e->at.rank ? OE_LOWERS : OE_NOTIFIES;
}

/* The cell that stands for a member where `self` notifies, waits for or lowers it. */
static FabAddr cell_of(const OrderCheck *c, const OrderRounds *x, uint8_t kind, uint32_t self,
                       uint32_t member)
{
    const Domain *d = window_domain(c->world, x->window);
    bool sent = kind == OE_NOTIFIES;
    return (FabAddr){.rank = d->members[sent ? member : self],
                     .window = x->window,
                     .offset = x->base + 4 * (int64_t)(sent ? self : member)};
}

/* Are these the first of such notifies or waits, as a barrier has them? */
static bool may_begin(const OrderRounds *x, const Event *e, uint8_t kind, uint32_t self)
{
    const struct OrderMember *m = &x->members[self];
    switch (kind) {
    case OE_NOTIFIES: return e->op == NOTIFY_ATOMIC_ADD && e->value == 1;
    case OE_WAITS: return e->op == WAIT_GE && e->value + m->lowered > m->waited;
    default: return e->op == NOTIFY_ATOMIC_ADD && e->value < 0 && m->waited;
    }
}

/* The NOTIFIES of each member in a round. */
static uint32_t *events_of(const OrderRounds *x, uint32_t round)
{
    return x->events.at + (size_t)(round - 1) * x->n;
}

static void make_round(OrderRounds *x, uint32_t round)
{
    while (x->rounds.len < round) {
        vec_push(&x->rounds, (OrderRound){0});
        for (uint32_t m = 0; m < x->n; m++)
            vec_push(&x->events, 0);
    }
}

static uint32_t push(OrderCheck *c, const OrderOpen *o, uint32_t thread, int32_t value)
{
    return order_log_push(c, (OrderEvent){.thread = thread,
                                          .cell = o->rounds,
                                          .func = o->func,
                                          .pc = o->pc,
                                          .value = value,
                                          .kind = o->kind,
                                          .insn = o->kind == OE_WAITS ? BC_WAIT : BC_NOTIFY});
}

/* Opens what the event is the first of; false when it is not. */
static bool begin(OrderCheck *c, OrderRounds *x, const Event *e, uint32_t self)
{
    uint32_t thread = order_thread(c, e->at);
    OrderOpen *o = &c->threads[thread].open;
    uint8_t kind = kind_of(e);
    FabAddr cell = cell_of(c, x, kind, self, first_peer(self));
    if (o->open || !fab_addr_equal(&cell, &e->rect.at) || !may_begin(x, e, kind, self))
        return false;
    *o = (OrderOpen){.open = true,
                     .kind = kind,
                     .rounds = (uint32_t)(x - c->rounds.at),
                     .self = self,
                     .next = first_peer(self),
                     .cell = cell,
                     .func = e->at.func,
                     .pc = e->at.pc,
                     .value = e->value,
                     .first = kind == OE_NOTIFIES && x->members[self].notified == 0};
    if (o->kind == OE_LOWERS) {
        o->event = push(c, o, thread, o->value);
    } else if (o->kind == OE_NOTIFIES) {
        uint32_t round = ++x->members[self].notified;
        o->event = push(c, o, thread, (int32_t)round);
        make_round(x, round);
        events_of(x, round)[self] = o->event;
    }
    return true;
}

/* The last of them: the thread's numbers count every one. */
static void complete(OrderCheck *c, OrderRounds *x, uint32_t thread, uint32_t self)
{
    OrderThread *t = &c->threads[thread];
    OrderOpen *o = &t->open;
    struct OrderMember *m = &x->members[self];
    o->open = false;
    t->n_events += x->n - 2;
    if (o->kind == OE_WAITS) {
        m->waited = (uint32_t)(o->value + m->lowered);
        (void)push(c, o, thread, (int32_t)m->waited);
        return;
    }
    if (o->kind == OE_LOWERS)
        m->lowered -= o->value;
    order_event(c, o->event)->pos = t->n_events;
}

/* Is the event the next one of what is open? */
static bool goes_on(const OrderOpen *o, const Event *e)
{
    return o->open && o->pc == e->at.pc && o->func == e->at.func && o->value == e->value &&
           fab_addr_equal(&o->cell, &e->rect.at) && (o->kind == OE_WAITS) == (e->kind == EV_WAIT) &&
           !(o->first && e->before);
}

static void advance(OrderCheck *c, uint32_t thread)
{
    OrderOpen *o = &c->threads[thread].open;
    OrderRounds *x = &c->rounds.at[o->rounds];
    o->next = next_peer(o->next, o->self);
    if (o->next >= x->n)
        complete(c, x, thread, o->self);
    else if (o->kind == OE_NOTIFIES)
        o->cell.rank = window_domain(c->world, x->window)->members[o->next];
    else
        o->cell.offset = x->base + 4 * (int64_t)o->next;
}

/* It is no barrier after all; of a window that none was found in yet, no more. */
static void give_up(OrderCheck *c, const OrderRounds *x, bool open)
{
    if (open || (x && x->rounds.len))
        rounds_expand(c);
    else if (x)
        c->window_use[x->window] = ORDER_SINGLE;
}

bool rounds_take(OrderCheck *c, const Event *e)
{
    uint32_t thread = order_thread(c, e->at), self;
    OrderOpen *o = &c->threads[thread].open;
    if (!goes_on(o, e)) {
        OrderRounds *x = rounds_of(c, e, &self);
        if (!x || !begin(c, x, e, self) || !goes_on(o, e)) {
            give_up(c, x, o->open);
            return false;
        }
    }
    advance(c, thread);
    return true;
}

/* ---- event by event ---- */

typedef struct {
    OrderCheck *c;
    int64_t *lowered; /* per entry of `rounds` and thread: so far */
    VEC(OrderEvent) all;
} Expansion;

/* The single events that one stands for, up to member `end`. */
static void expand(Expansion *x, const OrderEvent *e, uint32_t end, int32_t value)
{
    OrderCheck *c = x->c;
    const OrderRounds *r = &c->rounds.at[e->cell];
    uint32_t self = member_of(c, r, c->threads[e->thread].rank);
    bool waits = e->kind == OE_WAITS;
    OrderEvent one = {.thread = e->thread,
                      .func = e->func,
                      .pc = e->pc,
                      .value = value,
                      .kind = waits ? OE_WAIT : OE_NOTIFY,
                      .op = waits ? WAIT_GE : NOTIFY_ATOMIC_ADD,
                      .insn = waits ? BC_WAIT : BC_NOTIFY};
    for (uint32_t m = first_peer(self); m < end; m = next_peer(m, self)) {
        one.cell = order_cell(c, cell_of(c, r, e->kind, self, m));
        vec_push(&x->all, one);
    }
}

static void expand_event(Expansion *x, uint32_t event)
{
    OrderCheck *c = x->c;
    const OrderEvent *e = order_event(c, event);
    if (e->kind < OE_NOTIFIES) {
        vec_push(&x->all, *e);
        return;
    }
    const OrderOpen *o = &c->threads[e->thread].open;
    int64_t *low = &x->lowered[(size_t)e->cell * c->n_threads + e->thread];
    bool open = o->open && o->kind != OE_WAITS && o->event == event;
    int32_t value = e->kind == OE_NOTIFIES ? 1
                    : e->kind == OE_WAITS  ? (int32_t)(e->value - *low)
                                           : e->value;
    if (e->kind == OE_LOWERS)
        *low -= e->value;
    expand(x, e, open ? o->next : c->rounds.at[e->cell].n, value);
}

/* Waits that have begun have no event yet. */
static void expand_open_waits(Expansion *x)
{
    for (uint32_t u = 0; u < x->c->n_threads; u++) {
        const OrderOpen *o = &x->c->threads[u].open;
        OrderEvent e = {
            .thread = u, .cell = o->rounds, .func = o->func, .pc = o->pc, .kind = OE_WAITS};
        if (o->open && o->kind == OE_WAITS)
            expand(x, &e, o->next, o->value);
    }
}

void rounds_expand(OrderCheck *c)
{
    if (!c->in_rounds)
        return;
    c->in_rounds = false;
    if (c->rounds.len) {
        Expansion x = {.c = c};
        x.lowered = xcalloc((size_t)c->rounds.len * c->n_threads, sizeof *x.lowered);
        for (uint32_t i = 1; i <= c->n_events; i++)
            expand_event(&x, i);
        expand_open_waits(&x);
        order_log_again(c, x.all.at, x.all.len);
        vec_free(&x.all);
        xfree(x.lowered);
    }
    rounds_free(c);
}

void rounds_leave(OrderCheck *c, uint32_t window)
{
    if (c->window_use[window] == 0)
        c->window_use[window] = ORDER_SINGLE;
    else if (c->window_use[window] != ORDER_SINGLE)
        rounds_expand(c);
}

/* Every member has notified, and waited, as often as the others. */
static bool is_regular(const OrderCheck *c, const OrderRounds *x)
{
    for (uint32_t m = 0; m < x->n; m++)
        if (x->members[m].notified != x->rounds.len || x->members[m].waited != x->rounds.len)
            return false;
    for (uint32_t u = 0; u < c->n_threads; u++)
        if (c->threads[u].open.open)
            return false;
    return x->rounds.len < INT32_MAX;
}

void rounds_end(OrderCheck *c, bool whole)
{
    for (uint32_t i = 0; i < c->cells.len && whole; i++) /* order_cut.c looks at single events */
        whole = !(c->cells.at[i].flags & CELL_MISSED);
    for (uint32_t i = 0; i < c->rounds.len && whole; i++)
        whole = is_regular(c, &c->rounds.at[i]);
    if (!whole)
        rounds_expand(c);
}

/* ---- following ---- */

void rounds_rewind(OrderCheck *c)
{
    for (uint32_t i = 0; i < c->rounds.len; i++)
        for (uint32_t k = 0; k < c->rounds.at[i].rounds.len; k++) {
            OrderRound *r = &c->rounds.at[i].rounds.at[k];
            order_know_free(&r->know);
            r->waited = 0;
        }
}

void rounds_step(OrderCheck *c, uint32_t thread, const OrderEvent *e)
{
    OrderRounds *x = &c->rounds.at[e->cell];
    OrderThread *t = &c->threads[thread];
    t->sync =
        (SyncPoint){.kind = e->kind == OE_WAITS ? EV_WAIT : EV_NOTIFY,
                    .at = {.rank = t->rank, .dispatch = t->dispatch, .func = e->func, .pc = e->pc}};
    if (e->kind == OE_LOWERS)
        return;
    OrderRound *r = &x->rounds.at[e->value - 1];
    if (e->kind == OE_NOTIFIES) {
        order_tell(c, &r->know, thread, e->pos);
        return;
    }
    t->next_member = 0;
    order_learn(c, thread, &r->know);
    if (++r->waited == x->n)
        order_know_free(&r->know);
}

bool rounds_need(OrderCheck *c, uint32_t thread, const OrderEvent *e, uint32_t *of, uint32_t *pos)
{
    OrderThread *t = &c->threads[thread];
    const OrderRounds *x = &c->rounds.at[e->cell];
    const uint32_t *events = events_of(x, (uint32_t)e->value);
    uint32_t self = member_of(c, x, t->rank);
    for (; t->next_member < x->n; t->next_member++) {
        uint32_t m = t->next_member;
        if (m == self)
            continue;
        const OrderEvent *sent = order_event(c, events[m]);
        *of = sent->thread;
        *pos = sent->pos - (x->n - 2) + self - (self > m);
        if (c->threads[*of].pos < *pos)
            return true;
    }
    return false;
}
