/* A dispatch that touches host bytes which an earlier one on another device writes waits for its
 * end; one that writes bytes which an earlier one reads waits until that has copied them in.
 * Dispatches of one device are in order anyway.
 *
 * Programs pass the same few ranges again and again: per distinct range it is enough to know the
 * last writer and the last reader on each device since. */
#include "sim/machine/depend.h"

#include "base/map.h"

typedef struct {
    uint32_t tensor;
    int64_t offset, bytes;
    uint32_t writer;       /* dispatch, or UINT32_MAX */
    VEC(uint32_t) readers; /* since; one a device */
} ByteRange;

typedef struct {
    World *w;
    VEC(ByteRange) ranges;
    VEC(DispatchDep) deps; /* of the dispatch at hand */
} Depend;

static void add_dep(Depend *x, uint32_t self, uint32_t on, bool at_start)
{
    const Dispatch *d = x->w->dispatches.at;
    if (on == UINT32_MAX || on == self || d[on].rank == d[self].rank)
        return;
    for (uint32_t i = 0; i < x->deps.len; i++)
        if (x->deps.at[i].dispatch == on) {
            x->deps.at[i].at_start &= at_start;
            return;
        }
    vec_push(&x->deps, (DispatchDep){on, at_start});
}

static ByteRange *find_range(Depend *x, const Region *r)
{
    for (uint32_t i = 0; i < x->ranges.len; i++) {
        ByteRange *g = &x->ranges.at[i];
        if (g->tensor == r->tensor && g->offset == r->offset && g->bytes == r->bytes)
            return g;
    }
    vec_push(&x->ranges, (ByteRange){r->tensor, r->offset, r->bytes, UINT32_MAX, {0}});
    return &vec_last(&x->ranges);
}

static void note_reader(Depend *x, ByteRange *g, uint32_t self)
{
    const Dispatch *d = x->w->dispatches.at;
    for (uint32_t i = 0; i < g->readers.len; i++)
        if (d[g->readers.at[i]].rank == d[self].rank) {
            g->readers.at[i] = self;
            return;
        }
    vec_push(&g->readers, self);
}

static void visit(Depend *x, uint32_t self, const Region *r)
{
    for (uint32_t i = 0; i < x->ranges.len; i++) {
        ByteRange *g = &x->ranges.at[i];
        if (g->tensor != r->tensor || g->offset >= r->offset + r->bytes ||
            r->offset >= g->offset + g->bytes)
            continue;
        add_dep(x, self, g->writer, false);
        for (uint32_t k = 0; k < g->readers.len && r->writes; k++)
            add_dep(x, self, g->readers.at[k], true);
    }
}

static void enter(Depend *x, uint32_t self, const Region *r)
{
    ByteRange *g = find_range(x, r);
    if (r->writes) {
        g->writer = self;
        vec_clear(&g->readers);
    }
    note_reader(x, g, self);
}

static void one(Depend *x, uint32_t self)
{
    Dispatch *d = &x->w->dispatches.at[self];
    vec_clear(&x->deps);
    for (uint32_t i = 0; i < d->n_regions; i++)
        if (d->regions[i].bytes)
            visit(x, self, &d->regions[i]);
    for (uint32_t i = 0; i < d->n_regions; i++)
        if (d->regions[i].bytes)
            enter(x, self, &d->regions[i]);
    d->n_deps = x->deps.len;
    d->deps = arena_array(&x->w->arena, x->deps.len + 1, sizeof *d->deps);
    for (uint32_t i = 0; i < x->deps.len; i++)
        d->deps[i] = x->deps.at[i];
}

void depend_find(World *w)
{
    Depend x = {.w = w};
    for (uint32_t i = 0; i < w->dispatches.len; i++)
        one(&x, i);
    for (uint32_t i = 0; i < x.ranges.len; i++)
        vec_free(&x.ranges.at[i].readers);
    vec_free(&x.ranges);
    vec_free(&x.deps);
}
