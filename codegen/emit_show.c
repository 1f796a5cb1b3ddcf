/* pl.debug_print -> instructions. */
#include "codegen/emitter.h"

/* What is shown is named as it is in the program, where no label says otherwise. */
static uint32_t print_label(FuncEmit *fe, const Expr *e)
{
    const Expr *label = OP_ARG(e, DEBUG_PRINT, label), *value = OP_ARG(e, DEBUG_PRINT, value);
    bool named = !*label->sym && value->kind == EX_VAR;
    return emit_string(fe->em, named ? func_var(fe->f, value->var)->base : label->sym);
}

static void find_read(void *env, Expr **x)
{
    EmitRule emit = (*x)->kind == EX_OP ? op_info((*x)->op)->emit : EMIT_NOTHING;
    *(bool *)env |= emit == EMIT_READ || emit == EMIT_TILE_READ;
}

/* Does it take instructions to work out the operands, all of them without an event? */
static bool works_apart(const Expr *e)
{
    bool reads = false, names = true;
    for (uint32_t i = 0; i < e->n_args; i++) {
        Expr *arg = e->args[i];
        if (!arg || arg->kind == EX_STR)
            continue;
        names &= arg->kind == EX_VAR;
        expr_walk(&arg, find_read, &reads);
    }
    return !names && !reads;
}

static VReg corner(FuncEmit *fe, const Expr *list)
{
    return list ? emit_run(fe, 'v', list->args, list->n_args) : NO_VREG;
}

static void show(FuncEmit *fe, const Expr *e)
{
    const Expr *value = OP_ARG(e, DEBUG_PRINT, value);
    uint32_t label = print_label(fe, e), rank = value->type->rank;
    if (value->type->kind == TY_SCALAR) {
        VReg v = emit_expr(fe, value);
        emit_insn(fe, BC_SHOW, FIELDS(v, value->type->dtype), label);
        return;
    }
    VReg offsets = corner(fe, OP_ARG(e, DEBUG_PRINT, offsets)),
         shape = corner(fe, OP_ARG(e, DEBUG_PRINT, shape));
    if (value->type->kind == TY_TILE)
        emit_insn(fe, BC_SHOWT, FIELDS(0, emit_tile(fe, value), offsets, rank, shape), label);
    else
        emit_insn(fe, BC_SHOWM, FIELDS(emit_memory(fe, value), offsets, rank, shape), label);
}

/* Code that is only there to print leaves no trace in the code around it. */
void emit_debug_print(FuncEmit *fe, const Expr *e)
{
    uint32_t label = fe->label;
    fe->apart = works_apart(e);
    if (fe->apart)
        emit_insn(fe, BC_APART, FIELDS(0), 0);
    show(fe, e);
    if (fe->apart)
        fe->label = label;
    fe->apart = false;
}
