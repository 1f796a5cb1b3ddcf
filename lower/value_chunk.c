/* Operations on tensors that are larger than what a core has room for: loops over chunks of whole
 * rows, as many as fit, each loaded, worked on and stored. A row that does not fit is cut too where
 * the operation is element by element. The same elements are combined in the same order as in one
 * piece: a reduction of rows gets whole rows, one of columns whole columns. */
#include "lower/util.h"
#include "lower/value.h"
#include <string.h>

enum { UNCUT = -1 };

/* The extents of one chunk, and which dimensions are cut. */
typedef struct {
    const Type *shape; /* that is gone through */
    int64_t chunk[MAX_RANK];
    int whole; /* a dimension that no chunk cuts, or UNCUT */
    int64_t room, row_align;
} Chunking;

static Chunking chunking_of(const ValueLowering *x, const Type *shape, int whole)
{
    return (Chunking){.shape = shape,
                      .whole = whole,
                      .room = x->plan.room,
                      .row_align = x->p->platform->row_align};
}

/* Bytes of the part of an operand that lies under a chunk. */
static int64_t part_bytes(const Chunking *c, const Type *t)
{
    int64_t extents[MAX_RANK];
    CoreLayout layout;
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t own = value_extent(t, i);
        uint32_t at = c->shape->rank - t->rank + i;
        bool cut = own != 1 && t->rank <= c->shape->rank && c->chunk[at] < own;
        extents[i] = cut ? c->chunk[at] : own;
    }
    bool good =
        core_layout(MEM_VEC, dtype_bytes(t->dtype), t->rank, extents, c->row_align, &layout);
    return good ? layout.bytes : INT32_MAX;
}

static bool fits(const Chunking *c, const Type *const *types, uint32_t n)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += part_bytes(c, types[i]);
    return sum <= c->room;
}

/* Cuts dimensions, outer ones first, until one chunk of all operands fits. */
static bool choose(Chunking *c, const Type *const *types, uint32_t n)
{
    for (uint32_t i = 0; i < c->shape->rank; i++)
        c->chunk[i] = value_extent(c->shape, i);
    for (uint32_t axis = 0; axis < c->shape->rank; axis++) {
        if ((int)axis == c->whole)
            continue;
        for (;;) {
            if (fits(c, types, n))
                return true;
            if (c->chunk[axis] == 1)
                break;
            c->chunk[axis] = (c->chunk[axis] + 1) / 2;
        }
    }
    return false;
}

/* The bytes of a chunk, and of one with two dimensions exchanged. */
static bool both_fit(const Chunking *c, const uint32_t *axes)
{
    Chunking turned = *c;
    const Dim *dims[MAX_RANK];
    Type t = *c->shape;
    memcpy(dims, t.dims, sizeof dims);
    t.dims[axes[0]] = dims[axes[1]];
    t.dims[axes[1]] = dims[axes[0]];
    turned.shape = &t;
    turned.chunk[axes[0]] = c->chunk[axes[1]];
    turned.chunk[axes[1]] = c->chunk[axes[0]];
    return part_bytes(c, c->shape) + part_bytes(&turned, &t) <= c->room;
}

bool value_turned_extents(const ValueLowering *x, const Type *shape, const uint32_t *axes,
                          int64_t *chunk)
{
    Chunking c = chunking_of(x, shape, UNCUT);
    value_extents(shape, c.chunk);
    for (uint32_t i = 0; i < shape->rank && !both_fit(&c, axes); i++)
        if (i != axes[0] && i != axes[1])
            c.chunk[i] = 1;
    while (!both_fit(&c, axes)) {
        int64_t *larger = &c.chunk[axes[c.chunk[axes[1]] > c.chunk[axes[0]]]];
        if (*larger == 1)
            return false;
        *larger = (*larger + 1) / 2;
    }
    memcpy(chunk, c.chunk, sizeof c.chunk);
    return true;
}

bool value_chunk_extents(const ValueLowering *x, const Type *shape, uint32_t n, int64_t *chunk)
{
    enum { MOST = 4 };
    const Type *types[MOST];
    Chunking c = chunking_of(x, shape, UNCUT);
    for (uint32_t i = 0; i < n && i < MOST; i++)
        types[i] = shape;
    bool good = choose(&c, types, n);
    memcpy(chunk, c.chunk, sizeof c.chunk);
    return good;
}

typedef struct {
    ValueLowering *x;
    const Type *shape;
    const int64_t *chunk;
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
    if (axis == l->shape->rank) {
        l->body(l->x, l->env, l->offsets, l->extents);
        return;
    }
    int64_t size = value_extent(l->shape, axis), chunk = l->chunk[axis];
    int64_t whole = size / chunk * chunk;
    const int64_t range[] = {0, whole, chunk};
    ValueLoop loop = value_loop(l->x, "chunk", range, NULL);
    one(l, axis, loop.index, chunk);
    value_end_loop(l->x, &loop, NULL);
    if (whole < size)
        one(l, axis, ex_index(l->x->p, whole), size - whole);
}

void value_each_chunk(ValueLowering *x, const Type *shape, const int64_t *chunk, ChunkBody *body,
                      void *env)
{
    ChunkLoops l = {.x = x, .shape = shape, .chunk = chunk, .body = body, .env = env};
    loops(&l, 0);
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
        bool same = value_extent(t, i) != 1 || value_extent(shape, axis) == 1;
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
    Expr *e = expr_clone(x->p, c->op), *at[MAX_RANK];
    for (uint32_t i = 0; i < e->n_args; i++)
        if (e->args[i] && e->args[i]->type && type_is_shaped(e->args[i]->type))
            e->args[i] = operand_part(x, c->shape, c->op->args[i], offsets, extents);
    if (op_info(e->op)->rule == RULE_CREATE)
        OP_ARG(e, TENSOR_FULL, shape) = value_list(x, c->shape->rank, extents);
    Expr *result = value_let(x, value_base(x), value_on_tiles(x, e));
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

/* Both regions may reach beyond the other in a direction each, which no chunk sees. */
static void check_parts(ValueLowering *x, const Expr *op)
{
    RegionEnv regions = value_regions(x);
    ValueRegion a = value_region(&regions, op->args[0]), b = value_region(&regions, op->args[1]);
    Expr *over = ex_bool(x->p, true), *under = ex_bool(x->p, true);
    if (a.kind != REGION_PART && b.kind != REGION_PART)
        return;
    for (uint32_t i = 0; i < op->type->rank; i++) {
        Expr *size = ex_index(x->p, value_extent(op->type, i));
        Expr *one = a.kind == REGION_PART ? a.valid[i] : size;
        Expr *two = b.kind == REGION_PART ? b.valid[i] : size;
        over = ex_scalar(x->p, SC_AND, over,
                         ex_scalar(x->p, SC_GE, expr_clone(x->p, one), expr_clone(x->p, two)));
        under = ex_scalar(x->p, SC_AND, under,
                          ex_scalar(x->p, SC_LE, expr_clone(x->p, one), expr_clone(x->p, two)));
    }
    value_require(x, ex_scalar(x->p, SC_OR, over, under),
                  arena_printf(x->p->arena, "%s: the valid regions together are neither of them",
                               op_info(op->op)->full));
}

bool value_in_chunks(ValueLowering *x, const Expr *op, Expr *to)
{
    enum { COMPARED = 4 }; /* mask, ones, zeros, and a scalar as a tile */
    const Type *types[OP_MAX_SLOTS + 1 + COMPARED];
    uint32_t n = 0;
    const OpInfo *info = op_info(op->op);
    const Type *first = op->args[0]->type, *shape = info->rule == RULE_REDUCE ? first : to->type;
    for (uint32_t i = 0; i < op->n_args; i++)
        if (op->args[i] && op->args[i]->type && type_is_shaped(op->args[i]->type))
            types[n++] = op->args[i]->type;
    types[n++] = to->type;
    for (uint32_t i = 0; info->rule == RULE_CMP && i < COMPARED; i++)
        types[n++] = to->type;
    ChunkedOp c = {.op = op, .to = to, .shape = shape, .reduced = reduced_axis(op, shape)};
    Chunking cut = chunking_of(x, shape, c.reduced);
    if (!choose(&cut, types, n))
        return false;
    if (info->rule == RULE_PARTS)
        check_parts(x, op);
    value_each_chunk(x, shape, cut.chunk, op_chunk, &c);
    return true;
}

/* ---- copies */

static Expr *plus(ValueLowering *x, Expr *at, Expr *offset)
{
    int64_t v;
    if (!at || (expr_is_int(at, &v) && v == 0))
        return expr_clone(x->p, offset);
    return ex_scalar(x->p, SC_ADD, expr_clone(x->p, at), expr_clone(x->p, offset));
}

/* A rectangle of memory of which only a part is valid. */
static Expr *cut_load(ValueLowering *x, const ValueCopy *c, Expr **at, Expr **offsets,
                      const int64_t *extents)
{
    RegionEnv regions = value_regions(x);
    uint32_t rank = c->from->type->rank;
    Expr *valid[MAX_RANK], *slots[OP_MAX_SLOTS] = {expr_clone(x->p, c->from)};
    for (uint32_t i = 0; i < rank; i++)
        valid[i] = region_behind(&regions, c->valid[i], offsets[i], extents[i]);
    slots[OPND(TILE_LOAD, offsets)] = ex_list(x->p, at, rank);
    slots[OPND(TILE_LOAD, shape)] = value_list(x, rank, extents);
    slots[OPND(TILE_LOAD, valid_shape)] = ex_list(x->p, valid, rank);
    return value_let(x, value_base(x),
                     value_op(x, OP_TILE_LOAD, op_info(OP_TILE_LOAD)->n_slots, slots));
}

/* The missing leading dimensions of the side that has fewer are 1. */
static void copy_chunk(ValueLowering *x, void *env, Expr **offsets, const int64_t *extents)
{
    const ValueCopy *c = env;
    uint32_t from = c->from->type->rank, to = c->to->type->rank;
    Expr *at[MAX_RANK], *put[MAX_RANK];
    for (uint32_t i = 0; i < from; i++)
        at[i] = plus(x, c->from_at ? c->from_at[i] : NULL, offsets[i]);
    for (uint32_t i = 0; i < to; i++) {
        int k = (int)(i + from) - (int)to;
        Expr *own = c->to_at ? c->to_at[i] : ex_index(x->p, 0);
        put[i] = k >= 0 ? plus(x, own, offsets[k]) : expr_clone(x->p, own);
    }
    Expr *tile = c->valid && value_in_memory(x, c->from)
                     ? cut_load(x, c, at, offsets, extents)
                     : value_part(x, c->from, at, extents, MEM_VEC);
    value_store(x, tile, c->to, put);
}

void value_copy(ValueLowering *x, const ValueCopy *copy)
{
    ValueCopy c = *copy;
    const Dim *dims[MAX_RANK];
    uint32_t rank = c.from->type->rank;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = dim_const(x->p->types, c.extents[i]);
    const Type *shape = type_shaped(x->p->types, TY_TILE, c.from->type->dtype, rank, dims);
    Chunking cut = chunking_of(x, shape, UNCUT);
    (void)choose(&cut, &shape, 1); /* one element always fits, or the allocation says why not */
    value_each_chunk(x, shape, cut.chunk, copy_chunk, &c);
}
