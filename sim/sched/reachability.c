/* The code left to a rank is what control flow reaches from its frames' instructions and from the
 * entry of its queued dispatches. A register that nothing reachable writes keeps its value of now;
 * one that a single reachable instruction writes from such values is that value. Anything else is
 * unknown, and an unknown notify may hit any cell: the answer "no" is certain, "yes" is not. */
#include "sim/sched/reachability.h"

#include "base/devarith.h"
#include <string.h>

enum { MAX_DEPTH = 12 }; /* of an expression that is followed back */

/* One function as it can still run. */
typedef struct {
    const World *w;
    uint32_t rank;
    const BcFunc *f;
    const int64_t *regs; /* values now; NULL known_regs: all known */
    const MemRef *mregs;
    const bool *known; /* per register, or NULL */
    uint8_t *reached;  /* per instruction */
    uint32_t *writer;  /* per register: its only reachable writer + 1; 0 none; UINT32_MAX several */
    uint32_t *mwriter;
    ReachList *out;
} Scope;

static void note(uint32_t *writer, uint32_t reg, uint32_t pc)
{
    writer[reg] = writer[reg] == 0 ? pc + 1 : UINT32_MAX;
}

static void note_writes(Scope *s, uint32_t pc)
{
    const BcInsn *in = &s->f->insns[pc];
    const char *codes = bc_op_fields(in->op);
    if (codes[0] == 'w')
        note(s->writer, in->a, pc);
    if (codes[0] == 'M')
        note(s->mwriter, in->a, pc);
    if (in->op == BC_CALL) {
        const BcCall *c = &s->f->calls[in->a];
        for (uint32_t i = 0; i < c->n_results; i++)
            s->writer[c->results + i] = UINT32_MAX;
    }
}

static bool falls_through(uint16_t op)
{
    return op != BC_JMP && op != BC_RET;
}

static bool jumps(uint16_t op)
{
    return op == BC_JMP || op == BC_JZ || op == BC_JNZ || op == BC_FORPREP || op == BC_FORLOOP;
}

static void flow(Scope *s, uint32_t from)
{
    VEC(uint32_t) work = {0};
    vec_push(&work, from);
    while (work.len) {
        uint32_t pc = vec_pop(&work);
        if (pc >= s->f->n_insns || s->reached[pc])
            continue;
        s->reached[pc] = 1;
        note_writes(s, pc);
        const BcInsn *in = &s->f->insns[pc];
        if (falls_through(in->op))
            vec_push(&work, pc + 1);
        if (jumps(in->op))
            vec_push(&work, (uint32_t)in->imm);
    }
    vec_free(&work);
}

static bool mem_value(const Scope *s, uint32_t reg, int depth, MemRef *out)
{
    uint32_t by = s->mwriter[reg];
    if (by == 0) {
        *out = s->mregs[reg];
        return out->kind != MEM_EMPTY;
    }
    if (by == UINT32_MAX || depth == 0)
        return false;
    const BcInsn *in = &s->f->insns[by - 1];
    return in->op == BC_MMOV && mem_value(s, in->b, depth - 1, out);
}

static bool reg_value(const Scope *s, uint32_t reg, int depth, int64_t *out);

static bool insn_value(const Scope *s, const BcInsn *in, int depth, int64_t *out)
{
    int64_t a, b;
    MemRef m;
    switch (in->op) {
    case BC_LDI: *out = in->imm; return true;
    case BC_LDK: *out = s->w->program->consts[in->imm]; return true;
    case BC_MOV: return reg_value(s, in->b, depth, out);
    case BC_WORLD: *out = s->w->n_ranks; return true;
    case BC_BIN:
        return reg_value(s, in->b, depth, &a) && reg_value(s, in->c, depth, &b) &&
               dev_binary((ScalarOp)in->imm, in->d, a, b, out) == ARITH_OK;
    case BC_UN:
        if (!reg_value(s, in->b, depth, &a))
            return false;
        *out = dev_unary((ScalarOp)in->imm, in->d, a);
        return true;
    case BC_CAST:
        if (!reg_value(s, in->b, depth, &a))
            return false;
        *out = dev_cast(in->e, in->d, a);
        return true;
    case BC_RANK:
    case BC_NRANKS:
        if (!mem_value(s, in->b, depth, &m) || m.kind != MEM_WINDOW)
            return false;
        *out = in->op == BC_RANK ? window_rank(s->w, m.object, s->rank)
                                 : window_domain(s->w, m.object)->n;
        return true;
    default: return false;
    }
}

static bool reg_value(const Scope *s, uint32_t reg, int depth, int64_t *out)
{
    uint32_t by = s->writer[reg];
    if (by == 0) {
        *out = s->regs[reg];
        return !s->known || s->known[reg];
    }
    return by != UINT32_MAX && depth > 0 && insn_value(s, &s->f->insns[by - 1], depth - 1, out);
}

static bool cell_offset(const Scope *s, const BcInsn *in, const MemRef *m, int64_t *out)
{
    int64_t at = 0, i;
    for (uint32_t k = 0; k < in->d; k++) {
        if (!reg_value(s, in->c + k, MAX_DEPTH, &i))
            return false;
        if (i < 0 || i >= m->shape[k])
            i = 0; /* it would fault; any cell will do */
        at = at * m->shape[k] + i;
    }
    *out = m->offset + 4 * at;
    return true;
}

static void add_site(ReachList *out, ReachSite site)
{
    for (uint32_t i = 0; i < out->len; i++) {
        const ReachSite *o = &out->at[i];
        if (o->window == site.window && o->target == site.target && o->offset == site.offset)
            return;
    }
    vec_push(out, site);
}

static void add_notify(const Scope *s, const BcInsn *in)
{
    ReachSite site = {REACH_ANY, REACH_ANY, -1};
    MemRef m;
    int64_t peer;
    if (mem_value(s, in->a, MAX_DEPTH, &m) && m.kind == MEM_WINDOW) {
        const Domain *d = window_domain(s->w, m.object);
        site.window = m.object;
        if (reg_value(s, in->b, MAX_DEPTH, &peer) && peer >= 0 && peer < d->n)
            site.target = d->members[peer];
        if (m.rank != in->d || !cell_offset(s, in, &m, &site.offset))
            site.offset = -1;
    }
    add_site(s->out, site);
}

static void reach_entry(const World *w, uint32_t rank, uint32_t func, const MemRef *mem,
                        const int64_t *scalars, const bool *known, uint32_t n_scalars,
                        ReachList *out);

static void add_call(const Scope *s, const BcInsn *in)
{
    const BcCall *c = &s->f->calls[in->a];
    MemRef *mem = xcalloc(c->n_mem + 1, sizeof *mem);
    int64_t *scalars = xcalloc(c->n_scalars + 1, sizeof *scalars);
    bool *known = xcalloc(c->n_scalars + 1, sizeof *known);
    for (uint32_t i = 0; i < c->n_mem; i++)
        if (!mem_value(s, c->mem[i], MAX_DEPTH, &mem[i]))
            mem[i].kind = MEM_EMPTY;
    for (uint32_t i = 0; i < c->n_scalars; i++)
        known[i] = reg_value(s, c->scalars[i], MAX_DEPTH, &scalars[i]);
    reach_entry(s->w, s->rank, c->func, mem, scalars, known, c->n_scalars, s->out);
    free(mem);
    free(scalars);
    free(known);
}

static void run_scope(Scope *s, uint32_t from)
{
    s->reached = xcalloc(s->f->n_insns + 1, 1);
    s->writer = xcalloc(s->f->n_regs + 1u, sizeof *s->writer);
    s->mwriter = xcalloc(s->f->n_mregs + 1u, sizeof *s->mwriter);
    flow(s, from);
    for (uint32_t pc = 0; pc < s->f->n_insns; pc++) {
        if (!s->reached[pc])
            continue;
        if (s->f->insns[pc].op == BC_NOTIFY)
            add_notify(s, &s->f->insns[pc]);
        if (s->f->insns[pc].op == BC_CALL)
            add_call(s, &s->f->insns[pc]);
    }
    free(s->reached);
    free(s->writer);
    free(s->mwriter);
}

/* A function from its start. Dynamic extents are not followed: they count as unknown. */
static void reach_entry(const World *w, uint32_t rank, uint32_t func, const MemRef *mem,
                        const int64_t *scalars, const bool *known, uint32_t n_scalars,
                        ReachList *out)
{
    const BcFunc *f = &w->program->funcs[func];
    int64_t *regs = xcalloc(f->n_regs + 1u, sizeof *regs);
    bool *reg_known = xcalloc(f->n_regs + 1u, sizeof *reg_known);
    MemRef *mregs = xcalloc(f->n_mregs + 1u, sizeof *mregs);
    for (uint32_t i = f->n_binds; i < f->n_regs; i++)
        reg_known[i] = true;
    for (uint32_t i = 0; i < n_scalars; i++) {
        regs[f->n_binds + i] = scalars[i];
        reg_known[f->n_binds + i] = !known || known[i];
    }
    for (uint32_t i = 0, m = 0; i < f->n_params && f->params[i].kind != BCP_SCALAR; i++, m++)
        mregs[m] = mem[m];
    Scope s = {.w = w, .rank = rank, .f = f, .regs = regs, .mregs = mregs, .known = reg_known};
    s.out = out;
    run_scope(&s, 0);
    free(regs);
    free(reg_known);
    free(mregs);
}

static void reach_lane(const World *w, const Lane *lane, ReachList *out)
{
    for (uint32_t i = 0; i < lane->frames.len; i++) {
        const Frame *f = &lane->frames.at[i];
        bool top = i + 1 == lane->frames.len;
        Scope s = {.w = w, .rank = lane->rank, .f = f->f, .regs = f->regs, .mregs = f->mregs};
        s.out = out;
        run_scope(&s, top ? f->pc : f->pc + 1);
    }
}

void reach_rank(const World *w, uint32_t rank, ReachList *out)
{
    const Rank *r = &w->ranks[rank];
    for (uint32_t i = 0; i < r->n_lanes; i++)
        reach_lane(w, &r->lanes[i], out);
    for (uint32_t i = r->next; i < r->queue.len; i++) {
        const Dispatch *d = &w->dispatches.at[r->queue.at[i]];
        reach_entry(w, rank, d->func, d->mem, d->scalars, NULL, d->n_scalars, out);
    }
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
