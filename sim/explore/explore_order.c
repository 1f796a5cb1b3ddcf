/* Transitions become items with vector clocks: order of a lane, of a pair's landings, of what made
 * them possible, and of every dependent pair. Two dependent items with nothing ordered between them
 * are a race: the later one could have come first.
 *
 * Waits. A credit that makes a wait true lies before it and can not be put behind it; one that
 * comes when it holds already does not touch it. Where a cell can also fall (Set, Eq, a reset) a
 * wait could be taken at every earlier moment at which it held. A lane that is blocked at the end
 * stands there with its wait, which may have held before.
 *
 * Weak memory. A release fence lands what is buffered, an acquire fence refreshes: both could have
 * happened earlier and by themselves, so they are items of their own before the fence. */
#include "sim/explore/explore_order.h"

#include "base/crc32.h"
#include "sim/machine/rect_overlap.h"
#include <string.h>

#define NO_ITEM UINT32_MAX

typedef struct {
    const Step *s;
    uint32_t node;      /* transition it is, or is part of */
    uint32_t proc, pos; /* pos-th item of its process, from 1 */
    uint32_t prev;      /* item before it in its process, or NO_ITEM */
    uint32_t cause;     /* LAND: the item that wrote; start of a dispatch: the end of another one */
} Item;

/* A write that has not landed. */
typedef struct {
    uint32_t item, from;
    FabRect rect;
} Write;

typedef struct {
    const World *w;
    bool weak;
    uint32_t n_steps;
    OrderWant *want;
    void *env;
    VEC(Item) items;
    VEC(uint32_t) procs; /* names */
    VEC(uint32_t) last;  /* per process: its latest item */
    uint32_t *clocks;    /* [item][proc] */
    VEC(Write) writes;
    VEC(Step *) extra; /* steps of items that are no transitions */
    VEC(uint32_t) initials;
} Order;

static uint32_t proc_of(Order *o, uint32_t name)
{
    for (uint32_t i = 0; i < o->procs.len; i++)
        if (o->procs.at[i] == name)
            return i;
    vec_push(&o->procs, name);
    vec_push(&o->last, NO_ITEM);
    return o->procs.len - 1;
}

static uint32_t add_item(Order *o, const Step *s, uint32_t node, uint32_t cause)
{
    Item it = {.s = s, .node = node, .proc = proc_of(o, s->name), .cause = cause};
    it.prev = o->last.at[it.proc];
    it.pos = it.prev == NO_ITEM ? 1 : o->items.at[it.prev].pos + 1;
    o->last.at[it.proc] = o->items.len;
    vec_push(&o->items, it);
    return o->items.len - 1;
}

static Step *extra_step(Order *o, StepKind kind, uint32_t name, uint32_t rank)
{
    Step *s = xcalloc(1, sizeof *s);
    s->kind = (uint8_t)kind;
    s->name = name;
    s->rank = rank;
    vec_push(&o->extra, s);
    return s;
}

static bool acquires(const Step *s)
{
    return s->kind == STEP_FENCE && s->op == FENCE_ACQUIRE;
}

/* ---- items of weak memory ---- */

static bool sees(const Step *s)
{
    return s->kind == STEP_REFRESH || acquires(s);
}

/* Last refresh of a rank before an item: one past it. */
static uint32_t seen_until(const Order *o, uint32_t rank, uint32_t before)
{
    for (uint32_t i = before; i-- > 0;)
        if (sees(o->items.at[i].s) && o->items.at[i].s->rank == rank)
            return i + 1;
    return 0;
}

static bool lands_for(const Order *o, uint32_t i, uint32_t rank)
{
    return o->items.at[i].s->kind == STEP_LAND && o->items.at[i].s->rank != rank;
}

static void land_all(Order *o, uint32_t rank, uint32_t node)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < o->writes.len; i++) {
        Write x = o->writes.at[i];
        if (x.from != rank) {
            o->writes.at[kept++] = x;
            continue;
        }
        Step *s =
            extra_step(o, STEP_LAND, LANDING_BIT | (rank * o->w->n_ranks + x.rect.at.rank), rank);
        s->rect = x.rect;
        (void)add_item(o, s, node, x.item);
    }
    o->writes.len = kept;
}

static Step *refresh_step(Order *o, uint32_t rank)
{
    uint32_t n = o->w->n_ranks;
    return extra_step(o, STEP_REFRESH, LANDING_BIT | (n * n + rank), rank);
}

/* A refresh that could have happened by itself. */
static void refresh(Order *o, uint32_t rank, uint32_t node)
{
    for (uint32_t i = seen_until(o, rank, o->items.len); i < o->items.len; i++)
        if (lands_for(o, i, rank)) {
            (void)add_item(o, refresh_step(o, rank), node, NO_ITEM);
            return;
        }
}

/* A dispatch that starts with item `cause` acquires. */
static void begin(Order *o, uint32_t dispatch, uint32_t node, uint32_t cause)
{
    Step *s = refresh_step(o, o->w->dispatches.at[dispatch].rank);
    s->dispatch = dispatch;
    s->ends = true;
    (void)add_item(o, s, node, cause);
}

static uint32_t take_write(Order *o, const Step *land)
{
    for (uint32_t i = 0; i < o->writes.len; i++)
        if (o->writes.at[i].from == land->rank &&
            o->writes.at[i].rect.at.rank == land->rect.at.rank) {
            uint32_t item = o->writes.at[i].item;
            o->writes.len--;
            memmove(o->writes.at + i, o->writes.at + i + 1,
                    (o->writes.len - i) * sizeof *o->writes.at);
            return item;
        }
    return NO_ITEM;
}

static void note_writes(Order *o, const Step *s, uint32_t item)
{
    for (uint32_t i = 0; i < s->n_access; i++)
        if (s->access[i].kind != ACC_READ && rect_bytes(&s->access[i].rect))
            vec_push(&o->writes, (Write){item, s->rank, s->access[i].rect});
}

static void add_step(Order *o, const Step *s, uint32_t node)
{
    uint32_t cause = NO_ITEM;
    if (o->weak && step_releases(s))
        land_all(o, s->rank, node);
    if (o->weak && acquires(s))
        refresh(o, s->rank, node);
    for (uint32_t i = 0; i < s->n_begun && o->weak; i++)
        refresh(o, o->w->dispatches.at[s->begun[i]].rank, node);
    if (s->kind == STEP_LAND)
        cause = take_write(o, s);
    uint32_t item = add_item(o, s, node, cause);
    if (o->weak)
        note_writes(o, s, item);
    for (uint32_t i = 0; i < s->n_begun && o->weak; i++)
        begin(o, s->begun[i], node, item);
}

/* Lanes blocked at the end, with the wait they stand at. */
static void add_blocked(Order *o, uint32_t n)
{
    for (uint32_t r = 0; r < o->w->n_ranks; r++)
        for (uint32_t k = 0; k < o->w->ranks[r].n_lanes; k++) {
            Lane *lane = &o->w->ranks[r].lanes[k];
            if (lane->state != LANE_BLOCKED || lane->pending.kind != PEND_WAIT)
                continue;
            Choice c = {.lane = lane};
            Step *s = step_new(o->w, &c);
            vec_push(&o->extra, s);
            (void)add_item(o, s, n, NO_ITEM);
        }
}

/* ---- clocks ---- */

static uint32_t *clock_of(const Order *o, uint32_t item)
{
    return o->clocks + (size_t)item * o->procs.len;
}

static void join(const Order *o, uint32_t *clock, uint32_t item)
{
    if (item == NO_ITEM)
        return;
    const uint32_t *c = clock_of(o, item);
    for (uint32_t i = 0; i < o->procs.len; i++)
        if (c[i] > clock[i])
            clock[i] = c[i];
}

/* Does item `i` lie before what has this clock? */
static bool before(const Order *o, uint32_t i, const uint32_t *clock)
{
    return clock[o->items.at[i].proc] >= o->items.at[i].pos;
}

/* The acquire at the start of a dispatch. */
static bool starts(const Step *s)
{
    return s->kind == STEP_REFRESH && s->ends;
}

/* What a dispatch had to wait for: the ends of earlier ones on its device and of its dependencies.
 */
static void join_birth(const Order *o, uint32_t *clock, uint32_t dispatch, uint32_t item)
{
    const Dispatch *all = o->w->dispatches.at, *d = &all[dispatch];
    for (uint32_t i = 0; i < item; i++) {
        const Step *s = o->items.at[i].s;
        if (starts(s) && s->dispatch == dispatch)
            join(o, clock, i);
        if (s->kind != STEP_EXIT)
            continue;
        bool counts = s->dispatch < dispatch && all[s->dispatch].rank == d->rank;
        for (uint32_t k = 0; k < d->n_deps && !counts; k++)
            counts = !d->deps[k].at_start && d->deps[k].dispatch == s->dispatch;
        if (counts)
            join(o, clock, i);
    }
    for (uint32_t k = 0; k < d->n_deps; k++)
        if (d->deps[k].at_start && d->deps[k].dispatch < dispatch)
            join_birth(o, clock, d->deps[k].dispatch, item);
}

static bool is_landing(const Step *s)
{
    return s->kind == STEP_LAND || s->kind == STEP_REFRESH;
}

/* Order that no other schedule can change. */
static void base_clock(const Order *o, uint32_t item, uint32_t *clock)
{
    const Item *it = &o->items.at[item];
    memset(clock, 0, o->procs.len * sizeof *clock);
    join(o, clock, it->prev);
    join(o, clock, it->cause);
    if (!is_landing(it->s) &&
        (it->prev == NO_ITEM || o->items.at[it->prev].s->dispatch != it->s->dispatch))
        join_birth(o, clock, it->s->dispatch, item);
}

/* ---- dependence ---- */

static bool touches(const Step *s, const FabRect *rect)
{
    for (uint32_t i = 0; i < s->n_access; i++) {
        const FabRect *r = &s->access[i].rect;
        if (s->access[i].kind == ACC_READ && r->at.rank == rect->at.rank &&
            r->at.window == rect->at.window && rects_touch(r, rect))
            return true;
    }
    return false;
}

/* Does the rank that refreshed with item `i` read what landed before it refreshes again? */
static bool read_after(const Order *o, uint32_t i, const FabRect *landed)
{
    uint32_t rank = o->items.at[i].s->rank;
    for (uint32_t k = i + 1; k < o->items.len; k++) {
        const Step *s = o->items.at[k].s;
        if (s->rank != rank || s->kind == STEP_LAND)
            continue;
        if (sees(s))
            return false;
        if (touches(s, landed))
            return true;
    }
    return false;
}

/* Would a read have seen something else without this refresh? */
static bool refresh_shows(const Order *o, uint32_t item, const Step *read)
{
    uint32_t rank = o->items.at[item].s->rank;
    for (uint32_t i = seen_until(o, rank, item); i < item; i++)
        if (lands_for(o, i, rank) && touches(read, &o->items.at[i].s->rect))
            return true;
    return false;
}

static bool weak_depends(const Order *o, uint32_t i, uint32_t j)
{
    const Step *a = o->items.at[i].s, *b = o->items.at[j].s;
    if (a->kind == STEP_LAND && sees(b))
        return a->rank != b->rank && read_after(o, j, &a->rect);
    if (sees(a) && b->kind == STEP_LAND)
        return a->rank != b->rank && read_after(o, i, &b->rect);
    if (a->kind == STEP_FENCE && b->kind == STEP_FENCE)
        return a->rank == b->rank && a->op == b->op;
    if (is_landing(a) || is_landing(b) || sees(a) || sees(b)) {
        if (sees(a) && a->rank == b->rank && b->n_access)
            return refresh_shows(o, i, b);
        if (sees(b) && a->rank == b->rank && a->n_access)
            return refresh_shows(o, j, a);
    }
    if (step_releases(a) || step_releases(b))
        return a->rank == b->rank && (a->kind == STEP_LAND || b->kind == STEP_LAND);
    return step_dependent(a, b, true);
}

static bool depends(const Order *o, uint32_t i, uint32_t j)
{
    return o->weak ? weak_depends(o, i, j) : step_conflict(o->items.at[i].s, o->items.at[j].s);
}

/* ---- races ---- */

/* A fence takes what landed just before it along: their order by itself is nothing. */
static bool part_of_fence(const Order *o, uint32_t i, uint32_t j)
{
    const Step *a = o->items.at[i].s, *b = o->items.at[j].s;
    return is_landing(a) && (b->kind == STEP_FENCE || b->kind == STEP_EXIT) && a->rank == b->rank;
}

/* A refresh needs something to show: a landing that does not lie behind item `i`. */
static bool can_go_first(const Order *o, uint32_t i, uint32_t j)
{
    const Step *b = o->items.at[j].s;
    if (b->kind != STEP_REFRESH)
        return true;
    for (uint32_t k = seen_until(o, b->rank, j); k < j; k++)
        if (k != i && lands_for(o, k, b->rank) && (k < i || !before(o, i, clock_of(o, k))))
            return true;
    return false;
}

/* What may stand first among the items behind item `i` that do not depend on it. */
typedef struct {
    uint32_t *first; /* per process: position of its first item there, 0: none */
    uint32_t *node;  /* and the transition it is part of */
} Front;

/* Nothing there lies before the first item of process `proc`. What a fence takes along is part of
 * it. */
static bool is_initial(const Order *o, const Front *f, uint32_t proc, const uint32_t *clock)
{
    for (uint32_t p = 0; p < o->procs.len; p++)
        if (p != proc && f->first[p] && clock[p] >= f->first[p] && f->node[p] != f->node[proc])
            return false;
    return true;
}

static void report(Order *o, uint32_t i, uint32_t j, const uint32_t *clock)
{
    if (!o->want || part_of_fence(o, i, j) || !can_go_first(o, i, j))
        return;
    Front f = {xcalloc(o->procs.len, sizeof *f.first), xcalloc(o->procs.len, sizeof *f.node)};
    vec_clear(&o->initials);
    for (uint32_t k = i + 1; k <= j; k++) {
        const Item *it = &o->items.at[k];
        const uint32_t *c = k == j ? clock : clock_of(o, k);
        bool stuck = k != j && it->node == o->n_steps; /* another lane blocked at the end */
        if (stuck || f.first[it->proc] || (k != j && before(o, i, c)))
            continue;
        f.first[it->proc] = it->pos;
        f.node[it->proc] = it->node;
        if (is_initial(o, &f, it->proc, c))
            vec_push(&o->initials, it->s->name);
    }
    free(f.first);
    free(f.node);
    o->want(o->env, o->items.at[i].node, o->initials.at, o->initials.len);
}

/* A notify before a wait for its cell. */
static void notify_wait(Order *o, uint32_t i, uint32_t j, const uint32_t *base, uint32_t *clock)
{
    const Step *a = o->items.at[i].s, *b = o->items.at[j].s;
    bool held = step_holds(b, a->before);
    if (before(o, i, base) || (held && b->op == WAIT_GE && a->monotone))
        return;
    if (held)
        report(o, i, j, clock);
    join(o, clock, i);
}

static bool signal_pair(const Step *a, const Step *b)
{
    return (a->kind == STEP_NOTIFY || a->kind == STEP_WAIT) &&
           (b->kind == STEP_NOTIFY || b->kind == STEP_WAIT);
}

static void visit(Order *o, uint32_t j, uint32_t *base)
{
    const Step *b = o->items.at[j].s;
    uint32_t *clock = clock_of(o, j);
    base_clock(o, j, base);
    memcpy(clock, base, o->procs.len * sizeof *clock);
    for (uint32_t i = j; i-- > 0;) {
        const Step *a = o->items.at[i].s;
        if (o->items.at[i].proc == o->items.at[j].proc)
            continue;
        if (a->kind == STEP_NOTIFY && b->kind == STEP_WAIT && step_same_cell(a, b)) {
            notify_wait(o, i, j, base, clock);
            continue;
        }
        if (before(o, i, clock))
            continue;
        if (signal_pair(a, b) ? step_dependent(a, b, o->weak) : depends(o, i, j)) {
            report(o, i, j, clock);
            join(o, clock, i);
        }
    }
    clock[o->items.at[j].proc] = o->items.at[j].pos;
}

/* A sum, because the order of independent items is no part of it. */
static uint64_t item_hash(const Order *o, uint32_t item)
{
    uint64_t sum = 0;
    const uint32_t *clock = clock_of(o, item);
    for (uint32_t p = 0; p < o->procs.len; p++) {
        uint32_t part[2] = {o->procs.at[p], clock[p]};
        sum += clock[p] ? hash64(HASH64_INIT, part, sizeof part) : 0;
    }
    return hash64(sum, &o->items.at[item].s->name, sizeof(uint32_t));
}

uint64_t order_races(const World *w, Step *const *steps, uint32_t n, OrderWant *want, void *env)
{
    Order o = {.w = w, .weak = w->config->weak, .n_steps = n, .want = want, .env = env};
    for (uint32_t i = 0; i < n; i++)
        add_step(&o, steps[i], i);
    add_blocked(&o, n);
    o.clocks = xcalloc((size_t)o.items.len * o.procs.len + 1, sizeof *o.clocks);
    uint32_t *base = xcalloc(o.procs.len + 1, sizeof *base);
    uint64_t hash = 0;
    for (uint32_t j = 0; j < o.items.len; j++) {
        visit(&o, j, base);
        hash += item_hash(&o, j);
    }
    for (uint32_t i = 0; i < o.extra.len; i++)
        step_free(o.extra.at[i]);
    free(base);
    free(o.clocks);
    vec_free(&o.items);
    vec_free(&o.procs);
    vec_free(&o.last);
    vec_free(&o.writes);
    vec_free(&o.extra);
    vec_free(&o.initials);
    return hash;
}
