/* Tasks of orchestration functions. A call runs at once unless it has to wait for a deferred wait,
 * by its deps= or because it touches what a dispatch that waits touches: then it is queued, a job
 * of its own, and the lane goes on with what is independent. Whether it is queued depends on the
 * program alone, not on whether the wait holds already. */
#include "sim/machine/job_parts.h"

#include "base/call_how.h"
#include "sim/machine/fault.h"
#include "sim/machine/vm.h"
#include "sim/machine/vm_ops.h"
#include <string.h>

enum { MOST_WAITS = 64 };

/* ---- ids ---- */

static Task *task_at(Lane *lane, int64_t id)
{
    return id > 0 && id <= lane->tasks.len ? &lane->tasks.at[id - 1] : NULL;
}

static void add_job(Lane *lane, uint32_t from, uint32_t job)
{
    for (uint32_t i = from; i < lane->task_deps.len; i++)
        if (lane->task_deps.at[i] == job)
            return;
    vec_push(&lane->task_deps, job);
}

void job_task(Lane *lane, const BcInsn *in)
{
    int64_t *r = lane_top(lane)->regs;
    Task t = {.first = lane->task_deps.len};
    for (uint32_t i = 0; i < in->c; i++)
        if (task_at(lane, r[in->b + i]))
            vec_push(&lane->task_deps, (uint32_t)r[in->b + i]);
    t.n = lane->task_deps.len - t.first;
    t.first_job = lane->task_deps.len;
    for (uint32_t i = 0; i < t.n; i++) {
        Task on = *task_at(lane, lane->task_deps.at[t.first + i]);
        if (on.job)
            add_job(lane, t.first_job, on.job - 1);
        for (uint32_t k = 0; k < on.n_jobs && !on.job; k++)
            add_job(lane, t.first_job, lane->task_deps.at[on.first_job + k]);
    }
    t.n_jobs = lane->task_deps.len - t.first_job;
    vec_push(&lane->tasks, t);
    r[in->a] = lane->tasks.len;
}

void job_as(Lane *lane, const BcInsn *in)
{
    lane->as_task = (uint32_t)lane_top(lane)->regs[in->a];
    lane->as_how = (uint32_t)in->imm;
}

void job_forget_tasks(Lane *lane)
{
    vec_clear(&lane->tasks);
    vec_clear(&lane->task_deps);
    vec_clear(&lane->joins);
    lane->as_task = lane->as_how = lane->n_queued = lane->n_runs = 0;
}

/* ---- memory ---- */

/* Bytes from the first to behind the last that a view covers. */
static int64_t view_end(const MemRef *m)
{
    int64_t step[BC_MAX_RANK], end = m->offset + dtype_bytes(m->dtype);
    mem_strides(m, step);
    for (uint32_t i = 0; i < m->rank; i++) {
        if (m->shape[i] <= 0)
            return m->offset;
        end += step[i] * (m->shape[i] - 1);
    }
    return end;
}

static bool overlap(const MemRef *a, const MemRef *b)
{
    return a->kind == b->kind && a->object == b->object && a->offset < view_end(b) &&
           b->offset < view_end(a);
}

/* Argument i of a call of `f` where it orders something: no signal, and not said to be free. */
static bool orders(const BcFunc *f, uint32_t how, uint32_t i)
{
    return !f->params[i].signal && !call_frees(how, i);
}

/* Does the job touch the bytes of `m`, one of the two writing? */
static bool touches(const World *w, const Job *job, const MemRef *m, bool write)
{
    const BcFunc *f = &w->program->funcs[job->func];
    for (uint32_t i = 0; i < job->n_mem; i++)
        if ((write || f->params[i].dir) && orders(f, job->run.how, i) && overlap(&job->mem[i], m))
            return true;
    return false;
}

static bool conflicts(const World *w, const Job *job, const Frame *top, const BcCall *c,
                      uint32_t how)
{
    const BcFunc *f = &w->program->funcs[c->func];
    for (uint32_t i = 0; i < c->n_mem; i++)
        if (orders(f, how, i) && touches(w, job, &top->mregs[c->mem[i]], f->params[i].dir != 0))
            return true;
    return false;
}

/* ---- the queue ---- */

/* A job of the lane that it does not know to have ended. */
static bool is_open(const Lane *lane, const Job *job)
{
    return job->used && job->queued && !job->taken && job->lane == lane->core;
}

typedef VEC(uint32_t) JobList;

static void push_once(JobList *list, uint32_t job)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (list->at[i] == job)
            return;
    vec_push(list, job);
}

/* The jobs that the call has to wait for. */
static void find_after(World *w, Lane *lane, const BcCall *c, JobList *out)
{
    const Rank *r = &w->ranks[lane->rank];
    const Task *t = task_at(lane, lane->as_task);
    for (uint32_t i = 0; t && i < t->n_jobs; i++)
        if (is_open(lane, r->jobs.at[lane->task_deps.at[t->first_job + i]]))
            push_once(out, lane->task_deps.at[t->first_job + i]);
    for (uint32_t i = 0; i < r->jobs.len && !(lane->as_how & CALL_MANUAL); i++)
        if (is_open(lane, r->jobs.at[i]) &&
            conflicts(w, r->jobs.at[i], lane_top(lane), c, lane->as_how))
            push_once(out, i);
}

static bool queue(World *w, Lane *lane, const BcInsn *in, int64_t n, JobList *after)
{
    Rank *r = &w->ranks[lane->rank];
    Job *job = job_make(w, lane, in, n);
    if (!job)
        return false;
    job->queued = job->run.queued = true;
    job->serial = lane->n_queued++;
    job->deferred = lane->as_how & CALL_DEFERRED;
    job->after.at = after->at;
    job->after.len = after->len;
    job->after.cap = after->cap;
    *after = (JobList){0};
    Task *t = task_at(lane, lane->as_task);
    if (t)
        t->job = job_index(r, job) + 1;
    job_tell(w, lane, EV_POST, job->start, (int32_t)job->n);
    lane_top(lane)->pc++;
    jobs_start(w, r);
    return !w->failed;
}

static void set_run(Lane *lane, const BcCall *c)
{
    const Frame *top = lane_top(lane);
    lane->run = (DispatchRun){.lane = lane->core,
                              .number = lane->n_runs++,
                              .task = lane->as_task,
                              .how = lane->as_how,
                              .at = lane_place(lane)};
    for (uint32_t i = 0; i < c->n_mem; i++) {
        const MemRef *m = &top->mregs[c->mem[i]];
        if (call_frees(lane->as_how, i) && m->kind == MEM_DEVICE)
            lane->run.free[lane->run.n_free++] = m->object;
    }
}

bool job_queue(World *w, Lane *lane, const BcInsn *in, int64_t n, bool *queued)
{
    const Frame *top = lane_top(lane);
    const BcCall *c = &top->f->calls[in->a];
    bool deferred = lane->as_how & CALL_DEFERRED, ok = true;
    *queued = false;
    if (w->program->funcs[c->func].kind != BCF_INCORE)
        return true;
    set_run(lane, c);
    if (lane->n_queued || deferred) {
        JobList after = {0};
        find_after(w, lane, c, &after);
        *queued = deferred || after.len;
        ok = !*queued || queue(w, lane, in, n, &after);
        vec_free(&after);
    }
    lane->as_task = lane->as_how = 0;
    return ok;
}

/* ---- what the lane itself waits for ---- */

/* The memory that an instruction of an orchestration function reads or writes; NULL: none. */
static const MemRef *memory_of(const Lane *lane, const BcInsn *in, bool *write)
{
    const Frame *top = &vec_last(&lane->frames);
    *write = in->op == BC_WRITE || in->op == BC_FILL;
    if (*write)
        return &top->mregs[in->a];
    return in->op == BC_READ ? &top->mregs[in->b] : NULL;
}

bool job_must_wait(World *w, Lane *lane, const BcInsn *in)
{
    const Frame *top = lane_top(lane);
    Rank *r = &w->ranks[lane->rank];
    bool write, end = in->op == BC_RET && lane->frames.len == 1;
    if (top->f->kind != BCF_ORCH)
        return false;
    const MemRef *m = memory_of(lane, in, &write);
    if (!m && !end)
        return false;
    vec_clear(&lane->joins);
    for (uint32_t i = 0; i < r->jobs.len; i++) {
        const Job *job = r->jobs.at[i];
        if (is_open(lane, job) && (end || touches(w, job, m, write)))
            vec_push(&lane->joins, i);
    }
    if (!lane->joins.len)
        return false;
    vm_flush(w, lane);
    (void)job_join(w, lane);
    return true;
}

/* ---- deferred waits ---- */

bool job_is_deferred(const World *w, const Lane *lane)
{
    return lane->job && job_of(w, lane)->deferred;
}

bool job_wait(World *w, Lane *lane)
{
    Pending *p = &lane->pending;
    int32_t value = 0;
    if (p->kind != PEND_WAIT || !job_is_deferred(w, lane))
        return true;
    if (lane->state != LANE_BLOCKED && ++job_of(w, lane)->n_waits > MOST_WAITS)
        return vm_fault(w, lane, "defer_wait: more than %d conditions of one scope", MOST_WAITS);
    if (p->value < 0)
        return vm_fault(w, lane, "defer_wait: expected=%d is below 0", p->value);
    (void)w->fabric->ops->cell(w->fabric, p->rect.at, &value);
    if (value < 0)
        return vm_fault(w, lane, "defer_wait: the cell holds %d, which is below 0", value);
    return true;
}

/* ---- what stands still ---- */

bool job_behind_text(const World *w, const Job *job, Buf *out)
{
    const Rank *r = &w->ranks[job->at.rank];
    const Job *on = NULL;
    for (uint32_t i = 0; i < job->after.len && !on; i++)
        if (!r->jobs.at[job->after.at[i]]->done)
            on = r->jobs.at[job->after.at[i]];
    if (!on)
        return false;
    buf_str(out, "\n  ");
    place_text(w, out, job->at);
    buf_printf(out, ": rank %u: this dispatch comes after %s at ", job->at.rank,
               on->deferred ? "the deferred wait" : "the dispatch");
    place_text(w, out, on->at);
    return true;
}

bool job_waiting(const Rank *r, uint32_t *i, JobCall *out)
{
    for (; *i < r->jobs.len; ++*i) {
        const Job *job = r->jobs.at[*i];
        if (!job->used || job->next == job->n)
            continue;
        *out = (JobCall){job->func, job->n_mem, job->n_scalars, job->mem, job->scalars};
        return true;
    }
    return false;
}
