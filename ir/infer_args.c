/* Type rules of what makes an argument fit its parameter, and of what takes anything. */
#include "ir/build.h"
#include "ir/infer.h"

bool type_may_fit(TypeTable *tt, const Type *want, const Type *got)
{
    int64_t v;
    if (want->kind != got->kind || want->dtype != got->dtype || !type_is_memory(want))
        return false;
    for (uint32_t i = 0; i < want->rank || i < got->rank; i++) { /* from the last dimension */
        const Dim *one = dim_const(tt, 1);
        const Dim *a = i < want->rank ? want->dims[want->rank - 1 - i] : one;
        const Dim *b = i < got->rank ? got->dims[got->rank - 1 - i] : one;
        if ((i >= want->rank || i >= got->rank) && a != b)
            return false;
        const Dim *d = dim_sub(tt, a, b);
        if (!d || (dim_is_const(d, &v) && v != 0))
            return false;
    }
    return true;
}

const Type *infer_as_shape(const Infer *in)
{
    const Dim *dims[MAX_RANK];
    const Type *t = OP_ARG(in->op, AS_SHAPE, tensor)->type;
    int slot = OPND(AS_SHAPE, shape);
    if (!infer_dims(in, slot, false, dims))
        return NULL;
    const Type *seen =
        type_shaped(in->p->types, t->kind, t->dtype, in->op->args[slot]->n_args, dims);
    if (type_may_fit(in->p->types, seen, t))
        return seen;
    infer_fail(in, slot, "shape", "needs the extents of %s, got %s", type_text(in->p->arena, t),
               infer_shape_text(in, seen));
    return NULL;
}

const Type *infer_fit(const Infer *in)
{
    Dtype to = OP_ARG(in->op, FIT, dtype)->dtype;
    if (dtype_is_int(to))
        return type_scalar(in->p->types, to);
    infer_fail(in, OPND(FIT, dtype), "type", "needs an integer dtype, got pl.%s", dtype_name(to));
    return NULL;
}

const Type *infer_debug_print(const Infer *in)
{
    const Type *t = OP_ARG(in->op, DEBUG_PRINT, value)->type;
    static const int lists[] = {OPND(DEBUG_PRINT, offsets), OPND(DEBUG_PRINT, shape)};
    bool shaped = t && type_is_shaped(t);
    if (!shaped && (!t || t->kind != TY_SCALAR)) {
        infer_fail(in, 0, "type", "shows scalars, tiles, tensors and window views, got %s",
                   infer_text(in, in->op->args[0]));
        return NULL;
    }
    for (int i = 0; i < 2; i++) {
        if (!in->op->args[lists[i]])
            continue;
        if (!shaped) {
            infer_fail(in, lists[i], "type", "shows a scalar: it has no %s",
                       in->info->slots[lists[i]].name);
            return NULL;
        }
        if (!infer_rank(in, lists[i], t))
            return NULL;
    }
    return type_none(in->p->types);
}
