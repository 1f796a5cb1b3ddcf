/* Which bytes of a host tensor belong to which process. */
#include "sim/processes/team.h"

#include <stdlib.h>

#define NOBODY UINT32_MAX

/* Neighbouring ranges that one process has written last, or that nobody has. */
typedef struct {
    int64_t end;
    uint32_t owner;
} Piece;
typedef VEC(Piece) Pieces;

static void push_piece(Pieces *p, int64_t end, uint32_t owner)
{
    if (p->len && vec_last(p).owner == owner)
        vec_last(p).end = end;
    else
        vec_push(p, (Piece){end, owner});
}

/* `owner` takes [first, end). */
static void take(Pieces *p, int64_t first, int64_t end, uint32_t owner)
{
    Pieces out = {0};
    int64_t at = 0;
    bool placed = false;
    for (uint32_t i = 0; i < p->len; at = p->at[i++].end) {
        Piece q = p->at[i];
        if (at < first)
            push_piece(&out, q.end < first ? q.end : first, q.owner);
        if (!placed && q.end > first) {
            push_piece(&out, end, owner);
            placed = true;
        }
        if (q.end > end)
            push_piece(&out, q.end, q.owner);
    }
    vec_free(p);
    *p = out;
}

static void written(const Team *t, const World *w, uint32_t tensor, Pieces *p)
{
    if (w->tensors[tensor].bytes)
        push_piece(p, w->tensors[tensor].bytes, NOBODY);
    for (uint32_t i = 0; i < w->dispatches.len; i++) {
        const Dispatch *d = &w->dispatches.at[i];
        for (uint32_t k = 0; k < d->n_regions; k++) {
            const Region *r = &d->regions[k];
            if (r->tensor == tensor && r->writes && r->bytes)
                take(p, r->offset, r->offset + r->bytes, t->base.home[d->rank]);
        }
    }
}

/* Where the i-th of n processes begins in a range that nobody has written: at whole elements. */
static int64_t share(int64_t bytes, uint32_t i, uint32_t n)
{
    enum { GRAIN = 64 };
    return i == n ? bytes : bytes / n * i / GRAIN * GRAIN;
}

void spans_owned(const Team *t, const World *w, uint32_t tensor, Spans *out)
{
    Pieces p = {0};
    uint32_t self = t->base.self, n = t->base.n;
    int64_t at = 0;
    written(t, w, tensor, &p);
    for (uint32_t i = 0; i < p.len; at = p.at[i++].end) {
        int64_t bytes = p.at[i].end - at, first = 0, end = bytes;
        if (p.at[i].owner == NOBODY) {
            first = share(bytes, self, n);
            end = share(bytes, self + 1, n);
        } else if (p.at[i].owner != self) {
            continue;
        }
        if (end > first)
            vec_push(out, (TensorSpan){at + first, end - first, 0});
    }
    vec_free(&p);
}

static int by_offset(const void *a_, const void *b_)
{
    const TensorSpan *a = a_, *b = b_;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

void spans_settle(Spans *s)
{
    uint32_t kept = 0;
    if (s->len == 0)
        return;
    qsort(s->at, s->len, sizeof *s->at, by_offset);
    for (uint32_t i = 1; i < s->len; i++) {
        TensorSpan *last = &s->at[kept], *next = &s->at[i];
        int64_t end = next->offset + next->bytes;
        if (next->offset > last->offset + last->bytes)
            s->at[++kept] = *next;
        else if (end > last->offset + last->bytes)
            last->bytes = end - last->offset;
    }
    s->len = kept + 1;
}

void spans_needed(const Team *t, const World *w, uint32_t tensor, Spans *out)
{
    for (uint32_t i = 0; i < w->dispatches.len; i++) {
        const Dispatch *d = &w->dispatches.at[i];
        for (uint32_t k = 0; team_is_mine(t, d->rank) && k < d->n_regions; k++)
            if (d->regions[k].tensor == tensor && d->regions[k].bytes)
                vec_push(out, (TensorSpan){d->regions[k].offset, d->regions[k].bytes, 0});
    }
}
