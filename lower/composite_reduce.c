/* Mesh all-reduce and reduce-scatter: every rank pulls what it needs from every peer. */
#include "lower/composite.h"

OpId comp_reduce_op(const Expansion *x)
{
    switch (SHARED_ARG(x->op, op)->ival) {
    case REDUCE_MAX: return OP_TILE_MAXIMUM;
    case REDUCE_MIN: return OP_TILE_MINIMUM;
    case REDUCE_PROD: return OP_TILE_MUL;
    default: return OP_TILE_ADD;
    }
}

static bool is_row(const Type *t)
{
    int64_t v;
    for (uint32_t i = 0; i + 1 < t->rank; i++)
        if (!dim_is_const(t->dims[i], &v) || v != 1)
            return false;
    return true;
}

const Dim *comp_flatten(Expansion *x)
{
    const Type *t = func_var(x->f, x->data)->type;
    if (!is_row(t)) {
        Expr *view = ex_opv(x->p, OP_FLATTEN, 1, comp_use(x, x->data));
        x->data = comp_let(x, "flat", view);
        t = func_var(x->f, x->data)->type;
    }
    return t->dims[t->rank - 1];
}

/* acc = chunk of rank 0, then that of rank 1, 2, ...: in rank order every rank gets the same bits.
 */
static VarId reduce_in_rank_order(Expansion *x, const Chunk *c)
{
    Program *p = x->p;
    comp_phase(x, PHASE_REDUCE);
    VarId acc = comp_let(x, "acc", comp_remote_load(x, c, ex_index(p, 0)));
    Carry peers = comp_for(x, "peer", ex_index(p, 1), comp_use(x, x->nranks), acc);
    VarId recv = comp_let(x, "recv", comp_remote_load(x, c, comp_index(x, &peers)));
    VarId sum = comp_let(
        x, "acc", ex_opv(p, comp_reduce_op(x), 2, comp_use(x, peers.inside), comp_use(x, recv)));
    return comp_end(x, &peers, sum);
}

static void mesh_chunk(Expansion *x, const Chunk *c)
{
    VarId acc = reduce_in_rank_order(x, c);
    Expr *expected = comp_i32(x, 2);
    if (c->index)
        expected = ex_scalar(x->p, SC_ADD, expr_clone(x->p, c->index), ex_index(x->p, 2));
    comp_barrier(x, c->index ? PHASE_BARRIER_NEXT : PHASE_BARRIER_2, NULL, expected);
    comp_phase(x, PHASE_REDUCE);
    comp_store(x, c, acc);
    comp_phase(x, PHASE_NONE);
}

/* lane * n // lanes: where the share of a lane begins. */
static Expr *share(Expansion *x, const Dim *n, int64_t next)
{
    Program *p = x->p;
    Expr *lane = ex_scalar(p, SC_ADD, comp_use(x, x->lane), ex_index(p, next));
    if (!next)
        lane = comp_use(x, x->lane);
    return ex_scalar(p, SC_FLOORDIV, ex_scalar(p, SC_MUL, lane, ex_dim(p, n)),
                     ex_index(p, x->lanes));
}

static Expr *mesh_share(Expansion *x)
{
    const Dim *n = comp_flatten(x);
    int64_t v, most = 0;
    if (dim_is_const(n, &v) && v % x->lanes == 0) {
        Expr *begin = ex_scalar(x->p, SC_MUL, comp_use(x, x->lane), ex_index(x->p, v / x->lanes));
        return comp_chunks(x, NULL, begin, ex_index(x->p, v / x->lanes), 0, mesh_chunk);
    }
    VarId begin = comp_let(x, "begin", share(x, n, 0));
    VarId end = comp_let(x, "end", share(x, n, 1));
    if (dim_is_const(n, &v))
        most = v / x->lanes + (v % x->lanes != 0);
    Expr *length = ex_scalar(x->p, SC_SUB, comp_use(x, end), comp_use(x, begin));
    return comp_chunks(x, NULL, comp_use(x, begin), length, most, mesh_chunk);
}

void comp_expand_mesh(Expansion *x)
{
    const Type *t = func_var(x->f, x->data)->type;
    int64_t n;
    Expr *chunks = ex_index(x->p, 1);
    comp_barrier(x, PHASE_BARRIER_1, NULL, comp_i32(x, 1));
    if (x->lane != VAR_NONE) {
        chunks = mesh_share(x);
    } else if (type_elements(t, &n) && n <= comp_chunk_elements(x)) {
        Chunk c = {.mem = x->data, .whole = true, .offset = ex_index(x->p, 0), .size = n};
        mesh_chunk(x, &c);
    } else {
        const Dim *elements = comp_flatten(x);
        chunks = comp_chunks(x, NULL, NULL, ex_dim(x->p, elements), 0, mesh_chunk);
    }
    int64_t count;
    Expr *credits = expr_is_int(chunks, &count)
                        ? comp_i32(x, 1 + count)
                        : ex_scalar(x->p, SC_ADD, chunks, ex_index(x->p, 1));
    comp_epilogue(x, NULL, credits);
}

/* Own row my_rank, plus everybody else's. */
static VarId sum_of_row(Expansion *x, const Chunk *c)
{
    comp_phase(x, PHASE_REDUCE);
    VarId acc = comp_let(x, "acc", comp_load(x, c));
    Carry peers = comp_for(x, "peer", ex_index(x->p, 0), comp_use(x, x->nranks), acc);
    Carry other = comp_if_other(x, comp_index(x, &peers), peers.inside);
    VarId recv = comp_let(x, "recv", comp_remote_load(x, c, comp_index(x, &peers)));
    VarId sum = comp_let(
        x, "acc", ex_opv(x->p, OP_TILE_ADD, 2, comp_use(x, peers.inside), comp_use(x, recv)));
    return comp_end(x, &peers, comp_end(x, &other, sum));
}

/* Row my_rank is read by its owner alone, so chunks may be stored before the second barrier; a
 * single chunk waits for it, as the hand-written form with the result in the window does. */
static void scatter_chunk(Expansion *x, const Chunk *c)
{
    VarId acc = sum_of_row(x, c);
    if (!c->index)
        comp_barrier(x, PHASE_BARRIER_2, NULL, comp_i32(x, 2));
    comp_phase(x, PHASE_REDUCE);
    comp_store(x, c, acc);
    comp_phase(x, PHASE_NONE);
}

void comp_expand_reduce_scatter(Expansion *x)
{
    const Type *t = func_var(x->f, x->data)->type;
    int64_t n;
    bool one = dim_is_const(t->dims[1], &n) && n <= comp_chunk_elements(x);
    comp_check_ranks(x, t->dims[0], "one row of the target per rank");
    comp_barrier(x, PHASE_BARRIER_1, NULL, comp_i32(x, 1));
    comp_chunks(x, comp_use(x, x->my_rank), NULL, ex_dim(x->p, t->dims[1]), 0, scatter_chunk);
    if (!one)
        comp_barrier(x, PHASE_BARRIER_2, NULL, comp_i32(x, 2));
    comp_epilogue(x, NULL, comp_i32(x, 2));
}
