/* Memory that is made, and views of memory -> instructions. */
#include "codegen/emitter.h"

static LineCol place_of(const FuncEmit *fe)
{
    const Loc *loc = &fe->loc;
    if (loc->far)
        return (LineCol){loc->far->line, loc->far->col};
    return loc->span.end && fe->p->src ? source_line_col(fe->p->src, loc->span.begin)
                                       : (LineCol){0, 0};
}

static VReg run_of(FuncEmit *fe, char role, const Expr *list)
{
    return emit_run(fe, role, list->args, list->n_args);
}

static void emit_alloc(FuncEmit *fe, const Expr *e, VReg m)
{
    const Expr *name = OP_ARG(e, ALLOC_WINDOW_BUFFER, name),
               *align = OP_ARG(e, ALLOC_WINDOW_BUFFER, align),
               *zero = OP_ARG(e, ALLOC_WINDOW_BUFFER, zero);
    VReg bytes = emit_expr(fe, OP_ARG(e, ALLOC_WINDOW_BUFFER, bytes)),
         offset = emit_expr(fe, OP_ARG(e, ALLOC_WINDOW_BUFFER, offset));
    LineCol place = place_of(fe);
    const Source *src = fe->p->src;
    const char *here = src ? source_part(src, fe->loc.span.begin)->name : "?";
    const char *file = fe->loc.far ? fe->loc.far->file : here;
    BcWindow w = {.name = emit_string(fe->em, name->sym),
                  .file = emit_string(fe->em, file),
                  .line = place.line,
                  .col = place.col,
                  .align = align->ival,
                  .zero = zero->ival != 0};
    emit_insn(fe, BC_ALLOC, FIELDS(m, bytes, offset), fe->em->windows.len);
    vec_push(&fe->em->windows, w);
}

static void emit_make(FuncEmit *fe, const Expr *e, VReg m)
{
    const Expr *shape = OP_ARG(e, TENSOR_CREATE, shape),
               *init = OP_ARG(e, TENSOR_CREATE, init_value);
    _Static_assert(OPND(TENSOR_CREATE, init_value) == OPND(TENSOR_SCRATCH, init_value),
                   "create and scratch differ");
    VReg extents = run_of(fe, 'x', shape);
    const Expr *manual = e->op == OP_TENSOR_CREATE ? OP_ARG(e, TENSOR_CREATE, manual_dep) : NULL;
    emit_insn(fe, BC_MAKE, FIELDS(m, extents, shape->n_args, e->type->dtype),
              manual && manual->ival);
    if (init)
        emit_insn(fe, BC_FILL, FIELDS(m), emit_element_const(fe, init, e->type->dtype));
}

static void emit_part(FuncEmit *fe, const Expr *e, VReg m, VReg src)
{
    uint32_t bits = 0;
    const Expr *drop = OP_ARG(e, TENSOR_SLICE, drop_dims), *shape = OP_ARG(e, TENSOR_SLICE, shape);
    for (uint32_t i = 0; drop && i < drop->n_args; i++)
        bits |= 1u << drop->args[i]->ival;
    VReg offsets = run_of(fe, 'x', OP_ARG(e, TENSOR_SLICE, offset));
    VReg extents = run_of(fe, 'y', shape);
    emit_insn(fe, BC_PART, FIELDS(m, src, offsets, extents, shape->n_args), (int32_t)bits);
}

void emit_view(FuncEmit *fe, const Expr *e, VarId result)
{
    bool made = op_info(e->op)->emit == EMIT_MAKE || op_info(e->op)->emit == EMIT_ALLOC;
    VReg src = made ? NO_VREG : emit_memory(fe, e->args[0]);
    const Expr *shape;
    if (op_info(e->op)->emit == EMIT_MAKE && result == VAR_NONE) /* nobody can use it */
        return;
    VReg m = emit_memory_result(fe, result, emit_mem_type(e->type));
    switch (op_info(e->op)->emit) {
    case EMIT_ALLOC: emit_alloc(fe, e, m); return;
    case EMIT_MAKE: emit_make(fe, e, m); return;
    case EMIT_PART: emit_part(fe, e, m, src); return;
    case EMIT_ROW: emit_insn(fe, BC_ROW, FIELDS(m, src, emit_expr(fe, e->args[1])), 0); return;
    case EMIT_FLATTEN: emit_insn(fe, BC_FLATTEN, FIELDS(m, src), 0); return;
    case EMIT_WINDOW:
        shape = OP_ARG(e, WINDOW, shape);
        emit_insn(fe, BC_VIEW,
                  FIELDS(m, src, run_of(fe, 'x', shape), shape->n_args, e->type->dtype), 0);
        return;
    case EMIT_SEEN:
        shape = OP_ARG(e, TENSOR_RESHAPE, shape);
        emit_insn(fe, BC_SEEN, FIELDS(m, src, run_of(fe, 'x', shape), shape->n_args), 0);
        return;
    default:
        shape = OP_ARG(e, AS_SHAPE, shape);
        emit_insn(fe, BC_SHAPE, FIELDS(m, src, run_of(fe, 'x', shape), shape->n_args),
                  emit_string(fe->em, OP_ARG(e, AS_SHAPE, what)->sym));
    }
}
