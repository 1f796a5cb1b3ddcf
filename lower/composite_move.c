/* Collectives that move data without arithmetic: broadcast pulls, the others push into row my_rank
 * of every peer's target. The push forms begin with a barrier, because a peer's target may be
 * written only after the peer has entered the call. */
#include "lower/composite.h"

static Expr *zeros(Expansion *x, uint32_t rank)
{
    Expr *items[MAX_RANK];
    for (uint32_t i = 0; i < rank; i++)
        items[i] = ex_index(x->p, 0);
    return ex_list(x->p, items, rank);
}

static Expr *dims_of(Expansion *x, const Type *t)
{
    Expr *items[MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++)
        items[i] = ex_dim(x->p, t->dims[i]);
    return ex_list(x->p, items, t->rank);
}

static Expr *row_at(Expansion *x, Expr *row)
{
    return ex_listv(x->p, row, ex_index(x->p, 0), NULL);
}

static const Type *data_type(Expansion *x)
{
    return func_var(x->f, x->data)->type;
}

/* One row of `src` into one row of the peer's x->data, which it renames. */
static void put_row(Expansion *x, Expr *peer, Expr *dst_row, Expr *src_row)
{
    Expr *shape = ex_listv(x->p, ex_index(x->p, 1), ex_dim(x->p, data_type(x)->dims[1]), NULL);
    Expr *put =
        ex_opv(x->p, OP_PUT, 6, comp_use(x, x->data), peer, expr_clone(x->p, x->op->args[0]),
               row_at(x, dst_row), row_at(x, src_row), shape);
    x->data = comp_let(x, func_var(x->f, x->data)->base, put);
}

static void first_barrier(Expansion *x)
{
    comp_barrier(x, PHASE_BARRIER_1, NULL, comp_i32(x, 1));
}

static void last_barrier(Expansion *x)
{
    comp_barrier(x, PHASE_BARRIER_2, NULL, comp_i32(x, 2));
    comp_epilogue(x, NULL, comp_i32(x, 2));
}

void comp_expand_broadcast(Expansion *x)
{
    Program *p = x->p;
    const Type *t = data_type(x);
    int64_t root = 0;
    expr_is_int(x->op->args[OPND(BROADCAST, root)], &root);
    if (!p->ranks_bound) {
        Expr *below = ex_scalar(p, SC_LT, comp_i32(x, root), comp_use(x, x->nranks));
        Sym text =
            internf(p->in, "pld.tensor.broadcast needs a root below the rank count, got %lld",
                    (long long)root);
        comp_do(x, ex_opv(p, OP_CHECK, 2, below, ex_str(p, text)));
    }
    first_barrier(x);
    comp_phase(x, PHASE_MOVE);
    Expr *elsewhere = ex_scalar(p, SC_NE, comp_use(x, x->my_rank), comp_i32(x, root));
    Carry other = comp_if(x, elsewhere, x->data);
    Expr *get = ex_opv(p, OP_GET, 6, comp_use(x, x->data), comp_i32(x, root), comp_use(x, x->data),
                       zeros(x, t->rank), zeros(x, t->rank), dims_of(x, t));
    VarId got = comp_let(x, func_var(x->f, x->data)->base, get);
    x->data = comp_end(x, &other, got);
    comp_phase(x, PHASE_NONE);
    last_barrier(x);
}

static void push_rows(Expansion *x, const char *index, bool own_row_of_source)
{
    Program *p = x->p;
    comp_check_ranks(x, data_type(x)->dims[0], "one row of the target per rank");
    first_barrier(x);
    comp_phase(x, PHASE_MOVE);
    Carry peers = comp_for(x, index, ex_index(p, 0), comp_use(x, x->nranks), x->data);
    x->data = peers.inside;
    put_row(x, comp_index(x, &peers), comp_use(x, x->my_rank),
            own_row_of_source ? comp_index(x, &peers) : ex_index(p, 0));
    x->data = comp_end(x, &peers, x->data);
    comp_phase(x, PHASE_NONE);
    last_barrier(x);
}

void comp_expand_allgather(Expansion *x)
{
    push_rows(x, "peer", false);
}

void comp_expand_all_to_all(Expansion *x)
{
    push_rows(x, "dest", true);
}

/* Rows that each destination has room for: target rows // nranks, a constant where both are. */
static Expr *capacity(Expansion *x)
{
    Program *p = x->p;
    const Dim *rows = data_type(x)->dims[0];
    const Dim *ranks = func_var(x->f, x->signal)->type->dims[0];
    int64_t n, nr;
    if (dim_is_const(rows, &n) && dim_is_const(ranks, &nr) && nr > 0)
        return ex_index(p, n / nr);
    Expr *rest = ex_scalar(p, SC_MOD, ex_dim(p, rows), comp_use(x, x->nranks));
    Sym text =
        intern(p->in, "pld.tensor.all_to_all_v needs a row count divisible by the rank count");
    comp_do(x, ex_opv(p, OP_CHECK, 2, ex_scalar(p, SC_EQ, rest, ex_index(p, 0)), ex_str(p, text)));
    Expr *each = ex_scalar(p, SC_FLOORDIV, ex_dim(p, rows), comp_use(x, x->nranks));
    return comp_use(x, comp_let(x, "cap", each));
}

/* [i] or [i, 0], as the memory's rank asks. */
static Expr *count_at(Expansion *x, const Expr *mem, Expr *i)
{
    return mem->type->rank == 1 ? ex_listv(x->p, i, NULL) : row_at(x, i);
}

/* rank * cap + row */
static Expr *slot_row(Expansion *x, Expr *rank, const Expr *cap, const Carry *rows)
{
    int64_t one;
    Expr *first = rank;
    if (!expr_is_int(cap, &one) || one != 1)
        first = ex_scalar(x->p, SC_MUL, rank, expr_clone(x->p, cap));
    return ex_scalar(x->p, SC_ADD, first, comp_index(x, rows));
}

void comp_expand_all_to_all_v(Expansion *x)
{
    Program *p = x->p;
    const Expr *send = x->op->args[OPND(ALL_TO_ALL_V, send_counts)];
    const Expr *recv = x->op->args[OPND(ALL_TO_ALL_V, recv_counts)];
    comp_check_ranks(x, func_var(x->f, x->signal)->type->dims[0], "one row of the signal per rank");
    Expr *cap = capacity(x);
    first_barrier(x);
    comp_phase(x, PHASE_MOVE);
    Carry dests = comp_for(x, "dest", ex_index(p, 0), comp_use(x, x->nranks), x->data);
    x->data = dests.inside;
    Expr *read =
        ex_opv(p, OP_READ, 2, expr_clone(p, send), count_at(x, send, comp_index(x, &dests)));
    VarId wanted = comp_let(x, "wanted", read);
    Expr *clamped = ex_scalar(p, SC_MAX, comp_use(x, wanted), comp_i32(x, 0));
    VarId count = comp_let(x, "count", ex_scalar(p, SC_MIN, clamped, expr_clone(p, cap)));
    Carry rows = comp_for(x, "row", ex_index(p, 0), comp_use(x, count), x->data);
    x->data = rows.inside;
    put_row(x, comp_index(x, &dests), slot_row(x, comp_use(x, x->my_rank), cap, &rows),
            slot_row(x, comp_index(x, &dests), cap, &rows));
    x->data = comp_end(x, &rows, x->data);
    comp_do(x, ex_opv(p, OP_NOTIFY, 5, expr_clone(p, recv), comp_index(x, &dests),
                      count_at(x, recv, comp_use(x, x->my_rank)), comp_use(x, count),
                      ex_enum(p, ENUM_NotifyOp, NOTIFY_SET)));
    x->data = comp_end(x, &dests, x->data);
    comp_phase(x, PHASE_NONE);
    last_barrier(x);
}
