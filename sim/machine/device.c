/* Dispatches on their devices: started in order, tensors copied in and out, lanes made and put
 * away. */
#include "sim/machine/device.h"
#include "sim/machine/job.h"
#include "sim/machine/vm.h"
#include "sim/machine/vm_ops.h"
#include "sim/machine/world.h"

#include <string.h>

static bool deps_hold(const World *w, const Dispatch *d)
{
    for (uint32_t i = 0; i < d->n_deps; i++) {
        const Dispatch *on = &w->dispatches.at[d->deps[i].dispatch];
        if (d->deps[i].at_start ? on->state == DSP_QUEUED : on->state != DSP_DONE)
            return false;
    }
    return true;
}

/* The host orders dispatches, so it must also see to it that what one has written is there for the
 * next: the end of a dispatch releases, its start acquires. */
static void fence(World *w, const Dispatch *d, int kind)
{
    (void)w->fabric->ops->fence(w->fabric, d->rank, kind);
}

static void change_signs(const HostTensor *t, const Region *r)
{
    int64_t size = dtype_bytes(t->dtype);
    for (int64_t i = size - 1; i < r->bytes && dtype_is_float(t->dtype); i += size)
        r->data[i] = (char)((uint8_t)r->data[i] ^ 0x80);
}

static void drop(Region *r)
{
    if (!r->shared)
        xfree(r->data);
    r->data = NULL;
}

/* The tensor's bytes, of which a rank's process holds what its dispatches take. */
static char *host_bytes(const HostTensor *t, const Region *r)
{
    return r->bytes ? tensor_at(t, t->data, r->offset) : t->data;
}

/* A tensor that no dispatch writes is read where it is. */
static void copy_in(World *w, Dispatch *d)
{
    for (uint32_t i = 0; i < d->n_regions; i++) {
        Region *r = &d->regions[i];
        HostTensor *t = &w->tensors[r->tensor];
        bool signs = d->rehearsal && !r->writes;
        r->shared = t->data == t->initial && !signs;
        if (r->shared) {
            r->data = host_bytes(t, r);
            continue;
        }
        r->data = xmalloc((size_t)r->bytes + 1);
        memcpy(r->data, host_bytes(t, r), (size_t)r->bytes);
        if (signs)
            change_signs(t, r);
    }
}

static void copy_out(World *w, Dispatch *d)
{
    for (uint32_t i = 0; i < d->n_regions; i++) {
        Region *r = &d->regions[i];
        if (r->writes && r->data)
            memcpy(host_bytes(&w->tensors[r->tensor], r), r->data, (size_t)r->bytes);
        drop(r);
    }
}

void device_free_made(Dispatch *d)
{
    for (uint32_t i = d->n_regions; i < d->n_regions + d->n_made; i++) {
        xfree(d->regions[i].data);
        d->regions[i].data = NULL;
    }
    d->n_made = 0;
    d->n_serials = 0;
    d->made_bytes = 0;
}

static void make_lanes(World *w, uint32_t rank, uint32_t n)
{
    Rank *r = &w->ranks[rank];
    if (r->n_lanes >= n)
        return;
    r->lanes = xrealloc(r->lanes, n * sizeof *r->lanes);
    memset(r->lanes + r->n_lanes, 0, (n - r->n_lanes) * sizeof *r->lanes);
    for (; r->n_lanes < n; r->n_lanes++) {
        Lane *l = &r->lanes[r->n_lanes];
        l->rank = rank;
        l->core = r->n_lanes;
        l->id = rank * w->max_cores + l->core;
        l->barrier_phase = PHASE_NONE;
    }
}

static void lane_event(World *w, Lane *lane, EventKind kind)
{
    Event e = {.kind = kind, .lane = lane, .begin = lane->now, .end = lane->now};
    CodePlace at = lane_place(lane);
    CostCount *c = probe_cost(&w->probe, at.rank, at.func);
    if (kind == EV_LANE_BEGIN && c->calls++ == 0)
        c->begin_ps = lane->now;
    c->end_ps = lane->now > c->end_ps ? lane->now : c->end_ps;
    if (probe_wants(&w->probe, kind))
        probe_emit(&w->probe, &e);
}

static void dispatch_event(World *w, Lane *lane, EventKind kind, int64_t begin, int64_t end)
{
    Event e = {.kind = kind, .lane = lane, .begin = begin, .end = end};
    if (probe_wants(&w->probe, kind))
        probe_emit(&w->probe, &e);
}

void lane_ready(World *w, Lane *lane)
{
    lane->state = LANE_READY;
    memset(&lane->pending, 0, sizeof lane->pending);
    lane->pending.enabled = true;
    if (w->on_unblock)
        w->on_unblock(w->sched_env, lane);
}

static int64_t start_time(const World *w, const Dispatch *d)
{
    int64_t at = w->ranks[d->rank].free_ps;
    for (uint32_t i = 0; i < d->n_deps; i++) {
        const Dispatch *on = &w->dispatches.at[d->deps[i].dispatch];
        int64_t t = d->deps[i].at_start ? on->begin_ps : on->end_ps;
        at = t > at ? t : at;
    }
    return at;
}

static void start(World *w, uint32_t index)
{
    Dispatch *d = &w->dispatches.at[index];
    Rank *r = &w->ranks[d->rank];
    copy_in(w, d);
    fence(w, d, FENCE_ACQUIRE);
    d->state = DSP_RUNNING;
    d->lanes_left = d->cores;
    d->begin_ps = start_time(w, d);
    d->end_ps = clock_add(d->begin_ps, w->platform.dispatch_overhead);
    r->busy = true;
    r->next++;
    for (uint32_t i = 0; i < d->cores; i++) {
        Lane *lane = &r->lanes[i];
        lane->dispatch = index;
        lane->now = d->end_ps;
        if (!vm_enter(w, lane, d->func, d->mem, d->scalars))
            return;
        if (i == 0)
            dispatch_event(w, lane, EV_DISPATCH_BEGIN, d->begin_ps, d->end_ps);
        lane_event(w, lane, EV_LANE_BEGIN);
    }
    if (w->processes)
        w->processes->started(w->processes, w, index);
    for (uint32_t i = 0; i < d->cores; i++)
        lane_ready(w, &r->lanes[i]);
}

/* A start may allow another one's start (at_start): again until nothing changes. */
void world_start_dispatches(World *w)
{
    for (bool again = true; again && !w->failed;) {
        again = false;
        for (uint32_t i = 0; i < w->n_ranks && !w->failed; i++) {
            Rank *r = &w->ranks[i];
            if (!world_is_mine(w, i) || r->busy || r->next == r->queue.len ||
                !deps_hold(w, &w->dispatches.at[r->queue.at[r->next]]))
                continue;
            start(w, r->queue.at[r->next]);
            again = true;
        }
    }
}

static void end_dispatch(World *w, Lane *lane, Dispatch *d)
{
    Rank *r = &w->ranks[d->rank];
    vm_settle(w);
    dispatch_event(w, lane, EV_DISPATCH_END, d->end_ps, d->end_ps);
    copy_out(w, d);
    device_free_made(d);
    jobs_clear(r);
    fence(w, d, FENCE_RELEASE);
    d->state = DSP_DONE;
    r->busy = false;
    r->free_ps = d->end_ps;
    w->dispatches_left--;
    if (w->processes)
        w->processes->ended(w->processes, w, r->queue.at[r->next - 1]);
}

void lane_leave(Lane *lane)
{
    vec_clear(&lane->frames);
    vm_holes_forget(lane);
    lane->stack_len = 0;
    lane->pending.kind = PEND_NONE;
    lane->barrier_phase = PHASE_NONE;
}

void world_lane_exit(World *w, Lane *lane)
{
    Dispatch *d = &w->dispatches.at[lane->dispatch];
    Rank *r = &w->ranks[lane->rank];
    if (lane->job) {
        job_lane_exit(w, lane);
        return;
    }
    lane->insns++;
    w->steps++;
    lane_event(w, lane, EV_LANE_END);
    d->end_ps = lane->now > d->end_ps ? lane->now : d->end_ps;
    bool last = --d->lanes_left == 0;
    if (last)
        end_dispatch(w, lane, d);
    lane_leave(lane);
    job_forget_tasks(lane);
    lane->state = r->next == r->queue.len ? LANE_EXITED : LANE_IDLE;
    if (last)
        world_start_dispatches(w);
}

void world_recheck(World *w, uint32_t rank)
{
    Rank *r = &w->ranks[rank];
    for (uint32_t i = 0; i < r->n_lanes; i++) {
        Lane *lane = &r->lanes[i];
        bool blocked = lane->state == LANE_BLOCKED;
        if (!blocked && (lane->state != LANE_READY || lane->pending.kind != PEND_WAIT))
            continue;
        if (blocked && lane->job && !job_wait(w, lane))
            continue;
        if (vm_enabled(w, lane) != blocked)
            continue;
        lane->state = blocked ? LANE_READY : LANE_BLOCKED;
        void (*tell)(void *, Lane *) = blocked ? w->on_unblock : w->on_block;
        if (tell)
            tell(w->sched_env, lane);
    }
}

/* Lanes of jobs stand behind those that the dispatches of any device have. */
void device_prepare(World *w)
{
    jobs_prepare(w);
    for (uint32_t i = 0; i < w->dispatches.len; i++) {
        Dispatch *d = &w->dispatches.at[i];
        bool makes = w->job_slots && job_made_by(w, d->func);
        d->shared = d->cores > 1 || makes;
        make_lanes(w, d->rank, makes ? w->max_cores : d->cores);
    }
}

void device_reset(World *w)
{
    for (uint32_t i = 0; i < w->dispatches.len; i++) {
        Dispatch *d = &w->dispatches.at[i];
        for (uint32_t k = 0; k < d->n_regions; k++) {
            drop(&d->regions[k]);
        }
        device_free_made(d);
        d->state = DSP_QUEUED;
        d->begin_ps = d->end_ps = 0;
    }
    w->dispatches_left = 0;
    for (uint32_t i = 0; i < w->n_ranks; i++)
        w->dispatches_left += world_is_mine(w, i) ? w->ranks[i].queue.len : 0;
    for (uint32_t i = 0; i < w->n_ranks; i++) {
        Rank *r = &w->ranks[i];
        r->next = 0;
        r->busy = false;
        jobs_clear(r);
        r->ports = (Ports){0};
        r->free_ps = 0;
        for (uint32_t k = 0; k < r->n_lanes; k++) {
            Lane *l = &r->lanes[k];
            lane_leave(l);
            vec_clear(&l->births);
            job_forget_tasks(l);
            l->block = l->n_blocks = 0;
            l->job = l->slot = l->commits = 0;
            l->state = LANE_IDLE;
            memset(&l->pending, 0, sizeof l->pending);
            l->now = l->scalar_ps = 0;
            l->insns = 0;
            l->n_notifies = l->n_waits = 0;
            l->met = false;
            l->chunk = l->n_chunks = 0;
            l->builtin = 0;
            if (l->core_mem)
                memset(l->core_mem, 0, (size_t)l->core_cap);
        }
        if (r->queue.len == 0)
            for (uint32_t k = 0; k < r->n_lanes; k++)
                r->lanes[k].state = LANE_EXITED;
    }
}
