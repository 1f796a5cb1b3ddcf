/* Parts and shapes of tiles -> instructions. */
#include "codegen/emitter.h"

/* What a padding value is in a dtype: bits of a double, or an integer. */
static int64_t padding(Dtype t, int64_t pad)
{
    if (pad == PAD_ZERO)
        return 0;
    if (!dtype_is_float(t))
        return pad == PAD_MIN ? dtype_min(t) : dtype_max(t);
    return pad == PAD_MIN ? (int64_t)0xfff0000000000000 : 0x7ff0000000000000;
}

static int32_t swapped_axes(const Expr *e)
{
    return (int32_t)(OP_ARG(e, TILE_TRANSPOSE, axis1)->ival * 8 +
                     OP_ARG(e, TILE_TRANSPOSE, axis2)->ival);
}

static VReg run_of(FuncEmit *fe, const Expr *list)
{
    return emit_run(fe, 'x', list->args, list->n_args);
}

static void emit_slice(FuncEmit *fe, const Expr *e, uint32_t to, uint32_t from)
{
    const Expr *valid = OP_ARG(e, TILE_SLICE, valid_shape);
    VReg offset = run_of(fe, OP_ARG(e, TILE_SLICE, offset));
    VReg cut = valid ? emit_run(fe, 'v', valid->args, valid->n_args) : NO_VREG;
    emit_insn(fe, BC_TSLICE, FIELDS(to, from, offset, e->type->rank, cut), 0);
}

static void emit_write(FuncEmit *fe, const Expr *e, uint32_t to, uint32_t from)
{
    const Expr *value = OP_ARG(e, TILE_WRITE, value);
    VReg indices = run_of(fe, OP_ARG(e, TILE_WRITE, indices)), v = emit_expr(fe, value);
    emit_insn(fe, BC_TWRITE, FIELDS(to, from, indices, e->type->rank, v), value->type->dtype);
}

static uint32_t pad_const(FuncEmit *fe, const Expr *e)
{
    int64_t pad = SHARED_ARG(e, pad_value)->ival;
    return emit_const(fe->em, padding(e->type->dtype, pad));
}

void emit_shape(FuncEmit *fe, const Expr *e, uint32_t to)
{
    uint32_t a = emit_tile(fe, e->args[0]);
    VReg run;
    switch (op_info(e->op)->emit) {
    case EMIT_SLICE: emit_slice(fe, e, to, a); return;
    case EMIT_EXTRACT:
        run = emit_run(fe, 'x', &OP_ARG(e, EXTRACT, index_row), 2);
        emit_insn(fe, BC_TSLICE, FIELDS(to, a, run, 2, NO_VREG), 0);
        return;
    case EMIT_ASSEMBLE:
        run = run_of(fe, OP_ARG(e, TILE_ASSEMBLE, offset));
        emit_insn(fe, BC_TPASTE, FIELDS(to, a, emit_tile(fe, e->args[1]), run, e->type->rank), 0);
        return;
    case EMIT_RESHAPE: emit_insn(fe, BC_TRESHAPE, FIELDS(to, a), 0); return;
    case EMIT_TRANSPOSE: emit_insn(fe, BC_TSWAP, FIELDS(to, a), swapped_axes(e)); return;
    case EMIT_CONCAT:
        emit_insn(fe, BC_TCONCAT, FIELDS(to, a, emit_tile(fe, e->args[1])), 0);
        return;
    case EMIT_FILLPAD: emit_insn(fe, BC_TPAD, FIELDS(to, a), pad_const(fe, e)); return;
    case EMIT_SET_VALIDSHAPE:
        run = emit_run(fe, 'x', &OP_ARG(e, TILE_SET_VALIDSHAPE, valid_rows), 2);
        emit_insn(fe, BC_TVALID, FIELDS(to, a, run, 2), 0);
        return;
    case EMIT_TILE_WRITE: emit_write(fe, e, to, a); return;
    default: emit_insn(fe, BC_TBYTES, FIELDS(to, a), 0); return;
    }
}
