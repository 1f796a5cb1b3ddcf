/* Scalar expressions, and runs of them. Constants are set in the prologue where that pays: all
 * those in loops, and the first few elsewhere. */
#include "codegen/emitter.h"
#include "ir/build.h"
#include <inttypes.h>
#include <string.h>

/* Registers that the prologue may set for code outside of loops, and in all. */
enum { HOIST_STRAIGHT = 64, HOIST_MAX = 4096 };

static bool may_hoist(const FuncEmit *fe, uint32_t n)
{
    return !fe->apart && fe->n_hoisted + n <= (fe->open.len ? HOIST_MAX : HOIST_STRAIGHT);
}

static VInsn load_const(FuncEmit *fe, VReg dst, int64_t value)
{
    if (value >= INT32_MIN && value <= INT32_MAX)
        return (VInsn){.op = BC_LDI, .f = {dst}, .imm = (int32_t)value};
    return (VInsn){.op = BC_LDK, .f = {dst}, .imm = (int32_t)emit_const(fe->em, value)};
}

static void hoist(FuncEmit *fe, VInsn load)
{
    vec_push(&fe->prologue, load);
    regs_touch(fe, &fe->ints, load.f[0], 1, 0);
    fe->n_hoisted++;
}

static void hoist_const(FuncEmit *fe, VReg dst, int64_t value)
{
    hoist(fe, load_const(fe, dst, value));
}

static void const_into(FuncEmit *fe, VReg dst, int64_t value)
{
    VInsn in = load_const(fe, dst, value);
    emit_insn(fe, (BcOp)in.op, FIELDS(dst), in.imm);
}

/* The register of a constant that `load` loads; `regs` has those set in the prologue, by value. */
static VReg const_reg(FuncEmit *fe, Map *regs, uint64_t value, VInsn load)
{
    load.f[0] = regs_new(&fe->ints, 1);
    if (may_hoist(fe, 1)) {
        hoist(fe, load);
        map_set(regs, value, load.f[0]);
    } else {
        emit_insn(fe, (BcOp)load.op, FIELDS(load.f[0]), load.imm);
    }
    return load.f[0];
}

VReg emit_const_reg(FuncEmit *fe, int64_t value)
{
    uint64_t reg;
    if (map_get(&fe->const_regs, (uint64_t)value, &reg))
        return (VReg)reg;
    return const_reg(fe, &fe->const_regs, (uint64_t)value, load_const(fe, 0, value));
}

VReg emit_float_reg(FuncEmit *fe, double value)
{
    uint64_t bits, reg;
    memcpy(&bits, &value, sizeof bits);
    if (map_get(&fe->float_regs, bits, &reg))
        return (VReg)reg;
    VInsn load = {.op = BC_LDF, .imm = (int32_t)emit_const(fe->em, (int64_t)bits)};
    return const_reg(fe, &fe->float_regs, bits, load);
}

VReg emit_expr(FuncEmit *fe, const Expr *e)
{
    int64_t value;
    if (e->type && e->type->kind == TY_NUMBER)
        return emit_number(fe, e);
    if (ex_constant(e, &value))
        return emit_const_reg(fe, value);
    if (e->kind == EX_VAR)
        return fe->var_reg[e->var];
    if (e->kind == EX_EXTENT && e->n_args)
        return emit_local_extent(fe, e);
    if (e->kind == EX_EXTENT)
        return emit_extent(fe, e->sym);
    VReg dst = regs_new(&fe->ints, 1);
    emit_expr_into(fe, dst, e);
    return dst;
}

/* `and` and `or` whose right side must not be evaluated when the left decides. */
static void short_circuit(FuncEmit *fe, VReg dst, const Expr *e)
{
    emit_expr_into(fe, dst, e->args[0]);
    uint32_t skip = emit_insn(fe, e->scalar == SC_AND ? BC_JZ : BC_JNZ, FIELDS(dst), 0);
    emit_expr_into(fe, dst, e->args[1]);
    emit_patch(fe, skip);
}

static void select_into(FuncEmit *fe, VReg dst, const Expr *e)
{
    uint32_t otherwise = emit_insn(fe, BC_JZ, FIELDS(emit_expr(fe, e->args[0])), 0);
    emit_expr_into(fe, dst, e->args[1]);
    uint32_t end = emit_insn(fe, BC_JMP, FIELDS(0), 0);
    emit_patch(fe, otherwise);
    emit_expr_into(fe, dst, e->args[2]);
    emit_patch(fe, end);
}

static void scalar_into(FuncEmit *fe, VReg dst, const Expr *e)
{
    bool logic = e->scalar == SC_AND || e->scalar == SC_OR;
    if (e->scalar == SC_SELECT) {
        select_into(fe, dst, e);
    } else if (logic && !expr_is_free(e->args[1])) {
        short_circuit(fe, dst, e);
    } else if (e->scalar == SC_CAST) {
        const Expr *a = e->args[0];
        emit_insn(fe, BC_CAST, FIELDS(dst, emit_expr(fe, a), 0, e->dtype, a->type->dtype), 0);
    } else if (scalar_arity(e->scalar) == 1) {
        emit_insn(fe, BC_UN, FIELDS(dst, emit_expr(fe, e->args[0]), 0, scalar_dtype(e)), e->scalar);
    } else {
        VReg a = emit_expr(fe, e->args[0]);
        VReg b = emit_expr(fe, e->args[1]);
        emit_insn(fe, BC_BIN, FIELDS(dst, a, b, scalar_dtype(e)), e->scalar);
    }
}

static void op_into(FuncEmit *fe, VReg dst, const Expr *e)
{
    const Expr *list;
    uint32_t n;
    switch (op_info(e->op)->emit) {
    case EMIT_READ:
        list = OP_ARG(e, READ, indices);
        VReg run = emit_run(fe, 'x', list->args, list->n_args);
        VReg mem = emit_memory(fe, OP_ARG(e, READ, input));
        emit_insn(fe, BC_READ, FIELDS(dst, mem, run, list->n_args), 0);
        return;
    case EMIT_TILE_READ:
        list = OP_ARG(e, TILE_READ, indices);
        VReg at = emit_run(fe, 'x', list->args, list->n_args);
        emit_insn(fe, BC_TREAD,
                  FIELDS(dst, emit_tile(fe, OP_ARG(e, TILE_READ, input)), at, list->n_args), 0);
        return;
    case EMIT_DIM:
        emit_insn(fe, BC_DIM, FIELDS(dst, emit_memory(fe, OP_ARG(e, DIM, tensor))),
                  OP_ARG(e, DIM, axis)->ival);
        return;
    case EMIT_WORLD: emit_insn(fe, BC_WORLD, FIELDS(dst), 0); return;
    case EMIT_RANK:
        emit_insn(fe, BC_RANK, FIELDS(dst, emit_memory(fe, OP_ARG(e, RANK, ctx))), 0);
        return;
    case EMIT_NRANKS:
        emit_insn(fe, BC_NRANKS, FIELDS(dst, emit_memory(fe, OP_ARG(e, NRANKS, ctx))), 0);
        return;
    case EMIT_CORE: emit_insn(fe, BC_CORE, FIELDS(dst), 0); return;
    case EMIT_FIT:
        emit_insn(fe, BC_FIT, FIELDS(dst, emit_expr(fe, OP_ARG(e, FIT, value)), 0, e->type->dtype),
                  emit_string(fe->em, OP_ARG(e, FIT, what)->sym));
        return;
    case EMIT_BLOCK_IDX: emit_insn(fe, BC_BLOCK, FIELDS(dst), 0); return;
    case EMIT_BLOCK_NUM: emit_insn(fe, BC_BLOCK, FIELDS(dst), 1); return;
    case EMIT_TASK:
        list = OP_ARG(e, TASK, deps);
        n = list ? list->n_args : 0;
        emit_insn(fe, BC_TASK, FIELDS(dst, n ? emit_run(fe, 'p', list->args, n) : NO_VREG, n), 0);
        return;
    case EMIT_TASK_INVALID: emit_insn(fe, BC_LDI, FIELDS(dst), 0); return;
    case EMIT_LOWERED:
    case EMIT_TILE_OP:
    case EMIT_REDUCE:
    case EMIT_SLICE:
    case EMIT_EXTRACT:
    case EMIT_ASSEMBLE:
    case EMIT_RESHAPE:
    case EMIT_TRANSPOSE:
    case EMIT_CONCAT:
    case EMIT_FILLPAD:
    case EMIT_SET_VALIDSHAPE:
    case EMIT_REINTERPRET_VIEW:
    case EMIT_TILE_WRITE:
    case EMIT_NOTHING:
    case EMIT_LOAD:
    case EMIT_STORE:
    case EMIT_WRITE:
    case EMIT_FULL:
    case EMIT_CREATE:
    case EMIT_MAKE:
    case EMIT_PART:
    case EMIT_SEEN:
    case EMIT_CMP:
    case EMIT_SEL:
    case EMIT_PARTS:
    case EMIT_CI:
    case EMIT_COPY:
    case EMIT_MATMUL:
    case EMIT_TURN:
    case EMIT_CAST:
    case EMIT_ALLOC:
    case EMIT_WINDOW:
    case EMIT_ROW:
    case EMIT_FLATTEN:
    case EMIT_AS_SHAPE:
    case EMIT_CHECK:
    case EMIT_DEBUG_PRINT:
    case EMIT_SUBWORKER:
    case EMIT_NOTIFY:
    case EMIT_WAIT:
    case EMIT_FENCE:
    case EMIT_REMOTE_LOAD:
    case EMIT_REMOTE_STORE:
    case EMIT_TRANSFER: break;
    }
    diag_internal(fe->p->diags, e->span, "%s is no scalar value", op_info(e->op)->full);
}

void emit_expr_into(FuncEmit *fe, VReg dst, const Expr *e)
{
    int64_t value;
    if (e->type && e->type->kind == TY_NUMBER)
        emit_number_into(fe, dst, e);
    else if (ex_constant(e, &value))
        const_into(fe, dst, value);
    else if (e->kind == EX_SCALAR)
        scalar_into(fe, dst, e);
    else if (e->kind == EX_OP)
        op_into(fe, dst, e);
    else if (e->kind == EX_VAR || e->kind == EX_EXTENT)
        emit_insn(fe, BC_MOV, FIELDS(dst, emit_expr(fe, e)), 0);
    else
        diag_internal(fe->p->diags, e->span, "an expression of kind %d as a scalar", e->kind);
}

/* The pattern of a run: its constants, and which parts vary. Runs of one pattern share registers,
 * as the varying parts are written just before each use; two runs of one instruction differ in
 * role. */
static Sym run_pattern(FuncEmit *fe, char role, Expr *const *items, uint32_t n)
{
    Buf text = {0};
    int64_t value;
    buf_char(&text, role);
    for (uint32_t i = 0; i < n; i++) {
        if (ex_constant(items[i], &value))
            buf_printf(&text, "%" PRId64 ",", value);
        else
            buf_str(&text, "*,");
    }
    Sym pattern = intern(fe->p->in, text.at);
    buf_free(&text);
    return pattern;
}

static uint32_t count_consts(Expr *const *items, uint32_t n)
{
    uint32_t consts = 0;
    int64_t value;
    for (uint32_t i = 0; i < n; i++)
        consts += ex_constant(items[i], &value);
    return consts;
}

/* Index of the shared run that has this pattern, made if that pays, or -1. */
static int64_t find_run(FuncEmit *fe, Sym pattern, Expr *const *items, uint32_t n)
{
    uint64_t found;
    int64_t value;
    if (fe->apart)
        return -1;
    if (map_get_ptr(&fe->run_index, pattern, &found))
        return (int64_t)found;
    if (!may_hoist(fe, n))
        return -1;
    SharedRun run = {.first = regs_new(&fe->ints, n)};
    for (uint32_t i = 0; i < n; i++) {
        if (ex_constant(items[i], &value))
            hoist_const(fe, run.first + i, value);
    }
    fe->n_hoisted += n - count_consts(items, n);
    map_set_ptr(&fe->run_index, pattern, fe->runs.len);
    vec_push(&fe->runs, run);
    return fe->runs.len - 1;
}

/* Sets the parts that vary, but for those that hold the same value since the last label. */
static void set_parts(FuncEmit *fe, uint32_t index, Expr *const *items, uint32_t n)
{
    int64_t value;
    bool known = fe->runs.at[index].label == fe->label;
    VReg first = fe->runs.at[index].first;
    for (uint32_t i = 0; i < n; i++) {
        if (ex_constant(items[i], &value))
            continue;
        bool plain = items[i]->kind == EX_VAR || (items[i]->kind == EX_EXTENT && !items[i]->n_args);
        VReg source = plain ? emit_expr(fe, items[i]) : NO_VREG;
        if (!known || !plain || fe->runs.at[index].parts[i] != source)
            emit_expr_into(fe, first + i, items[i]);
        fe->runs.at[index].parts[i] = source;
    }
    fe->runs.at[index].label = fe->label; /* an item may have labels of its own */
}

VReg emit_run(FuncEmit *fe, char role, Expr *const *items, uint32_t n)
{
    if (n == 1 && items[0]->kind != EX_SCALAR && items[0]->kind != EX_OP)
        return emit_expr(fe, items[0]);
    int64_t shared = find_run(fe, run_pattern(fe, role, items, n), items, n);
    if (shared >= 0) {
        set_parts(fe, (uint32_t)shared, items, n);
        return fe->runs.at[shared].first;
    }
    VReg run = regs_new(&fe->ints, n);
    for (uint32_t i = 0; i < n; i++)
        emit_expr_into(fe, run + i, items[i]);
    return run;
}
