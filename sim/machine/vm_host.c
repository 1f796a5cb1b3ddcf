/* What the host function does: windows, views and the queue of dispatches. Nothing runs on a device
 * before the host function has returned, because which devices share a window is known only then.
 */
#include "base/checked.h"
#include "sim/machine/comm_domain.h"
#include "sim/machine/vm_ops.h"

#include <string.h>

#define MAX_DISPATCHES 1000000u

static bool alloc_window(World *w, Lane *lane, const BcInsn *in)
{
    Frame *top = lane_top(lane);
    const BcWindow *b = &w->program->windows[in->imm];
    int64_t bytes = top->regs[in->b];
    const char *name = world_string(w, b->name);
    for (uint32_t i = 0; i < w->windows.len; i++)
        if (w->windows.at[i].table == (uint32_t)in->imm)
            return vm_fault(w, lane, "window buffer %s is allocated twice", name);
    if (bytes < 0)
        return vm_fault(w, lane, "window buffer %s of %lld bytes", name, (long long)bytes);
    uint32_t index = w->windows.len;
    if (w->fabric->ops->window_create(w->fabric, index, bytes) != FAB_OK)
        return vm_fault(w, lane, "window buffer %s: %lld bytes on each device are too many", name,
                        (long long)bytes);
    Window win = {.table = (uint32_t)in->imm, .name = name, .bytes = bytes, .domain = UINT32_MAX};
    win.heap = top->regs[in->c];
    win.users = arena_array(&w->arena, w->n_ranks, 1);
    vec_push(&w->windows, win);
    top->mregs[in->a] = (MemRef){.kind = MEM_BUFFER, .object = index};
    return true;
}

static bool view(World *w, Lane *lane, const BcInsn *in)
{
    Frame *top = lane_top(lane);
    const MemRef *buf = vm_mem(w, lane, in->b);
    if (!buf)
        return false;
    MemRef v = {.kind = MEM_WINDOW, .dtype = (uint8_t)in->e, .rank = (uint8_t)in->d};
    v.object = buf->object;
    memcpy(v.shape, top->regs + in->c, in->d * sizeof(int64_t));
    const Window *win = &w->windows.at[buf->object];
    int64_t bytes;
    for (uint32_t i = 0; i < in->d; i++)
        if (v.shape[i] < 0)
            return vm_fault(w, lane, "window of %s: extent %lld of axis %u is negative", win->name,
                            (long long)v.shape[i], i);
    if (!checked_size(dtype_bytes(in->e), in->d, v.shape, &bytes))
        return vm_fault(w, lane, "window of %s: its size leaves 64 bits", win->name);
    if (bytes > win->bytes)
        return vm_fault(w, lane, "window of %lld bytes is larger than its buffer %s of %lld bytes",
                        (long long)bytes, win->name, (long long)win->bytes);
    top->mregs[in->a] = v;
    return true;
}

static bool row(World *w, Lane *lane, const BcInsn *in)
{
    Frame *top = lane_top(lane);
    const MemRef *m = vm_mem(w, lane, in->b);
    if (!m)
        return false;
    int64_t i = top->regs[in->c], size;
    if (m->rank == 0 || i < 0 || i >= m->shape[0])
        return vm_fault(w, lane, "index %lld is outside the leading axis (extent %lld)",
                        (long long)i, (long long)m->shape[0]);
    MemRef r = *m;
    r.rank--;
    memmove(r.shape, m->shape + 1, r.rank * sizeof(int64_t));
    (void)shape_elements(r.rank, r.shape, &size);
    r.offset += i * size * dtype_bytes(m->dtype);
    top->mregs[in->a] = r;
    return true;
}

static bool dispatch(World *w, Lane *lane, const BcInsn *in)
{
    Frame *top = lane_top(lane);
    const BcCall *c = &top->f->calls[in->a];
    int64_t device = top->regs[in->b], cores = top->regs[in->c];
    const char *name = world_string(w, w->program->funcs[c->func].name);
    if (device < 0 || device >= w->n_ranks)
        return vm_fault(w, lane, "%s: device=%lld is outside 0..%u", name, (long long)device,
                        w->n_ranks - 1);
    if (cores < 1 || cores > w->platform.vector_cores)
        return vm_fault(w, lane, "%s: %lld cores: a device of %s has %lld", name, (long long)cores,
                        w->platform.name, (long long)w->platform.vector_cores);
    if (w->dispatches.len >= MAX_DISPATCHES)
        return vm_fault(w, lane, "more than %u dispatches", MAX_DISPATCHES);
    Dispatch d = {.func = c->func, .rank = (uint32_t)device, .cores = (uint32_t)cores};
    d.from = lane_place(lane);
    d.n_mem = c->n_mem;
    d.n_scalars = c->n_scalars;
    d.mem = arena_array(&w->arena, c->n_mem + 1, sizeof *d.mem);
    d.scalars = arena_array(&w->arena, c->n_scalars + 1, sizeof *d.scalars);
    for (uint32_t i = 0; i < c->n_mem; i++) {
        const MemRef *m = vm_mem(w, lane, c->mem[i]);
        if (!m)
            return false;
        d.mem[i] = *m;
    }
    for (uint32_t i = 0; i < c->n_scalars; i++)
        d.scalars[i] = top->regs[c->scalars[i]];
    return domain_dispatch(w, lane, &d);
}

bool vm_host_op(World *w, Lane *lane, const BcInsn *in)
{
    switch (in->op) {
    case BC_ALLOC: return alloc_window(w, lane, in);
    case BC_VIEW: return view(w, lane, in);
    case BC_ROW: return row(w, lane, in);
    default: return dispatch(w, lane, in);
    }
}
