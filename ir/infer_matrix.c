/* Type rules of what knows the memories of a core: moves, products, and where results lie. */
#include "ir/infer.h"

MemSpace op_result_memory(const Expr *op)
{
    const OpInfo *info = op_info(op->op);
    const Expr *target = op_operand(op, OPERAND_target_memory);
    if (target)
        return (MemSpace)target->ival;
    if (info->emit == EMIT_MATMUL)
        return MEM_ACC;
    return info->slots[0].kind == SLOT_ANY_TILE ? MEM_UNSET : MEM_VEC;
}

bool infer_store_rounds(const Type *tile, const Type *mem)
{
    return tile->dtype == DT_FP32 && (mem->dtype == DT_FP16 || mem->dtype == DT_BF16);
}

/* Tiles lie in all memories of a core, and DDR is none. */
static bool on_core(const Infer *in, int slot)
{
    const Expr *target = in->op->args[slot];
    return !target || target->ival != MEM_DDR ||
           infer_fail(in, slot, "memory",
                      "needs a memory of the core for target_memory, got DDR: tensors are there");
}

static bool drop_layout(const Infer *in, int slot)
{
    const Expr *target = OP_ARG(in->op, TILE_CREATE, target_memory);
    if (in->op->args[slot] && (!target || target->ival != MEM_MAT))
        return infer_fail(in, slot, "memory",
                          "needs target_memory=pl.Mem.Mat with %s=", in->info->slots[slot].name);
    in->op->args[slot] = NULL;
    return true;
}

bool infer_create_target(const Infer *in)
{
    return on_core(in, OPND(TILE_CREATE, target_memory)) &&
           drop_layout(in, OPND(TILE_CREATE, transpose)) &&
           drop_layout(in, OPND(TILE_CREATE, flat_layout));
}

static const Type *unplaced(const Infer *in, const Type *t)
{
    return type_placed(in->p->types, t, MEM_UNSET, -1);
}

const Type *infer_move(const Infer *in)
{
    if (!on_core(in, OPND(TILE_MOVE, target_memory)))
        return NULL;
    return unplaced(in, in->op->args[0]->type);
}

const Type *infer_transpose_view(const Infer *in)
{
    const Type *t = in->op->args[0]->type;
    const Dim *dims[MAX_RANK];
    if (t->rank < 2) {
        infer_fail(in, 0, "shape", "needs two dimensions or more, got %s",
                   type_text(in->p->arena, t));
        return NULL;
    }
    for (uint32_t i = 0; i < t->rank; i++)
        dims[i] = t->dims[i];
    dims[t->rank - 1] = t->dims[t->rank - 2];
    dims[t->rank - 2] = t->dims[t->rank - 1];
    return type_shaped(in->p->types, TY_TILE, t->dtype, t->rank, dims);
}

/* ---- products ---- */

/* The operands of a product, by slot. */
typedef struct {
    int lhs, rhs, acc, bias;       /* -1: none */
    Dtype dtype;                   /* of the accumulator */
    bool whole;                    /* of tensors */
    bool batch;                    /* of several matrices */
    const Dim *dims[MAX_RANK + 1]; /* of the result */
    uint32_t rank;
} Product;

static Product product_of(const Infer *in)
{
    return (Product){.lhs = op_slot_of(in->id, OPERAND_lhs),
                     .rhs = op_slot_of(in->id, OPERAND_rhs),
                     .acc = op_slot_of(in->id, OPERAND_acc),
                     .bias = op_slot_of(in->id, OPERAND_bias),
                     .whole = in->info->family == FAMILY_TENSOR,
                     .batch = in->id == OP_TILE_BATCH_MATMUL || in->id == OP_TENSOR_BATCH_MATMUL ||
                              in->id == OP_TILE_BATCH_MATMUL_ACC ||
                              in->id == OP_TENSOR_BATCH_MATMUL_ACC};
}

/* Tiles are matrices, or several with the operation for that; of tensors vectors count too. */
static bool rank_ok(const Infer *in, const Product *x, int slot, const Type *t)
{
    const char *name = in->info->slots[slot].name;
    if (x->batch)
        return t->rank >= 2 || infer_fail(in, slot, "shape",
                                          "needs matrices, two dimensions or more, for %s, got %s",
                                          name, type_text(in->p->arena, t));
    return t->rank == 2 || x->whole ||
           infer_fail(in, slot, "shape", "needs a matrix of two dimensions for %s, got %s%s", name,
                      type_text(in->p->arena, t),
                      t->rank > 2 ? ": pl.batch_matmul takes several" : "");
}

static bool operand_ok(const Infer *in, const Product *x, int slot)
{
    const Type *t = in->op->args[slot]->type;
    const char *name = in->info->slots[slot].name;
    if (!t || !type_is_shaped(t))
        return infer_fail(in, slot, "type", "needs a matrix for %s, got %s", name,
                          infer_text(in, in->op->args[slot]));
    if (!rank_ok(in, x, slot, t))
        return false;
    int64_t v;
    bool constant = true;
    for (uint32_t i = 0; i < t->rank; i++)
        constant &= dim_is_const(t->dims[i], &v);
    if (!constant)
        return infer_fail(in, slot, "shape",
                          "needs a matrix of compile-time shape for %s, got %s: load parts of it "
                          "with pl.load",
                          name, type_text(in->p->arena, t));
    switch (t->dtype) {
    case DT_FP32:
    case DT_FP16:
    case DT_BF16:
    case DT_INT8: return true;
    default:
        return infer_fail(in, slot, "type", "needs FP32, FP16, BF16 or INT8 for %s, got %s", name,
                          type_text(in->p->arena, t));
    }
}

/* A tile is turned by an operation of its own, not by a_trans= and b_trans=. */
static bool take_flag(const Infer *in, const Product *x, Operand name)
{
    int slot = op_slot_of(in->id, name);
    const Expr *flag = slot >= 0 ? in->op->args[slot] : NULL;
    if (flag && flag->ival && x->whole)
        return true;
    if (flag && flag->ival)
        return infer_fail(in, slot, "type",
                          "takes no %s=True on tiles: turn the operand with pl.tile.transpose_view",
                          in->info->slots[slot].name);
    if (slot >= 0)
        in->op->args[slot] = NULL;
    return true;
}

static bool flags_ok(const Infer *in, const Product *x)
{
    int nz = op_slot_of(in->id, OPERAND_c_matrix_nz);
    if (nz >= 0 && in->op->args[nz] && in->op->args[nz]->ival)
        return infer_fail(in, nz, "type",
                          "c_matrix_nz=True is not supported: results are in row order");
    if (nz >= 0)
        in->op->args[nz] = NULL;
    return take_flag(in, x, OPERAND_a_trans) && take_flag(in, x, OPERAND_b_trans);
}

static bool is_turned(const Infer *in, Operand name)
{
    const Expr *flag = op_operand(in->op, name);
    return flag && flag->ival;
}

static bool out_dtype_ok(const Infer *in, Product *x)
{
    int slot = op_slot_of(in->id, OPERAND_out_dtype);
    if (slot < 0 || !in->op->args[slot])
        return true;
    Dtype to = in->op->args[slot]->dtype;
    if (x->whole && x->dtype == DT_FP32 && dtype_is_float(to))
        return true;
    if (to != x->dtype)
        return infer_fail(in, slot, "type", "needs %s for out_dtype, got %s%s",
                          dtype_name(x->dtype), dtype_name(to),
                          dtype_is_float(to) ? ": cast the result with pl.cast" : "");
    if (!x->whole)
        in->op->args[slot] = NULL;
    return true;
}

/* Leading dimensions: equal, or 1 where they differ. */
static bool lead_ok(const Infer *in, Product *x, const Type *a, const Type *b)
{
    uint32_t la = a->rank > 2 ? a->rank - 2u : 0, lb = b->rank > 2 ? b->rank - 2u : 0;
    const Dim *one = dim_const(in->p->types, 1);
    x->rank = la > lb ? la : lb;
    for (uint32_t i = 0; i < x->rank; i++) {
        const Dim *da = i + la < x->rank ? one : a->dims[i + la - x->rank];
        const Dim *db = i + lb < x->rank ? one : b->dims[i + lb - x->rank];
        if (da != db && da != one && db != one)
            return infer_fail(in, x->rhs, "shape",
                              "needs leading dimensions that are equal or 1, got %s and %s",
                              type_text(in->p->arena, a), type_text(in->p->arena, b));
        x->dims[i] = da == one ? db : da;
    }
    return true;
}

/* A vector is a row on the left and a column on the right; its dimension goes. */
static bool shape_ok(const Infer *in, Product *x, const Type *a, const Type *b)
{
    bool ta = is_turned(in, OPERAND_a_trans), tb = is_turned(in, OPERAND_b_trans);
    const Dim *rows = b->rank == 1 ? b->dims[0] : b->dims[b->rank - (tb ? 1u : 2u)];
    if ((ta && a->rank == 1) || (tb && b->rank == 1))
        return infer_fail(in, a->rank == 1 ? x->lhs : x->rhs, "shape",
                          "cannot turn a vector: leave out a_trans= and b_trans=");
    if (a->dims[a->rank - (ta ? 2u : 1u)] != rows)
        return infer_fail(in, x->rhs, "shape",
                          "needs as many rows of rhs as lhs has columns, got %s%s and %s%s",
                          type_text(in->p->arena, a), ta ? " turned" : "",
                          type_text(in->p->arena, b), tb ? " turned" : "");
    if (!lead_ok(in, x, a, b))
        return false;
    if (a->rank > 1)
        x->dims[x->rank++] = a->dims[a->rank - (ta ? 1u : 2u)];
    if (b->rank > 1)
        x->dims[x->rank++] = b->dims[b->rank - (tb ? 2u : 1u)];
    if (!x->rank)
        x->dims[x->rank++] = dim_const(in->p->types, 1);
    return true;
}

/* Shapes and dtypes of lhs and rhs, and what they give. */
static bool matrices_ok(const Infer *in, Product *x)
{
    const Type *a = in->op->args[x->lhs]->type, *b;
    if (!operand_ok(in, x, x->lhs) || !operand_ok(in, x, x->rhs))
        return false;
    b = in->op->args[x->rhs]->type;
    if (!flags_ok(in, x))
        return false;
    if (a->dtype != b->dtype)
        return infer_fail(in, x->rhs, "type", "needs operands of one dtype, got %s and %s",
                          type_text(in->p->arena, a), type_text(in->p->arena, b));
    if (!shape_ok(in, x, a, b))
        return false;
    x->dtype = a->dtype == DT_INT8 ? DT_INT32 : DT_FP32;
    int64_t rows;
    if ((in->info->traits & TRAIT_ONE_ROW) && dim_is_const(a->dims[0], &rows) && rows != 1)
        return infer_fail(in, x->lhs, "shape", "needs one row, [1, K], for lhs, got %s",
                          type_text(in->p->arena, a));
    return out_dtype_ok(in, x);
}

static const Type *result_of(const Infer *in, const Product *x, Dtype dtype)
{
    return type_shaped(in->p->types, TY_TILE, dtype, x->rank, x->dims);
}

const Type *infer_matmul(const Infer *in)
{
    Product x = product_of(in);
    if (!matrices_ok(in, &x))
        return NULL;
    if (x.bias >= 0) {
        const Dim *dims[] = {dim_const(in->p->types, 1), x.dims[1]};
        const Type *want = type_shaped(in->p->types, TY_TILE, x.dtype, 2, dims);
        const Type *have = in->op->args[x.bias]->type;
        if (unplaced(in, have) != want) {
            infer_fail(in, x.bias, "type", "needs %s for bias, got %s",
                       type_text(in->p->arena, want), type_text(in->p->arena, have));
            return NULL;
        }
    }
    if (!x.whole)
        return result_of(in, &x, x.dtype);
    Expr **out = &SHARED_ARG(in->op, out_dtype);
    Dtype lhs = in->op->args[x.lhs]->type->dtype;
    if (!*out)
        *out = ex_dtype(in->p, lhs == DT_INT8 ? DT_INT32 : lhs);
    return result_of(in, &x, (*out)->dtype);
}

const Type *infer_matmul_acc(const Infer *in)
{
    Product x = product_of(in);
    if (!matrices_ok(in, &x))
        return NULL;
    const Type *want = result_of(in, &x, x.dtype), *have = in->op->args[x.acc]->type;
    const Type *tile = type_shaped(in->p->types, TY_TILE, have->dtype, have->rank, have->dims);
    if (tile == want)
        return want;
    infer_fail(in, x.acc, "type", "needs %s for acc, got %s", type_text(in->p->arena, want),
               type_text(in->p->arena, have));
    return NULL;
}
