/* Runs of scalar instructions that nobody can notice and that cannot fault. Their steps and their
 * time are added up where control goes elsewhere, not one by one; a division, a float or a shift is
 * left to vm_run, which does one instruction at a time. */
#include "base/devarith.h"
#include "sim/machine/quick.h"
#include "sim/machine/vm_check.h"
#include "sim/machine/vm_ops.h"

/* Does the loop go on? It leaves when its variable leaves 64 bits. */
static inline bool goes_on(const QuickInsn *q, int64_t *r)
{
    bool over = __builtin_add_overflow(r[q->a], r[q->c], &r[q->a]);
    return !over && vm_before(r[q->a], r[q->b], r[q->c]);
}

static inline bool compares(const QuickInsn *q, int64_t *r, bool holds)
{
    r[q->a] = holds;
    return holds == q->d;
}

static inline uint64_t bits(const int64_t *r, uint16_t reg)
{
    return (uint64_t)r[reg];
}

/* An instruction that does not end a run. */
static inline void straight(QuickOp op, const World *w, const QuickInsn *q, int64_t *r)
{
    switch (op) {
    case Q_MOV: r[q->a] = r[q->b]; break;
    case Q_LDI: r[q->a] = q->imm; break;
    case Q_LDK: r[q->a] = w->program->consts[q->imm]; break;
    case Q_ADD:
    case Q_ADD_MOV: r[q->a] = (int64_t)(bits(r, q->b) + bits(r, q->c)); break;
    case Q_SUB:
    case Q_SUB_MOV: r[q->a] = (int64_t)(bits(r, q->b) - bits(r, q->c)); break;
    case Q_MUL:
    case Q_MUL_MOV: r[q->a] = (int64_t)(bits(r, q->b) * bits(r, q->c)); break;
    case Q_BIN: (void)dev_simple((ScalarOp)q->imm, (Dtype)q->d, r[q->b], r[q->c], &r[q->a]); break;
    default: break;
    }
    if (op >= Q_ADD_MOV && op <= Q_MUL_MOV)
        r[q->d] = r[q->a];
}

/* Does the instruction, which ends a run, go to its target? */
static inline bool jumps(QuickOp op, const QuickInsn *q, int64_t *r)
{
    switch (op) {
    case Q_JZ: return !r[q->a];
    case Q_JNZ: return r[q->a];
    case Q_EQ: return compares(q, r, r[q->b] == r[q->c]);
    case Q_NE: return compares(q, r, r[q->b] != r[q->c]);
    case Q_LT: return compares(q, r, r[q->b] < r[q->c]);
    case Q_LE: return compares(q, r, r[q->b] <= r[q->c]);
    case Q_GT: return compares(q, r, r[q->b] > r[q->c]);
    case Q_GE: return compares(q, r, r[q->b] >= r[q->c]);
    case Q_FORPREP: return !vm_before(r[q->a], r[q->b], r[q->c]);
    case Q_FORLOOP: return goes_on(q, r);
    default: return true;
    }
}

/* Whole runs, as long as the next one is within what is `left`; returns where the one begins that
 * is not, or the instruction that is not run here. One switch, whose cases are the functions above
 * for one operation: a second look at it would be most of the time. */
static const QuickInsn *runs(const World *w, const QuickCode *code, const QuickInsn *q, int64_t *r,
                             uint64_t *left)
{
#define IS_BEYOND(q) (*left < code->longest && *left < code->run[(q)-code->at])
#define STRAIGHT(OP, N)                                                                            \
    case OP:                                                                                       \
        straight(OP, w, q, r);                                                                     \
        q += N;                                                                                    \
        break;
#define JUMP(OP, N)                                                                                \
    case OP:                                                                                       \
        *left -= (uint64_t)(q - start);                                                            \
        if (OP == Q_FORPREP && r[q->c] == 0)                                                       \
            return q;                                                                              \
        *left -= N;                                                                                \
        start = q = jumps(OP, q, r) ? code->at + q->imm : q + N;                                   \
        if (IS_BEYOND(q))                                                                          \
            return q;                                                                              \
        break;
    const QuickInsn *start = q;
    if (IS_BEYOND(q))
        return q;
    for (;;)
        switch ((QuickOp)q->op) {
            QUICK_STRAIGHT(STRAIGHT)
            QUICK_JUMPS(JUMP)
        case Q_STOP: *left -= (uint64_t)(q - start); return q;
        default: __builtin_unreachable();
        }
#undef IS_BEYOND
#undef STRAIGHT
#undef JUMP
}

/* Instruction by instruction, where what is left ends within a run. */
static const QuickInsn *single(World *w, Lane *lane, const QuickCode *code, const QuickInsn *q,
                               uint64_t *left)
{
    Frame *top = lane_top(lane);
    int64_t *r = top->regs;
    while (*left > 0 && q->op != Q_STOP && !(q->op == Q_FORPREP && r[q->c] == 0)) {
        const BcInsn *in = &top->f->insns[q - code->at];
        QuickInsn one = {q->plain, in->a, in->b, in->c, in->d, 1, q->plain, in->imm};
        top->pc = (uint32_t)(q - code->at);
        vm_check_insn(w, lane);
        --*left;
        if (one.op < Q_JMP)
            straight((QuickOp)one.op, w, &one, r);
        q = one.op >= Q_JMP && jumps((QuickOp)one.op, &one, r) ? code->at + one.imm : q + 1;
    }
    return q;
}

uint64_t vm_scalars(World *w, Lane *lane, uint64_t budget)
{
    Frame *top = lane_top(lane);
    const QuickCode **made = &w->quick[top->func];
    if (!*made)
        *made = quick_make(&w->arena, w->program, w->call_sites, top->func);
    const QuickInsn *q = (*made)->at + top->pc;
    uint64_t left = budget;
    if (!VM_CHECKED)
        q = runs(w, *made, q, top->regs, &left);
    if (q->op != Q_STOP)
        q = single(w, lane, *made, q, &left);
    top->pc = (uint32_t)(q - (*made)->at);
    uint64_t n = budget - left;
    lane->insns += n;
    w->steps += n;
    lane->scalar_ps += (int64_t)n * w->platform.scalar_op;
    return n;
}
