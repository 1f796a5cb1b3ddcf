/* Does an execution bear out what the search takes for granted? */
#include "sim/explore/explore_trace.h"

#include "sim/machine/rect_overlap.h"

/* ---- credits ---- */

typedef struct {
    int64_t up, down; /* sums of all adds to the cell */
    int64_t sure;     /* of those that lie before the wait in every execution */
    bool odd;         /* something else than adds, or lowered by who does not wait in order */
} CellCredits;

static void count_credit(const Trace *t, uint32_t i, uint32_t wait, CellCredits *c)
{
    const Step *s = t->items.at[i].s, *w = t->items.at[wait].s;
    bool same_lane = s->name == w->name || (s->rank == w->rank && s->dispatch != w->dispatch);
    c->odd |= s->op == NOTIFY_SET || s->wraps || (s->value < 0 && !same_lane);
    if (s->value < 0)
        c->down += s->value;
    else
        c->up += s->value;
    if (s->value < 0 ? i < wait : trace_before(t, i, trace_clock(t, wait)))
        c->sure += s->value;
}

/* Adds commute where no wait could be satisfied by other credits than those it has in every
 * execution. */
static void judge_wait(const Trace *t, uint32_t wait)
{
    const Step *w = t->items.at[wait].s;
    bool blocked = t->items.at[wait].node == t->n_steps;
    CellCredits c = {.odd = w->op != WAIT_GE};
    for (uint32_t i = 0; i < t->items.len; i++) {
        const Step *s = t->items.at[i].s;
        if (s->kind == STEP_NOTIFY && step_same_cell(s, w))
            count_credit(t, i, wait, &c);
    }
    if (c.odd || c.up > INT32_MAX || c.down < INT32_MIN || (!blocked && c.sure < w->value))
        scope_add_cell(t->scope, &w->rect);
}

/* ---- accesses ---- */

/* The first release of the rank that lands what item `i` wrote. */
static uint32_t landed_by(const Trace *t, uint32_t i)
{
    for (uint32_t k = i; k < t->items.len; k++) {
        const Step *s = t->items.at[k].s;
        if (step_releases(s) && s->rank == t->items.at[i].s->rank &&
            trace_before(t, i, trace_clock(t, k)))
            return k;
    }
    return NO_ITEM;
}

/* The last acquire of the rank before what stands before item `j`. */
static uint32_t acquired_by(const Trace *t, uint32_t j)
{
    for (uint32_t k = j; k-- > 0;) {
        const Step *s = t->items.at[k].s;
        bool acquires = step_sees(s) && (s->kind == STEP_FENCE || s->ends);
        if (acquires && s->rank == t->items.at[j].s->rank && trace_before(t, k, trace_base(t, j)))
            return k;
    }
    return NO_ITEM;
}

/* Lanes of one rank, and all under sc, see each other's accesses at once. */
static bool in_order(const Trace *t, const ItemAccess *a, const ItemAccess *b)
{
    return t->scope->data || t->items.at[a->item].proc == t->items.at[b->item].proc ||
           trace_before(t, a->item, trace_base(t, b->item));
}

/* Is what the later access sees, or what remains of both, the same in every execution with this
 * order? A write before a write must have landed before; for a read it must have been acquired as
 * well. What is read before it is written is no matter of memory. */
static bool settled(const Trace *t, const ItemAccess *a, const ItemAccess *b)
{
    if (!trace_before(t, a->item, trace_base(t, b->item)))
        return false;
    if (a->a.kind == ACC_READ)
        return true;
    uint32_t f = landed_by(t, a->item);
    if (f == NO_ITEM)
        return false;
    if (b->a.kind != ACC_READ)
        return trace_before(t, f, trace_base(t, b->item));
    uint32_t g = acquired_by(t, b->item);
    return g != NO_ITEM && trace_before(t, f, trace_clock(t, g));
}

static void judge_pair(const Trace *t, const ItemAccess *a, const ItemAccess *b)
{
    uint32_t first = t->items.at[a->item].s->rank, second = t->items.at[b->item].s->rank;
    bool apart = t->scope->weak && first != second;
    if (!access_conflict(&a->a, &b->a) || (apart ? settled(t, a, b) : in_order(t, a, b)))
        return;
    if (!apart) {
        scope_add_data(t->scope);
        return;
    }
    scope_add_lands(t->scope, &a->a.rect, &b->a.rect);
    if (a->a.kind == ACC_READ)
        scope_add_views(t->scope, first, &a->a.rect, &b->a.rect);
    if (b->a.kind == ACC_READ)
        scope_add_views(t->scope, second, &a->a.rect, &b->a.rect);
}

void trace_judge(const Trace *t)
{
    for (uint32_t j = 0; j < t->items.len; j++) {
        const Step *s = t->items.at[j].s;
        if (s->kind == STEP_WAIT && !scope_cell(t->scope, &s->rect))
            judge_wait(t, j);
    }
    for (uint32_t j = 0; j < t->accesses.len; j++)
        for (uint32_t i = 0; i < j; i++)
            judge_pair(t, &t->accesses.at[i], &t->accesses.at[j]);
}
