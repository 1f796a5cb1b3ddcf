/* Which register a memory is in. All values of a window or tensor in a function usually are one
 * memory: an op's result is its destination, and loops carry it around. Such a memory needs one
 * register and no moves; only where different memories meet (x if c else y) are memory registers
 * assigned at run time. */
#include "codegen/emitter.h"

bool emit_one_memory(const FuncEmit *fe, VarId v)
{
    return alias_is_one(fe->memory, v);
}

VReg emit_memory_reg(const FuncEmit *fe, VarId v)
{
    return fe->mem_reg[alias_value(fe->memory, v)];
}

static uint32_t type_index(FuncEmit *fe, BcMreg m)
{
    for (uint32_t i = 0; i < fe->mem_types.len; i++) {
        const BcMreg *t = &fe->mem_types.at[i];
        if (t->kind == m.kind && t->dtype == m.dtype && t->rank == m.rank)
            return i;
    }
    vec_push(&fe->mem_types, m);
    return fe->mem_types.len - 1;
}

BcMreg emit_mem_type(const Type *t)
{
    if (!type_is_memory(t))
        return (BcMreg){.kind = BCM_BUFFER};
    return (BcMreg){.kind = t->kind == TY_DIST ? BCM_WINDOW : BCM_TENSOR,
                    .dtype = (uint8_t)t->dtype,
                    .rank = t->rank};
}

VReg emit_memory_result(FuncEmit *fe, VarId v, BcMreg type)
{
    VReg r = regs_new(&fe->mems, 1);
    fe->mems.regs.at[r].type = type_index(fe, type);
    if (v != VAR_NONE)
        fe->mem_reg[alias_value(fe->memory, v)] = r;
    return r;
}
