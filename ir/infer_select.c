/* Type rules of comparisons, selection, operations on parts, and counting. */
#include "ir/infer.h"

static const Type *plain(const Infer *in, const Type *t)
{
    return type_shaped(in->p->types, TY_TILE, t->dtype, t->rank, t->dims);
}

static bool same_type(const Infer *in, int slot, const Type *a)
{
    const Type *b = infer_whole(in, slot);
    if (!b)
        return false;
    return plain(in, a) == plain(in, b) ||
           infer_fail(in, slot, a->dtype == b->dtype ? "shape" : "type",
                      "needs operands of one dtype and shape, got %s and %s",
                      type_text(in->p->arena, a), type_text(in->p->arena, b));
}

static bool has_numbers(const Infer *in, int slot, const Type *t)
{
    return reduce_takes(t->dtype) ||
           infer_fail(in, slot, "type", "needs numbers, got %s", type_text(in->p->arena, t));
}

const Type *infer_parts(const Infer *in)
{
    const Type *a = infer_whole(in, 0);
    if (!a || !has_numbers(in, 0, a) || !same_type(in, 1, a))
        return NULL;
    return plain(in, a);
}

/* What a comparison of such tiles gives. */
static const Type *mask_of(const Infer *in, const Type *a)
{
    const Dim *dims[MAX_RANK];
    int64_t n = 0;
    for (uint32_t i = 0; i < a->rank; i++)
        dims[i] = a->dims[i];
    (void)dim_is_const(a->dims[a->rank - 1], &n);
    dims[a->rank - 1] = dim_const(in->p->types, ((n + 7) / 8 + 31) / 32 * 32);
    return type_shaped(in->p->types, TY_TILE, DT_UINT8, a->rank, dims);
}

const Type *infer_cmp(const Infer *in)
{
    const Type *a = infer_whole(in, 0), *b = in->op->args[1]->type;
    int64_t how;
    if (!a || !has_numbers(in, 0, a))
        return NULL;
    if (b && type_is_shaped(b) ? !same_type(in, 1, a) : !infer_scalar_beside(in, 1, a))
        return NULL;
    int slot = op_slot(in->id, "cmp_type");
    if (!expr_is_int(in->op->args[slot], &how) || how < 0 || how > 5) {
        infer_fail(in, slot, "value", "needs cmp_type 0 eq, 1 ne, 2 lt, 3 le, 4 gt or 5 ge, got %s",
                   infer_text(in, in->op->args[slot]));
        return NULL;
    }
    return in->info->family == FAMILY_TENSOR ? plain(in, a) : mask_of(in, a);
}

const Type *infer_sel(const Infer *in)
{
    const Type *m = in->op->args[0]->type, *a = in->op->args[1]->type;
    if (plain(in, m) != mask_of(in, a)) {
        infer_fail(in, 0, "type", "needs the mask that pl.cmp gives for %s, %s, got %s",
                   type_text(in->p->arena, a), type_text(in->p->arena, mask_of(in, a)),
                   type_text(in->p->arena, m));
        return NULL;
    }
    if (in->id == OP_TILE_SEL ? !same_type(in, 2, a) : !infer_scalar_beside(in, 2, a))
        return NULL;
    return plain(in, a);
}

const Type *infer_ci(const Infer *in)
{
    const Dim *dims[MAX_RANK];
    Expr **dtype = &OP_ARG(in->op, TILE_CI, dtype);
    const Expr *start = in->op->args[0];
    int64_t n, v;
    if (!*dtype)
        *dtype = ex_dtype(in->p, DT_INT32);
    Dtype t = (*dtype)->dtype;
    if (t != DT_INT16 && t != DT_INT32 && t != DT_UINT16 && t != DT_UINT32) {
        infer_fail(in, OPND(TILE_CI, dtype), "type", "needs INT16, INT32, UINT16 or UINT32, got %s",
                   dtype_name(t));
        return NULL;
    }
    if (start->kind != EX_INT && start->type->dtype != t) {
        infer_fail(in, 0, "type", "needs a start of %s, got %s: convert it with pl.cast",
                   dtype_name(t), infer_text(in, start));
        return NULL;
    }
    if (expr_is_int(start, &v) && (v < dtype_min(t) || v > dtype_max(t))) {
        infer_fail(in, 0, "value", "needs a start that fits %s, got %lld", dtype_name(t),
                   (long long)v);
        return NULL;
    }
    if (!infer_dims(in, OPND(TILE_CI, shape), true, dims))
        return NULL;
    uint32_t rank = in->op->args[OPND(TILE_CI, shape)]->n_args;
    bool row = dim_is_const(dims[rank - 1], &n) && n > 1;
    for (uint32_t i = 0; i + 1 < rank; i++)
        row = row && dims[i] == dim_const(in->p->types, 1);
    if (row)
        return type_shaped(in->p->types, TY_TILE, t, rank, dims);
    infer_fail(in, OPND(TILE_CI, shape), "shape", "needs the shape of one row, [1, N] with N > 1");
    return NULL;
}
