/* Calls: frames on the lane's stack, arguments bound, results handed back. */
#include "sim/machine/bind.h"
#include "sim/machine/vm.h"
#include "sim/machine/vm_ops.h"
#include <string.h>

static size_t align_up(size_t n)
{
    return (n + 15) & ~(size_t)15;
}

void vm_place_frames(Lane *lane)
{
    for (uint32_t i = 0; i < lane->frames.len; i++) {
        Frame *f = &lane->frames.at[i];
        char *at = lane->stack + f->mark;
        f->regs = (int64_t *)(void *)at;
        at += align_up(f->f->n_regs * sizeof(int64_t));
        f->mregs = (MemRef *)(void *)at;
        at += align_up(f->f->n_mregs * sizeof(MemRef));
        f->tiles = (TileState *)(void *)at;
    }
}

static void push_frame(World *w, Lane *lane, uint32_t func)
{
    const BcFunc *f = &w->program->funcs[func];
    size_t size = align_up(f->n_regs * sizeof(int64_t)) + align_up(f->n_mregs * sizeof(MemRef)) +
                  align_up(f->n_tiles * sizeof(TileState));
    Frame frame = {.func = func, .f = f, .mark = lane->stack_len};
    if (lane->stack_len + size > lane->stack_cap) {
        lane->stack_cap = 2 * (lane->stack_len + size);
        lane->stack = xrealloc(lane->stack, lane->stack_cap);
    }
    memset(lane->stack + lane->stack_len, 0, size);
    lane->stack_len += size;
    vec_push(&lane->frames, frame);
    vm_place_frames(lane);
}

static void pop_frame(Lane *lane)
{
    lane->stack_len = vec_last(&lane->frames).mark;
    (void)vec_pop(&lane->frames);
}

static void need_core(const World *w, Lane *lane, int64_t bytes)
{
    if (bytes > lane->core_peak)
        lane->core_peak = bytes;
    if (bytes <= lane->core_cap)
        return;
    vm_settle(w); /* tiles move to another place */
    lane->core_mem = xrealloc(lane->core_mem, (size_t)bytes);
    memset(lane->core_mem + lane->core_cap, 0, (size_t)(bytes - lane->core_cap));
    lane->core_cap = bytes;
}

bool vm_enter(World *w, Lane *lane, uint32_t func, const MemRef *mem, const int64_t *scalars)
{
    const BcFunc *f = &w->program->funcs[func];
    uint32_t n_mem = bc_memory_params(f);
    int64_t *binds = xcalloc(f->n_binds + 1, sizeof *binds);
    bool ok = bind_call(w, lane, f, mem, binds);
    if (ok) {
        push_frame(w, lane, func);
        Frame *top = lane_top(lane);
        memcpy(top->regs, binds, f->n_binds * sizeof *binds);
        memcpy(top->regs + f->n_binds, scalars, (f->n_params - n_mem) * sizeof *scalars);
        memcpy(top->mregs, mem, n_mem * sizeof *mem);
        need_core(w, lane, bc_core_bytes(f));
    }
    xfree(binds);
    return ok;
}

void vm_kernel_event(World *w, Lane *lane, EventKind kind)
{
    Event e = {.kind = kind, .lane = lane, .begin = lane->now, .end = lane->now};
    CodePlace at = lane_place(lane);
    CostCount *c = probe_cost(&w->probe, at.rank, at.func);
    if (kind == EV_KERNEL_BEGIN && c->calls++ == 0)
        c->begin_ps = lane->now;
    c->end_ps = lane->now > c->end_ps ? lane->now : c->end_ps;
    if (probe_wants(&w->probe, kind))
        probe_emit(&w->probe, &e);
}

bool vm_call(World *w, Lane *lane, const BcInsn *in)
{
    Frame *top = lane_top(lane);
    const BcCall *c = &top->f->calls[in->a];
    MemRef *mem = xcalloc(c->n_mem + 1, sizeof *mem);
    int64_t *scalars = xcalloc(c->n_scalars + 1, sizeof *scalars);
    for (uint32_t i = 0; i < c->n_mem; i++)
        mem[i] = top->mregs[c->mem[i]];
    for (uint32_t i = 0; i < c->n_scalars; i++)
        scalars[i] = top->regs[c->scalars[i]];
    vm_flush(w, lane);
    bool ok = vm_enter(w, lane, c->func, mem, scalars);
    if (ok) {
        lane_top(lane)->results = c->results;
        lane_top(lane)->n_results = c->n_results;
        vm_kernel_event(w, lane, EV_KERNEL_BEGIN);
    }
    xfree(mem);
    xfree(scalars);
    return ok;
}

/* Back in the caller, behind its call. */
void vm_return(World *w, Lane *lane, const BcInsn *in)
{
    vm_flush(w, lane);
    vm_kernel_event(w, lane, EV_KERNEL_END);
    Frame *top = lane_top(lane), *caller = top - 1;
    for (uint32_t i = 0; i < in->b && i < top->n_results; i++)
        caller->regs[top->results + i] = top->regs[in->a + i];
    pop_frame(lane);
    lane_top(lane)->pc++;
}

/* ---- scalar instructions ---- */

/* Device division truncates: where a dividend is negative, Python programmers expect something
 * else. */
