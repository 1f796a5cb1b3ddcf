/* Products of several matrices, and of vectors, which are matrices of one row or column. In memory
 * a matrix of several is a view, and its product is made as any other. Tiles are cut and put
 * together. */
#include "lower/util.h"
#include "lower/value.h"

/* One side of a product: matrices at the indices of the leading dimensions. */
typedef struct {
    Expr *all;      /* memory or a tile */
    uint32_t first; /* number of its first leading dimension among those of the result */
} Matrices;

typedef struct {
    ValueLowering *x;
    ValueFactors f;
    Matrices lhs, rhs, to;
    uint32_t lead;          /* leading dimensions of the result */
    int64_t size[MAX_RANK]; /* their extents */
    Expr *index[MAX_RANK];
} Batch;

static Expr *seen(ValueLowering *x, Expr *memory, uint32_t rank, const int64_t *extents)
{
    Expr *slots[] = {expr_clone(x->p, memory), value_list(x, rank, extents)};
    return value_let(x, value_base(x), value_op(x, OP_TENSOR_RESHAPE, 2, slots));
}

/* A vector as a matrix of one row, or of one column. */
static Expr *as_matrix(ValueLowering *x, Expr *memory, bool column)
{
    if (memory->type->rank != 1)
        return memory;
    int64_t n = value_extent(memory->type, 0);
    const int64_t extents[] = {column ? n : 1, column ? 1 : n};
    return seen(x, memory, 2, extents);
}

/* The result with the dimensions that vectors took from it. */
static Expr *as_result(const Batch *b, Expr *memory)
{
    int64_t extents[MAX_RANK + 2];
    const Type *lhs = b->f.lhs->type, *rhs = b->f.rhs->type;
    for (uint32_t i = 0; i < b->lead; i++)
        extents[i] = b->size[i];
    extents[b->lead] = value_extent(lhs, lhs->rank - (b->f.turn_lhs ? 1u : 2u));
    extents[b->lead + 1] = value_extent(rhs, rhs->rank - (b->f.turn_rhs ? 2u : 1u));
    return memory->type->rank == b->lead + 2 ? memory : seen(b->x, memory, b->lead + 2, extents);
}

static Batch batch_of(ValueLowering *x, const Expr *op, bool memory)
{
    Batch b = {.x = x, .f = value_factors(op)};
    if (memory) {
        b.f.lhs = as_matrix(x, value_to_memory(x, b.f.lhs), false);
        b.f.rhs = as_matrix(x, value_to_memory(x, b.f.rhs), true);
    }
    const Type *lhs = b.f.lhs->type, *rhs = b.f.rhs->type;
    b.lead = (lhs->rank > rhs->rank ? lhs->rank : rhs->rank) - 2u;
    b.lhs = (Matrices){b.f.lhs, b.lead + 2 - lhs->rank};
    b.rhs = (Matrices){b.f.rhs, b.lead + 2 - rhs->rank};
    for (uint32_t i = 0; i < b.lead; i++) {
        int64_t one = i < b.lhs.first ? 1 : value_extent(lhs, i - b.lhs.first);
        int64_t other = i < b.rhs.first ? 1 : value_extent(rhs, i - b.rhs.first);
        b.size[i] = one > other ? one : other;
    }
    return b;
}

/* Offset and extents of the matrix at hand. */
static uint32_t window_of(const Batch *b, const Matrices *m, Expr **at, int64_t *extents)
{
    uint32_t lead = b->lead - m->first;
    for (uint32_t i = 0; i < lead; i++) {
        bool one = value_extent(m->all->type, i) == 1;
        at[i] = one ? ex_index(b->x->p, 0) : expr_clone(b->x->p, b->index[m->first + i]);
        extents[i] = 1;
    }
    for (uint32_t i = lead; i < lead + 2; i++) {
        at[i] = ex_index(b->x->p, 0);
        extents[i] = value_extent(m->all->type, i);
    }
    return lead;
}

/* The matrix at hand, of memory a view. */
static Expr *matrix_of(const Batch *b, const Matrices *m)
{
    ValueLowering *x = b->x;
    Expr *at[MAX_RANK], *drop[MAX_RANK], *slots[OP_MAX_SLOTS] = {expr_clone(x->p, m->all)};
    int64_t extents[MAX_RANK];
    uint32_t lead = window_of(b, m, at, extents);
    if (!lead)
        return slots[0];
    if (m->all->type->kind == TY_TILE) {
        Expr *part = value_part(x, m->all, at, extents, MEM_VEC);
        Expr *shaped[] = {part, value_list(x, 2, extents + lead)};
        return value_let(x, value_base(x), value_op(x, OP_TILE_RESHAPE, 2, shaped));
    }
    for (uint32_t i = 0; i < lead; i++)
        drop[i] = ex_index(x->p, i);
    slots[OPND(TENSOR_PART, shape)] = value_list(x, lead + 2, extents);
    slots[OPND(TENSOR_PART, offset)] = ex_list(x->p, at, lead + 2);
    slots[OPND(TENSOR_PART, drop_dims)] = ex_list(x->p, drop, lead);
    return value_let(x, value_base(x),
                     value_op(x, OP_TENSOR_PART, op_info(OP_TENSOR_PART)->n_slots, slots));
}

static ValueFactors factors_at(const Batch *b)
{
    ValueFactors f = b->f;
    f.lhs = matrix_of(b, &b->lhs);
    f.rhs = matrix_of(b, &b->rhs);
    return f;
}

static void into_memory(Batch *b, uint32_t axis)
{
    if (axis == b->lead) {
        ValueFactors f = factors_at(b);
        Expr *to = matrix_of(b, &b->to);
        if (f.acc)
            f.acc = to;
        value_product(b->x, &f, to);
        return;
    }
    const int64_t range[] = {0, b->size[axis], 1};
    ValueLoop l = value_loop(b->x, "batch", range, NULL);
    b->index[axis] = l.index;
    into_memory(b, axis + 1);
    value_end_loop(b->x, &l, NULL);
}

void value_batch(ValueLowering *x, const Expr *op, Expr *to)
{
    Batch b = batch_of(x, op, true);
    b.to = (Matrices){as_result(&b, to), 0};
    into_memory(&b, 0);
}

/* The product at hand, put into the tile of all. */
static Expr *one_tile(const Batch *b, Expr *all)
{
    ValueLowering *x = b->x;
    Expr *at[MAX_RANK];
    int64_t extents[MAX_RANK];
    const Matrices to = {all, 0};
    ValueFactors f = factors_at(b);
    if (f.acc) {
        Expr *slots[] = {matrix_of(b, &to), ex_enum(x->p, ENUM_Mem, MEM_ACC)};
        f.acc = value_let(x, value_base(x), value_op(x, OP_TILE_ACCUMULATE, 2, slots));
    }
    Expr *product = value_product(x, &f, NULL);
    uint32_t lead = window_of(b, &to, at, extents);
    Expr *shaped[] = {product, value_list(x, lead + 2, extents)};
    product = value_let(x, value_base(x), value_op(x, OP_TILE_RESHAPE, 2, shaped));
    Expr *slots[] = {all, product, ex_list(x->p, at, lead + 2)};
    return value_let(x, value_base(x), value_op(x, OP_TILE_ASSEMBLE, 3, slots));
}

static Expr *into_tile(Batch *b, uint32_t axis, Expr *all)
{
    if (axis == b->lead)
        return one_tile(b, all);
    const int64_t range[] = {0, b->size[axis], 1};
    ValueLoop l = value_loop(b->x, "batch", range, all);
    b->index[axis] = l.index;
    Expr *next = into_tile(b, axis + 1, l.carried);
    return value_end_loop(b->x, &l, next);
}

Expr *value_batch_tile(ValueLowering *x, const Expr *op)
{
    Batch b = batch_of(x, op, false);
    Expr *slots[] = {low_shape(x->p, op->type), ex_dtype(x->p, op->type->dtype)};
    Expr *all =
        b.f.acc ? b.f.acc : value_let(x, value_base(x), value_op(x, OP_TILE_CREATE, 2, slots));
    return into_tile(&b, 0, all);
}
