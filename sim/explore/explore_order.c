/* Two dependent items with nothing else ordered between them are a race: the later one could have
 * come first. */
#include "sim/explore/explore_order.h"

#include <string.h>

typedef VEC(uint32_t) Names;

typedef struct {
    const Trace *t;
    OrderWant *want;
    void *env;
    Names initials;
    uint32_t *first; /* scratch, per process: see Front */
    uint32_t *node;
} Order;

/* A fence takes what landed just before it along: their order by itself is nothing. */
static bool part_of_fence(const Trace *t, uint32_t i, uint32_t j)
{
    const Step *a = t->items.at[i].s, *b = t->items.at[j].s;
    return step_is_landing(a) && (b->kind == STEP_FENCE || b->kind == STEP_EXIT) &&
           a->rank == b->rank;
}

/* A refresh that is not the start of a dispatch needs something to show: a landing that does not
 * lie behind item `i`. */
static bool can_go_first(const Trace *t, uint32_t i, uint32_t j)
{
    const Step *b = t->items.at[j].s;
    if (b->kind != STEP_REFRESH || b->ends)
        return true;
    for (uint32_t k = trace_seen_until(t, b->rank, j); k < j; k++)
        if (k != i && trace_lands_for(t, k, b->rank) &&
            (k < i || !trace_before(t, i, trace_clock(t, k))))
            return true;
    return false;
}

/* What may stand first among the items behind item `i` that do not depend on it: per process the
 * position of its first item there (0: none), and the transition that it is part of. Nothing there
 * lies before the first item of process `proc`. What a fence takes along is part of it. */
static bool is_initial(const Order *o, uint32_t proc, const uint32_t *clock)
{
    for (uint32_t p = 0; p < o->t->procs.len; p++)
        if (p != proc && o->first[p] && clock[p] >= o->first[p] && o->node[p] != o->node[proc])
            return false;
    return true;
}

static void report(Order *o, uint32_t i, uint32_t j)
{
    const Trace *t = o->t;
    if (part_of_fence(t, i, j) || !can_go_first(t, i, j))
        return;
    memset(o->first, 0, t->procs.len * sizeof *o->first);
    vec_clear(&o->initials);
    for (uint32_t k = i + 1; k <= j; k++) {
        const Item *it = &t->items.at[k];
        bool stuck = k != j && it->node == t->n_steps; /* another lane that stands at the end */
        if (stuck || o->first[it->proc] || (k != j && trace_before(t, i, trace_clock(t, k))))
            continue;
        o->first[it->proc] = it->pos;
        o->node[it->proc] = it->node;
        if (is_initial(o, it->proc, trace_clock(t, k)))
            vec_push(&o->initials, it->s->name);
    }
    o->want(o->env, t->items.at[i].node, o->initials.at, o->initials.len);
}

static void report_all(const Trace *t, OrderWant *want, void *env)
{
    Order o = {.t = t, .want = want, .env = env};
    o.first = xcalloc(t->procs.len + 1, sizeof *o.first);
    o.node = xcalloc(t->procs.len + 1, sizeof *o.node);
    for (uint32_t k = 0; k < t->races.len; k++)
        report(&o, t->races.at[k].from, t->races.at[k].to);
    xfree(o.first);
    xfree(o.node);
    vec_free(&o.initials);
}

/* The end of splitmix64: sums of what it returns rarely meet. */
static uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A sum, because the order of independent items is no part of it. */
static uint64_t item_hash(const Trace *t, uint32_t item)
{
    uint64_t sum = 0;
    const uint32_t *clock = trace_clock(t, item);
    for (uint32_t p = 0; p < t->procs.len; p++)
        sum += clock[p] ? mix((uint64_t)t->procs.at[p] << 32 | clock[p]) : 0;
    return mix(sum ^ t->items.at[item].s->name);
}

uint64_t order_races(const Execution *x, Scope *scope, OrderWant *want, void *env)
{
    Trace t = {.w = x->world, .scope = scope};
    uint64_t hash = 0;
    trace_make(&t, x);
    trace_judge(&t);
    if (want && !scope->grown)
        report_all(&t, want, env);
    for (uint32_t j = 0; j < t.items.len; j++)
        hash += item_hash(&t, j);
    trace_free(&t);
    return hash;
}
