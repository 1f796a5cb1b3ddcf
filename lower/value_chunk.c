/* Operations on tensors that are larger than what a core has room for: loops over chunks of whole
 * rows, as many as fit, each loaded, worked on and stored. A row that does not fit is cut too where
 * the operation is element by element. The same elements are combined in the same order as in one
 * piece: a reduction of rows gets whole rows, one of columns whole columns. */
#include "lower/util.h"
#include "lower/value.h"

enum { UNCUT = -1 };

/* The extents of one chunk, and which dimensions are cut. */
typedef struct {
    const Type *shape; /* that is gone through */
    int64_t chunk[MAX_RANK];
    int whole; /* a dimension that no chunk cuts, or UNCUT */
    int64_t room, row_align;
} Chunking;

static int64_t extent_of(const Type *t, uint32_t i)
{
    int64_t v = 0;
    (void)dim_is_const(t->dims[i], &v);
    return v;
}

/* Bytes of the part of an operand that lies under a chunk. */
static int64_t part_bytes(const Chunking *c, const Type *t)
{
    int64_t bytes = dtype_bytes(t->dtype);
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t own = extent_of(t, i);
        uint32_t at = c->shape->rank - t->rank + i;
        int64_t n = own == 1 || t->rank > c->shape->rank ? own
                    : c->chunk[at] < own                 ? c->chunk[at]
                                                         : own;
        bytes *= n;
        if (i == t->rank - 1u)
            bytes = (bytes + c->row_align - 1) / c->row_align * c->row_align;
    }
    return bytes;
}

/* Cuts dimensions, outer ones first, until one chunk of all operands fits. */
static bool choose(Chunking *c, const Type *const *types, uint32_t n)
{
    for (uint32_t i = 0; i < c->shape->rank; i++)
        c->chunk[i] = extent_of(c->shape, i);
    for (uint32_t axis = 0; axis < c->shape->rank; axis++) {
        if ((int)axis == c->whole)
            continue;
        for (;;) {
            int64_t sum = 0;
            for (uint32_t i = 0; i < n; i++)
                sum += part_bytes(c, types[i]);
            if (sum <= c->room)
                return true;
            if (c->chunk[axis] == 1)
                break;
            c->chunk[axis] = (c->chunk[axis] + 1) / 2;
        }
    }
    return false;
}

typedef void ChunkBody(ValueLowering *x, void *env, Expr **offsets, const int64_t *extents);

typedef struct {
    ValueLowering *x;
    const Chunking *c;
    ChunkBody *body;
    void *env;
    Expr *offsets[MAX_RANK];
    int64_t extents[MAX_RANK];
} ChunkLoops;

static void loops(ChunkLoops *l, uint32_t axis);

static void one(ChunkLoops *l, uint32_t axis, Expr *offset, int64_t n)
{
    l->offsets[axis] = offset;
    l->extents[axis] = n;
    loops(l, axis + 1);
}

/* A loop over the chunks of a dimension, and what is left of it behind. */
static void loops(ChunkLoops *l, uint32_t axis)
{
    ValueLowering *x = l->x;
    if (axis == l->c->shape->rank) {
        l->body(x, l->env, l->offsets, l->extents);
        return;
    }
    int64_t size = extent_of(l->c->shape, axis), chunk = l->c->chunk[axis];
    int64_t whole = size / chunk * chunk;
    if (whole == chunk) {
        one(l, axis, ex_index(x->p, 0), chunk);
    } else {
        Builder b = value_builder(x);
        Stmt *loop =
            build_for(&b, intern(x->p->in, "chunk"), ex_index(x->p, 0), ex_index(x->p, whole));
        loop->step = ex_index(x->p, chunk);
        Block *outer = x->out;
        x->out = &loop->body;
        one(l, axis, ex_var(x->p, x->f, loop->index), chunk);
        x->out = outer;
    }
    if (whole < size)
        one(l, axis, ex_index(x->p, whole), size - whole);
}

/* The part of an operand that lies under a chunk of `shape`, aligned from the right. */
static Expr *operand_part(ValueLowering *x, const Type *shape, Expr *e, Expr **offsets,
                          const int64_t *extents)
{
    const Type *t = e->type;
    Expr *at[MAX_RANK];
    int64_t n[MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++) {
        uint32_t axis = shape->rank - t->rank + i;
        bool same = extent_of(t, i) != 1 || extent_of(shape, axis) == 1;
        at[i] = same ? expr_clone(x->p, offsets[axis]) : ex_index(x->p, 0);
        n[i] = same ? extents[axis] : 1;
    }
    return value_part(x, e, at, n, MEM_VEC);
}

/* ---- an operation in chunks */

typedef struct {
    const Expr *op;
    Expr *to;
    const Type *shape;
    int reduced; /* dimension whose extent becomes 1, or UNCUT */
} ChunkedOp;

static void op_chunk(ValueLowering *x, void *env, Expr **offsets, const int64_t *extents)
{
    const ChunkedOp *c = env;
    const Expr *e = c->op;
    OpId tile = op_info(e->op)->tile;
    Expr *slots[OP_MAX_SLOTS] = {0}, *at[MAX_RANK];
    for (uint32_t i = 0; i < e->n_args; i++) {
        int slot = op_slot(tile, op_info(e->op)->slots[i].name);
        if (slot < 0 || !e->args[i])
            continue;
        bool shaped = e->args[i]->type && type_is_shaped(e->args[i]->type);
        slots[slot] = shaped ? operand_part(x, c->shape, e->args[i], offsets, extents)
                             : expr_clone(x->p, e->args[i]);
    }
    if (op_info(e->op)->rule == RULE_CREATE) {
        Expr *items[MAX_RANK];
        for (uint32_t i = 0; i < c->shape->rank; i++)
            items[i] = ex_index(x->p, extents[i]);
        slots[OPND(TILE_FULL, shape)] = ex_list(x->p, items, c->shape->rank);
    }
    Expr *result = value_let(x, value_base(x), value_op(x, tile, op_info(tile)->n_slots, slots));
    for (uint32_t i = 0; i < c->shape->rank; i++)
        at[i] = (int)i == c->reduced ? ex_index(x->p, 0) : expr_clone(x->p, offsets[i]);
    value_store(x, result, c->to, at);
}

static int reduced_axis(const Expr *e, const Type *shape)
{
    const OpInfo *info = op_info(e->op);
    if (info->rule != RULE_REDUCE)
        return UNCUT;
    return shape->rank - (reduce_along_rows(info->reduce) ? 1 : 2);
}

bool value_in_chunks(ValueLowering *x, const Expr *op, Expr *to)
{
    const Type *types[OP_MAX_SLOTS + 1];
    uint32_t n = 0;
    const Type *first = op->args[0]->type, *shape = to->type;
    if (op_info(op->op)->rule == RULE_REDUCE)
        shape = first;
    for (uint32_t i = 0; i < op->n_args; i++)
        if (op->args[i] && op->args[i]->type && type_is_shaped(op->args[i]->type))
            types[n++] = op->args[i]->type;
    types[n++] = to->type;
    ChunkedOp c = {.op = op, .to = to, .shape = shape, .reduced = reduced_axis(op, shape)};
    Chunking cut = {.shape = shape,
                    .whole = c.reduced,
                    .room = x->plan.room,
                    .row_align = x->p->platform->row_align};
    if (!choose(&cut, types, n))
        return false;
    ChunkLoops l = {.x = x, .c = &cut, .body = op_chunk, .env = &c};
    loops(&l, 0);
    return true;
}

/* ---- copies */

typedef struct {
    Expr *from, *to, **from_at, **to_at;
} ChunkedCopy;

static Expr *plus(ValueLowering *x, Expr *at, Expr *offset)
{
    int64_t v;
    if (!at || (expr_is_int(at, &v) && v == 0))
        return expr_clone(x->p, offset);
    return ex_scalar(x->p, SC_ADD, expr_clone(x->p, at), expr_clone(x->p, offset));
}

/* The missing leading dimensions of the side that has fewer are 1. */
static void copy_chunk(ValueLowering *x, void *env, Expr **offsets, const int64_t *extents)
{
    const ChunkedCopy *c = env;
    uint32_t from = c->from->type->rank, to = c->to->type->rank;
    Expr *at[MAX_RANK], *put[MAX_RANK];
    for (uint32_t i = 0; i < from; i++)
        at[i] = plus(x, c->from_at ? c->from_at[i] : NULL, offsets[i]);
    for (uint32_t i = 0; i < to; i++) {
        int k = (int)(i + from) - (int)to;
        Expr *own = c->to_at ? c->to_at[i] : ex_index(x->p, 0);
        put[i] = k >= 0 ? plus(x, own, offsets[k]) : expr_clone(x->p, own);
    }
    value_store(x, value_part(x, c->from, at, extents, MEM_VEC), c->to, put);
}

void value_copy(ValueLowering *x, Expr *from, Expr **from_at, Expr *to, Expr **to_at,
                const int64_t *extents)
{
    const Dim *dims[MAX_RANK];
    uint32_t rank = from->type->rank;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = dim_const(x->p->types, extents[i]);
    const Type *shape = type_shaped(x->p->types, TY_TILE, from->type->dtype, rank, dims);
    Chunking cut = {.shape = shape,
                    .whole = UNCUT,
                    .room = x->plan.room,
                    .row_align = x->p->platform->row_align};
    (void)choose(&cut, &shape, 1); /* one element always fits, or the allocation says why not */
    ChunkedCopy c = {from, to, from_at, to_at};
    ChunkLoops l = {.x = x, .c = &cut, .body = copy_chunk, .env = &c};
    loops(&l, 0);
}
