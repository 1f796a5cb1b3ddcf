/* Pass 11: put and get pass through on-core memory; here they get the tiles for it, and their
 * offsets and shape where the whole memory moves. They stay single ops, so that the checks know
 * what they read.
 *
 * The region moved is taken as rows by columns: columns are its last dimension, rows the product of
 * the others. The staging tile is [rows, columns] of one chunk:
 *   - chunk_rows= and chunk_cols= say so (one left out: all rows that fit, all columns);
 *   - else the whole region, where it is of compile-time size and fits the platform's chunk;
 *   - else whole rows, as many as fit the chunk; a row that does not fit, or is not of compile-time
 * size, is cut into [1, chunk]. pipeline=True takes two tiles, so that one chunk is sent while the
 * next one is read. */
#include "base/checked.h"
#include "lower/pass.h"
#include "lower/util.h"

typedef struct {
    Program *p;
    Func *f;
    Block *out;
} TransferLowering;

/* Extent of the region in one dimension: -1 when it is known at run time only. */
static int64_t extent(const Expr *shape, uint32_t i)
{
    int64_t v;
    return expr_is_int(shape->args[i], &v) && v >= 0 ? v : -1;
}

static int64_t row_count(const Expr *shape)
{
    int64_t rows = 1;
    for (uint32_t i = 0; i + 1 < shape->n_args; i++) {
        int64_t v = extent(shape, i);
        if (v < 0 || !checked_mul(rows, v, &rows))
            return -1;
    }
    return rows;
}

static int64_t at_least_one(int64_t v)
{
    return v > 1 ? v : 1;
}

/* The last dimension of a chunk: what is asked for, or the whole row if it fits. */
static int64_t chunk_columns(const Expr *op, const Expr *shape, int64_t room)
{
    int64_t cols = extent(shape, shape->n_args - 1), asked;
    Expr *e = SHARED_ARG(op, chunk_cols);
    if (e && expr_is_int(e, &asked))
        return asked;
    return cols < 0 || cols > room ? room : at_least_one(cols);
}

static int64_t chunk_rows(const Expr *op, const Expr *shape, int64_t room, int64_t cols)
{
    int64_t rows = row_count(shape), asked, fit = at_least_one(room / cols);
    int64_t row = extent(shape, shape->n_args - 1);
    Expr *e = SHARED_ARG(op, chunk_rows);
    if (e && expr_is_int(e, &asked))
        return asked;
    if (row < 0 || row > cols)
        return 1;
    return rows < 0 || rows > fit ? fit : at_least_one(rows);
}

static void fill_region(TransferLowering *x, Expr *op)
{
    if (SHARED_ARG(op, shape))
        return;
    const Type *dst = SHARED_ARG(op, dst)->type;
    SHARED_ARG(op, dst_offsets) = low_zeros(x->p, dst->rank);
    SHARED_ARG(op, src_offsets) = low_zeros(x->p, dst->rank);
    SHARED_ARG(op, shape) = low_shape(x->p, dst);
}

static void stage(TransferLowering *x, Stmt *s)
{
    Expr *op = s->value, *tiles[2];
    Builder b = {x->p, x->f, x->out, s->loc};
    fill_region(x, op);
    const Expr *shape = SHARED_ARG(op, shape);
    Dtype dtype = SHARED_ARG(op, dst)->type->dtype;
    int64_t room = at_least_one(x->p->platform->collective_chunk / dtype_bytes(dtype));
    int64_t cols = chunk_columns(op, shape, room), rows = chunk_rows(op, shape, room, cols);
    uint32_t n = SHARED_ARG(op, pipeline)->ival ? 2 : 1;
    for (uint32_t i = 0; i < n; i++) {
        Expr *dims = ex_listv(x->p, ex_index(x->p, rows), ex_index(x->p, cols), NULL);
        Expr *tile = ex_opv(x->p, OP_TILE_CREATE, 2, dims, ex_dtype(x->p, dtype));
        tile->span = op->span;
        tiles[i] = ex_var(x->p, x->f, build_let(&b, intern(x->p->in, "stage"), tile));
    }
    SHARED_ARG(op, stage) = ex_list(x->p, tiles, n);
}

static bool lower_stmt(void *env, Rewrite *r, Stmt *s)
{
    TransferLowering *x = env;
    OpId op = low_stmt_op(s);
    block_rewrite(&s->nest->body, lower_stmt, x);
    block_rewrite(&s->nest->otherwise, lower_stmt, x);
    x->out = r->out;
    if (op != OPCODE_COUNT && op_is_transfer(op) && !SHARED_ARG(s->value, stage))
        stage(x, s);
    low_push(x->p, r->out, s);
    return true;
}

bool pass_lower_transfers(Program *p)
{
    for (uint32_t i = 0; i < p->funcs.len; i++) {
        TransferLowering x = {.p = p, .f = p->funcs.at[i]};
        if (x.f->kind == FN_INCORE && !x.f->untouched)
            block_rewrite(&x.f->body, lower_stmt, &x);
    }
    return true;
}
