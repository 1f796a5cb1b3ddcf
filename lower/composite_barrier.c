/* The credit barrier that all collectives share. Barrier g of a call waits for the g-th credit of
 * each peer with Ge, because a fast peer may already have given more; the epilogue takes the
 * credits of the whole call back, so that the signal is all zero for the next one. */
#include "lower/composite.h"

/* The cell of `rank`: [row, rank] of a ring signal, else [rank] or [rank, lane]. */
static Expr *cell(Expansion *x, const Expr *row, Expr *rank)
{
    if (row)
        return ex_listv(x->p, expr_clone(x->p, row), rank, NULL);
    if (func_var(x->f, x->signal)->type->rank == 1)
        return ex_listv(x->p, rank, NULL);
    Expr *column = x->lane == VAR_NONE ? ex_index(x->p, 0) : comp_use(x, x->lane);
    return ex_listv(x->p, rank, column, NULL);
}

void comp_barrier(Expansion *x, Phase phase, Expr *row, Expr *expected)
{
    Program *p = x->p;
    comp_phase(x, phase);
    Carry peers = comp_for(x, "peer", ex_index(p, 0), comp_use(x, x->nranks), VAR_NONE);
    Carry other = comp_if_other(x, comp_index(x, &peers), VAR_NONE);
    comp_do(x, ex_opv(p, OP_NOTIFY, 5, comp_use(x, x->signal), comp_index(x, &peers),
                      cell(x, row, comp_use(x, x->my_rank)), comp_i32(x, 1),
                      ex_enum(p, ENUM_NotifyOp, NOTIFY_ATOMIC_ADD)));
    comp_end(x, &other, VAR_NONE);
    comp_end(x, &peers, VAR_NONE);
    Carry sources = comp_for(x, "src", ex_index(p, 0), comp_use(x, x->nranks), VAR_NONE);
    other = comp_if_other(x, comp_index(x, &sources), VAR_NONE);
    comp_do(x, ex_opv(p, OP_WAIT, 4, comp_use(x, x->signal), cell(x, row, comp_index(x, &sources)),
                      expected, ex_enum(p, ENUM_WaitCmp, WAIT_GE)));
    comp_end(x, &other, VAR_NONE);
    comp_end(x, &sources, VAR_NONE);
    comp_phase(x, PHASE_NONE);
}

void comp_epilogue(Expansion *x, Expr *row, Expr *credits)
{
    Program *p = x->p;
    comp_phase(x, PHASE_EPILOGUE);
    Carry sources = comp_for(x, "src", ex_index(p, 0), comp_use(x, x->nranks), VAR_NONE);
    Carry other = comp_if_other(x, comp_index(x, &sources), VAR_NONE);
    comp_do(x, ex_opv(p, OP_NOTIFY, 5, comp_use(x, x->signal), comp_use(x, x->my_rank),
                      cell(x, row, comp_index(x, &sources)), ex_scalar(p, SC_NEG, credits, NULL),
                      ex_enum(p, ENUM_NotifyOp, NOTIFY_ATOMIC_ADD)));
    comp_end(x, &other, VAR_NONE);
    comp_end(x, &sources, VAR_NONE);
    comp_phase(x, PHASE_NONE);
}

void comp_expand_barrier(Expansion *x)
{
    comp_barrier(x, PHASE_BARRIER_1, NULL, comp_i32(x, 1));
    comp_epilogue(x, NULL, comp_i32(x, 1));
}
