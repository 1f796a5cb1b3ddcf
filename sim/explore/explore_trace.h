/* An execution as items with vector clocks: which happens before which in every execution that is
 * taken for the same. */
#ifndef PLD_SIM_EXPLORE_EXPLORE_TRACE_H
#define PLD_SIM_EXPLORE_EXPLORE_TRACE_H

#include "sim/explore/explore_step.h"

#define NO_ITEM UINT32_MAX

typedef struct {
    const Step *s;
    uint32_t node;      /* transition it is, or is part of; the number of them: at the end */
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
    uint32_t from, to;
} Pair;

/* An access that is no transition: it happens between two of its lane. */
typedef struct {
    uint32_t name, rank; /* of the lane */
    uint32_t pos;        /* the lane's item that follows, from 1 */
    StepAccess a;
} LocalAccess;

/* An execution of a world that stands at its end: its transitions, and what lies between them. */
typedef struct {
    const World *world;
    Step *const *steps;
    uint32_t n_steps;
    const LocalAccess *local;
    uint32_t n_local;
} Execution;

/* What is held against the scope: the accesses of items, and those before them. */
typedef struct {
    uint32_t item;
    StepAccess a;
} ItemAccess;

typedef struct {
    const World *w;
    Scope *scope;
    bool lands; /* landings and refreshes are items */
    uint32_t n_steps;
    VEC(Item) items;
    VEC(uint32_t) procs; /* names */
    VEC(uint32_t) last;  /* per process: its latest item */
    uint32_t *clocks;    /* [item][proc] */
    uint32_t *bases;     /* the same without the item's own place among what it depends on */
    VEC(Pair) certain;   /* credits and the waits that cannot do without them */
    VEC(Pair) races;     /* dependent, and nothing else orders them */
    VEC(Write) writes;
    VEC(Step *) extra; /* steps of items that are no transitions */
    VEC(ItemAccess) accesses;
} Trace;

/* Makes the items of an execution, and their clocks. */
void trace_make(Trace *t, const Execution *x);
void trace_free(Trace *t);

static inline uint32_t *trace_clock(const Trace *t, uint32_t item)
{
    return t->clocks + (size_t)item * t->procs.len;
}

static inline uint32_t *trace_base(const Trace *t, uint32_t item)
{
    return t->bases + (size_t)item * t->procs.len;
}

/* Does item `i` lie before what has this clock? */
static inline bool trace_before(const Trace *t, uint32_t i, const uint32_t *clock)
{
    return clock[t->items.at[i].proc] >= t->items.at[i].pos;
}

static inline bool step_is_landing(const Step *s)
{
    return s->kind == STEP_LAND || s->kind == STEP_REFRESH;
}

/* Last refresh of a rank before an item: one past it. */
uint32_t trace_seen_until(const Trace *t, uint32_t rank, uint32_t before);
/* Is item `i` a landing of another rank's write that this rank must not be assumed to see? */
bool trace_lands_for(const Trace *t, uint32_t i, uint32_t rank);

/* Adds to the scope what the execution does not bear out. */
void trace_judge(const Trace *t);

#endif
