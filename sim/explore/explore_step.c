#include "sim/explore/explore_step.h"

#include "sim/machine/rect_overlap.h"
#include <string.h>

static StepKind kind_of(const Pending *p)
{
    switch (p->kind) {
    case PEND_NOTIFY: return STEP_NOTIFY;
    case PEND_WAIT: return STEP_WAIT;
    case PEND_FENCE: return STEP_FENCE;
    case PEND_EXIT: return STEP_EXIT;
    default: return STEP_DATA;
    }
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
    return s;
}

void step_free(Step *s)
{
    if (!s)
        return;
    free(s->begun);
    free(s->access);
    free(s);
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
    s->access[s->n_access++] = (Access){(uint8_t)kind, *rect};
}

bool step_holds(const Step *wait, int32_t value)
{
    return wait->op == WAIT_GE ? value >= wait->value : value == wait->value;
}

static bool same_slice(const FabRect *a, const FabRect *b)
{
    return a->at.rank == b->at.rank && a->at.window == b->at.window;
}

bool step_same_cell(const Step *a, const Step *b)
{
    return same_slice(&a->rect, &b->rect) && a->rect.at.offset == b->rect.at.offset;
}

static bool is_signal(const Step *s)
{
    return s->kind == STEP_NOTIFY || s->kind == STEP_WAIT;
}

/* What a step reads or changes, signal cells included. */
static uint32_t count(const Step *s)
{
    return s->n_access + is_signal(s);
}

static Access nth(const Step *s, uint32_t i)
{
    if (i < s->n_access)
        return s->access[i];
    return (Access){s->kind == STEP_WAIT ? ACC_READ : ACC_WRITE, s->rect};
}

bool step_conflict(const Step *a, const Step *b)
{
    for (uint32_t i = 0; i < count(a); i++)
        for (uint32_t k = 0; k < count(b); k++) {
            Access x = nth(a, i), y = nth(b, k);
            if ((x.kind != ACC_READ || y.kind != ACC_READ) && same_slice(&x.rect, &y.rect) &&
                rects_touch(&x.rect, &y.rect))
                return true;
        }
    return false;
}

bool step_releases(const Step *s)
{
    return s->kind == STEP_FENCE ? s->op == FENCE_RELEASE : s->kind == STEP_EXIT && s->ends;
}

static bool sees(const Step *s)
{
    return s->kind == STEP_REFRESH || (s->kind == STEP_FENCE && s->op == FENCE_ACQUIRE) ||
           s->n_begun;
}

/* A landing against anything else. */
static bool landing_matters(const Step *land, const Step *x)
{
    if (x->kind == STEP_LAND)
        return x->rank != land->rank && same_slice(&x->rect, &land->rect) &&
               rects_touch(&x->rect, &land->rect);
    if (sees(x) && (x->rank != land->rank || x->n_begun))
        return true;
    return step_releases(x) && x->rank == land->rank;
}

/* A release fence lands what its rank has written: it matters as those writes do. */
static bool fences_matter(const Step *a, const Step *b)
{
    if (a->n_begun || b->n_begun)
        return true;
    if (a->rank == b->rank)
        return sees(a) && sees(b);
    bool both = step_releases(a) && step_releases(b);
    return both || (step_releases(a) && sees(b)) || (step_releases(b) && sees(a));
}

/* Both can happen next, so the wait holds: more credits do not touch it. */
static bool signals_matter(const Step *a, const Step *b)
{
    const Step *wait = a->kind == STEP_WAIT ? a : b, *other = wait == a ? b : a;
    if (!step_same_cell(a, b) || other->kind == STEP_WAIT)
        return false;
    return wait->kind != STEP_WAIT || wait->op != WAIT_GE || !other->monotone;
}

bool step_dependent(const Step *a, const Step *b, bool weak)
{
    if (is_signal(a) && is_signal(b))
        return signals_matter(a, b);
    if (!weak)
        return step_conflict(a, b);
    if (a->kind == STEP_LAND)
        return landing_matters(a, b);
    if (b->kind == STEP_LAND)
        return landing_matters(b, a);
    if (fences_matter(a, b))
        return true;
    if (sees(a) || sees(b))
        return a->rank == b->rank && (a->n_access || b->n_access);
    bool signal = a->kind == STEP_NOTIFY || b->kind == STEP_NOTIFY;
    return (signal || a->rank == b->rank) && step_conflict(a, b);
}
