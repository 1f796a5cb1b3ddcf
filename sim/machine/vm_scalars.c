/* Runs of scalar instructions that nobody can notice and that cannot fault. Their steps and their
 * time are added up once a run, which is what makes a loop of them fast; a division, a float or a
 * shift is left to vm_run, which does one instruction at a time. */
#include "base/devarith.h"
#include "sim/machine/vm_check.h"
#include "sim/machine/vm_ops.h"

/* Does the loop go on? It leaves when its variable leaves 64 bits. */
static bool goes_on(const BcInsn *in, int64_t *r)
{
    bool over = __builtin_add_overflow(r[in->a], r[in->c], &r[in->a]);
    return !over && vm_before(r[in->a], r[in->b], r[in->c]);
}

/* One instruction of the kind; the next one, or NULL when it is of another. */
static inline const BcInsn *step(const World *w, const BcInsn *insns, const BcInsn *in, int64_t *r)
{
    switch (in->op) {
    case BC_NOP: return in + 1;
    case BC_MOV: r[in->a] = r[in->b]; return in + 1;
    case BC_LDI: r[in->a] = in->imm; return in + 1;
    case BC_LDK: r[in->a] = w->program->consts[in->imm]; return in + 1;
    case BC_BIN:
        return dev_simple((ScalarOp)in->imm, in->d, r[in->b], r[in->c], &r[in->a]) ? in + 1 : NULL;
    case BC_CAST:
        if (!dev_cast_keeps((Dtype)in->e, (Dtype)in->d))
            return NULL;
        r[in->a] = r[in->b];
        return in + 1;
    case BC_JMP: return insns + in->imm;
    case BC_JZ: return r[in->a] ? in + 1 : insns + in->imm;
    case BC_JNZ: return r[in->a] ? insns + in->imm : in + 1;
    case BC_FORLOOP: return goes_on(in, r) ? insns + in->imm : in + 1;
    default: return NULL;
    }
}

uint64_t vm_scalars(World *w, Lane *lane, uint64_t budget)
{
    Frame *top = lane_top(lane);
    const BcInsn *insns = top->f->insns, *in = insns + top->pc;
    int64_t *r = top->regs;
    uint64_t n = 0;
    for (; n < budget; n++) {
        vm_check_insn(w, lane);
        const BcInsn *next = step(w, insns, in, r);
        if (!next)
            break;
        in = next;
        if (VM_CHECKED)
            top->pc = (uint32_t)(in - insns);
    }
    top->pc = (uint32_t)(in - insns);
    lane->insns += n;
    w->steps += n;
    lane->scalar_ps += (int64_t)n * w->platform.scalar_op;
    return n;
}
