/* Jobs on their lanes. A block starts when a core is free, in index order; a job behind others when
 * they have ended. */
#include "sim/machine/job_parts.h"

#include "base/call_how.h"
#include "sim/machine/bind.h"
#include "sim/machine/vm.h"
#include "sim/machine/vm_ops.h"
#include <string.h>

/* ---- what a program needs ---- */

/* Of jobs on one device at once. */
typedef struct {
    int64_t lanes, slots, deferred;
} Need;

enum {
    SOME_BLOCKS = 256, /* of a number that is not known */
    MOST_BLOCKS = 4096,
    QUEUED = 256, /* jobs with a number of their own */
    DEFERRED = 64 /* waits that are under way at once */
};

static void need_more(Need *most, Need n)
{
    most->lanes = n.lanes > most->lanes ? n.lanes : most->lanes;
    most->slots = n.slots > most->slots ? n.slots : most->slots;
    most->deferred = n.deferred > most->deferred ? n.deferred : most->deferred;
}

/* The blocks of an SPMD; `imm` as in the instruction. */
static Need need_blocks(const World *w, int32_t imm)
{
    int64_t n = imm / 2, cores = w->platform.vector_cores;
    int64_t slots = !n ? SOME_BLOCKS : n < MOST_BLOCKS ? n : MOST_BLOCKS;
    return (Need){n && n < cores ? n : cores, slots, 0};
}

/* What the calls of an orchestration function may need. */
static Need need_of(const World *w, uint32_t func)
{
    const BcFunc *f = &w->program->funcs[func];
    Need most = {0, 0, 0};
    for (uint32_t i = 0; i < f->n_insns; i++) {
        const BcInsn *in = &f->insns[i];
        if (in->op == BC_SPMD)
            need_more(&most, need_blocks(w, in->imm));
        else if (in->op == BC_AS && in->imm & CALL_DEFERRED)
            need_more(
                &most,
                (Need){.lanes = w->platform.vector_cores, .slots = QUEUED, .deferred = DEFERRED});
        else if (in->op == BC_CALL && w->program->funcs[f->calls[in->a].func].kind == BCF_ORCH)
            need_more(&most, need_of(w, f->calls[in->a].func));
    }
    return most;
}

void jobs_prepare(World *w)
{
    Need most = {0};
    for (uint32_t i = 0; i < w->dispatches.len; i++)
        need_more(&most, need_of(w, w->dispatches.at[i].func));
    w->job_cores = (uint32_t)most.lanes;
    w->max_cores = w->host_cores + (uint32_t)(most.lanes + most.deferred);
    w->job_slots = most.lanes ? (uint32_t)(most.slots + most.lanes + most.deferred) + 1 : 0;
}

bool job_made_by(const World *w, uint32_t func)
{
    return need_of(w, func).lanes != 0;
}

static bool uses_cube(const BcFunc *f)
{
    for (uint32_t i = 0; i < f->n_insns; i++)
        if (f->insns[i].op >= BC_TMATMUL && f->insns[i].op <= BC_TMATBIAS)
            return true;
    return false;
}

static int64_t job_cores(const World *w, const Job *job)
{
    return job->cube ? w->platform.cube_cores : w->platform.vector_cores;
}

/* ---- order ---- */

void job_tell(World *w, Lane *lane, EventKind kind, uint32_t token, int32_t posts)
{
    Event e = {.kind = kind, .lane = lane, .begin = lane->now, .end = lane->now};
    e.link = token;
    e.value = posts;
    if (probe_wants(&w->probe, kind))
        probe_emit(&w->probe, &e);
}

static void come_after(Lane *lane, const LaneStep *steps, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        vec_push(&lane->births, steps[i]);
}

/* ---- made and forgotten ---- */

static Job *new_job(Rank *r)
{
    for (uint32_t i = 0; i < r->jobs.len; i++)
        if (!r->jobs.at[i]->used)
            return r->jobs.at[i];
    vec_push(&r->jobs, xcalloc(1, sizeof(Job)));
    return vec_last(&r->jobs);
}

static void drop(Job *job)
{
    for (uint32_t i = 0; i < job->adds.len; i++)
        xfree(job->adds.at[i].data);
    vec_free(&job->adds);
    vec_free(&job->births);
    vec_free(&job->ends);
    vec_free(&job->after);
    xfree(job->mem);
    xfree(job->scalars);
    *job = (Job){0};
}

void jobs_clear(Rank *r)
{
    for (uint32_t i = 0; i < r->jobs.len; i++) {
        drop(r->jobs.at[i]);
        xfree(r->jobs.at[i]);
    }
    vec_clear(&r->jobs);
}

bool jobs_name(const Rank *r, uint32_t dispatch, uint32_t object)
{
    for (uint32_t i = 0; i < r->jobs.len; i++) {
        const Job *job = r->jobs.at[i];
        for (uint32_t k = 0; job->used && job->dispatch == dispatch && k < job->n_mem; k++)
            if (job->mem[k].kind == MEM_DEVICE && job->mem[k].object == object)
                return true;
    }
    return false;
}

bool jobs_any(const Rank *r)
{
    for (uint32_t i = 0; i < r->jobs.len; i++)
        if (r->jobs.at[i]->used)
            return true;
    return false;
}

/* A job of a call without its runs; NULL after a fault. */
static Job *make_of_call(World *w, Lane *lane, const BcCall *c)
{
    const Frame *top = lane_top(lane);
    const BcFunc *f = &w->program->funcs[c->func];
    Job *job = new_job(&w->ranks[lane->rank]);
    *job = (Job){.used = true, .lane = lane->core, .dispatch = lane->dispatch, .func = c->func};
    job->n_mem = c->n_mem;
    job->n_scalars = c->n_scalars;
    job->cube = uses_cube(f);
    job->mem = xcalloc(c->n_mem + 1, sizeof *job->mem);
    job->scalars = xcalloc(c->n_scalars + 1, sizeof *job->scalars);
    for (uint32_t i = 0; i < c->n_mem; i++)
        job->mem[i] = top->mregs[c->mem[i]];
    for (uint32_t i = 0; i < c->n_scalars; i++)
        job->scalars[i] = top->regs[c->scalars[i]];
    int64_t *binds = xcalloc(f->n_binds + 1, sizeof *binds);
    bool ok = bind_call(w, lane, f, job->mem, binds);
    xfree(binds);
    if (!ok) {
        drop(job);
        return NULL;
    }
    job->start = w->n_tokens++;
    job->end = w->n_tokens++;
    job->at = lane_place(lane);
    job->run = lane->run;
    job->ready_ps = lane->now;
    vec_push(&job->births, (LaneStep){lane->id, lane->commits});
    for (uint32_t i = 0; i < lane->births.len; i++)
        vec_push(&job->births, lane->births.at[i]);
    return job;
}

Job *job_make(World *w, Lane *lane, const BcInsn *in, int64_t n)
{
    vm_flush(w, lane);
    if (in->op == BC_SPMD && n < 1) {
        vm_fault(w, lane, "pl.spmd of %lld blocks: it runs at least one", (long long)n);
        return NULL;
    }
    Job *job = make_of_call(w, lane, &lane_top(lane)->f->calls[in->a]);
    if (!job)
        return NULL;
    job->n_blocks = n;
    job->n = job->left = n ? n : 1;
    job->sync = in->op == BC_SPMD && in->imm % 2;
    int64_t cores = job_cores(w, job);
    if (job->sync && n > cores) {
        vm_fault(w, lane, "%lld blocks cannot start at once: a device of %s has %lld %scores",
                 (long long)n, w->platform.name, (long long)cores, job->cube ? "cube " : "");
        drop(job);
        return NULL;
    }
    return job;
}

uint32_t job_index(const Rank *r, const Job *job)
{
    uint32_t i = 0;
    while (r->jobs.at[i] != job)
        i++;
    return i;
}

/* ---- lanes ---- */

/* Lanes for cores, then those for deferred waits, which need none. */
static bool lane_fits(const World *w, const Job *job, uint32_t lane)
{
    return lane >= w->host_cores && (lane >= w->host_cores + w->job_cores) == job->deferred;
}

/* The first that is free when the job may begin, else the one that will be soonest. */
static Lane *free_lane(const World *w, Rank *r, const Job *job)
{
    Lane *best = NULL;
    for (uint32_t i = w->host_cores; i < r->n_lanes; i++) {
        Lane *l = &r->lanes[i];
        if (l->job || !lane_fits(w, job, i))
            continue;
        if (l->now <= job->ready_ps)
            return l;
        if (!best || l->now < best->now)
            best = l;
    }
    return best;
}

static int64_t count_free(const World *w, const Rank *r)
{
    int64_t n = 0;
    for (uint32_t i = 0; i < w->job_cores; i++)
        n += !r->lanes[w->host_cores + i].job;
    return n;
}

/* Blocks have the numbers that they have where no other job is about, what was queued that of its
 * call; else those of lanes. */
static uint32_t slot_of(const World *w, const Rank *r, const Job *job, const Lane *lane)
{
    uint32_t lanes = w->max_cores - w->host_cores, numbers = w->job_slots - 1 - lanes;
    uint32_t number = job->queued ? job->serial : (uint32_t)lane->block;
    bool alone = w->dispatches.at[lane->dispatch].cores == 1 && (!job->queued || job->n == 1);
    for (uint32_t i = 0; i < r->jobs.len && !job->queued; i++)
        alone &= !r->jobs.at[i]->used || r->jobs.at[i] == job;
    if (alone && number < numbers)
        return number + 1;
    return numbers + lane->core - w->host_cores + 1;
}

static bool start_run(World *w, Rank *r, uint32_t index, Lane *lane)
{
    Job *job = r->jobs.at[index];
    lane->job = index + 1;
    lane->dispatch = job->dispatch;
    lane->run = job->run;
    lane->block = job->next++;
    lane->n_blocks = job->n_blocks;
    lane->slot = slot_of(w, r, job, lane);
    lane->now = lane->now > job->ready_ps ? lane->now : job->ready_ps;
    vec_clear(&lane->births);
    come_after(lane, job->births.at, job->births.len);
    for (uint32_t i = 0; i < job->after.len; i++)
        come_after(lane, r->jobs.at[job->after.at[i]]->ends.at,
                   r->jobs.at[job->after.at[i]]->ends.len);
    if (!vm_enter(w, lane, job->func, job->mem, job->scalars))
        return false;
    job_tell(w, lane, EV_TAKE, job->start, 0);
    for (uint32_t i = 0; i < job->after.len; i++) {
        const Job *on = r->jobs.at[job->after.at[i]];
        job_tell(w, lane, EV_TAKE, on->end, (int32_t)on->n);
    }
    vm_kernel_event(w, lane, EV_KERNEL_BEGIN);
    lane_ready(w, lane);
    return true;
}

/* Have those that it comes after ended? Then it may begin when the last of them has. */
static bool ends_hold(const Rank *r, Job *job)
{
    for (uint32_t i = 0; i < job->after.len; i++) {
        const Job *on = r->jobs.at[job->after.at[i]];
        if (!on->done)
            return false;
        job->ready_ps = on->end_ps > job->ready_ps ? on->end_ps : job->ready_ps;
    }
    return true;
}

/* As many runs as there are cores for. */
static void start_runs(World *w, Rank *r, uint32_t index)
{
    Job *job = r->jobs.at[index];
    int64_t running = job->left - (job->n - job->next), limit = job_cores(w, job);
    if (!ends_hold(r, job))
        return;
    if (job->sync && job->next == 0 && count_free(w, r) < job->n)
        return;
    for (; job->next < job->n && running < limit && !w->failed; running++) {
        Lane *lane = free_lane(w, r, job);
        if (!lane || !start_run(w, r, index, lane))
            return;
    }
}

void jobs_start(World *w, Rank *r)
{
    for (uint32_t i = 0; i < r->jobs.len && !w->failed; i++)
        if (r->jobs.at[i]->used && r->jobs.at[i]->next < r->jobs.at[i]->n)
            start_runs(w, r, i);
}

/* ---- adds ---- */

static int by_block(const void *a, const void *b)
{
    const KeptAdd *x = a, *y = b;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    return (x->serial > y->serial) - (x->serial < y->serial);
}

/* The strides of a rectangle whose bytes lie without gaps. */
static void dense(const FabRect *r, int64_t *stride)
{
    int64_t bytes = r->run;
    for (uint32_t i = r->n; i-- > 0; bytes *= r->count[i])
        stride[i] = bytes;
}

bool job_keep_add(World *w, Lane *lane, const MemRef *m, const RectPair *p, const char *at)
{
    if (lane->n_blocks < 2 || !dtype_is_float(m->dtype))
        return false;
    Job *job = job_of(w, lane);
    KeptAdd add = {lane->block, job->adds.len, m->object, m->dtype, p->rect, NULL};
    int64_t stride[FAB_MAX_DIMS];
    dense(&p->rect, stride);
    add.data = xmalloc((size_t)rect_bytes(&p->rect) + 1);
    rect_copy(&p->rect, add.data, stride, at, p->tile_stride);
    vec_push(&job->adds, add);
    return true;
}

static void do_adds(World *w, Job *job)
{
    vm_settle(w);
    vec_sort(&job->adds, by_block);
    for (uint32_t i = 0; i < job->adds.len; i++) {
        KeptAdd *a = &job->adds.at[i];
        char *mem = w->dispatches.at[job->dispatch].regions[a->object].data;
        FabLocal from = {.at = a->data};
        dense(&a->rect, from.stride);
        fab_add_rect(&a->rect, a->dtype, mem + a->rect.at.offset, from, 0);
    }
}

/* ---- ends ---- */

bool job_hands_on(const World *w, const Lane *lane)
{
    if (!lane->job || lane->pending.kind != PEND_EXIT)
        return false;
    const Job *job = job_of(w, lane);
    return job->n > w->job_cores || job->n > job_cores(w, job);
}

bool job_join(World *w, Lane *lane)
{
    const Rank *r = &w->ranks[lane->rank];
    lane->pending = (Pending){.kind = PEND_JOIN, .enabled = true, .at = lane_place(lane)};
    for (uint32_t i = 0; i < lane->joins.len; i++)
        lane->pending.enabled &= r->jobs.at[lane->joins.at[i]]->done;
    for (uint32_t i = 0; i < lane->joins.len && lane->pending.enabled; i++) {
        const Job *job = r->jobs.at[lane->joins.at[i]];
        come_after(lane, job->ends.at, job->ends.len);
    }
    return lane->pending.enabled;
}

/* What was not queued is forgotten when its end is known. */
void job_take_ends(World *w, Lane *lane)
{
    const Rank *r = &w->ranks[lane->rank];
    for (uint32_t i = 0; i < lane->joins.len; i++) {
        Job *job = r->jobs.at[lane->joins.at[i]];
        lane->now = job->end_ps > lane->now ? job->end_ps : lane->now;
        job_tell(w, lane, EV_TAKE, job->end, (int32_t)job->n);
        job->taken = true;
        if (job->queued)
            continue;
        lane_top(lane)->pc++;
        drop(job);
    }
    vec_clear(&lane->joins);
}

void job_lane_exit(World *w, Lane *lane)
{
    Rank *r = &w->ranks[lane->rank];
    Job *job = r->jobs.at[lane->job - 1];
    lane->insns++;
    w->steps++;
    vm_kernel_event(w, lane, EV_KERNEL_END);
    job_tell(w, lane, EV_POST, job->end, 0);
    vec_push(&job->ends, (LaneStep){lane->id, lane->commits});
    job->end_ps = lane->now > job->end_ps ? lane->now : job->end_ps;
    lane_leave(lane);
    vec_clear(&lane->births);
    lane->state = LANE_IDLE;
    lane->job = lane->slot = 0;
    lane->block = lane->n_blocks = 0;
    if (--job->left == 0) {
        do_adds(w, job);
        job->done = true;
        Lane *waits = &r->lanes[job->lane];
        if (waits->state == LANE_BLOCKED && waits->pending.kind == PEND_JOIN &&
            job_join(w, waits)) {
            waits->state = LANE_READY;
            if (w->on_unblock)
                w->on_unblock(w->sched_env, waits);
        }
    }
    jobs_start(w, r);
}

/* ---- what stands still ---- */

static void waiting_text(const World *w, const Job *job, Buf *out)
{
    if (job->queued && job_behind_text(w, job, out))
        return;
    int64_t cores = job_cores(w, job), lanes = w->job_cores;
    buf_str(out, "\n  ");
    place_text(w, out, job->at);
    buf_printf(out, ": rank %u: block%s %lld", job->at.rank, job->n - job->next > 1 ? "s" : "",
               (long long)job->next);
    if (job->n - job->next > 1)
        buf_printf(out, " to %lld", (long long)job->n - 1);
    buf_printf(out, " of this pl.spmd wait%s for a core: all %lld are taken",
               job->n - job->next > 1 ? "" : "s", (long long)(cores < lanes ? cores : lanes));
}

void jobs_waiting_text(const World *w, uint32_t rank, Buf *out)
{
    const Rank *r = &w->ranks[rank];
    for (uint32_t i = 0; i < r->jobs.len; i++)
        if (r->jobs.at[i]->used && r->jobs.at[i]->next < r->jobs.at[i]->n)
            waiting_text(w, r->jobs.at[i], out);
}

/* ---- pl.spmd ---- */

bool job_blocks(World *w, Lane *lane, const BcInsn *in)
{
    Rank *r = &w->ranks[lane->rank];
    Job *job = job_make(w, lane, in, lane_top(lane)->regs[in->b]);
    if (!job)
        return false;
    vec_clear(&lane->joins);
    vec_push(&lane->joins, job_index(r, job));
    (void)job_join(w, lane);
    lane->state = LANE_BLOCKED;
    job_tell(w, lane, EV_POST, job->start, (int32_t)job->n);
    jobs_start(w, r);
    return true;
}
