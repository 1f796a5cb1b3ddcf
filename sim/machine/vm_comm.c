/* Notify, wait and fence: first described, then, when the scheduler says so, done. */
#include "sim/machine/vm_ops.h"

#include <string.h>

static bool as_int32(World *w, Lane *lane, int64_t v, const char *what, int32_t *out)
{
    if (v < INT32_MIN || v > INT32_MAX)
        return vm_fault(w, lane, "%s: %lld does not fit INT32", what, (long long)v);
    *out = (int32_t)v;
    return true;
}

/* The signal cell at an index run of a view, on world rank `rank`. */
static bool cell_at(World *w, Lane *lane, const MemRef *m, uint16_t index, uint32_t rank)
{
    int64_t offset;
    if (!vm_element(w, lane, m, lane_top(lane)->regs + index, &offset))
        return false;
    FabRect *r = &lane->pending.rect;
    r->n = 0;
    r->at = (FabAddr){.rank = rank, .window = m->object, .offset = offset};
    r->run = 4;
    return true;
}

/* Credits that are left out of the program are expected, and taken back, no more. */
static int32_t missing(const World *w, const Lane *lane, uint32_t nth, bool wait)
{
    uint64_t units = 0;
    if (w->omission)
        (void)map_get(&w->omission->less, omission_key(lane->id, nth, wait), &units);
    return (int32_t)units;
}

static bool describe_notify(World *w, Lane *lane, const BcInsn *in)
{
    const MemRef *m = vm_mem(w, lane, in->a);
    const int64_t *r = lane_top(lane)->regs;
    uint32_t rank = 0;
    if (!m || !vm_peer(w, lane, m, r[in->b], "notify", &rank))
        return false;
    lane->pending.op = in->imm;
    if (!cell_at(w, lane, m, in->c, rank) ||
        !as_int32(w, lane, r[in->e], "notify value", &lane->pending.value))
        return false;
    lane->pending.value += missing(w, lane, lane->n_notifies++, false);
    return true;
}

static bool describe_wait(World *w, Lane *lane, const BcInsn *in)
{
    const MemRef *m = vm_mem(w, lane, in->a);
    if (!m)
        return false;
    lane->pending.op = in->imm;
    if (!cell_at(w, lane, m, in->b, lane->rank) ||
        !as_int32(w, lane, lane_top(lane)->regs[in->d], "wait expected", &lane->pending.value))
        return false;
    lane->pending.value -= missing(w, lane, lane->n_waits++, true);
    if (vm_enabled(w, lane))
        return true;
    if (probe_wants(&w->probe, EV_WAIT_BLOCK)) {
        Pending *p = &lane->pending;
        Event e = {.kind = EV_WAIT_BLOCK,
                   .lane = lane,
                   .rect = p->rect,
                   .target = lane->rank,
                   .op = (uint8_t)p->op,
                   .value = p->value,
                   .begin = lane->now,
                   .end = lane->now};
        (void)w->fabric->ops->cell(w->fabric, p->rect.at, &e.after);
        probe_emit(&w->probe, &e);
    }
    return true;
}

/* A rectangle that covers what an atomic store or put may change: the whole part of the view, as
 * far as schedulers must know it. */
static bool describe_atomic(World *w, Lane *lane, const BcInsn *in)
{
    const Frame *top = lane_top(lane);
    bool put = in->op == BC_PUT;
    const BcXfer *x = put ? &top->f->xfers[in->d] : NULL;
    const MemRef *m = vm_mem(w, lane, put ? in->a : in->b);
    uint32_t rank = lane->rank;
    bool own = in->op == BC_STORE;
    if (!m || (!own && !vm_peer(w, lane, m, top->regs[put ? in->b : in->c],
                                put ? "put" : "remote_store", &rank)))
        return false;
    const int64_t *off = top->regs + (put ? x->run : own ? in->c : in->d);
    int64_t padded[BC_MAX_RANK];
    const int64_t *ext = put ? top->regs + x->run + 2 * x->rank : padded;
    if (!put)
        vm_pad_leading(top->f->tiles[in->a].rank, m->rank, top->tiles[in->a].valid, padded);
    if (!vm_bounds(w, lane, m, off, ext))
        return false;
    lane->pending.rect = rect_make(m, rank, off, ext, m->shape, 0).rect;
    lane->pending.op = ATOMIC_ADD;
    return true;
}

static bool describe_read(World *w, Lane *lane, const BcInsn *in)
{
    const MemRef *m = vm_mem(w, lane, in->b);
    if (!m || !cell_at(w, lane, m, in->c, lane->rank))
        return false;
    lane->pending.rect.run = dtype_bytes(m->dtype);
    return true;
}

bool vm_describe(World *w, Lane *lane, const BcInsn *in)
{
    switch (in->op) {
    case BC_NOTIFY: return describe_notify(w, lane, in);
    case BC_WAIT: return describe_wait(w, lane, in);
    case BC_READ: return describe_read(w, lane, in);
    case BC_FENCE:
        lane->pending.op = in->imm;
        lane->pending.rect.at.rank = lane->rank;
        return true;
    default: return describe_atomic(w, lane, in);
    }
}

static bool notify(World *w, Lane *lane)
{
    const Pending *p = &lane->pending;
    uint32_t target = p->rect.at.rank;
    if (!vm_fabric_ok(w, lane, probe_notify(&w->probe, lane, p->rect.at, p->op, p->value)))
        return false;
    world_recheck(w, target);
    return true;
}

bool vm_communicate(World *w, Lane *lane, const BcInsn *in)
{
    const Pending *p = &lane->pending;
    vm_flush(w, lane);
    if (in->op != BC_FENCE) {
        lane->met = true;
        lane->last_met = p->at;
    }
    switch (in->op) {
    case BC_NOTIFY: return notify(w, lane);
    case BC_WAIT:
        return vm_fabric_ok(w, lane, probe_wait(&w->probe, lane, p->rect.at, p->op, p->value));
    default: return vm_fabric_ok(w, lane, probe_fence(&w->probe, lane, p->op));
    }
}
