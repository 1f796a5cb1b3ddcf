#include "sim/explore/explore_step.h"

#include "sim/machine/job.h"
#include "sim/machine/rect_overlap.h"
#include <string.h>

static StepKind kind_of(const Pending *p)
{
    switch (p->kind) {
    case PEND_NOTIFY: return STEP_NOTIFY;
    case PEND_WAIT: return STEP_WAIT;
    case PEND_FENCE: return STEP_FENCE;
    case PEND_EXIT: return STEP_EXIT;
    case PEND_JOIN: return STEP_JOIN;
    default: return STEP_DATA;
    }
}

void step_after(Step *s, const LaneStep *steps, uint32_t n)
{
    s->n_after = n;
    s->after = n ? xmalloc(n * sizeof *s->after) : NULL;
    if (n)
        memcpy(s->after, steps, n * sizeof *s->after);
}

Step *step_new(const World *w, const Choice *c)
{
    Step *s = xcalloc(1, sizeof *s);
    s->name = choice_name(w, c);
    if (!c->lane) {
        bool refresh = c->landing->from == w->n_ranks;
        s->kind = refresh ? STEP_REFRESH : STEP_LAND;
        s->rank = refresh ? c->landing->reader : c->landing->from;
        s->rect = c->landing->rect;
        return s;
    }
    const Pending *p = &c->lane->pending;
    s->kind = (uint8_t)kind_of(p);
    s->op = (uint8_t)p->op;
    s->value = p->value;
    s->rect = p->rect;
    s->rank = c->lane->rank;
    s->dispatch = c->lane->dispatch;
    s->hands_on = job_hands_on(w, c->lane);
    step_after(s, c->lane->births.at, c->lane->births.len);
    return s;
}

Step *step_copy(const Step *s)
{
    Step *copy = xcalloc(1, sizeof *copy);
    *copy = *s;
    copy->begun = NULL;
    copy->access = NULL;
    copy->n_begun = copy->n_access = copy->cap_access = 0;
    step_after(copy, s->after, s->n_after);
    for (uint32_t i = 0; i < s->n_begun; i++)
        step_begin(copy, s->begun[i]);
    for (uint32_t i = 0; i < s->n_access; i++)
        step_access(copy, (AccessKind)s->access[i].kind, &s->access[i].rect);
    return copy;
}

void step_free(Step *s)
{
    if (!s)
        return;
    xfree(s->begun);
    xfree(s->after);
    xfree(s->access);
    xfree(s);
}

void step_begin(Step *s, uint32_t dispatch)
{
    s->begun = xrealloc(s->begun, (s->n_begun + 1) * sizeof *s->begun);
    s->begun[s->n_begun++] = dispatch;
}

void step_access(Step *s, AccessKind kind, const FabRect *rect)
{
    if (s->n_access == s->cap_access) {
        s->cap_access = s->cap_access ? 2 * s->cap_access : 2;
        s->access = xrealloc(s->access, s->cap_access * sizeof *s->access);
    }
    s->access[s->n_access++] = (StepAccess){(uint8_t)kind, *rect};
}

bool step_holds(const Step *wait, int32_t value)
{
    return wait->op == WAIT_GE ? value >= wait->value : value == wait->value;
}

static bool same_slice(const FabRect *a, const FabRect *b)
{
    return a->at.rank == b->at.rank && a->at.window == b->at.window;
}

/* What a step reads or changes, signal cells included. */
static uint32_t count(const Step *s)
{
    return s->n_access + step_is_signal(s);
}

static StepAccess nth(const Step *s, uint32_t i)
{
    if (i < s->n_access)
        return s->access[i];
    return (StepAccess){s->kind == STEP_WAIT ? ACC_READ : ACC_WRITE, s->rect};
}

bool access_conflict(const StepAccess *a, const StepAccess *b)
{
    if (a->kind == b->kind && (a->kind == ACC_READ || a->kind == ACC_SUM))
        return false;
    return same_slice(&a->rect, &b->rect) && rects_touch(&a->rect, &b->rect);
}

/* Do they touch common bytes, one of them changing them? */
static bool step_conflict(const Step *a, const Step *b)
{
    for (uint32_t i = 0; i < count(a); i++)
        for (uint32_t k = 0; k < count(b); k++) {
            StepAccess x = nth(a, i), y = nth(b, k);
            if (access_conflict(&x, &y))
                return true;
        }
    return false;
}

bool step_hand_on(const Step *a, const Step *b)
{
    return a->hands_on && b->hands_on && a->rank == b->rank;
}

bool step_releases(const Step *s)
{
    return s->kind == STEP_FENCE ? s->op == FENCE_RELEASE : s->kind == STEP_EXIT && s->ends;
}

bool step_sees(const Step *s)
{
    return s->kind == STEP_REFRESH || (s->kind == STEP_FENCE && s->op == FENCE_ACQUIRE);
}

bool step_views(const Scope *scope, const Step *s)
{
    for (uint32_t i = 0; i < count(s); i++) {
        StepAccess x = nth(s, i);
        if (x.kind == ACC_READ && scope_views(scope, s->rank, &x.rect))
            return true;
    }
    return false;
}

/* ---- weak memory ---- */

bool step_lands(const Scope *scope, const Step *s)
{
    for (uint32_t i = 0; i < s->n_access; i++)
        if (s->access[i].kind != ACC_READ && scope_lands(scope, &s->access[i].rect))
            return true;
    return false;
}

/* An access of bytes that are about to land, or have just landed: a notify of them, or a read by
 * the writer, whose own adds are seen on top of what it sees else. */
static bool meets(const Step *x, const Step *land)
{
    for (uint32_t i = 0; i < count(x); i++) {
        StepAccess a = nth(x, i);
        bool own = x->rank == land->rank && a.kind == ACC_READ;
        if ((own || step_is_signal(x)) && same_slice(&a.rect, &land->rect) &&
            rects_touch(&a.rect, &land->rect))
            return true;
    }
    return false;
}

static bool writes_to(const Step *s, uint32_t rank)
{
    for (uint32_t i = 0; i < s->n_access; i++) {
        const StepAccess *a = &s->access[i];
        if (a->kind != ACC_READ && a->rect.at.rank == rank && !(a->rect.at.window & DEVICE_BIT))
            return true;
    }
    return false;
}

bool step_queues_matter(const Scope *scope, const Step *a, const Step *b)
{
    for (uint32_t i = 0; i < a->n_access && a->rank == b->rank; i++) {
        uint32_t target = a->access[i].rect.at.rank;
        if (writes_to(a, target) && writes_to(b, target) && scope_lands_on(scope, target))
            return true;
    }
    return false;
}

bool step_landing_matters(const Scope *scope, const Step *land, const Step *x)
{
    if (!scope_lands(scope, &land->rect))
        return false; /* not even the fence that lands it: others do not see which one does */
    if (x->kind == STEP_LAND)
        return x->rank != land->rank && same_slice(&x->rect, &land->rect) &&
               rects_touch(&x->rect, &land->rect);
    if (step_sees(x) && x->rank != land->rank && scope_views(scope, x->rank, &land->rect))
        return true;
    return meets(x, land) || (step_releases(x) && x->rank == land->rank);
}

static bool touches_landing_bytes(const Scope *scope, const Step *s)
{
    for (uint32_t i = 0; i < count(s); i++) {
        StepAccess x = nth(s, i);
        if (scope_lands(scope, &x.rect))
            return true;
    }
    return false;
}

/* Fences of one device, and its accesses of bytes that they land or show. A release fence lands
 * what its rank has written: it matters as those writes do. */
static bool fences_matter(const Scope *scope, const Step *a, const Step *b)
{
    if (a->n_begun || b->n_begun)
        return true;
    bool lands = step_releases(a), sees = step_sees(a);
    if (lands && (step_releases(b) || step_sees(b)))
        return true;
    if (lands && (b->kind == STEP_LAND || touches_landing_bytes(scope, b)))
        return true;
    return sees && a->rank == b->rank && step_views(scope, b);
}

static bool weak_matters(const Scope *scope, const Step *a, const Step *b)
{
    if (scope_is_plain(scope))
        return false;
    if (a->kind == STEP_LAND && step_landing_matters(scope, a, b))
        return true;
    if (b->kind == STEP_LAND && step_landing_matters(scope, b, a))
        return true;
    return step_queues_matter(scope, a, b) || fences_matter(scope, a, b) ||
           fences_matter(scope, b, a);
}

/* Writes of different ranks lie in different buffers; a notified cell is the same to everybody. */
static bool meet_at_once(const Step *a, const Step *b)
{
    return a->rank == b->rank || a->kind == STEP_NOTIFY || b->kind == STEP_NOTIFY;
}

/* ---- signals ---- */

/* Both can happen next, so the wait holds: more credits do not touch it. */
static bool signals_matter(const Scope *scope, const Step *a, const Step *b)
{
    const Step *wait = a->kind == STEP_WAIT ? a : b, *other = wait == a ? b : a;
    if (!step_same_cell(a, b) || other->kind == STEP_WAIT)
        return false;
    if (scope_wild(scope, &a->rect))
        return true;
    if (wait->kind == STEP_WAIT)
        return wait->op != WAIT_GE || !other->monotone;
    bool adds = a->op == NOTIFY_ATOMIC_ADD && b->op == NOTIFY_ATOMIC_ADD && !a->wraps && !b->wraps;
    return !adds || scope_cell(scope, &a->rect);
}

bool step_dependent(const Scope *scope, const Step *a, const Step *b)
{
    if (scope->weak && weak_matters(scope, a, b))
        return true;
    if (step_is_signal(a) && step_is_signal(b))
        return signals_matter(scope, a, b);
    return (!scope->weak || meet_at_once(a, b)) && step_conflict(a, b);
}
