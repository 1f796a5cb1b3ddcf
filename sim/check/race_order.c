/* Happens-before. A notify is a release: its credit carries the sender's clock to the cell. A wait
 * acquires the credits that made its predicate true and no others:
 *
 *   Ge   the shortest prefix of the credits, in order of arrival, that reaches the value
 *   Eq   all that make up the value
 *
 * A negative notify to oneself consumes credits from the front. Set replaces what was there; the
 * credits before it are kept until the waiting thread knows of the Set, because a wait that they
 * had satisfied does not depend on it.
 *
 * Credits at the front that every lane of the cell's rank knows order nothing any more: they
 * become part of `base`, so that a counter that is never reset stays short. */
#include "sim/check/race.h"

#include <string.h>

/* ---- snapshots ---- */

static void snap_drop(RaceCheck *c, Snap *s)
{
    if (!s || --s->refs)
        return;
    if (s->prev)
        s->prev->next = s->next;
    else
        c->snaps = s->next;
    if (s->next)
        s->next->prev = s->prev;
    vclock_free(&s->clock);
    free(s);
}

static Snap *snap_of(RaceCheck *c, RaceThread *t)
{
    if (t->snap)
        return t->snap;
    Snap *s = xcalloc(1, sizeof *s);
    s->refs = 1;
    s->next = c->snaps;
    if (s->next)
        s->next->prev = s;
    c->snaps = s;
    vclock_copy(&s->clock, &t->clock);
    return t->snap = s;
}

/* ---- threads ---- */

bool race_knows(const RaceCheck *c, uint32_t u, uint32_t thread, uint32_t epoch)
{
    return u == thread || vclock_get(&c->threads[u].clock, thread) >= epoch;
}

uint32_t race_epoch(RaceThread *t)
{
    if (t->released) {
        t->epoch++;
        t->released = false;
    }
    return t->epoch;
}

/* The clock changed: what is released next is not what was released before. */
static void clock_changed(RaceCheck *c, RaceThread *t)
{
    (void)race_epoch(t);
    snap_drop(c, t->snap);
    t->snap = NULL;
}

static void acquire(RaceCheck *c, uint32_t u, const Credit *k)
{
    if (race_knows(c, u, k->thread, k->epoch))
        return;
    RaceThread *t = &c->threads[u];
    (void)vclock_join(&t->clock, &k->snap->clock);
    if (vclock_get(&t->clock, k->thread) < k->epoch)
        vclock_set(&t->clock, k->thread, k->epoch);
    clock_changed(c, t);
}

void race_puts_end(RaceThread *t)
{
    t->puts++;
    vec_clear(&t->sources);
}

/* ---- what everybody knows ---- */

static void meet(VClock *all, const VClock *clock, bool *first)
{
    if (*first)
        vclock_copy(all, clock);
    else
        vclock_meet(all, clock);
    *first = false;
}

static void meet_thread(RaceCheck *c, VClock *all, uint32_t u, bool *first)
{
    const RaceThread *t = &c->threads[u];
    uint32_t own = *first ? UINT32_MAX : vclock_get(all, u);
    meet(all, &t->clock, first);
    own = own < t->epoch ? own : t->epoch;
    if (vclock_get(all, u) < own)
        vclock_set(all, u, own);
}

static void find_known(RaceCheck *c)
{
    const World *w = c->world;
    bool first = true;
    for (uint32_t r = 0; r < w->n_ranks; r++) {
        const Rank *rank = &w->ranks[r];
        for (uint32_t i = 0; i < rank->n_lanes; i++)
            if (c->threads[c->first_thread[r] + i].running)
                meet_thread(c, &c->known, c->first_thread[r] + i, &first);
        if (rank->next < rank->queue.len && !rank->busy)
            meet(&c->known, &c->rank_end[r], &first);
    }
}

bool race_known_by_all(RaceCheck *c, uint32_t thread, uint32_t epoch)
{
    if (c->tick - c->known_at > 8ull * c->n_threads) {
        c->known_at = c->tick;
        find_known(c);
    }
    return vclock_get(&c->known, thread) >= epoch;
}

/* ---- dispatches ---- */

void race_order_init(RaceCheck *c, const World *w)
{
    c->n_ranks = w->n_ranks;
    c->n_dispatches = w->dispatches.len;
    c->first_thread = xcalloc(w->n_ranks + 1, sizeof *c->first_thread);
    for (uint32_t r = 0; r < w->n_ranks; r++) {
        c->first_thread[r] = c->n_threads;
        c->n_threads += w->ranks[r].n_lanes;
    }
    c->threads = xcalloc(c->n_threads + 1, sizeof *c->threads);
    for (uint32_t i = 0; i < c->n_threads; i++)
        c->threads[i].epoch = 1;
    c->rank_end = xcalloc(w->n_ranks + 1, sizeof *c->rank_end);
    c->starts = xcalloc(w->dispatches.len + 1, sizeof *c->starts);
    c->ends = xcalloc(w->dispatches.len + 1, sizeof *c->ends);
    c->asked = xcalloc(w->dispatches.len + 1, 1);
    for (uint32_t i = 0; i < w->dispatches.len; i++) {
        const Dispatch *d = &w->dispatches.at[i];
        for (uint32_t k = 0; k < d->n_deps; k++)
            c->asked[d->deps[k].dispatch] |= d->deps[k].at_start ? 1 : 2;
    }
}

static void dispatch_begin(RaceCheck *c, uint32_t index)
{
    const World *w = c->world;
    const Dispatch *d = &w->dispatches.at[index];
    VClock *start = &c->starts[index];
    vclock_copy(start, &c->rank_end[d->rank]);
    for (uint32_t i = 0; i < d->n_deps; i++) {
        uint32_t on = d->deps[i].dispatch;
        (void)vclock_join(start, d->deps[i].at_start ? &c->starts[on] : &c->ends[on]);
    }
}

static void lane_begin(RaceCheck *c, const Event *e)
{
    RaceThread *t = &c->threads[race_thread(c, e->at)];
    (void)vclock_join(&t->clock, &c->starts[e->at.dispatch]);
    clock_changed(c, t);
    t->running = true;
    t->sync = (SyncPoint){.kind = EV_LANE_BEGIN};
}

static void lane_end(RaceCheck *c, const Event *e)
{
    uint32_t u = race_thread(c, e->at);
    RaceThread *t = &c->threads[u];
    VClock *end = &c->ends[e->at.dispatch];
    (void)vclock_join(end, &t->clock);
    vclock_set(end, u, t->epoch);
    t->released = true;
    t->running = false;
    race_puts_end(t);
}

static void dispatch_end(RaceCheck *c, uint32_t index)
{
    uint32_t rank = c->world->dispatches.at[index].rank;
    (void)vclock_join(&c->rank_end[rank], &c->ends[index]);
    if (!(c->asked[index] & 1))
        vclock_free(&c->starts[index]);
    if (!(c->asked[index] & 2))
        vclock_free(&c->ends[index]);
}

void race_order_host(RaceCheck *c, const Event *e)
{
    switch (e->kind) {
    case EV_DISPATCH_BEGIN: dispatch_begin(c, e->at.dispatch); break;
    case EV_LANE_BEGIN: lane_begin(c, e); break;
    case EV_LANE_END: lane_end(c, e); break;
    default: dispatch_end(c, e->at.dispatch); break;
    }
}

/* ---- cells ---- */

static SignalCell *cell_find(RaceCheck *c, FabAddr at)
{
    uint64_t found;
    uint64_t key =
        ((uint64_t)at.window * c->world->n_ranks + at.rank) << 36 | (uint64_t)at.offset / 4;
    if (map_get(&c->cell_index, key, &found))
        return &c->cells.at[found];
    map_set(&c->cell_index, key, c->cells.len);
    vec_push(&c->cells, (SignalCell){.at = at});
    return &vec_last(&c->cells);
}

static void pop_front(RaceCheck *c, SignalCell *cell)
{
    Credit *k = &cell->credits.at[cell->head++];
    cell->sets -= k->set;
    snap_drop(c, k->snap);
    if (cell->head == cell->credits.len)
        cell->head = cell->credits.len = 0;
}

/* Keeps the memory of a long queue in bounds as its front goes. */
static void close_gap(SignalCell *cell)
{
    if (cell->head < 64 || cell->head < cell->credits.len / 2)
        return;
    cell->credits.len -= cell->head;
    memmove(cell->credits.at, cell->credits.at + cell->head,
            cell->credits.len * sizeof *cell->credits.at);
    cell->head = 0;
}

/* Forgets what a Set replaced: everything before credit `set`. */
static void cut(RaceCheck *c, SignalCell *cell, uint32_t set)
{
    while (cell->head < set)
        pop_front(c, cell);
    cell->base = 0;
}

/* The last Set that `pick` accepts (u UINT32_MAX: any), or UINT32_MAX. */
static uint32_t last_set(const RaceCheck *c, const SignalCell *cell, uint32_t u)
{
    if (cell->sets == 0)
        return UINT32_MAX;
    for (uint32_t i = cell->credits.len; i-- > cell->head;) {
        const Credit *k = &cell->credits.at[i];
        if (k->set && (u == UINT32_MAX || race_knows(c, u, k->thread, k->epoch)))
            return i;
    }
    return UINT32_MAX;
}

static void consume(RaceCheck *c, SignalCell *cell, int64_t n)
{
    uint32_t set = last_set(c, cell, UINT32_MAX);
    if (set != UINT32_MAX)
        cut(c, cell, set);
    int64_t part = cell->base > 0 ? (cell->base < n ? cell->base : n) : 0;
    cell->base -= part;
    n -= part;
    while (n > 0 && cell->head < cell->credits.len) {
        Credit *k = &cell->credits.at[cell->head];
        part = k->value > 0 ? (k->value < n ? k->value : n) : 0;
        k->value -= part;
        n -= part;
        if (k->value > 0)
            break;
        cell->base += k->value;
        pop_front(c, cell);
    }
    cell->base -= n;
    close_gap(cell);
}

/* The cell's value is not what its credits say: plain stores, or a counter that wrapped. */
static void resync(RaceCheck *c, SignalCell *cell, int64_t value)
{
    while (cell->head < cell->credits.len)
        pop_front(c, cell);
    cell->base = cell->total = value;
}

/* Most cells hold one credit at a time, and a thousand ranks have a million cells. */
static void push_credit(SignalCell *cell, Credit k)
{
    if (cell->credits.cap == 0) {
        cell->credits.at = xmalloc(sizeof k);
        cell->credits.cap = 1;
    }
    vec_push(&cell->credits, k);
    cell->sets += k.set;
}

/* What goes with a notify; the credit owns `snap`. */
typedef struct {
    Snap *snap;
    uint32_t thread, epoch;
} Message;

void race_payload(RaceCheck *c, const Event *e, Buf *out)
{
    uint32_t u = race_thread(c, e->at);
    RaceThread *t = &c->threads[u];
    Message m = {.snap = snap_of(c, t), .thread = u, .epoch = t->epoch};
    m.snap->refs++;
    t->released = true;
    buf_bytes(out, &m, sizeof m);
}

SignalCell *race_arrive(RaceCheck *c, const Event *e)
{
    Message m;
    if (e->payload.len != sizeof m)
        return NULL;
    memcpy(&m, e->payload.bytes, sizeof m);
    SignalCell *cell = cell_find(c, e->rect.at);
    if (cell->total != e->before)
        resync(c, cell, e->before);
    Credit k = {.snap = m.snap, .thread = m.thread, .epoch = m.epoch, .value = e->value};
    k.set = e->op == NOTIFY_SET;
    if (!k.set && (int64_t)e->before + e->value != e->after) {
        resync(c, cell, e->after);
        snap_drop(c, k.snap);
    } else if (!k.set && e->value <= 0 && e->at.rank == e->target) {
        consume(c, cell, -(int64_t)e->value);
        snap_drop(c, k.snap);
    } else {
        push_credit(cell, k);
    }
    cell->total = e->after;
    cell->last = e->at;
    cell->last_thread = m.thread;
    cell->last_epoch = m.epoch;
    return cell;
}

/* ---- waits ---- */

static bool lanes_know(const RaceCheck *c, uint32_t rank, uint32_t u, const Credit *k)
{
    uint32_t n = c->world->ranks[rank].n_lanes, first = c->first_thread[rank];
    if (n == 1)
        return race_knows(c, u, k->thread, k->epoch);
    for (uint32_t i = 0; i < n; i++)
        if (c->threads[first + i].running && !race_knows(c, first + i, k->thread, k->epoch))
            return false;
    return true;
}

static void fold_known(RaceCheck *c, SignalCell *cell, uint32_t u)
{
    while (cell->head < cell->credits.len) {
        const Credit *k = &cell->credits.at[cell->head];
        if (!lanes_know(c, cell->at.rank, u, k))
            break;
        cell->base = k->set ? k->value : cell->base + k->value;
        pop_front(c, cell);
    }
    close_gap(cell);
}

static void acquire_range(RaceCheck *c, const SignalCell *cell, uint32_t u, uint32_t from,
                          uint32_t end)
{
    for (uint32_t i = from; i < end; i++)
        acquire(c, u, &cell->credits.at[i]);
}

static void wait_ge(RaceCheck *c, SignalCell *cell, uint32_t u, int64_t expected)
{
    uint32_t known = last_set(c, cell, u), from = cell->head;
    int64_t sum = cell->base;
    if (known == UINT32_MAX && sum >= expected)
        return;
    if (known != UINT32_MAX) {
        from = known;
        sum = 0;
    }
    for (uint32_t i = from; i < cell->credits.len; i++) {
        const Credit *k = &cell->credits.at[i];
        if (k->set)
            from = i;
        sum = k->set ? k->value : sum + k->value;
        if (sum >= expected) {
            acquire_range(c, cell, u, from, i + 1);
            return;
        }
    }
}

void race_wait(RaceCheck *c, const Event *e)
{
    uint32_t u = race_thread(c, e->at);
    SignalCell *cell = cell_find(c, e->rect.at);
    if (cell->total != e->after)
        resync(c, cell, e->after);
    if (e->op == WAIT_EQ) {
        uint32_t set = last_set(c, cell, UINT32_MAX);
        acquire_range(c, cell, u, set == UINT32_MAX ? cell->head : set, cell->credits.len);
    } else {
        wait_ge(c, cell, u, e->value);
    }
    uint32_t known = last_set(c, cell, u);
    if (known != UINT32_MAX && c->world->ranks[cell->at.rank].n_lanes == 1)
        cut(c, cell, known);
    fold_known(c, cell, u);
}

/* ---- life ---- */

void race_order_reset(RaceCheck *c)
{
    for (uint32_t i = 0; i < c->n_threads; i++) {
        RaceThread *t = &c->threads[i];
        vclock_free(&t->clock);
        vec_free(&t->sources);
        *t = (RaceThread){.epoch = 1};
    }
    for (uint32_t i = 0; i < c->n_ranks; i++)
        vclock_free(&c->rank_end[i]);
    for (uint32_t i = 0; i < c->n_dispatches; i++) {
        vclock_free(&c->starts[i]);
        vclock_free(&c->ends[i]);
    }
    for (uint32_t i = 0; i < c->cells.len; i++)
        vec_free(&c->cells.at[i].credits);
    vec_clear(&c->cells);
    map_clear(&c->cell_index);
    while (c->snaps) {
        Snap *s = c->snaps;
        c->snaps = s->next;
        vclock_free(&s->clock);
        free(s);
    }
    vclock_free(&c->known);
    c->tick = c->known_at = 0;
}

void race_order_free(RaceCheck *c)
{
    race_order_reset(c);
    vec_free(&c->cells);
    map_free(&c->cell_index);
    free(c->first_thread);
    free(c->threads);
    free(c->rank_end);
    free(c->starts);
    free(c->ends);
    free(c->asked);
}
