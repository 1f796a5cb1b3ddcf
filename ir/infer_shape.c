/* Type rules of what changes the shape of tiles: reductions, expansions, parts. */
#include "ir/infer.h"
#include <string.h>

/* Index of the last dimension, or of the one before. */
static uint32_t axis_of(const Type *t, bool row)
{
    return t->rank - (row ? 1u : 2u);
}

static bool has_rows(const Infer *in, int slot, const Type *t)
{
    return t->rank >= 2 || infer_fail(in, slot, "shape", "needs two dimensions or more, got %s",
                                      type_text(in->p->arena, t));
}

static bool has_numbers(const Infer *in, int slot, const Type *t)
{
    return reduce_takes(t->dtype) ||
           infer_fail(in, slot, "type", "needs numbers, got %s: cast it first with pl.cast",
                      type_text(in->p->arena, t));
}

const Type *infer_reduce(const Infer *in)
{
    const Type *a = infer_whole(in, 0);
    TileReduce how = in->info->reduce;
    const Dim *dims[MAX_RANK];
    if (!a || !has_rows(in, 0, a) || !has_numbers(in, 0, a))
        return NULL;
    for (uint32_t i = 0; i < a->rank; i++)
        dims[i] = i == axis_of(a, reduce_along_rows(how)) ? dim_const(in->p->types, 1) : a->dims[i];
    return type_shaped(in->p->types, TY_TILE, reduce_result(how, a->dtype), a->rank, dims);
}

/* "[64, 1]": what the vector beside a tile looks like. */
static const Type *vector_of(const Infer *in, const Type *a, bool row)
{
    const Dim *dims[MAX_RANK];
    for (uint32_t i = 0; i < a->rank; i++)
        dims[i] = i == axis_of(a, row) ? dim_const(in->p->types, 1) : a->dims[i];
    return type_shaped(in->p->types, TY_TILE, a->dtype, a->rank, dims);
}

const Type *infer_expand(const Infer *in)
{
    const Type *a = infer_whole(in, 0), *b = a ? infer_whole(in, 1) : NULL;
    bool row = op_slot_of(in->id, OPERAND_row_vec) >= 0;
    if (!b || !has_rows(in, 0, a) || !has_numbers(in, 0, a))
        return NULL;
    if (!tileop_takes(op_info(in->info->tile)->tile_op, a->dtype)) {
        infer_fail(in, 0, "type", "needs floating-point elements, got %s",
                   type_text(in->p->arena, a));
        return NULL;
    }
    const Type *want = vector_of(in, a, row);
    if (type_placed(in->p->types, b, MEM_UNSET, -1) == want)
        return type_shaped(in->p->types, TY_TILE, a->dtype, a->rank, a->dims);
    infer_fail(in, 1, a->dtype == b->dtype ? "shape" : "type", "needs %s for %s, got %s",
               type_text(in->p->arena, want), in->info->slots[1].name, type_text(in->p->arena, b));
    return NULL;
}

/* A scratch tile of the dtype and rank of the input, no smaller in any extent. */
static bool scratch_ok(const Infer *in, int i)
{
    bool second = in->info->rule == RULE_SEL; /* the first is the mask */
    const Type *t = in->op->args[i]->type, *like = in->op->args[second]->type;
    int64_t have, need;
    bool good = t->dtype == like->dtype && t->rank == like->rank;
    for (uint32_t k = 0; good && k < t->rank; k++)
        good =
            dim_is_const(t->dims[k], &have) && dim_is_const(like->dims[k], &need) && have >= need;
    return good || infer_fail(in, i, "type",
                              "needs a scratch tile of the dtype and rank of %s, no smaller in any "
                              "extent, got %s",
                              type_text(in->p->arena, like), type_text(in->p->arena, t));
}

/* The shape of operand 0, perhaps with leading ones. */
static bool shape_of_tile(const Infer *in, int i)
{
    const Expr *list = in->op->args[i];
    const Type *t = in->op->args[0]->type;
    int64_t given, have;
    bool good = list->n_args >= t->rank;
    for (uint32_t k = 0; good && k < list->n_args; k++) {
        uint32_t ones = list->n_args - t->rank;
        have = 1;
        good = infer_item(list, k, &given) &&
               (k < ones || dim_is_const(t->dims[k - ones], &have)) && given == have;
    }
    return good || infer_fail(in, i, "shape", "needs the tile's shape %s for %s, or leave it out",
                              infer_shape_text(in, t), in->info->slots[i].name);
}

bool infer_drop_hints(const Infer *in)
{
    for (int i = 0; i < in->info->n_slots; i++) {
        const OpSlot *slot = &in->info->slots[i];
        if (!(slot->flags & OPND_DROPPED) || !in->op->args[i])
            continue;
        if (slot->kind == SLOT_TILE && !scratch_ok(in, i))
            return false;
        if (slot->kind == SLOT_SHAPE && !shape_of_tile(in, i))
            return false;
        in->op->args[i] = NULL;
    }
    return true;
}

/* ---- parts and shapes ---- */

static const Type *shaped(const Infer *in, Dtype dtype, uint32_t rank, const Dim *const *dims)
{
    int64_t bytes;
    const Type *t = type_shaped(in->p->types, TY_TILE, dtype, rank, dims);
    if (type_bytes(t, &bytes))
        return t;
    infer_fail(in, -1, "shape", "needs a tile of fewer than 2^63 bytes");
    return NULL;
}

static int64_t extent(const Type *t, uint32_t axis)
{
    int64_t v = 0;
    (void)dim_is_const(t->dims[axis], &v);
    return v;
}

/* A window of `dims` at constant offsets must lie in `t`. */
static bool window_ok(const Infer *in, int slot, const Type *t, const Dim *const *dims)
{
    const Expr *list = in->op->args[slot];
    int64_t offset, size;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (!dim_is_const(dims[i], &size) || !infer_item(list, i, &offset))
            continue;
        if (offset < 0 || offset > extent(t, i) - size)
            return infer_fail(in, slot, "value",
                              "needs a part inside %s: in dimension %u, got %lld + %lld",
                              type_text(in->p->arena, t), i, (long long)offset, (long long)size);
    }
    return true;
}

static bool part_fits(const Infer *in, int slot, const Type *a, uint32_t rank,
                      const Dim *const *dims)
{
    int64_t size;
    bool good = rank == a->rank;
    for (uint32_t i = 0; good && i < rank; i++)
        good = dim_is_const(dims[i], &size) && size <= extent(a, i);
    return good || infer_fail(in, slot, "shape", "needs a shape of the rank of %s and no larger",
                              type_text(in->p->arena, a));
}

const Type *infer_part(const Infer *in)
{
    const Type *a = infer_whole(in, 0);
    int shape = op_slot_of(in->id, OPERAND_shape), offset = op_slot_of(in->id, OPERAND_offset);
    const Dim *dims[MAX_RANK];
    if (!a || !infer_dims(in, shape, true, dims) ||
        !part_fits(in, shape, a, in->op->args[shape]->n_args, dims))
        return NULL;
    if (in->id == OP_EXTRACT && a->rank != 2) {
        infer_fail(in, 0, "shape", "needs two dimensions, got %s", type_text(in->p->arena, a));
        return NULL;
    }
    if (offset >= 0 && (!infer_rank(in, offset, a) || !window_ok(in, offset, a, dims)))
        return NULL;
    int valid = op_slot_of(in->id, OPERAND_valid_shape);
    if (valid >= 0 && in->op->args[valid] && !infer_rank(in, valid, a))
        return NULL;
    int clamp = op_slot(in->id, "clamp");
    if (clamp >= 0 && in->op->args[clamp] && in->op->args[clamp]->ival) {
        infer_fail(in, clamp, "value", "cuts parts of memory only: a part of a tile must fit");
        return NULL;
    }
    const Type *t = shaped(in, a->dtype, a->rank, dims);
    int dropped = op_slot_of(in->id, OPERAND_drop_dims);
    return t && dropped >= 0 ? infer_without(in, t, dropped) : t;
}

const Type *infer_without(const Infer *in, const Type *t, int slot)
{
    const Expr *list = in->op->args[slot];
    const Dim *dims[MAX_RANK], *one = dim_const(in->p->types, 1);
    bool gone[MAX_RANK] = {false};
    uint32_t n = 0;
    for (uint32_t i = 0; list && i < list->n_args; i++) {
        int64_t axis = -1;
        if (!infer_item(list, i, &axis) || axis < 0 || axis >= t->rank || gone[axis] ||
            t->dims[axis] != one) {
            infer_fail(in, slot, "shape",
                       "needs dimensions of %s with the extent 1 in drop_dims, each once, got %lld",
                       type_text(in->p->arena, t), (long long)axis);
            return NULL;
        }
        gone[axis] = true;
    }
    for (uint32_t i = 0; i < t->rank; i++)
        if (!gone[i])
            dims[n++] = t->dims[i];
    if (n)
        return n == t->rank ? t : type_shaped(in->p->types, t->kind, t->dtype, n, dims);
    infer_fail(in, slot, "shape", "drops every dimension: read the element with pl.read");
    return NULL;
}

const Type *infer_paste(const Infer *in, int target, int source, int offset)
{
    const Type *a = in->op->args[target]->type, *b = in->op->args[source]->type;
    bool rounds = b->dtype == DT_FP32 && (a->dtype == DT_FP16 || a->dtype == DT_BF16);
    if (a->dtype != b->dtype && !rounds) {
        infer_fail(in, source, "type", "needs a source of the target's dtype, got %s for %s",
                   type_text(in->p->arena, b), type_text(in->p->arena, a));
        return NULL;
    }
    if (!part_fits(in, source, a, b->rank, b->dims) || !infer_rank(in, offset, a) ||
        !window_ok(in, offset, a, b->dims))
        return NULL;
    return type_placed(in->p->types, a, MEM_UNSET, -1);
}

const Type *infer_assemble(const Infer *in)
{
    return infer_paste(in, OPND(TILE_ASSEMBLE, target), OPND(TILE_ASSEMBLE, source),
                       OPND(TILE_ASSEMBLE, offset));
}

const Type *infer_reshape(const Infer *in)
{
    const Type *a = in->op->args[0]->type;
    bool view = type_is_memory(a);
    const Dim *dims[MAX_RANK];
    int64_t have, want;
    if (!infer_dims(in, 1, !view, dims))
        return NULL;
    const Type *t =
        view ? type_shaped(in->p->types, a->kind, a->dtype, in->op->args[1]->n_args, dims)
             : shaped(in, a->dtype, in->op->args[1]->n_args, dims);
    if (!t)
        return NULL;
    if (!type_elements(a, &have) || !type_elements(t, &want))
        return view ? t : NULL;
    if (have == want)
        return t;
    infer_fail(in, 1, "shape", "needs a shape of the %lld elements of %s, got %lld",
               (long long)have, type_text(in->p->arena, a), (long long)want);
    return NULL;
}

/* Axis operand `slot`, negative ones counted back, which becomes what is meant. */
static bool axis_operand(const Infer *in, int slot, const Type *t, int64_t *axis)
{
    if (!expr_is_int(in->op->args[slot], axis))
        return false;
    if (*axis < 0) {
        *axis += t->rank;
        in->op->args[slot] = ex_index(in->p, *axis);
    }
    return (*axis >= 0 && *axis < t->rank) ||
           infer_fail(in, slot, "value", "needs an axis from 0 to %d of %s, or one counted back",
                      t->rank - 1, type_text(in->p->arena, t));
}

const Type *infer_transpose(const Infer *in)
{
    const Type *a = infer_whole(in, 0);
    const Dim *dims[MAX_RANK];
    if (!a || !has_rows(in, 0, a))
        return NULL;
    int64_t x, y;
    if (!axis_operand(in, 1, a, &x) || !axis_operand(in, 2, a, &y))
        return NULL;
    if (x == y) {
        infer_fail(in, 2, "value", "needs two different axes, got %lld twice", (long long)x);
        return NULL;
    }
    for (uint32_t i = 0; i < a->rank; i++)
        dims[i] = a->dims[i == x ? y : i == y ? x : i];
    return shaped(in, a->dtype, a->rank, dims);
}

const Type *infer_concat(const Infer *in)
{
    const Type *a = infer_whole(in, 0), *b = a ? infer_whole(in, 1) : NULL;
    if (!b)
        return NULL;
    if (a->rank != 2 || b->rank != 2 || a->dtype != b->dtype || a->dims[0] != b->dims[0]) {
        infer_fail(in, 1, "shape",
                   "needs two operands of rank 2 with equal rows and dtype, got %s and %s",
                   type_text(in->p->arena, a), type_text(in->p->arena, b));
        return NULL;
    }
    const Dim *dims[] = {a->dims[0], dim_add(in->p->types, a->dims[1], b->dims[1])};
    if (dims[1])
        return shaped(in, a->dtype, 2, dims);
    infer_fail(in, -1, "shape", "needs a tile of fewer than 2^63 bytes");
    return NULL;
}

const Type *infer_fillpad(const Infer *in)
{
    const Type *a = infer_whole(in, 0);
    int shape = op_slot_of(in->id, OPERAND_shape);
    const Dim *dims[MAX_RANK];
    int64_t size;
    if (!a || !has_numbers(in, 0, a))
        return NULL;
    if (shape < 0)
        return type_placed(in->p->types, a, MEM_UNSET, -1);
    if (!infer_rank(in, shape, a) || !infer_dims(in, shape, true, dims))
        return NULL;
    for (uint32_t i = 0; i < a->rank; i++)
        if (!dim_is_const(dims[i], &size) || size < extent(a, i)) {
            infer_fail(in, shape, "shape", "needs a shape no smaller than that of %s",
                       type_text(in->p->arena, a));
            return NULL;
        }
    return shaped(in, a->dtype, a->rank, dims);
}

const Type *infer_set_validshape(const Infer *in)
{
    const Type *a = infer_whole(in, 0);
    int64_t v;
    if (!a)
        return NULL;
    if (a->rank != 2) {
        infer_fail(in, 0, "shape", "needs two dimensions, got %s", type_text(in->p->arena, a));
        return NULL;
    }
    for (int i = 1; i <= 2; i++)
        if (expr_is_int(in->op->args[i], &v) && (v < 0 || v > extent(a, (uint32_t)i - 1))) {
            infer_fail(in, i, "value", "needs %s from 0 to %lld, got %lld", in->info->slots[i].name,
                       (long long)extent(a, (uint32_t)i - 1), (long long)v);
            return NULL;
        }
    return type_placed(in->p->types, a, MEM_UNSET, -1);
}

const Type *infer_reinterpret_view(const Infer *in)
{
    const Type *a = infer_whole(in, 0);
    const Dim *dims[MAX_RANK], *given[MAX_RANK];
    Dtype to = in->op->args[1]->dtype;
    if (!a)
        return NULL;
    int64_t bytes = extent(a, a->rank - 1u) * (int64_t)dtype_bytes(a->dtype);
    if (to == DT_INDEX || to == DT_BOOL || bytes % (int64_t)dtype_bytes(to)) {
        infer_fail(in, 1, "type", "needs a dtype whose size divides the %lld bytes of a row",
                   (long long)bytes);
        return NULL;
    }
    memcpy(dims, a->dims, sizeof dims);
    dims[a->rank - 1] = dim_const(in->p->types, bytes / (int64_t)dtype_bytes(to));
    const Type *t = shaped(in, to, a->rank, dims);
    if (!t || !in->op->args[2])
        return t;
    if (!infer_rank(in, 2, a) || !infer_dims(in, 2, true, given))
        return NULL;
    if (type_shaped(in->p->types, TY_TILE, to, a->rank, given) == t)
        return t;
    infer_fail(in, 2, "shape", "needs the shape %s, which the bytes have", infer_shape_text(in, t));
    return NULL;
}

/* A constant index must be one of the tile's. */
static bool index_ok(const Infer *in, const Type *t)
{
    const Dim *dims[MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++)
        dims[i] = dim_const(in->p->types, 1);
    return infer_rank(in, 1, t) && window_ok(in, 1, t, dims);
}

const Type *infer_tile_element(const Infer *in)
{
    const Type *t = in->op->args[0]->type;
    if (!index_ok(in, t))
        return NULL;
    if (in->id == OP_TILE_READ)
        return type_scalar(in->p->types, t->dtype);
    return infer_value(in, t) ? type_placed(in->p->types, t, MEM_UNSET, -1) : NULL;
}
