/* Order of a lane, of a pair's landings, of what made them possible, and of every dependent pair.
 *
 * Waits. Where adds commute, a wait comes after the credits it cannot do without: those without
 * which, and without what follows them, all others that do not come after the wait are too few
 * (trace_certain). Where they do not, a credit that makes a wait true lies before it and can not be
 * put behind it; one that comes when it holds already does not touch it; and where the cell can
 * also fall (Set, Eq, a reset) a wait could be taken at every earlier moment at which it held. A
 * lane that is blocked at the end stands there with its wait, which may have held before.
 *
 * Weak memory. A release fence lands what is buffered, an acquire fence refreshes: both could have
 * happened earlier and by themselves, so they are items of their own before the fence. */
#include "sim/explore/explore_trace.h"

#include "sim/machine/rect_overlap.h"
#include <string.h>

static uint32_t proc_of(Trace *t, uint32_t name)
{
    for (uint32_t i = 0; i < t->procs.len; i++)
        if (t->procs.at[i] == name)
            return i;
    vec_push(&t->procs, name);
    vec_push(&t->last, NO_ITEM);
    return t->procs.len - 1;
}

static uint32_t add_item(Trace *t, const Step *s, uint32_t node, uint32_t cause)
{
    Item it = {.s = s, .node = node, .proc = proc_of(t, s->name), .cause = cause};
    it.prev = t->last.at[it.proc];
    it.pos = it.prev == NO_ITEM ? 1 : t->items.at[it.prev].pos + 1;
    t->last.at[it.proc] = t->items.len;
    vec_push(&t->items, it);
    return t->items.len - 1;
}

static Step *extra_step(Trace *t, StepKind kind, uint32_t name, uint32_t rank)
{
    Step *s = xcalloc(1, sizeof *s);
    s->kind = (uint8_t)kind;
    s->name = name;
    s->rank = rank;
    vec_push(&t->extra, s);
    return s;
}

/* ---- items of weak memory ---- */

uint32_t trace_seen_until(const Trace *t, uint32_t rank, uint32_t before)
{
    for (uint32_t i = before; i-- > 0;)
        if (step_sees(t->items.at[i].s) && t->items.at[i].s->rank == rank)
            return i + 1;
    return 0;
}

bool trace_lands_for(const Trace *t, uint32_t i, uint32_t rank)
{
    const Step *s = t->items.at[i].s;
    return s->kind == STEP_LAND && s->rank != rank && scope_views(t->scope, rank, &s->rect);
}

static void land_all(Trace *t, uint32_t rank, uint32_t node)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->writes.len; i++) {
        Write x = t->writes.at[i];
        if (x.from != rank) {
            t->writes.at[kept++] = x;
            continue;
        }
        Step *s =
            extra_step(t, STEP_LAND, LANDING_BIT | (rank * t->w->n_ranks + x.rect.at.rank), rank);
        s->rect = x.rect;
        (void)add_item(t, s, node, x.item);
    }
    t->writes.len = kept;
}

static Step *refresh_step(Trace *t, uint32_t rank)
{
    uint32_t n = t->w->n_ranks;
    return extra_step(t, STEP_REFRESH, LANDING_BIT | (n * n + rank), rank);
}

/* A refresh that could have happened by itself. */
static void refresh(Trace *t, uint32_t rank, uint32_t node)
{
    for (uint32_t i = trace_seen_until(t, rank, t->items.len); i < t->items.len; i++)
        if (trace_lands_for(t, i, rank)) {
            (void)add_item(t, refresh_step(t, rank), node, NO_ITEM);
            return;
        }
}

/* A dispatch that starts with item `cause` acquires. That is no refresh that could have happened by
 * itself: a process of its own. */
static void begin(Trace *t, uint32_t dispatch, uint32_t node, uint32_t cause)
{
    Step *s = refresh_step(t, t->w->dispatches.at[dispatch].rank);
    s->name += t->w->n_ranks;
    s->dispatch = dispatch;
    s->ends = true;
    (void)add_item(t, s, node, cause);
}

static uint32_t take_write(Trace *t, const Step *land)
{
    for (uint32_t i = 0; i < t->writes.len; i++)
        if (t->writes.at[i].from == land->rank &&
            t->writes.at[i].rect.at.rank == land->rect.at.rank) {
            uint32_t item = t->writes.at[i].item;
            t->writes.len--;
            memmove(t->writes.at + i, t->writes.at + i + 1,
                    (t->writes.len - i) * sizeof *t->writes.at);
            return item;
        }
    return NO_ITEM;
}

static void note_writes(Trace *t, const Step *s, uint32_t item)
{
    for (uint32_t i = 0; i < s->n_access; i++)
        if (s->access[i].kind != ACC_READ && rect_bytes(&s->access[i].rect) &&
            !(s->access[i].rect.at.window & DEVICE_BIT))
            vec_push(&t->writes, (Write){item, s->rank, s->access[i].rect});
}

static void add_step(Trace *t, const Step *s, uint32_t node)
{
    uint32_t cause = NO_ITEM;
    if (t->lands && step_releases(s))
        land_all(t, s->rank, node);
    if (t->lands && step_sees(s) && s->kind == STEP_FENCE)
        refresh(t, s->rank, node);
    for (uint32_t i = 0; i < s->n_begun && t->lands; i++)
        refresh(t, t->w->dispatches.at[s->begun[i]].rank, node);
    if (s->kind == STEP_LAND)
        cause = take_write(t, s);
    uint32_t item = add_item(t, s, node, cause);
    if (t->lands)
        note_writes(t, s, item);
    for (uint32_t i = 0; i < s->n_begun && t->scope->weak; i++)
        begin(t, s->begun[i], node, item);
}

/* Lanes that stand still at the end: at a wait, or where they faulted. */
static void add_stuck(Trace *t)
{
    for (uint32_t r = 0; r < t->w->n_ranks; r++)
        for (uint32_t k = 0; k < t->w->ranks[r].n_lanes; k++) {
            Lane *lane = &t->w->ranks[r].lanes[k];
            bool waits = lane->state == LANE_BLOCKED && lane->pending.kind == PEND_WAIT;
            if (!waits && lane->state != LANE_FAULTED)
                continue;
            Step *s = extra_step(t, STEP_DATA, lane->id, lane->rank);
            s->dispatch = lane->dispatch;
            step_after(s, lane->births.at, lane->births.len);
            if (waits) {
                s->kind = STEP_WAIT;
                s->op = (uint8_t)lane->pending.op;
                s->value = lane->pending.value;
                s->rect = lane->pending.rect;
            }
            (void)add_item(t, s, t->n_steps, NO_ITEM);
        }
}

/* ---- clocks ---- */

/* The item of a lane at a position, or NO_ITEM. */
static uint32_t item_at(const Trace *t, uint32_t name, uint32_t pos)
{
    for (uint32_t p = 0; p < t->procs.len; p++)
        if (t->procs.at[p] == name) {
            uint32_t i = t->last.at[p];
            while (i != NO_ITEM && t->items.at[i].pos > pos)
                i = t->items.at[i].prev;
            return i != NO_ITEM && t->items.at[i].pos == pos ? i : NO_ITEM;
        }
    return NO_ITEM;
}

static void join(const Trace *t, uint32_t *clock, uint32_t item)
{
    if (item == NO_ITEM)
        return;
    const uint32_t *c = trace_clock(t, item);
    for (uint32_t i = 0; i < t->procs.len; i++)
        if (c[i] > clock[i])
            clock[i] = c[i];
}

/* The acquire at the start of a dispatch. */
static bool starts(const Step *s)
{
    return s->kind == STEP_REFRESH && s->ends;
}

/* What a dispatch had to wait for: the ends of earlier ones on its device and of its dependencies.
 */
static void join_birth(const Trace *t, uint32_t *clock, uint32_t dispatch, uint32_t item)
{
    const Dispatch *all = t->w->dispatches.at, *d = &all[dispatch];
    for (uint32_t i = 0; i < item; i++) {
        const Step *s = t->items.at[i].s;
        if (starts(s) && s->dispatch == dispatch)
            join(t, clock, i);
        if (s->kind != STEP_EXIT)
            continue;
        bool counts = s->dispatch < dispatch && all[s->dispatch].rank == d->rank;
        for (uint32_t k = 0; k < d->n_deps && !counts; k++)
            counts = !d->deps[k].at_start && d->deps[k].dispatch == s->dispatch;
        if (counts)
            join(t, clock, i);
    }
    for (uint32_t k = 0; k < d->n_deps; k++)
        if (d->deps[k].at_start && d->deps[k].dispatch < dispatch)
            join_birth(t, clock, d->deps[k].dispatch, item);
}

/* What others did that its lane had to wait for. */
static void join_after(const Trace *t, uint32_t *clock, const Step *s)
{
    for (uint32_t i = 0; i < s->n_after; i++)
        join(t, clock, item_at(t, s->after[i].lane, s->after[i].count));
}

/* Order that no other schedule can change. What a lane did before it came to the end of its jobs is
 * not behind that. */
static void base_clock(const Trace *t, uint32_t item)
{
    const Item *it = &t->items.at[item];
    uint32_t *clock = trace_base(t, item);
    memset(clock, 0, t->procs.len * sizeof *clock);
    join(t, clock, it->prev);
    join(t, clock, it->cause);
    if (it->s->kind != STEP_JOIN)
        join_after(t, clock, it->s);
    if (!step_is_landing(it->s) &&
        (it->prev == NO_ITEM || t->items.at[it->prev].s->dispatch != it->s->dispatch))
        join_birth(t, clock, it->s->dispatch, item);
}

/* ---- dependence ---- */

/* Would a read have seen something else without this refresh? */
static bool refresh_shows(const Trace *t, uint32_t item, const Step *read)
{
    uint32_t rank = t->items.at[item].s->rank;
    if (!step_views(t->scope, read))
        return false;
    for (uint32_t i = trace_seen_until(t, rank, item); i < item; i++)
        if (trace_lands_for(t, i, rank))
            return true;
    return false;
}

/* The item of a release fence stands behind those of what it lands. */
static bool weak_depends(const Trace *t, uint32_t i, uint32_t j)
{
    const Step *a = t->items.at[i].s, *b = t->items.at[j].s;
    if (a->kind == STEP_LAND)
        return step_landing_matters(t->scope, a, b);
    if (b->kind == STEP_LAND)
        return step_landing_matters(t->scope, b, a);
    if (a->rank == b->rank && step_sees(a) && step_views(t->scope, b))
        return refresh_shows(t, i, b);
    if (a->rank == b->rank && step_sees(b) && step_views(t->scope, a))
        return refresh_shows(t, j, a);
    if (a->rank != b->rank)
        return false;
    if ((step_releases(a) && step_releases(b)) || step_queues_matter(t->scope, a, b))
        return true;
    return (a->kind == STEP_FENCE && step_releases(a) && step_lands(t->scope, b)) ||
           (b->kind == STEP_FENCE && step_releases(b) && step_lands(t->scope, a));
}

static bool commute(const Trace *t, const Step *a, const Step *b)
{
    if (!step_is_signal(a) || !step_is_signal(b) || scope_cell(t->scope, &a->rect))
        return false;
    bool adds = a->kind == STEP_WAIT || a->op == NOTIFY_ATOMIC_ADD;
    return adds && (b->kind == STEP_WAIT || b->op == NOTIFY_ATOMIC_ADD) && !a->wraps && !b->wraps;
}

static bool depends(const Trace *t, uint32_t i, uint32_t j)
{
    const Step *a = t->items.at[i].s, *b = t->items.at[j].s;
    if (t->lands && weak_depends(t, i, j))
        return true;
    if (commute(t, a, b))
        return false;
    if (step_is_landing(a) || step_is_landing(b))
        return false;
    if (step_hand_on(a, b))
        return true;
    bool fences = a->kind == STEP_FENCE || b->kind == STEP_FENCE || a->kind == STEP_EXIT ||
                  b->kind == STEP_EXIT;
    return !fences && step_dependent(t->scope, a, b);
}

static void race(Trace *t, uint32_t i, uint32_t j)
{
    vec_push(&t->races, (Pair){i, j});
    join(t, trace_clock(t, j), i);
}

/* A notify before a wait for its cell, where the order of credits matters. */
static void notify_wait(Trace *t, uint32_t i, uint32_t j)
{
    const Step *a = t->items.at[i].s, *b = t->items.at[j].s;
    bool held = step_holds(b, a->before);
    if (held && b->op == WAIT_GE && a->monotone)
        return;
    if (held)
        race(t, i, j);
    else
        join(t, trace_clock(t, j), i);
}

/* What a fence of the rank lands, or would have landed: the landing does not stand between who
 * wrote and the fence, whose order can be changed where they are lanes of their own. */
static bool landed_with(const Step *land, const Step *fence)
{
    return land->kind == STEP_LAND && land->rank == fence->rank && fence->kind == STEP_FENCE &&
           step_releases(fence);
}

static void join_landed(const Trace *t, uint32_t j, uint32_t *clock)
{
    const Step *b = t->items.at[j].s;
    for (uint32_t i = 0; i < j && t->lands; i++)
        if (landed_with(t->items.at[i].s, b) && depends(t, i, j))
            join(t, clock, i);
}

/* Signals of different cells. */
static bool apart(const Step *a, const Step *b)
{
    return step_is_signal(a) && step_is_signal(b) && !step_same_cell(a, b);
}

static void visit(Trace *t, uint32_t j)
{
    const Step *b = t->items.at[j].s;
    uint32_t *clock = trace_clock(t, j);
    base_clock(t, j);
    memcpy(clock, trace_base(t, j), t->procs.len * sizeof *clock);
    join_after(t, clock, b);
    for (uint32_t k = 0; k < t->certain.len; k++)
        if (t->certain.at[k].to == j)
            join(t, clock, t->certain.at[k].from);
    const uint32_t *base = trace_base(t, j);
    for (uint32_t i = j; i-- > 0;) {
        const Step *a = t->items.at[i].s;
        if (trace_before(t, i, base) || apart(a, b) || landed_with(a, b))
            continue;
        if (a->kind == STEP_NOTIFY && b->kind == STEP_WAIT && step_same_cell(a, b) &&
            !commute(t, a, b) && !scope_wild(t->scope, &a->rect))
            notify_wait(t, i, j);
        else if (!trace_before(t, i, clock) && depends(t, i, j))
            race(t, i, j);
    }
    join_landed(t, j, clock);
    clock[t->items.at[j].proc] = t->items.at[j].pos;
}

/* ---- credits that a wait cannot do without ---- */

typedef VEC(uint32_t) Credits; /* items that change a cell, in order */

static void note_credits(const Trace *t, const Step *wait, Credits *out)
{
    vec_clear(out);
    for (uint32_t i = 0; i < t->items.len; i++)
        if (t->items.at[i].s->kind == STEP_NOTIFY && step_same_cell(t->items.at[i].s, wait))
            vec_push(out, i);
}

/* The most that the cell can hold when item `wait` is taken and `without` and what follows it have
 * not happened. */
static int64_t at_most(const Trace *t, const Credits *credits, uint32_t wait, uint32_t without)
{
    const Item *w = &t->items.at[wait], *e = &t->items.at[without];
    int64_t sum = 0;
    for (uint32_t k = 0; k < credits->len; k++) {
        uint32_t i = credits->at[k];
        if (i == without)
            continue;
        int32_t value = t->items.at[i].s->value;
        bool after_wait = trace_clock(t, i)[w->proc] >= w->pos;
        bool after = trace_clock(t, i)[e->proc] >= e->pos;
        if (value > 0 ? !after_wait && !after : i < wait)
            sum += value;
    }
    return sum;
}

static void find_certain(Trace *t, Credits *credits, uint32_t wait)
{
    const Step *w = t->items.at[wait].s;
    note_credits(t, w, credits);
    for (uint32_t k = credits->len; k-- > 0;) {
        uint32_t i = credits->at[k];
        if (i >= wait || t->items.at[i].s->value <= 0 || trace_before(t, i, trace_clock(t, wait)) ||
            at_most(t, credits, wait, i) >= w->value)
            continue;
        vec_push(&t->certain, (Pair){i, wait});
    }
}

/* The items from `first` on, whose clocks the others do not need. */
static void visit_from(Trace *t, uint32_t first)
{
    while (t->races.len && vec_last(&t->races).to >= first)
        t->races.len--;
    for (uint32_t j = first; j < t->items.len; j++)
        visit(t, j);
}

/* The least order that is closed under the rule: clocks are made again, from the first wait that
 * something new comes before, until nothing is. */
static void make_clocks(Trace *t)
{
    Credits credits = {0};
    for (uint32_t first = 0; first < t->items.len;) {
        visit_from(t, first);
        uint32_t known = t->certain.len;
        for (uint32_t j = 0; j < t->items.len; j++) {
            const Step *s = t->items.at[j].s;
            if (s->kind == STEP_WAIT && s->op == WAIT_GE && t->items.at[j].node < t->n_steps &&
                !scope_cell(t->scope, &s->rect))
                find_certain(t, &credits, j);
        }
        first = known < t->certain.len ? t->certain.at[known].to : t->items.len;
    }
    vec_free(&credits);
}

/* ---- accesses ---- */

/* In order of items, those before an item's own first. */
static void note_accesses(Trace *t, const LocalAccess *local, uint32_t n_local)
{
    uint32_t *next = xcalloc(n_local + 1, sizeof *next);
    uint32_t *head = xcalloc(t->items.len + 1, sizeof *head); /* of a chain: index + 1 */
    for (uint32_t k = n_local; k-- > 0;) {
        uint32_t item = item_at(t, local[k].name, local[k].pos);
        if (item == NO_ITEM)
            continue;
        next[k] = head[item];
        head[item] = k + 1;
    }
    for (uint32_t j = 0; j < t->items.len; j++) {
        const Step *s = t->items.at[j].s;
        for (uint32_t k = head[j]; k; k = next[k - 1])
            vec_push(&t->accesses, (ItemAccess){j, local[k - 1].a});
        for (uint32_t k = 0; k < s->n_access; k++)
            vec_push(&t->accesses, (ItemAccess){j, s->access[k]});
    }
    xfree(next);
    xfree(head);
}

void trace_make(Trace *t, const Execution *x)
{
    t->n_steps = x->n_steps;
    t->lands = t->scope->weak && !scope_is_plain(t->scope);
    for (uint32_t i = 0; i < x->n_steps; i++)
        add_step(t, x->steps[i], i);
    add_stuck(t);
    size_t size = (size_t)t->items.len * t->procs.len + 1;
    t->clocks = xcalloc(size, sizeof *t->clocks);
    t->bases = xcalloc(size, sizeof *t->bases);
    make_clocks(t);
    if (t->scope->judges)
        note_accesses(t, x->local, x->n_local);
}

void trace_free(Trace *t)
{
    for (uint32_t i = 0; i < t->extra.len; i++)
        step_free(t->extra.at[i]);
    xfree(t->clocks);
    xfree(t->bases);
    vec_free(&t->items);
    vec_free(&t->procs);
    vec_free(&t->last);
    vec_free(&t->certain);
    vec_free(&t->races);
    vec_free(&t->writes);
    vec_free(&t->extra);
    vec_free(&t->accesses);
}
