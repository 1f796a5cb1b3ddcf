/* Ring all-reduce: 2(P-1) rounds in which each rank pulls one segment from its left neighbour, P-1
 * of reduce-scatter and P-1 of all-gather. Each round has a row of the signal and a full barrier on
 * it; one more barrier at the end protects what the caller writes next. */
#include "lower/composite.h"

typedef struct {
    const Dim *n; /* elements */
    int64_t even; /* elements of every segment, 0: they differ */
    int64_t most; /* of a segment, 0: unknown */
} Ring;

/* Segments of FP16 begin at multiples of 16 elements. */
static int64_t grain(const Expansion *x)
{
    return x->f->vars.at[x->data].type->dtype == DT_FP16 ? 16 : 1;
}

static void plan_segments(Expansion *x, Ring *ring)
{
    const Type *signal = func_var(x->f, x->signal)->type;
    int64_t n, ranks;
    if (!dim_is_const(ring->n, &n))
        return;
    ring->most = n;
    if (!dim_is_const(signal->dims[1], &ranks) || ranks < 1)
        return;
    int64_t up = n / ranks + (n % ranks != 0) + grain(x) - 1;
    ring->most = up < n ? up : n;
    if (n % ranks == 0 && n / ranks % grain(x) == 0)
        ring->even = n / ranks;
}

/* seg * n // nranks, rounded down to the grain; the end of the last segment is n itself. */
static Expr *boundary(Expansion *x, const Ring *ring, Expr *seg, bool end)
{
    Program *p = x->p;
    int64_t g = grain(x);
    Expr *at = end ? ex_scalar(p, SC_ADD, seg, ex_index(p, 1)) : seg;
    Expr *cut = ex_scalar(p, SC_MUL, expr_clone(p, at), ex_dim(p, ring->n));
    cut = ex_scalar(p, SC_FLOORDIV, cut, comp_use(x, x->nranks));
    if (g == 1)
        return cut;
    cut = ex_scalar(p, SC_MUL, ex_scalar(p, SC_FLOORDIV, cut, ex_index(p, g)), ex_index(p, g));
    if (!end)
        return cut;
    Expr *last = ex_scalar(p, SC_EQ, expr_clone(p, at), comp_use(x, x->nranks));
    return ex_select(p, last, ex_dim(p, ring->n), cut);
}

/* Pulls segment `seg` from the left neighbour, chunk by chunk. */
static void pull_segment(Expansion *x, const Ring *ring, VarId seg, ChunkFn *fn)
{
    Program *p = x->p;
    if (ring->even) {
        Expr *base = ex_scalar(p, SC_MUL, comp_use(x, seg), ex_index(p, ring->even));
        comp_chunks(x, NULL, base, ex_index(p, ring->even), 0, fn);
        return;
    }
    VarId begin = comp_let(x, "begin", boundary(x, ring, comp_use(x, seg), false));
    VarId end = comp_let(x, "end", boundary(x, ring, comp_use(x, seg), true));
    Expr *length = ex_scalar(p, SC_SUB, comp_use(x, end), comp_use(x, begin));
    comp_chunks(x, NULL, comp_use(x, begin), length, ring->most, fn);
}

static void reduce_chunk(Expansion *x, const Chunk *c)
{
    VarId recv = comp_let(x, "recv", comp_remote_load(x, c, comp_use(x, x->left)));
    VarId own = comp_let(x, "acc", comp_load(x, c));
    Expr *sum = ex_opv(x->p, comp_reduce_op(x), 2, comp_use(x, own), comp_use(x, recv));
    comp_store(x, c, comp_let(x, "acc", sum));
}

static void gather_chunk(Expansion *x, const Chunk *c)
{
    VarId recv = comp_let(x, "recv", comp_remote_load(x, c, comp_use(x, x->left)));
    comp_store(x, c, recv);
}

/* times * nranks + more, in INT32 */
static Expr *ranks_times(Expansion *x, int64_t times, int64_t more)
{
    Expr *e = comp_use(x, x->nranks);
    if (times != 1)
        e = ex_scalar(x->p, SC_MUL, comp_i32(x, times), e);
    if (more == 0)
        return e;
    return ex_scalar(x->p, more < 0 ? SC_SUB : SC_ADD, e, comp_i32(x, more < 0 ? -more : more));
}

/* (my_rank + times * nranks - step - less) % nranks: the segment that comes in at this step. */
static VarId incoming(Expansion *x, const Carry *steps, int64_t times, int64_t less)
{
    Program *p = x->p;
    Expr *sum = ex_scalar(p, SC_ADD, comp_use(x, x->my_rank), ranks_times(x, times, 0));
    sum = ex_scalar(p, SC_SUB, sum, comp_index(x, steps));
    if (less)
        sum = ex_scalar(p, SC_SUB, sum, ex_index(p, less));
    return comp_let(x, "seg", ex_scalar(p, SC_MOD, sum, comp_use(x, x->nranks)));
}

static void reduce_rounds(Expansion *x, const Ring *ring)
{
    Program *p = x->p;
    Carry steps = comp_for(x, "step", ex_index(p, 0), ranks_times(x, 1, -1), x->data);
    x->data = steps.inside;
    comp_barrier(x, PHASE_ROUND, comp_index(x, &steps), comp_i32(x, 1));
    comp_phase(x, PHASE_REDUCE);
    pull_segment(x, ring, incoming(x, &steps, 2, 2), reduce_chunk);
    x->data = comp_end(x, &steps, x->data);
    comp_phase(x, PHASE_NONE);
}

static void gather_rounds(Expansion *x, const Ring *ring)
{
    Program *p = x->p;
    Carry steps = comp_for(x, "step", ex_index(p, 0), ranks_times(x, 1, -1), x->data);
    x->data = steps.inside;
    Expr *row = ex_scalar(p, SC_ADD, ranks_times(x, 1, -1), comp_index(x, &steps));
    comp_barrier(x, PHASE_ROUND, row, comp_i32(x, 1));
    comp_phase(x, PHASE_GATHER);
    pull_segment(x, ring, incoming(x, &steps, 1, 1), gather_chunk);
    x->data = comp_end(x, &steps, x->data);
    comp_phase(x, PHASE_NONE);
}

/* The closing barrier gave the last row a second credit, unless it has a row of its own. */
static void clear_rows(Expansion *x, bool own_row)
{
    Program *p = x->p;
    comp_phase(x, PHASE_EPILOGUE);
    Carry rows = comp_for(x, "row", ex_index(p, 0), ranks_times(x, 2, own_row ? -1 : -2), VAR_NONE);
    Expr *credits = comp_i32(x, 1);
    if (!own_row) {
        Expr *last = ex_scalar(p, SC_EQ, comp_index(x, &rows), ranks_times(x, 2, -3));
        credits = ex_select(p, last, comp_i32(x, 2), credits);
    }
    comp_epilogue(x, comp_index(x, &rows), credits);
    comp_end(x, &rows, VAR_NONE);
}

/* What the type rule asks of a ring on the host where the number of ranks is known. */
static void check_limits(Expansion *x, const Ring *ring)
{
    Program *p = x->p;
    if (p->ranks_bound)
        return;
    Expr *few = ex_scalar(p, SC_LE, comp_use(x, x->nranks), comp_i32(x, HOST_RING_RANKS));
    Sym ranks =
        internf(p->in, "pld.tensor.allreduce, mode=\"ring\" on the host needs at most %d ranks",
                HOST_RING_RANKS);
    comp_do(x, ex_opv(p, OP_CHECK, 2, few, ex_str(p, ranks)));
    Expr *rest = ex_scalar(p, SC_MOD, ex_dim(p, ring->n), comp_use(x, x->nranks));
    Expr *even = ex_scalar(p, SC_EQ, rest, ex_index(p, 0));
    Sym shares = intern(p->in, "pld.tensor.allreduce, mode=\"ring\" on the host needs an element "
                               "count divisible by the rank count");
    comp_do(x, ex_opv(p, OP_CHECK, 2, even, ex_str(p, shares)));
}

void comp_expand_ring(Expansion *x, bool own_row)
{
    Program *p = x->p;
    Ring ring = {0};
    comp_check_ranks(x, func_var(x->f, x->signal)->type->dims[1],
                     "one column of the signal per rank");
    Expr *left = ex_scalar(p, SC_ADD, comp_use(x, x->my_rank), comp_use(x, x->nranks));
    left = ex_scalar(p, SC_SUB, left, comp_i32(x, 1));
    x->left = comp_let(x, "left", ex_scalar(p, SC_MOD, left, comp_use(x, x->nranks)));
    ring.n = comp_flatten(x);
    if (own_row)
        check_limits(x, &ring);
    plan_segments(x, &ring);
    reduce_rounds(x, &ring);
    gather_rounds(x, &ring);
    comp_barrier(x, PHASE_CLOSING, ranks_times(x, 2, own_row ? -2 : -3),
                 comp_i32(x, own_row ? 1 : 2));
    clear_rows(x, own_row);
}
