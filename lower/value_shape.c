/* Operations that move elements, of values in memory: in rectangles that fit on the core. */
#include "lower/util.h"
#include "lower/value.h"

/* Also of what is stored from a tile. */
static void copy_whole(ValueLowering *x, Expr *from, Expr *to, Expr **to_at)
{
    int64_t extents[MAX_RANK];
    value_extents(from->type, extents);
    value_copy(x, &(ValueCopy){.from = from, .to = to, .to_at = to_at, .extents = extents});
}

/* ---- transpose */

typedef struct {
    Expr *from, *to;
    uint32_t axes[2];
} Turning;

static void turn_chunk(ValueLowering *x, void *env, Expr **offsets, const int64_t *extents)
{
    const Turning *t = env;
    Expr *at[MAX_RANK], *put[MAX_RANK];
    int64_t size[MAX_RANK];
    for (uint32_t i = 0; i < t->to->type->rank; i++) {
        uint32_t other = i == t->axes[0] ? t->axes[1] : i == t->axes[1] ? t->axes[0] : i;
        at[i] = expr_clone(x->p, offsets[other]);
        size[i] = extents[other];
        put[i] = expr_clone(x->p, offsets[i]);
    }
    Expr *slots[] = {value_part(x, t->from, at, size, MEM_VEC), ex_index(x->p, t->axes[0]),
                     ex_index(x->p, t->axes[1])};
    value_store(x, value_let(x, value_base(x), value_op(x, OP_TILE_TRANSPOSE, 3, slots)), t->to,
                put);
}

static bool transposed(ValueLowering *x, const Expr *op, Expr *to)
{
    int64_t chunk[MAX_RANK];
    Turning t = {.from = op->args[0], .to = to};
    t.axes[0] = (uint32_t)OP_ARG(op, TENSOR_TRANSPOSE, axis1)->ival;
    t.axes[1] = (uint32_t)OP_ARG(op, TENSOR_TRANSPOSE, axis2)->ival;
    if (!value_turned_extents(x, to->type, t.axes, chunk))
        return false;
    value_each_chunk(x, to->type, chunk, turn_chunk, &t);
    return true;
}

/* ---- concat, fillpad, slice, set_validshape */

static void require_whole(ValueLowering *x, const Expr *op, uint32_t slot)
{
    RegionEnv regions = value_regions(x);
    const Expr *e = op->args[slot];
    ValueRegion r = value_region(&regions, e);
    for (uint32_t i = 0; r.kind == REGION_PART && i < e->type->rank; i++)
        value_require(x,
                      ex_scalar(x->p, SC_EQ, expr_clone(x->p, r.valid[i]),
                                ex_index(x->p, value_extent(e->type, i))),
                      arena_printf(x->p->arena, "%s: %s is not valid as a whole",
                                   op_info(op->op)->full, op_info(op->op)->slots[slot].name));
}

static bool joined(ValueLowering *x, const Expr *op, Expr *to)
{
    Expr *at[2] = {ex_index(x->p, 0), ex_index(x->p, 0)};
    for (uint32_t i = 0; i < 2; i++) {
        require_whole(x, op, i);
        copy_whole(x, op->args[i], to, at);
        at[1] = ex_index(x->p, value_extent(op->args[0]->type, 1));
    }
    return true;
}

typedef struct {
    const Expr *op;
    Expr *to;
} Padding;

/* What a tile with nothing valid is filled with. */
static void pad_chunk(ValueLowering *x, void *env, Expr **offsets, const int64_t *extents)
{
    const Padding *c = env;
    uint32_t rank = c->to->type->rank;
    Expr *at[MAX_RANK], *slots[OP_MAX_SLOTS] = {expr_clone(x->p, c->to)};
    for (uint32_t i = 0; i < rank; i++)
        at[i] = expr_clone(x->p, offsets[i]);
    slots[OPND(TILE_LOAD, offsets)] = low_zeros(x->p, rank);
    slots[OPND(TILE_LOAD, shape)] = value_list(x, rank, extents);
    slots[OPND(TILE_LOAD, valid_shape)] = low_zeros(x->p, rank);
    Expr *nothing = value_let(x, value_base(x),
                              value_op(x, OP_TILE_LOAD, op_info(OP_TILE_LOAD)->n_slots, slots));
    Expr *fill[] = {nothing, expr_clone(x->p, op_operand(c->op, OPERAND_pad_value))};
    value_store(x, value_let(x, value_base(x), value_op(x, OP_TILE_FILLPAD, 2, fill)), c->to, at);
}

/* Filled throughout, and the valid part over that. */
static bool padded(ValueLowering *x, const Expr *op, Expr *to)
{
    int64_t chunk[MAX_RANK];
    Padding c = {op, to};
    if (!value_chunk_extents(x, to->type, 2, chunk))
        return false;
    value_each_chunk(x, to->type, chunk, pad_chunk, &c);
    copy_whole(x, op->args[0], to, NULL);
    return true;
}

/* An extent of a region that the program gives must be one of the value. */
static void check_extents(ValueLowering *x, const Expr *op, Expr *const *valid, const int64_t *size,
                          uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        Expr *least = ex_scalar(x->p, SC_GE, expr_clone(x->p, valid[i]), ex_index(x->p, 0));
        Expr *most = ex_scalar(x->p, SC_LE, expr_clone(x->p, valid[i]), ex_index(x->p, size[i]));
        value_require(
            x, ex_scalar(x->p, SC_AND, least, most),
            arena_printf(x->p->arena,
                         "%s: a valid extent is below 0 or above the %lld of dimension %u",
                         op_info(op->op)->full, (long long)size[i], i));
    }
}

static bool cut_out(ValueLowering *x, const Expr *op, Expr *to)
{
    RegionEnv regions = value_regions(x);
    ValueRegion r = value_region(&regions, op);
    const Expr *shape = OP_ARG(op, TENSOR_SLICE, shape),
               *valid = OP_ARG(op, TENSOR_SLICE, valid_shape);
    int64_t extents[MAX_RANK];
    for (uint32_t i = 0; i < shape->n_args; i++)
        extents[i] = shape->args[i]->ival;
    if (valid)
        check_extents(x, op, valid->args, extents, valid->n_args);
    if (shape->n_args != to->type->rank) { /* dimensions are dropped */
        Expr *slots[] = {expr_clone(x->p, to), value_list(x, shape->n_args, extents)};
        to = value_let(x, value_base(x), value_op(x, OP_TENSOR_RESHAPE, 2, slots));
    }
    value_copy(x, &(ValueCopy){.from = OP_ARG(op, TENSOR_SLICE, input),
                               .from_at = OP_ARG(op, TENSOR_SLICE, offset)->args,
                               .to = to,
                               .extents = extents,
                               .valid = r.kind == REGION_PART ? r.valid : NULL});
    return true;
}

static bool other_region(ValueLowering *x, const Expr *op, Expr *to)
{
    int64_t extents[MAX_RANK];
    value_extents(to->type, extents);
    check_extents(x, op, op->args + 1, extents, 2);
    copy_whole(x, op->args[0], to, NULL);
    return true;
}

/* ---- reshape, reinterpret_view, ci */

/* Written in the shape that it has. */
static bool reshaped(ValueLowering *x, const Expr *op, Expr *to)
{
    Expr *slots[] = {expr_clone(x->p, to), low_shape(x->p, op->args[0]->type)};
    copy_whole(x, op->args[0],
               value_let(x, value_base(x), value_op(x, OP_TENSOR_RESHAPE, 2, slots)), NULL);
    return true;
}

typedef struct {
    const Expr *op;
    Expr *to;
    int64_t from_scale, to_scale; /* elements of both for one of the shape that is gone through */
} Reinterpreting;

static void reinterpret_chunk(ValueLowering *x, void *env, Expr **offsets, const int64_t *extents)
{
    const Reinterpreting *c = env;
    Expr *at[MAX_RANK], *put[MAX_RANK], *from = c->op->args[0];
    int64_t size[MAX_RANK];
    uint32_t rank = from->type->rank;
    for (uint32_t i = 0; i < rank; i++) {
        at[i] = expr_clone(x->p, offsets[i]);
        put[i] = expr_clone(x->p, offsets[i]);
        size[i] = extents[i];
    }
    at[rank - 1] = ex_scalar(x->p, SC_MUL, at[rank - 1], ex_index(x->p, c->from_scale));
    put[rank - 1] = ex_scalar(x->p, SC_MUL, put[rank - 1], ex_index(x->p, c->to_scale));
    size[rank - 1] *= c->from_scale;
    Expr *slots[] = {value_part(x, from, at, size, MEM_VEC), ex_dtype(x->p, c->to->type->dtype)};
    Expr *tile = value_op(x, OP_TILE_REINTERPRET_VIEW, 2, slots);
    value_store(x, value_let(x, value_base(x), tile), c->to, put);
}

static bool reinterpreted(ValueLowering *x, const Expr *op, Expr *to)
{
    int64_t chunk[MAX_RANK];
    const Type *from = op->args[0]->type;
    int64_t a = dtype_bytes(from->dtype), b = dtype_bytes(to->type->dtype);
    Reinterpreting c = {op, to, b > a ? b / a : 1, a > b ? a / b : 1};
    const Type *shape = a > b ? from : to->type;
    if (!value_chunk_extents(x, shape, 2, chunk))
        return false;
    value_each_chunk(x, shape, chunk, reinterpret_chunk, &c);
    return true;
}

/* A row of numbers goes on where the last one ended: its elements and the length of a row. */
static bool counted(ValueLowering *x, const Expr *op, Expr *to)
{
    int64_t chunk[MAX_RANK], extents[MAX_RANK];
    uint32_t last = to->type->rank - 1u;
    Dtype t = to->type->dtype;
    Expr *at[MAX_RANK], *slots[OP_MAX_SLOTS] = {0};
    if (!value_chunk_extents(x, to->type, 3, chunk) || chunk[last] < 2)
        return false;
    int64_t n = chunk[last], size = value_extent(to->type, last), whole = size / n * n;
    int64_t step = OP_ARG(op, TENSOR_CI, descending)->ival ? -n : n;
    value_extents(to->type, extents);
    extents[last] = n;
    for (uint32_t i = 0; i < op->n_args; i++)
        slots[i] = op->args[i];
    slots[OPND(TILE_CI, shape)] = value_list(x, last + 1, extents);
    Expr *row =
        value_let(x, value_base(x), value_op(x, OP_TILE_CI, op_info(OP_TILE_CI)->n_slots, slots));
    for (uint32_t i = 0; i < last; i++)
        at[i] = ex_index(x->p, 0);
    const int64_t range[] = {0, whole, n};
    ValueLoop l = value_loop(x, "chunk", range, row);
    at[last] = l.index;
    value_store(x, l.carried, to, at);
    Expr *sum[] = {expr_clone(x->p, l.carried), ex_int(x->p, t, dtype_wrap(t, step))};
    row = value_end_loop(x, &l, value_let(x, value_base(x), value_op(x, OP_TILE_ADD, 2, sum)));
    if (whole == size)
        return true;
    extents[last] = size - whole;
    at[last] = ex_index(x->p, whole);
    value_store(x, value_part(x, row, NULL, extents, MEM_VEC), to, at);
    return true;
}

bool value_moved(ValueLowering *x, const Expr *op, Expr *to)
{
    switch (op_info(op->op)->rule) {
    case RULE_TRANSPOSE: return transposed(x, op, to);
    case RULE_CONCAT: return joined(x, op, to);
    case RULE_FILLPAD: return padded(x, op, to);
    case RULE_SLICE: return cut_out(x, op, to);
    case RULE_SET_VALIDSHAPE: return other_region(x, op, to);
    case RULE_RESHAPE: return reshaped(x, op, to);
    case RULE_REINTERPRET_VIEW: return reinterpreted(x, op, to);
    case RULE_CI: return counted(x, op, to);
    default: return false;
    }
}
