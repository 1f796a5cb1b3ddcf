/* The interpreter: one switch over scalar instructions, control flow and calls; everything that has
 * a time or touches memory lies in the vm_*.c files. A lane stops just before each operation that
 * others can notice, so that whoever schedules sees what comes next before it happens. */
#include "sim/machine/vm.h"

#include "base/devarith.h"
#include "base/map.h"
#include "sim/machine/bind.h"
#include "sim/machine/job.h"
#include "sim/machine/vm_check.h"
#include "sim/machine/vm_ops.h"
#include <string.h>

void vm_flush(World *w, Lane *lane)
{
    if (lane->scalar_ps == 0)
        return;
    Event e = {.kind = EV_COMPUTE, .lane = lane, .op = TOP_COUNT, .begin = lane->now};
    lane->now = e.end = clock_add(lane->now, lane->scalar_ps);
    lane->scalar_ps = 0;
    if (lane->host)
        return;
    probe_compute(&w->probe, lane, e.end - e.begin);
    if (probe_wants(&w->probe, EV_COMPUTE))
        probe_emit(&w->probe, &e);
}

static void note_negative(World *w, Lane *lane, const BcInsn *in, int64_t a, int64_t out)
{
    CodePlace at = lane_place(lane);
    uint64_t site = (uint64_t)at.func << 32 | at.pc;
    if (map_get(&w->negative_sites, site, NULL))
        return;
    map_set(&w->negative_sites, site, 1);
    Buf text = {0};
    place_text(w, &text, at);
    buf_printf(&text,
               ": warning: rank %u: the dividend of %s is %lld: device division truncates toward "
               "zero, the result is %lld",
               lane->rank, scalar_text((ScalarOp)in->imm), (long long)a, (long long)out);
    report_add(w, REP_WARNING, "negative-dividend", &at, text.at);
    buf_free(&text);
    Event e = {.kind = EV_NEGATIVE_MOD, .lane = lane, .begin = lane->now, .end = lane->now};
    probe_emit(&w->probe, &e);
}

static bool binary(World *w, Lane *lane, const BcInsn *in, int64_t *regs)
{
    int64_t a = regs[in->b];
    ScalarOp op = (ScalarOp)in->imm;
    ArithStatus status = dev_binary(op, in->d, a, regs[in->c], &regs[in->a]);
    if (status != ARITH_OK)
        return vm_fault(w, lane, "%s (%lld %s %lld)",
                        status == ARITH_ZERO_DIVISION
                            ? "division by zero"
                            : "shift count outside the width of the dtype",
                        (long long)a, scalar_text(op), (long long)regs[in->c]);
    if (a < 0 && (op == SC_MOD || op == SC_FLOORDIV))
        note_negative(w, lane, in, a, regs[in->a]);
    return true;
}

static bool for_prep(World *w, Lane *lane, const BcInsn *in, Frame *top)
{
    const int64_t *r = top->regs;
    if (r[in->c] == 0)
        return vm_fault(w, lane, "the step of this loop is 0");
    if (w->call_sites->flags[top->func])
        probe_loop(&w->probe, lane);
    top->pc = vm_before(r[in->a], r[in->b], r[in->c]) ? top->pc + 1 : (uint32_t)in->imm;
    return true;
}

static bool query(World *w, Lane *lane, const BcInsn *in, Frame *top)
{
    const MemRef *m = vm_mem(w, lane, in->b);
    if (!m || (in->op != BC_DIM && !vm_same_group(w, lane, m)))
        return false;
    if (in->op == BC_DIM)
        top->regs[in->a] = m->shape[in->imm];
    else if (in->op == BC_NRANKS)
        top->regs[in->a] = window_domain(w, m->object)->n;
    else
        top->regs[in->a] = window_rank(w, m->object, lane->rank);
    return true;
}

static bool flatten(World *w, Lane *lane, const BcInsn *in, Frame *top)
{
    const MemRef *m = vm_mem(w, lane, in->b);
    if (!m)
        return false;
    if (m->part)
        return vm_fault(w, lane, "this memory is a part whose rows lie apart: copy it first");
    MemRef flat = *m;
    flat.rank = 2;
    flat.shape[0] = 1;
    (void)shape_elements(m->rank, m->shape, &flat.shape[1]);
    top->mregs[in->a] = flat;
    return true;
}

/* ---- the loop ---- */

/* Does the instruction touch no memory but through moves, or settle them where it does? */
static bool settles_itself(uint16_t op)
{
    switch (op) {
    case BC_READ:
    case BC_WRITE:
    case BC_LOAD:
    case BC_STORE:
    case BC_RLOAD:
    case BC_RSTORE:
    case BC_PUT:
    case BC_GET:
    case BC_TBIN:
    case BC_ALLOC:
    case BC_VIEW:
    case BC_ROW:
    case BC_DISPATCH:
    case BC_PART:
    case BC_SEEN: return true;
    default: return false;
    }
}

/* Memory and tile instructions. */
static bool execute(World *w, Lane *lane, const BcInsn *in)
{
    vm_flush(w, lane);
    if (w->mover && !settles_itself(in->op))
        mover_settle(w->mover);
    switch (in->op) {
    case BC_READ: return vm_read(w, lane, in);
    case BC_TREAD: return vm_tile_read(w, lane, in);
    case BC_WRITE: return vm_write(w, lane, in);
    case BC_LOAD: return vm_load(w, lane, in);
    case BC_STORE: return vm_store(w, lane, in);
    case BC_RLOAD: return vm_rload(w, lane, in);
    case BC_RSTORE: return vm_rstore(w, lane, in);
    case BC_PUT:
    case BC_GET: return vm_xfer(w, lane, in);
    case BC_ALLOC:
    case BC_VIEW:
    case BC_ROW:
    case BC_DISPATCH: return vm_host_op(w, lane, in);
    case BC_MAKE: return vm_make(w, lane, in);
    case BC_OUTSIDE: return vm_outside(w, lane);
    case BC_FILL: return vm_fill(w, lane, in);
    case BC_PART: return vm_part(w, lane, in);
    case BC_SEEN: return vm_seen(w, lane, in);
    default: return vm_tile_op(w, lane, in);
    }
}

/* Does it access a window, or device memory that the cores of a dispatch share? */
static bool accesses_shared(const World *w, Lane *lane, const BcInsn *in)
{
    const MemRef *mregs = lane_top(lane)->mregs;
    MemKind kind = MEM_EMPTY;
    switch (in->op) {
    case BC_RLOAD:
    case BC_RSTORE:
    case BC_PUT:
    case BC_GET: return true;
    case BC_READ:
    case BC_LOAD:
    case BC_STORE: kind = mregs[in->b].kind; break;
    case BC_WRITE: kind = mregs[in->a].kind; break;
    default: break;
    }
    return kind == MEM_WINDOW || (kind == MEM_DEVICE && w->dispatches.at[lane->dispatch].shared);
}

/* Does the lane stop before this instruction? Atomic stores and puts are communication; remote
 * transfers yield to lanes that are behind in modelled time, because they share ports. */
static bool stops(World *w, Lane *lane, const BcInsn *in, PendKind *kind)
{
    const Frame *top = lane_top(lane);
    *kind = PEND_NONE;
    switch (in->op) {
    case BC_NOTIFY: *kind = PEND_NOTIFY; break;
    case BC_WAIT: *kind = PEND_WAIT; break;
    case BC_FENCE: *kind = PEND_FENCE; break;
    case BC_RSTORE: *kind = in->imm == ATOMIC_ADD ? PEND_ATOMIC : PEND_NONE; break;
    case BC_STORE: *kind = vm_adds_to_window(top, in) ? PEND_ATOMIC : PEND_NONE; break;
    case BC_PUT: *kind = top->f->xfers[in->d].atomic == ATOMIC_ADD ? PEND_ATOMIC : PEND_NONE; break;
    case BC_READ:
        *kind = w->stop_at_reads && top->mregs[in->b].kind == MEM_WINDOW ? PEND_READ : PEND_NONE;
        break;
    case BC_RET: *kind = lane->frames.len == 1 && !lane->host ? PEND_EXIT : PEND_NONE; break;
    default: break;
    }
    if (*kind == PEND_NONE && w->stop_at_data && accesses_shared(w, lane, in))
        *kind = PEND_DATA;
    if (*kind != PEND_NONE)
        return true;
    bool port = in->op == BC_RLOAD || in->op == BC_RSTORE || in->op == BC_PUT || in->op == BC_GET;
    return port && clock_add(lane->now, lane->scalar_ps) > w->horizon;
}

/* Is the instruction not in the program as it is tried? */
static bool leave_out(World *w, Lane *lane, const BcInsn *in)
{
    Frame *top = lane_top(lane);
    if (!omission_skips(w->omission, top->func, top->pc))
        return false;
    lane->n_notifies += in->op == BC_NOTIFY;
    lane->n_waits += in->op == BC_WAIT;
    top->pc++;
    return true;
}

static VmStatus stop(World *w, Lane *lane, const BcInsn *in, PendKind kind)
{
    vm_flush(w, lane);
    vm_stand(lane, kind, true);
    lane->pending.at = lane_place(lane);
    if (kind == PEND_NONE)
        return VM_BUDGET;
    if (kind != PEND_EXIT && kind != PEND_DATA && !vm_describe(w, lane, in))
        return VM_FAULT;
    return kind == PEND_WAIT && lane->job && !job_wait(w, lane) ? VM_FAULT : VM_PENDING;
}

/* The instruction has started a transfer that is not complete: the lane goes on behind it when it
 * is. */
static VmStatus transfer(Lane *lane)
{
    lane->pending.kind = PEND_TRANSFER;
    lane->pending.enabled = false;
    lane->pending.at = lane_place(lane);
    return VM_PENDING;
}

/* From an APART on: instructions that only a print needs. */
typedef struct {
    bool open;
    uint64_t insns; /* of the lane */
    int64_t scalar_ps;
} Apart;

enum { APART_MAX = 256 }; /* instructions; more count as what they are */

/* What stands between an APART and its show takes no part in the run: the lane is preempted where
 * it would be without it. */
static void show_apart(World *w, Lane *lane, uint16_t op, Apart *a, uint64_t *budget)
{
    if (op == BC_APART && !a->open) {
        *a = (Apart){true, lane->insns, lane->scalar_ps};
        *budget += APART_MAX;
    } else if (op != BC_APART && a->open) {
        uint64_t n = lane->insns - a->insns;
        a->open = false;
        if (n > APART_MAX) {
            *budget = *budget > APART_MAX ? *budget - APART_MAX : 1;
            return;
        }
        w->steps -= n;
        lane->insns = a->insns;
        lane->scalar_ps = a->scalar_ps;
        *budget -= APART_MAX - n;
    }
}

static void iteration(World *w, Lane *lane, const BcInsn *in)
{
    Event e = {.kind = EV_ITERATION, .lane = lane, .begin = lane->now, .end = lane->now};
    e.op = in->op == BC_ITER ? ITERATION_NEXT : in->imm ? ITERATION_LAST : ITERATION_FIRST;
    if (in->op == BC_ITER)
        e.link = (uint64_t)lane_top(lane)->regs[in->a];
    if (probe_wants(&w->probe, EV_ITERATION))
        probe_emit(&w->probe, &e);
}

VmStatus vm_run(World *w, Lane *lane, uint64_t budget)
{
    int64_t scalar = w->platform.scalar_op;
    bool ok = true;
    Apart apart = {0};
    bool queued;
    for (; budget > 0 && ok; budget--) {
        budget -= vm_scalars(w, lane, budget);
        if (!budget)
            break;
        Frame *top = lane_top(lane);
        vm_check_insn(w, lane);
        const BcInsn *in = &top->f->insns[top->pc];
        int64_t *r = top->regs;
        if (lane->n_queued && job_must_wait(w, lane, in))
            return VM_PENDING;
        if (in->op == BC_PAR || in->op == BC_ITER) {
            iteration(w, lane, in);
            top->pc++;
            budget++;
            continue;
        }
        if (in->op >= BC_READ || in->op == BC_RET) {
            PendKind kind;
            if (stops(w, lane, in, &kind)) {
                if (w->omission && leave_out(w, lane, in))
                    continue;
                return stop(w, lane, in, kind);
            }
            if (in->op >= BC_SHOW && in->op <= BC_APART) {
                show_apart(w, lane, in->op, &apart, &budget);
                vm_settle(w);
                ok = in->op == BC_APART || vm_show(w, lane, in);
                top->pc++;
                budget++;
                continue;
            }
        }
        lane->insns++;
        w->steps++;
        lane->scalar_ps += scalar;
        switch (in->op) {
        case BC_BIN: ok = binary(w, lane, in, r); break;
        case BC_UN: r[in->a] = dev_unary((ScalarOp)in->imm, in->d, r[in->b]); break;
        case BC_CAST: r[in->a] = dev_cast(in->e, in->d, r[in->b]); break;
        case BC_FORPREP: ok = for_prep(w, lane, in, top); continue;
        case BC_CALL:
            ok = job_queue(w, lane, in, 0, &queued) && (queued || vm_call(w, lane, in));
            continue;
        case BC_SPMD:
            ok = job_queue(w, lane, in, r[in->b], &queued);
            if (ok && queued)
                continue;
            return ok && job_blocks(w, lane, in) ? VM_PENDING : VM_FAULT;
        case BC_TASK: job_task(lane, in); break;
        case BC_AS: job_as(lane, in); break;
        case BC_RET:
            if (lane->frames.len == 1)
                return VM_PENDING; /* the host function's end */
            vm_return(w, lane, in);
            continue;
        case BC_CHECK:
            if (!r[in->a])
                ok = vm_fault(w, lane, "%s", world_string(w, (uint32_t)in->imm));
            break;
        case BC_FIT: ok = vm_fit(w, lane, in); break;
        case BC_MMOV: top->mregs[in->a] = top->mregs[in->b]; break;
        case BC_FLATTEN: ok = flatten(w, lane, in, top); break;
        case BC_SHAPE: ok = vm_as_shape(w, lane, in); break;
        case BC_DIM:
        case BC_RANK:
        case BC_NRANKS: ok = query(w, lane, in, top); break;
        case BC_WORLD: r[in->a] = w->n_ranks; break;
        case BC_CORE: r[in->a] = lane->core; break;
        case BC_BLOCK: r[in->a] = in->imm ? lane->n_blocks + !lane->n_blocks : lane->block; break;
        default:
            lane->pending.token = 0;
            ok = execute(w, lane, in);
            if (ok && lane->pending.token)
                return transfer(lane);
            if (--w->patience == 0 && ok && !world_look(w))
                budget = 1; /* the scheduler ends the run */
            break;
        }
        if (ok)
            top->pc++;
    }
    if (!ok)
        return VM_FAULT;
    vm_stand(lane, PEND_NONE, true);
    vm_flush(w, lane);
    return VM_BUDGET;
}

bool vm_enabled(World *w, Lane *lane)
{
    Pending *p = &lane->pending;
    if (p->kind == PEND_JOIN) {
        ; /* the end of the last job enables it */
    } else if (p->kind == PEND_TRANSFER) {
        p->enabled = w->fabric->ops->done(w->fabric, p->token);
    } else if (p->kind == PEND_WAIT) {
        bool yes = false;
        FabStatus s =
            w->fabric->ops->test(w->fabric, lane->rank, p->rect.at, p->op, p->value, &yes);
        p->enabled = s == FAB_OK && yes;
    } else {
        p->enabled = true;
    }
    return p->enabled;
}

void vm_commit(World *w, Lane *lane)
{
    PendKind kind = lane->pending.kind;
    if (kind == PEND_NONE)
        return;
    lane->commits++;
    vec_clear(&lane->births);
    if (kind == PEND_EXIT) {
        world_lane_exit(w, lane);
        return;
    }
    if (kind == PEND_JOIN) {
        job_take_ends(w, lane);
        vm_stand(lane, PEND_NONE, true);
        return;
    }
    Frame *top = lane_top(lane);
    const BcInsn *in = &top->f->insns[top->pc];
    if (kind != PEND_TRANSFER) {
        lane->insns++;
        w->steps++;
        lane->scalar_ps += w->platform.scalar_op;
        lane->pending.token = 0;
        bool ok = kind == PEND_NOTIFY || kind == PEND_WAIT || kind == PEND_FENCE
                      ? vm_communicate(w, lane, in)
                      : execute(w, lane, in);
        if (!ok)
            return;
        if (lane->pending.token) {
            lane->pending.kind = PEND_TRANSFER;
            lane->state = LANE_BLOCKED;
            return;
        }
    }
    lane_top(lane)->pc++;
    vm_stand(lane, PEND_NONE, true);
    lane->state = LANE_READY;
}

static bool host_stopped(World *w, const char *why)
{
    Buf text = {0};
    buf_printf(&text, "%s: in the host function", why);
    report_add(w, REP_STEPS, "steps", NULL, text.at);
    buf_free(&text);
    return false;
}

bool vm_run_host(World *w)
{
    Lane *lane = w->host_lane;
    const BcFunc *f = &w->program->funcs[w->program->entry];
    MemRef *mem = xcalloc(w->n_tensors + 1, sizeof *mem);
    for (uint32_t i = 0; i < w->n_tensors; i++) {
        const HostTensor *t = &w->tensors[i];
        mem[i] = (MemRef){.kind = MEM_HOST, .dtype = t->dtype, .rank = t->rank, .object = i};
        memcpy(mem[i].shape, t->shape, sizeof t->shape);
    }
    int64_t *scalars = xcalloc(f->n_params + 1, sizeof *scalars);
    for (uint32_t i = w->n_tensors; i < f->n_params; i++)
        scalars[i - w->n_tensors] = w->scalar_regs[i];
    bool ok = vm_enter(w, lane, w->program->entry, mem, scalars);
    xfree(mem);
    xfree(scalars);
    VmStatus s = VM_BUDGET;
    while (ok && s == VM_BUDGET) {
        if (w->config->max_steps && w->steps >= w->config->max_steps)
            return vm_fault(w, lane, "the step limit is reached in the host function");
        const char *why = w->config->stop ? w->config->stop(w->config->stop_env) : NULL;
        if (why)
            return host_stopped(w, why);
        s = vm_run(w, lane, 100000);
    }
    return ok && s == VM_PENDING;
}
