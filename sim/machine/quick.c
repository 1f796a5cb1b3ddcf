/* Specialised instructions. What is covered has to leave every register as the plain instructions
 * would: somebody may jump between them, or read what they wrote. */
#include "sim/machine/quick.h"

#include "base/devarith.h"
#include "sim/machine/tile_life.h"

static bool is_wide(uint16_t dtype)
{
    return dtype == DT_INDEX || dtype == DT_INT64;
}

static uint16_t binary(const BcInsn *in)
{
    int64_t unused;
    if (!dev_simple((ScalarOp)in->imm, (Dtype)in->d, 0, 0, &unused))
        return Q_STOP;
    switch ((ScalarOp)in->imm) {
    case SC_ADD: return is_wide(in->d) ? Q_ADD : Q_BIN;
    case SC_SUB: return is_wide(in->d) ? Q_SUB : Q_BIN;
    case SC_MUL: return is_wide(in->d) ? Q_MUL : Q_BIN;
    default: return Q_BIN;
    }
}

static uint16_t op_of(const BcInsn *in, bool told)
{
    switch (in->op) {
    case BC_NOP: return Q_NOP;
    case BC_MOV: return Q_MOV;
    case BC_LDI: return Q_LDI;
    case BC_LDK: return Q_LDK;
    case BC_BIN: return binary(in);
    case BC_CAST:
        if (!dev_cast_keeps((Dtype)in->e, (Dtype)in->d))
            return Q_STOP;
        return in->a == in->b ? Q_NOP : Q_MOV;
    case BC_JMP: return Q_JMP;
    case BC_JZ: return Q_JZ;
    case BC_JNZ: return Q_JNZ;
    case BC_FORPREP: return told ? Q_STOP : Q_FORPREP;
    case BC_FORLOOP: return Q_FORLOOP;
    default: return Q_STOP;
    }
}

static uint16_t compare_of(ScalarOp op)
{
    switch (op) {
    case SC_EQ: return Q_EQ;
    case SC_NE: return Q_NE;
    case SC_LT: return Q_LT;
    case SC_LE: return Q_LE;
    case SC_GT: return Q_GT;
    case SC_GE: return Q_GE;
    default: return Q_STOP;
    }
}

/* The instruction and the one behind it as one, where there is such. */
static void cover(QuickInsn *q, const BcInsn *in, const BcInsn *next)
{
    uint16_t compare = q->op == Q_BIN ? compare_of((ScalarOp)in->imm) : Q_STOP;
    if (compare != Q_STOP && (next->op == BC_JZ || next->op == BC_JNZ) && next->a == in->a) {
        *q = (QuickInsn){compare, in->a, in->b, in->c, next->op == BC_JNZ, 2, q->plain, next->imm};
        return;
    }
    bool moves = next->op == BC_MOV ||
                 (next->op == BC_CAST && dev_cast_keeps((Dtype)next->e, (Dtype)next->d));
    if (q->op >= Q_ADD && q->op <= Q_MUL && moves && next->b == in->a) {
        q->op = (uint16_t)(q->op + (Q_ADD_MOV - Q_ADD));
        q->d = next->a;
        q->n = 2;
    }
}

const QuickCode *quick_make(Arena *arena, const BcProgram *p, const CallSites *sites, uint32_t func)
{
    const BcFunc *f = &p->funcs[func];
    QuickCode *code = arena_new(arena, QuickCode);
    QuickInsn *at = arena_array(arena, f->n_insns + (size_t)1, sizeof *at);
    uint16_t *run = arena_array(arena, f->n_insns + (size_t)1, sizeof *run);
    for (uint32_t pc = f->n_insns; pc-- > 0;) {
        const BcInsn *in = &f->insns[pc];
        bool told = call_flags(sites, func, pc) & CALL_BEGIN;
        QuickInsn *q = &at[pc];
        uint16_t op = op_of(in, told);
        *q = (QuickInsn){op, in->a, in->b, in->c, in->d, op != Q_STOP, (uint8_t)op, in->imm};
        if (op == Q_STOP)
            continue;
        if (pc + 1 < f->n_insns)
            cover(q, in, in + 1);
        uint32_t n = q->n + (q->op < Q_JMP ? run[pc + q->n] : 0u);
        run[pc] = n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
        code->longest = run[pc] > code->longest ? run[pc] : code->longest;
    }
    code->ends = tile_life(arena, f);
    code->at = at;
    code->run = run;
    return code;
}
