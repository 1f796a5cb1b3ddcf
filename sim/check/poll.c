/* Where the value of a read cell goes: forward through the function's registers. It is harmless
 * when it decides nothing but how often loops go round that do nothing else, and behind which a
 * wait stands: the wait says what the poll was for, and orders it. */
#include "sim/check/order.h"

#include <string.h>

typedef struct {
    const BcFunc *f;
    uint32_t words;  /* of a set of registers */
    uint64_t *taint; /* per instruction: registers that hold something of the value before it */
    uint8_t *queued;
    VEC(uint32_t) work;
    bool harmless;
} ValueFlow;

static bool has(const uint64_t *set, uint32_t reg)
{
    return set[reg / 64] >> (reg % 64) & 1;
}

static bool any_of(const uint64_t *set, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (has(set, first + i))
            return true;
    return false;
}

static bool scalar_op(const BcInsn *in)
{
    switch (in->op) {
    case BC_NOP:
    case BC_MOV:
    case BC_LDI:
    case BC_LDK:
    case BC_BIN:
    case BC_UN:
    case BC_CAST:
    case BC_SHOW:
    case BC_SHOWT:
    case BC_SHOWM:
    case BC_APART:
    case BC_JMP:
    case BC_JZ:
    case BC_JNZ:
    case BC_FORPREP:
    case BC_FORLOOP:
    case BC_MMOV:
    case BC_DIM:
    case BC_WORLD:
    case BC_RANK:
    case BC_NRANKS:
    case BC_CORE:
    case BC_BLOCK:
    case BC_READ:
    case BC_FENCE: return true;
    default: return false;
    }
}

/* ---- polling loops ---- */

typedef struct {
    const BcFunc *f;
    uint8_t *seen;
    VEC(uint32_t) work;
} PollWalk;

/* Does every path from here come to a wait before it does anything? */
static bool comes_to_wait(const BcFunc *f, uint32_t first, uint32_t last)
{
    PollWalk w = {.f = f, .seen = xcalloc(f->n_insns + 1, 1)};
    bool ok = true;
    for (uint32_t pc = first; pc <= last; pc++) { /* the ways out of the loop */
        const BcInsn *in = &f->insns[pc];
        if (pc == last)
            vec_push(&w.work, pc + 1);
        bool jumps =
            in->op == BC_JMP || in->op == BC_JZ || in->op == BC_JNZ || in->op == BC_FORPREP;
        if (jumps && (uint32_t)in->imm > last)
            vec_push(&w.work, (uint32_t)in->imm);
    }
    while (w.work.len && ok) {
        uint32_t pc = vec_pop(&w.work);
        if (pc >= f->n_insns) {
            ok = false;
            break;
        }
        const BcInsn *in = &f->insns[pc];
        if (w.seen[pc] || in->op == BC_WAIT)
            continue;
        w.seen[pc] = 1;
        ok = scalar_op(in) && in->op != BC_FORLOOP;
        if (in->op != BC_JMP)
            vec_push(&w.work, pc + 1);
        if (in->op == BC_JMP || in->op == BC_JZ || in->op == BC_JNZ || in->op == BC_FORPREP)
            vec_push(&w.work, (uint32_t)in->imm);
    }
    xfree(w.seen);
    vec_free(&w.work);
    return ok;
}

/* The innermost loop around a branch does nothing, and then waits. */
static bool polls(const BcFunc *f, uint32_t branch)
{
    for (uint32_t end = branch; end < f->n_insns; end++) {
        const BcInsn *in = &f->insns[end];
        if (in->op != BC_FORLOOP || (uint32_t)in->imm > branch)
            continue;
        for (uint32_t pc = (uint32_t)in->imm; pc <= end; pc++)
            if (!scalar_op(&f->insns[pc]))
                return false;
        return comes_to_wait(f, (uint32_t)in->imm, end);
    }
    return false;
}

/* ---- the flow of the value ---- */

static bool reads_run(const ValueFlow *x, const uint64_t *t, const BcInsn *in)
{
    switch (in->op) {
    case BC_READ: return any_of(t, in->c, in->d);
    case BC_WRITE: return any_of(t, in->b, in->c);
    case BC_LOAD: return any_of(t, in->c, in->d) || (in->e != BC_NONE && any_of(t, in->e, in->d));
    case BC_STORE: return any_of(t, in->c, in->d);
    case BC_RLOAD:
        return any_of(t, in->d, (uint32_t)in->imm) ||
               (in->e != BC_NONE && any_of(t, in->e, (uint32_t)in->imm));
    case BC_RSTORE: return any_of(t, in->d, in->e);
    case BC_NOTIFY: return any_of(t, in->c, in->d);
    case BC_WAIT: return any_of(t, in->b, in->c);
    case BC_RET: return any_of(t, in->a, in->b);
    case BC_PUT:
    case BC_GET: return any_of(t, x->f->xfers[in->d].run, 3u * x->f->xfers[in->d].rank);
    case BC_CALL:
    case BC_SPMD:
        for (uint32_t i = 0; i < x->f->calls[in->a].n_scalars; i++)
            if (has(t, x->f->calls[in->a].scalars[i]))
                return true;
        return false;
    default: return false;
    }
}

static bool reads_register(const uint64_t *t, const BcInsn *in)
{
    const char *codes = bc_op_fields(in->op);
    const uint16_t fields[] = {in->a, in->b, in->c, in->d, in->e};
    for (int i = 0; i < 5; i++)
        if ((codes[i] == 'r' || (in->op == BC_FORLOOP && i == 0)) && has(t, fields[i]))
            return true;
    return false;
}

static void flow_to(ValueFlow *x, uint32_t pc, const uint64_t *taint)
{
    if (pc >= x->f->n_insns)
        return;
    uint64_t *to = x->taint + (size_t)pc * x->words;
    bool more = false;
    for (uint32_t i = 0; i < x->words; i++) {
        more |= (taint[i] & ~to[i]) != 0;
        to[i] |= taint[i];
    }
    if (more && !x->queued[pc]) {
        x->queued[pc] = 1;
        vec_push(&x->work, pc);
    }
}

static void pass_on(ValueFlow *x, uint32_t pc, uint64_t *taint, bool from_it)
{
    const BcInsn *in = &x->f->insns[pc];
    if (bc_op_fields(in->op)[0] == 'w') {
        uint64_t bit = UINT64_C(1) << (in->a % 64);
        taint[in->a / 64] = from_it ? taint[in->a / 64] | bit : taint[in->a / 64] & ~bit;
    }
    if (in->op != BC_JMP && in->op != BC_RET)
        flow_to(x, pc + 1, taint);
    if (in->op == BC_JMP || in->op == BC_JZ || in->op == BC_JNZ || in->op == BC_FORPREP ||
        in->op == BC_FORLOOP)
        flow_to(x, (uint32_t)in->imm, taint);
}

static void visit(ValueFlow *x, uint32_t pc, uint64_t *taint)
{
    const BcInsn *in = &x->f->insns[pc];
    memcpy(taint, x->taint + (size_t)pc * x->words, x->words * sizeof *taint);
    bool used = reads_register(taint, in) || reads_run(x, taint, in);
    used &= in->op != BC_SHOW && in->op != BC_SHOWT && in->op != BC_SHOWM; /* it changes nothing */
    bool computes = in->op == BC_MOV || in->op == BC_BIN || in->op == BC_UN || in->op == BC_CAST;
    if (used && (in->op == BC_JZ || in->op == BC_JNZ))
        x->harmless &= polls(x->f, pc);
    else if (used && !computes)
        x->harmless = false;
    pass_on(x, pc, taint, used && computes);
}

bool poll_is_harmless(const BcFunc *f, uint32_t pc)
{
    ValueFlow x = {.f = f, .words = f->n_regs / 64u + 1, .harmless = true};
    if (f->insns[pc].op != BC_READ)
        return false;
    x.taint = xcalloc((size_t)f->n_insns * x.words + 1, sizeof *x.taint);
    x.queued = xcalloc(f->n_insns + 1, 1);
    uint64_t *taint = xcalloc(x.words, sizeof *taint);
    pass_on(&x, pc, taint, true);
    while (x.work.len && x.harmless) {
        uint32_t at = vec_pop(&x.work);
        x.queued[at] = 0;
        visit(&x, at, taint);
    }
    xfree(x.taint);
    xfree(x.queued);
    xfree(taint);
    vec_free(&x.work);
    return x.harmless;
}
