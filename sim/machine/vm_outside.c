/* Sub-workers: what the host program does by code that the simulator does not have. The function
 * stands in the queue of a device as any other, and waits for the host bytes that it works on. */
#include "sim/machine/vm_ops.h"
#include "sim/machine/vm_rows.h"

enum { PARAM_IN, PARAM_OUT }; /* BcParam.dir */

static RectPair whole(const Lane *lane, const MemRef *m)
{
    static const int64_t zeros[BC_MAX_RANK];
    return rect_make(m, lane->rank, zeros, m->shape, m->shape, 0);
}

static void touch_all(World *w, Lane *lane, const BcFunc *f, EventKind kind)
{
    const Frame *top = lane_top(lane);
    for (uint32_t i = 0; i < bc_memory_params(f); i++) {
        uint8_t dir = f->params[i].dir;
        RectPair p = whole(lane, &top->mregs[i]);
        if (p.rect.run && (kind == EV_READ ? dir != PARAM_OUT : dir != PARAM_IN))
            vm_moved(w, lane, &top->mregs[i], kind, &p);
    }
}

static OutsideArg tensor_arg(World *w, Lane *lane, const BcParam *p, const MemRef *m)
{
    OutsideArg a = {.name = world_string(w, p->name), .dtype = m->dtype, .rank = m->rank};
    a.shape = m->shape;
    RectPair all = whole(lane, m);
    a.writes = p->dir != PARAM_IN;
    a.data = vm_direct(w, lane, m, &all.rect, a.writes); /* NULL: it has no elements */
    return a;
}

bool vm_outside(World *w, Lane *lane)
{
    const RunConfig *c = w->config;
    const Frame *top = lane_top(lane);
    const BcFunc *f = top->f;
    if (!c->outside || w->dispatches.at[lane->dispatch].rehearsal)
        return true;
    OutsideArg *args = xcalloc(f->n_params + 1, sizeof *args);
    uint32_t n_mem = bc_memory_params(f);
    for (uint32_t i = 0; i < n_mem; i++)
        args[i] = tensor_arg(w, lane, &f->params[i], &top->mregs[i]);
    for (uint32_t i = n_mem; i < f->n_params; i++) {
        args[i] = (OutsideArg){.name = world_string(w, f->params[i].name), .dtype = DT_INT64};
        args[i].data = &top->regs[f->n_binds + i - n_mem];
    }
    touch_all(w, lane, f, EV_READ);
    bool goes_on = c->outside(c->outside_env, world_string(w, f->name), args, f->n_params);
    touch_all(w, lane, f, EV_WRITE);
    xfree(args);
    if (!goes_on)
        w->patience = 1; /* the scheduler is asked at once */
    return true;
}
