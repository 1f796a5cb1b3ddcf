/* The code left to a rank is followed from where its lanes stand and from the entry of its queued
 * dispatches, with the values that registers hold now; waits are taken to be satisfied. As long as
 * branches depend on known values there is one path, loops included. From the first one that does
 * not, or when the path is very long, all paths are followed, a register being known where it has
 * the same value on each (Wegman, Zadeck, "Constant propagation with conditional branches", 1991).
 * A notify that would fault changes nothing, and what is behind it does not run. An unknown notify
 * may hit any cell: the answer "no" is certain, "yes" is not. */
#include "sim/sched/reachability.h"

#include "base/devarith.h"
#include "sim/machine/job.h"
#include <string.h>

enum { MAX_STEPS = 50000 }; /* of a path of one rank */

/* What is known before an instruction. */
typedef struct {
    int64_t *regs;
    uint8_t *known; /* per register */
    MemRef *mem;    /* kind MEM_EMPTY: not known */
} State;

/* One function as it can still run. */
typedef struct {
    const World *w;
    uint32_t rank, core; /* core UINT32_MAX: any */
    const BcFunc *f;
    uint32_t *steps; /* left */
    ReachList *out;
} ReachScope;

static State state_new(const BcFunc *f)
{
    return (State){xcalloc(f->n_regs + 1u, sizeof(int64_t)), xcalloc(f->n_regs + 1u, 1),
                   xcalloc(f->n_mregs + 1u, sizeof(MemRef))};
}

static void state_free(State *s)
{
    xfree(s->regs);
    xfree(s->known);
    xfree(s->mem);
}

static void state_copy(const BcFunc *f, State *to, const State *from)
{
    memcpy(to->regs, from->regs, f->n_regs * sizeof *to->regs);
    memcpy(to->known, from->known, f->n_regs);
    memcpy(to->mem, from->mem, f->n_mregs * sizeof *to->mem);
}

/* What both know; true when `to` knows less than before. */
static bool state_meet(const BcFunc *f, State *to, const State *from)
{
    bool less = false;
    for (uint32_t i = 0; i < f->n_regs; i++)
        if (to->known[i] && (!from->known[i] || from->regs[i] != to->regs[i])) {
            to->known[i] = 0;
            less = true;
        }
    for (uint32_t i = 0; i < f->n_mregs; i++)
        if (to->mem[i].kind != MEM_EMPTY &&
            memcmp(&to->mem[i], &from->mem[i], sizeof from->mem[i]) != 0) {
            memset(&to->mem[i], 0, sizeof to->mem[i]);
            less = true;
        }
    return less;
}

/* ---- values ---- */

static bool mem_query(const ReachScope *s, const State *st, const BcInsn *in, int64_t *out)
{
    const MemRef *m = &st->mem[in->b];
    if (m->kind == MEM_EMPTY || (in->op != BC_DIM && m->kind != MEM_WINDOW))
        return false;
    *out = in->op == BC_DIM    ? m->shape[in->imm]
           : in->op == BC_RANK ? window_rank(s->w, m->object, s->rank)
                               : window_domain(s->w, m->object)->n;
    return true;
}

static bool value_of(const ReachScope *s, const State *st, const BcInsn *in, int64_t *out)
{
    switch (in->op) {
    case BC_LDI: *out = in->imm; return true;
    case BC_LDK: *out = s->w->program->consts[in->imm]; return true;
    case BC_FIT:
    case BC_MOV: *out = st->regs[in->b]; return st->known[in->b];
    case BC_WORLD: *out = s->w->n_ranks; return true;
    case BC_CORE: *out = s->core; return s->core != UINT32_MAX;
    case BC_BIN:
        return st->known[in->b] && st->known[in->c] &&
               dev_binary((ScalarOp)in->imm, in->d, st->regs[in->b], st->regs[in->c], out) ==
                   ARITH_OK;
    case BC_UN:
        if (st->known[in->b])
            *out = dev_unary((ScalarOp)in->imm, in->d, st->regs[in->b]);
        return st->known[in->b];
    case BC_CAST:
        if (st->known[in->b])
            *out = dev_cast(in->e, in->d, st->regs[in->b]);
        return st->known[in->b];
    case BC_DIM:
    case BC_RANK:
    case BC_NRANKS: return mem_query(s, st, in, out);
    default: return false;
    }
}

static void name_memory(State *st, const BcInsn *in)
{
    MemRef *to = &st->mem[in->a];
    if (in->op == BC_MMOV)
        *to = st->mem[in->b];
    else
        memset(to, 0, sizeof *to);
}

/* An instruction that is no jump: what is known behind it. */
static void pass(const ReachScope *s, State *st, const BcInsn *in)
{
    const char *codes = bc_op_fields(in->op);
    if (codes[0] == 'w') {
        int64_t v = 0;
        bool known = value_of(s, st, in, &v);
        st->known[in->a] = known;
        st->regs[in->a] = v;
    }
    if (codes[0] == 'M')
        name_memory(st, in);
    if (in->op == BC_CALL || in->op == BC_SPMD) {
        const BcCall *c = &s->f->calls[in->a];
        for (uint32_t i = 0; i < c->n_results; i++)
            st->known[c->results + i] = 0;
    }
}

/* ---- notifies ---- */

static void add_site(ReachList *out, ReachSite site)
{
    for (uint32_t i = 0; i < out->len; i++) {
        const ReachSite *o = &out->at[i];
        if (o->window == site.window && o->target == site.target && o->offset == site.offset)
            return;
    }
    vec_push(out, site);
}

/* Byte offset of the cell, -1 when it is not known; false when the index faults. */
static bool cell_offset(const State *st, const BcInsn *in, const MemRef *m, int64_t *out)
{
    int64_t at = 0, step[BC_MAX_RANK];
    *out = -1;
    mem_strides(m, step);
    for (uint32_t k = 0; k < in->d; k++) {
        if (!st->known[in->c + k])
            return true;
        int64_t i = st->regs[in->c + k];
        if (i < 0 || i >= mem_limit(m)[k])
            return false;
        at += step[k] * i;
    }
    *out = m->offset + at;
    return true;
}

/* False when it faults; `add`: put down what it changes. */
static bool notifies(const ReachScope *s, const State *st, const BcInsn *in, bool add)
{
    ReachSite site = {REACH_ANY, REACH_ANY, -1};
    const MemRef *m = &st->mem[in->a];
    if (m->kind == MEM_WINDOW) {
        const Domain *d = window_domain(s->w, m->object);
        site.window = m->object;
        if (st->known[in->b]) {
            int64_t peer = st->regs[in->b];
            if (peer < 0 || peer >= d->n)
                return false;
            site.target = d->members[peer];
        }
        if (m->rank == in->d && !cell_offset(st, in, m, &site.offset))
            return false;
    }
    if (add)
        add_site(s->out, site);
    return true;
}

/* ---- paths ---- */

static void walk(ReachScope *s, State *st, uint32_t pc);

static void enter(const ReachScope *s, uint32_t func, State *st)
{
    ReachScope callee = *s;
    callee.f = &s->w->program->funcs[func];
    walk(&callee, st, 0);
    state_free(st);
}

static void add_call(const ReachScope *s, const State *st, const BcInsn *in)
{
    const BcCall *c = &s->f->calls[in->a];
    const BcFunc *f = &s->w->program->funcs[c->func];
    State to = state_new(f); /* dynamic extents are not followed: they are not known */
    for (uint32_t i = 0; i < c->n_mem; i++)
        to.mem[i] = st->mem[c->mem[i]];
    for (uint32_t i = 0; i < c->n_scalars; i++) {
        to.known[f->n_binds + i] = st->known[c->scalars[i]];
        to.regs[f->n_binds + i] = st->regs[c->scalars[i]];
    }
    enter(s, c->func, &to);
}

static bool before(int64_t at, int64_t end, int64_t step)
{
    return step > 0 ? at < end : at > end;
}

static bool jumps(uint16_t op)
{
    return op == BC_JMP || op == BC_JZ || op == BC_JNZ || op == BC_FORPREP || op == BC_FORLOOP;
}

/* Where a jump goes: bit 0 on, bit 1 to its target. A loop moves its variable. */
static unsigned ways(State *st, const BcInsn *in)
{
    int64_t *r = st->regs;
    if (in->op == BC_JMP)
        return 2;
    if (in->op == BC_JZ || in->op == BC_JNZ)
        return !st->known[in->a] ? 3 : (r[in->a] == 0) == (in->op == BC_JZ) ? 2 : 1;
    bool known = st->known[in->a] && st->known[in->b] && st->known[in->c];
    if (!known) {
        if (in->op == BC_FORLOOP)
            st->known[in->a] = 0;
        return 3;
    }
    if (in->op == BC_FORPREP)
        return before(r[in->a], r[in->b], r[in->c]) ? 1 : 2;
    bool over = __builtin_add_overflow(r[in->a], r[in->c], &r[in->a]);
    return !over && before(r[in->a], r[in->b], r[in->c]) ? 2 : 1;
}

/* All paths: states where paths meet. */
typedef struct {
    ReachScope *s;
    uint32_t *place; /* per instruction: index in states + 1 where one begins a stretch */
    VEC(State) states;
    VEC(uint32_t) starts; /* of the stretches */
    VEC(uint32_t) work;
    State now;
} ReachFlow;

static void flow_to(ReachFlow *x, uint32_t pc)
{
    if (pc >= x->s->f->n_insns)
        return;
    uint32_t i = x->place[pc];
    if (!i) {
        State st = state_new(x->s->f);
        state_copy(x->s->f, &st, &x->now);
        vec_push(&x->states, st);
        vec_push(&x->starts, pc);
        x->place[pc] = x->states.len;
        vec_push(&x->work, pc);
    } else if (state_meet(x->s->f, &x->states.at[i - 1], &x->now)) {
        vec_push(&x->work, pc);
    }
}

/* From the start of a stretch to its jump. `add`: the states are final, put notifies down. */
static void stretch(ReachFlow *x, uint32_t pc, bool add)
{
    const BcFunc *f = x->s->f;
    state_copy(f, &x->now, &x->states.at[x->place[pc] - 1]);
    for (; pc < f->n_insns; pc++) {
        const BcInsn *in = &f->insns[pc];
        if (in->op == BC_RET || (in->op == BC_NOTIFY && !notifies(x->s, &x->now, in, add)))
            return;
        if (jumps(in->op)) {
            unsigned to = ways(&x->now, in);
            if (!add && to & 1)
                flow_to(x, pc + 1);
            if (!add && to & 2)
                flow_to(x, (uint32_t)in->imm);
            return;
        }
        if (add && (in->op == BC_CALL || in->op == BC_SPMD))
            add_call(x->s, &x->now, in);
        pass(x->s, &x->now, in);
    }
}

static void flow(ReachScope *s, const State *st, uint32_t from)
{
    ReachFlow x = {.s = s, .now = state_new(s->f)};
    x.place = xcalloc(s->f->n_insns + 1u, sizeof *x.place);
    state_copy(s->f, &x.now, st);
    flow_to(&x, from);
    while (x.work.len)
        stretch(&x, vec_pop(&x.work), false);
    for (uint32_t i = 0; i < x.starts.len; i++)
        stretch(&x, x.starts.at[i], true);
    for (uint32_t i = 0; i < x.states.len; i++)
        state_free(&x.states.at[i]);
    vec_free(&x.states);
    vec_free(&x.starts);
    vec_free(&x.work);
    state_free(&x.now);
    xfree(x.place);
}

/* One path, as long as there is one. */
static void walk(ReachScope *s, State *st, uint32_t pc)
{
    while (pc < s->f->n_insns) {
        const BcInsn *in = &s->f->insns[pc];
        if (in->op == BC_RET || (in->op == BC_NOTIFY && !notifies(s, st, in, true)))
            return;
        bool open = jumps(in->op) && in->op != BC_JMP && !st->known[in->a];
        bool loop = in->op == BC_FORPREP || in->op == BC_FORLOOP;
        open |= loop && !(st->known[in->b] && st->known[in->c]);
        if (open || *s->steps == 0) {
            flow(s, st, pc);
            return;
        }
        --*s->steps;
        if (jumps(in->op)) {
            pc = ways(st, in) == 2 ? (uint32_t)in->imm : pc + 1;
            continue;
        }
        if (in->op == BC_CALL || in->op == BC_SPMD)
            add_call(s, st, in);
        pass(s, st, in);
        pc++;
    }
}

static void reach_lane(const World *w, const Lane *lane, uint32_t *steps, ReachList *out)
{
    for (uint32_t i = lane->frames.len; i-- > 0;) {
        const Frame *f = &lane->frames.at[i];
        bool top = i + 1 == lane->frames.len;
        ReachScope s = {w, lane->rank, lane->core, f->f, steps, out};
        State st = state_new(f->f);
        memcpy(st.regs, f->regs, f->f->n_regs * sizeof *st.regs);
        memset(st.known, 1, f->f->n_regs);
        memcpy(st.mem, f->mregs, f->f->n_mregs * sizeof *st.mem);
        if (!top)
            pass(&s, &st, &f->f->insns[f->pc]);
        walk(&s, &st, top ? f->pc : f->pc + 1);
        state_free(&st);
    }
}

static void reach_dispatch(const World *w, const Dispatch *d, uint32_t *steps, ReachList *out)
{
    const BcFunc *f = &w->program->funcs[d->func];
    ReachScope s = {w, d->rank, d->cores > 1 ? UINT32_MAX : 0, f, steps, out};
    State st = state_new(f);
    memcpy(st.mem, d->mem, d->n_mem * sizeof *st.mem);
    for (uint32_t i = 0; i < d->n_scalars; i++) {
        st.regs[f->n_binds + i] = d->scalars[i];
        st.known[f->n_binds + i] = 1;
    }
    enter(&s, d->func, &st);
}

void reach_rank(const World *w, uint32_t rank, ReachList *out)
{
    const Rank *r = &w->ranks[rank];
    uint32_t steps = MAX_STEPS;
    for (uint32_t i = 0; i < r->n_lanes; i++)
        reach_lane(w, &r->lanes[i], &steps, out);
    JobCall job;
    for (uint32_t i = 0; job_waiting(r, &i, &job); i++) {
        Dispatch d = {.func = job.func,
                      .rank = rank,
                      .cores = 1,
                      .n_mem = job.n_mem,
                      .n_scalars = job.n_scalars,
                      .mem = (MemRef *)(uintptr_t)job.mem,
                      .scalars = (int64_t *)(uintptr_t)job.scalars};
        reach_dispatch(w, &d, &steps, out);
    }
    for (uint32_t i = r->next; i < r->queue.len; i++)
        reach_dispatch(w, &w->dispatches.at[r->queue.at[i]], &steps, out);
}

ReachAnswer reach_cell(const ReachList *list, FabAddr cell)
{
    ReachAnswer best = REACH_NO_WINDOW;
    for (uint32_t i = 0; i < list->len; i++) {
        const ReachSite *s = &list->at[i];
        if (s->window != REACH_ANY && s->window != cell.window)
            continue;
        best = REACH_NO_CELL;
        if ((s->target == REACH_ANY || s->target == cell.rank) &&
            (s->offset < 0 || s->offset == cell.offset))
            return REACH_YES;
    }
    return best;
}
