/* Type rules of views: window, row, flatten and dim. */
#include "ir/infer.h"

const Type *infer_window(const Infer *in)
{
    const Dim *dims[MAX_RANK];
    const Expr *dtype = in->op->args[2];
    if (!infer_dims(in, 1, false, dims))
        return NULL;
    if (dtype->dtype == DT_INDEX) {
        infer_fail(in, 2, "type", "needs an element dtype, got pl.INDEX: use pl.INT64");
        return NULL;
    }
    const Type *t = type_shaped(in->p->types, TY_DIST, dtype->dtype, in->op->args[1]->n_args, dims);
    int64_t bytes, v;
    bool constant = true;
    for (uint32_t i = 0; i < t->rank; i++)
        constant &= dim_is_const(t->dims[i], &v);
    if (constant && !type_bytes(t, &bytes)) {
        infer_fail(in, 1, "shape", "needs a size below 2^63 bytes");
        return NULL;
    }
    return t;
}

const Type *infer_row(const Infer *in)
{
    const Type *t = in->op->args[0]->type;
    int64_t row, size;
    if (t->rank < 2) {
        infer_fail(in, 0, "shape", "needs two dimensions or more, got %s",
                   type_text(in->p->arena, t));
        return NULL;
    }
    if (expr_is_int(in->op->args[1], &row)) {
        bool past = dim_is_const(t->dims[0], &size) && row >= size;
        if (row < 0 || past) {
            infer_fail(in, 1, "value", "needs a row inside %s, got %lld",
                       type_text(in->p->arena, t), (long long)row);
            return NULL;
        }
    }
    return type_shaped(in->p->types, TY_TENSOR, t->dtype, t->rank - 1u, t->dims + 1);
}

const Type *infer_flatten(const Infer *in)
{
    const Type *t = in->op->args[0]->type;
    const Dim *dims[2] = {dim_const(in->p->types, 1), t->dims[0]};
    for (uint32_t i = 1; dims[1] && i < t->rank; i++)
        dims[1] = dim_mul(in->p->types, dims[1], t->dims[i]);
    if (dims[1])
        return type_shaped(in->p->types, t->kind, t->dtype, 2, dims);
    infer_fail(in, 0, "shape", "needs fewer than 2^63 elements, got %s",
               type_text(in->p->arena, t));
    return NULL;
}

const Type *infer_dim_op(const Infer *in)
{
    const Type *t = in->op->args[0]->type;
    int64_t axis = 0;
    expr_is_int(in->op->args[1], &axis);
    if (axis < 0 && axis >= -(int64_t)t->rank) {
        axis += t->rank;
        in->op->args[1] = ex_index(in->p, axis);
    }
    if (axis < 0 || axis >= t->rank) {
        infer_fail(in, 1, "value",
                   "needs an axis from 0 to %d of %s, or one counted back, got %lld", t->rank - 1,
                   type_text(in->p->arena, t), (long long)axis);
        return NULL;
    }
    return type_scalar(in->p->types, DT_INDEX);
}
