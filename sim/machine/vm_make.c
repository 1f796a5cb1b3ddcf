/* Device memory that a dispatch makes for itself: freed when no register names it any more, at the
 * latest when the dispatch ends. */
#include "base/checked.h"
#include "sim/machine/job.h"
#include "sim/machine/vm_ops.h"
#include <string.h>

#define SWEEP_BYTES ((int64_t)1 << 24) /* made since unused ones were looked for */

static bool is_named(const Lane *lane, uint32_t object)
{
    for (uint32_t i = 0; i < lane->frames.len; i++) {
        const Frame *f = &lane->frames.at[i];
        for (uint32_t k = 0; k < f->f->n_mregs; k++)
            if (f->mregs[k].kind == MEM_DEVICE && f->mregs[k].object == object)
                return true;
    }
    return false;
}

/* The lanes of a dispatch make memory in one list. */
static bool is_used(const World *w, const Lane *lane, uint32_t object)
{
    const Rank *r = &w->ranks[lane->rank];
    for (uint32_t i = 0; i < r->n_lanes; i++)
        if (r->lanes[i].dispatch == lane->dispatch && is_named(&r->lanes[i], object))
            return true;
    return is_named(lane, object) || jobs_name(r, lane->dispatch, object);
}

static void sweep(const World *w, const Lane *lane, Dispatch *d)
{
    for (uint32_t i = d->n_regions; i < d->n_regions + d->n_made; i++) {
        Region *r = &d->regions[i];
        if (!r->data || is_used(w, lane, i))
            continue;
        xfree(r->data);
        r->data = NULL;
    }
    d->made_bytes = 0;
}

/* Room for one more region behind those of the host tensors. */
static Region *append(World *w, Dispatch *d)
{
    if (d->n_made == d->cap_made) {
        uint32_t cap = d->cap_made ? 2 * d->cap_made : 8;
        Region *more = arena_array(&w->arena, d->n_regions + cap, sizeof *more);
        memcpy(more, d->regions, (d->n_regions + d->n_made) * sizeof *more);
        d->regions = more;
        d->cap_made = cap;
    }
    Region *r = &d->regions[d->n_regions + d->n_made++];
    *r = (Region){.own = arena_array(&w->arena, 1, sizeof *r->own)};
    return r;
}

static Region *new_region(World *w, Dispatch *d)
{
    for (uint32_t i = d->n_regions; i < d->n_regions + d->n_made; i++)
        if (!d->regions[i].data)
            return &d->regions[i];
    return append(w, d);
}

bool vm_make(World *w, Lane *lane, const BcInsn *in)
{
    Frame *top = lane_top(lane);
    Dispatch *d = &w->dispatches.at[lane->dispatch];
    const int64_t *extents = top->regs + in->b;
    int64_t bytes;
    for (uint32_t i = 0; i < in->c; i++)
        if (extents[i] < 0)
            return vm_fault(w, lane, "extent %lld of axis %u is negative", (long long)extents[i],
                            i);
    if (!checked_size(dtype_bytes(in->d), in->c, extents, &bytes))
        return vm_fault(w, lane, "the size of this memory leaves 64 bits");
    d->made_bytes += bytes;
    if (d->made_bytes > SWEEP_BYTES)
        sweep(w, lane, d);
    Region *r = new_region(w, d);
    HostTensor *t = r->own;
    *t = (HostTensor){.name = "created memory", .dtype = (uint8_t)in->d, .rank = (uint8_t)in->c};
    t->bytes = bytes;
    t->manual = in->imm != 0;
    memcpy(t->shape, extents, in->c * sizeof *extents);
    r->serial = ++d->n_serials;
    r->bytes = bytes;
    r->data = xcalloc((size_t)bytes + 1, 1);
    MemRef m = {.kind = MEM_DEVICE,
                .dtype = t->dtype,
                .rank = t->rank,
                .object = (uint32_t)(r - d->regions)};
    memcpy(m.shape, extents, in->c * sizeof *extents);
    top->mregs[in->a] = m;
    return true;
}

bool vm_fill(World *w, Lane *lane, const BcInsn *in)
{
    const MemRef *m = vm_mem(w, lane, in->a);
    int64_t zeros[BC_MAX_RANK] = {0}, n, size, bits = w->program->consts[in->imm];
    if (!m)
        return false;
    if (m->part || m->kind != MEM_DEVICE || !shape_elements(m->rank, m->shape, &n))
        return vm_fault(w, lane, "only memory that a program made as a whole is filled");
    char element[8];
    double value;
    memcpy(&value, &bits, sizeof value);
    if (dtype_is_float(m->dtype))
        dtype_store_double(m->dtype, element, value);
    else
        dtype_store_int(m->dtype, element, bits);
    size = dtype_bytes(m->dtype);
    char *data = xcalloc((size_t)n + 1, (size_t)size);
    for (int64_t i = 0; i < n; i++)
        memcpy(data + i * size, element, (size_t)size);
    RectPair p = rect_make(m, lane->rank, zeros, m->shape, m->shape, 0);
    bool ok = vm_access(w, lane, m, EV_WRITE, &p, data);
    xfree(data);
    return ok;
}
