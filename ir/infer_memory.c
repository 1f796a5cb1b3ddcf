/* Type rules of the ops that touch memory: loads and stores, remote accesses, notify and wait. */
#include "ir/infer.h"

static const Type *arg_type(const Infer *in, int slot)
{
    return in->op->args[slot]->type;
}

/* valid_shape: one item per dimension, constants within the tile's shape. */
static bool valid_shape_ok(const Infer *in, int slot, const Expr *shape)
{
    const Expr *valid = in->op->args[slot];
    int64_t v, s;
    if (!valid)
        return true;
    if (valid->n_args != shape->n_args)
        return infer_fail(in, slot, "shape",
                          "needs as many items in valid_shape as in shape, %u, got %u",
                          shape->n_args, valid->n_args);
    for (uint32_t i = 0; i < valid->n_args; i++)
        if (infer_item(valid, i, &v) && infer_item(shape, i, &s) && (v < 0 || v > s))
            return infer_fail(in, slot, "shape",
                              "needs valid_shape within shape: in dimension %u, got %lld of %lld",
                              i, (long long)v, (long long)s);
    return true;
}

/* The tile that a load of `shape` at `offsets` from `mem` gives. */
static const Type *loaded_tile(const Infer *in, int mem_slot, int offsets, int shape, int valid)
{
    const Dim *dims[MAX_RANK];
    const Type *mem = arg_type(in, mem_slot);
    Expr **args = in->op->args;
    const Expr *clamp = op_operand(in->op, OPERAND_clamp);
    bool cut = clamp && clamp->ival;
    const Expr *part = valid >= 0 && args[valid] ? args[valid] : args[shape];
    int64_t bytes;
    if (!infer_rank(in, offsets, mem) || !infer_rank(in, shape, mem) ||
        !infer_dims(in, shape, true, dims) ||
        (valid >= 0 && !valid_shape_ok(in, valid, args[shape])) ||
        (!cut && !infer_bounds(in, offsets, mem, part)))
        return NULL;
    const Type *t = type_shaped(in->p->types, TY_TILE, mem->dtype, mem->rank, dims);
    if (type_bytes(t, &bytes))
        return t;
    infer_fail(in, shape, "shape", "needs a tile of fewer than 2^63 bytes");
    return NULL;
}

/* A tile's valid part may be smaller than its shape, so its far end is checked when it is stored.
 */
static bool stores_fit(const Infer *in, int tile_slot, int offsets, int mem_slot)
{
    const Type *tile = arg_type(in, tile_slot), *mem = arg_type(in, mem_slot);
    bool rounds = in->info->rule != RULE_REMOTE_STORE && infer_store_rounds(tile, mem);
    if (tile->dtype != mem->dtype && !rounds)
        return infer_fail(in, tile_slot, "type",
                          "needs a tile of the memory's dtype, got %s for %s",
                          type_text(in->p->arena, tile), type_text(in->p->arena, mem));
    if (tile->rank > mem->rank) /* missing leading extents are 1 */
        return infer_fail(in, tile_slot, "shape", "needs a tile of rank %u or less for %s, got %s",
                          mem->rank, type_text(in->p->arena, mem), type_text(in->p->arena, tile));
    return infer_rank(in, offsets, mem) && infer_bounds(in, offsets, mem, NULL);
}

static bool atomic_ok(const Infer *in, int slot, Dtype dtype)
{
    if (in->op->args[slot]->ival != ATOMIC_ADD)
        return true;
    switch (dtype) {
    case DT_FP32:
    case DT_FP16:
    case DT_BF16:
    case DT_INT32:
    case DT_INT16:
    case DT_INT8: return true;
    default:
        return infer_fail(in, slot, "type",
                          "needs FP32, FP16, BF16, INT32, INT16 or INT8 for an atomic Add, got %s",
                          dtype_name(dtype));
    }
}

bool infer_value(const Infer *in, const Type *mem)
{
    const Type *t = arg_type(in, 2);
    const Expr *value = in->op->args[2];
    bool literal = infer_is_literal(value);
    bool good = t && t->kind == TY_SCALAR;
    if (good && dtype_is_float(mem->dtype))
        good = literal || t->dtype == mem->dtype;
    else if (good)
        good = value->kind != EX_FLOAT && !dtype_is_float(t->dtype) &&
               (t->dtype != DT_BOOL || mem->dtype == DT_BOOL);
    if (!good) {
        return infer_fail(in, 2, "type", "needs a scalar that %s takes for value, got %s",
                          type_text(in->p->arena, mem), infer_text(in, value));
    }
    int64_t v;
    if (expr_is_int(value, &v) && !dtype_is_float(mem->dtype) &&
        (v < dtype_min(mem->dtype) || v > dtype_max(mem->dtype))) {
        return infer_fail(in, 2, "value", "needs a value that fits %s, got %lld",
                          dtype_name(mem->dtype), (long long)v);
    }
    return true;
}

static bool cell_ok(const Infer *in, int mem_slot, int offsets)
{
    const Type *mem = arg_type(in, mem_slot);
    return infer_rank(in, offsets, mem) && infer_bounds(in, offsets, mem, NULL);
}

static bool chunk_ok(const Infer *in, int slot)
{
    int64_t v;
    if (!in->op->args[slot] || (expr_is_int(in->op->args[slot], &v) && v > 0))
        return true;
    return infer_fail(in, slot, "value", "needs a positive %s, got %s", in->info->slots[slot].name,
                      infer_text(in, in->op->args[slot]));
}

/* Every chunk passes through any of the staging tiles: they are of one type. */
static bool stage_tiles_ok(const Infer *in, uint32_t n)
{
    int slot = op_slot_of(in->id, OPERAND_stage);
    const Expr *stage = in->op->args[slot];
    if (!stage)
        return true;
    if (stage->n_args != n)
        return infer_fail(in, slot, "value", "needs %u staging tile%s, got %u", n,
                          n == 1 ? "" : "s", stage->n_args);
    const Type *first = stage->args[0]->type, *memory = arg_type(in, 0);
    for (uint32_t i = 0; i < n; i++) {
        const Type *t = stage->args[i]->type;
        if (t->dtype != memory->dtype)
            return infer_fail(in, slot, "type", "needs staging tiles of %s, got %s",
                              dtype_name(memory->dtype), type_text(in->p->arena, t));
        /* one type, wherever they are placed */
        if (type_placed(in->p->types, t, first->mem, first->addr) != first)
            return infer_fail(in, slot, "shape", "needs staging tiles of one type, got %s and %s",
                              type_text(in->p->arena, first), type_text(in->p->arena, t));
    }
    return true;
}

static bool staging_ok(const Infer *in)
{
    bool put = in->id == OP_PUT;
    int rows = put ? OPND(PUT, chunk_rows) : OPND(GET, chunk_rows);
    int cols = put ? OPND(PUT, chunk_cols) : OPND(GET, chunk_cols);
    int pipeline = put ? OPND(PUT, pipeline) : OPND(GET, pipeline);
    Expr **args = in->op->args;
    if (!chunk_ok(in, rows) || !chunk_ok(in, cols))
        return false;
    if (args[pipeline]->ival && (!args[rows] || !args[cols]))
        return infer_fail(in, pipeline, "type",
                          "needs chunk_rows= and chunk_cols= with pipeline=True");
    return stage_tiles_ok(in, args[pipeline]->ival ? 2 : 1);
}

/* The whole of both memories moves: they must have one shape. */
static bool same_shape(const Infer *in, const Type *dst, const Type *src)
{
    bool same = dst->rank == src->rank;
    for (uint32_t i = 0; same && i < dst->rank; i++)
        same = dst->dims[i] == src->dims[i];
    if (same)
        return true;
    return infer_fail(in, 2, "shape",
                      "needs equal shapes without offsets and shape, got dst %s and src %s",
                      infer_shape_text(in, dst), infer_shape_text(in, src));
}

/* Put and get have the same operands up to here. */
enum {
    XFER_DST = OPND(PUT, dst),
    XFER_SRC = OPND(PUT, src),
    XFER_DST_OFFSETS = OPND(PUT, dst_offsets),
    XFER_SRC_OFFSETS = OPND(PUT, src_offsets),
    XFER_SHAPE = OPND(PUT, shape)
};
_Static_assert(XFER_SHAPE == OPND(GET, shape) && XFER_SRC_OFFSETS == OPND(GET, src_offsets) &&
                   XFER_DST_OFFSETS == OPND(GET, dst_offsets) && XFER_SRC == OPND(GET, src) &&
                   XFER_DST == OPND(GET, dst),
               "put and get differ");

static bool moves_something(const Infer *in)
{
    const Expr *shape = in->op->args[XFER_SHAPE];
    int64_t v;
    for (uint32_t i = 0; i < shape->n_args; i++)
        if (infer_item(shape, i, &v) && v == 0)
            return infer_fail(in, XFER_SHAPE, "shape",
                              "needs positive extents in shape, got 0 in dimension %u", i);
    return true;
}

static bool transfer_region_ok(const Infer *in, const Type *dst, const Type *src)
{
    Expr **args = in->op->args;
    const Dim *dims[MAX_RANK];
    int given = !!args[XFER_DST_OFFSETS] + !!args[XFER_SRC_OFFSETS] + !!args[XFER_SHAPE];
    if (given == 0)
        return same_shape(in, dst, src);
    if (given != 3)
        return infer_fail(
            in, -1, "type",
            "needs dst_offsets, src_offsets and shape, all three or none, got %d of them", given);
    if (dst->rank != src->rank)
        return infer_fail(in, XFER_SRC, "shape", "needs dst and src of one rank, got %s and %s",
                          type_text(in->p->arena, dst), type_text(in->p->arena, src));
    return infer_rank(in, XFER_DST_OFFSETS, dst) && infer_rank(in, XFER_SRC_OFFSETS, src) &&
           infer_rank(in, XFER_SHAPE, dst) && infer_dims(in, XFER_SHAPE, false, dims) &&
           moves_something(in) && infer_bounds(in, XFER_DST_OFFSETS, dst, args[XFER_SHAPE]) &&
           infer_bounds(in, XFER_SRC_OFFSETS, src, args[XFER_SHAPE]);
}

const Type *infer_transfer(const Infer *in)
{
    const Type *dst = arg_type(in, XFER_DST), *src = arg_type(in, XFER_SRC);
    if (dst->dtype != src->dtype) {
        infer_fail(in, XFER_SRC, "type", "needs dst and src of one dtype, got %s and %s",
                   type_text(in->p->arena, dst), type_text(in->p->arena, src));
        return NULL;
    }
    if (!transfer_region_ok(in, dst, src) || !staging_ok(in) ||
        (in->id == OP_PUT && !atomic_ok(in, OPND(PUT, atomic), dst->dtype)))
        return NULL;
    return dst;
}

/* Loads fill Vec and Mat. */
static bool load_target_ok(const Infer *in)
{
    const Expr *to = OP_ARG(in->op, TILE_LOAD, target_memory);
    if (!to || to->ival == MEM_VEC || to->ival == MEM_MAT)
        return true;
    return infer_fail(in, OPND(TILE_LOAD, target_memory), "memory",
                      "needs Vec or Mat for target_memory, got %s: load into Mat and go on from "
                      "there with pl.move",
                      enum_value_name(ENUM_Mem, to->ival));
}

static bool is_static(const Expr *shape)
{
    int64_t v;
    for (uint32_t i = 0; i < shape->n_args; i++)
        if (!expr_is_int(shape->args[i], &v))
            return false;
    return true;
}

/* A part of memory: on the core a value, in an orchestration function a view. */
const Type *infer_slice(const Infer *in)
{
    const Type *mem = arg_type(in, OPND(TENSOR_SLICE, input)), *t;
    int shape = OPND(TENSOR_SLICE, shape), offset = OPND(TENSOR_SLICE, offset);
    const Dim *dims[MAX_RANK];
    if (mem->kind == TY_TILE)
        return infer_part(in);
    if (in->level == FN_INCORE && in->id == OP_TENSOR_SLICE && is_static(in->op->args[shape])) {
        t = loaded_tile(in, OPND(TENSOR_SLICE, input), offset, shape,
                        OPND(TENSOR_SLICE, valid_shape));
    } else {
        int valid = OPND(TENSOR_SLICE, valid_shape);
        if (in->op->args[valid]) {
            infer_fail(in, valid, "shape",
                       "gives a view here, which has no valid region: give valid_shape= to the "
                       "slice or load in the kernel");
            return NULL;
        }
        if (!infer_rank(in, offset, mem) || !infer_rank(in, shape, mem) ||
            !infer_dims(in, shape, false, dims) ||
            !infer_bounds(in, offset, mem, in->op->args[shape]))
            return NULL;
        t = type_shaped(in->p->types, mem->kind, mem->dtype, mem->rank, dims);
    }
    return t ? infer_without(in, t, OPND(TENSOR_SLICE, drop_dims)) : NULL;
}

const Type *infer_load(const Infer *in)
{
    if (in->info->rule == RULE_LOAD && arg_type(in, 0)->kind == TY_TILE)
        return infer_part(in);
    if (in->info->rule == RULE_LOAD && !load_target_ok(in))
        return NULL;
    if (in->info->rule == RULE_LOAD)
        return loaded_tile(in, OPND(TILE_LOAD, tensor), OPND(TILE_LOAD, offsets),
                           OPND(TILE_LOAD, shape), OPND(TILE_LOAD, valid_shape));
    return loaded_tile(in, OPND(REMOTE_LOAD, target), OPND(REMOTE_LOAD, offsets),
                       OPND(REMOTE_LOAD, shape), OPND(REMOTE_LOAD, valid_shape));
}

const Type *infer_store(const Infer *in)
{
    int tile = OPND(REMOTE_STORE, src_tile), offsets = OPND(REMOTE_STORE, offsets);
    int to = OPND(REMOTE_STORE, target);
    if (in->info->rule == RULE_STORE) {
        tile = OPND(TILE_STORE, tile);
        offsets = OPND(TILE_STORE, offsets);
        to = OPND(TILE_STORE, output_tensor);
    } else if (in->info->rule == RULE_ASSIGN) {
        tile = OPND(TENSOR_ASSIGN, value);
        offsets = OPND(TENSOR_ASSIGN, offsets);
        to = OPND(TENSOR_ASSIGN, tensor);
    }
    if (in->info->rule == RULE_MEMORY_ASSEMBLE) {
        tile = OPND(TENSOR_ASSEMBLE, source);
        offsets = OPND(TENSOR_ASSEMBLE, offset);
        to = OPND(TENSOR_ASSEMBLE, target);
    }
    const Type *mem = arg_type(in, to);
    int atomic = op_slot_of(in->id, OPERAND_atomic);
    if (mem->kind == TY_TILE) {
        if (atomic >= 0 && in->op->args[atomic] && in->op->args[atomic]->ival == ATOMIC_ADD) {
            infer_fail(in, atomic, "type", "adds into memory only, got a tensor value");
            return NULL;
        }
        return infer_paste(in, to, tile, offsets);
    }
    if (!stores_fit(in, tile, offsets, to))
        return NULL;
    if (atomic >= 0 && in->op->args[atomic] && !atomic_ok(in, atomic, mem->dtype))
        return NULL;
    return mem;
}

const Type *infer_element(const Infer *in)
{
    _Static_assert(OPND(READ, input) == OPND(WRITE, input) &&
                       OPND(READ, indices) == OPND(WRITE, indices),
                   "read and write differ");
    if (!cell_ok(in, OPND(READ, input), OPND(READ, indices)))
        return NULL;
    if (in->info->rule == RULE_WRITE)
        return infer_value(in, arg_type(in, 0)) ? arg_type(in, 0) : NULL;
    return type_scalar(in->p->types, arg_type(in, OPND(READ, input))->dtype);
}

const Type *infer_signal(const Infer *in)
{
    bool notify = in->info->rule == RULE_NOTIFY;
    int signal = notify ? OPND(NOTIFY, signal) : OPND(WAIT, signal);
    int offsets = notify ? OPND(NOTIFY, offsets) : OPND(WAIT, offsets);
    return cell_ok(in, signal, offsets) ? type_none(in->p->types) : NULL;
}
