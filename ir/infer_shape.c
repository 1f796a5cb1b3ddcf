/* Type rules of what changes the shape of tiles: reductions, expansions, parts. */
#include "ir/infer.h"

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
    bool row = in->info->slots[1].name[0] == 'r';
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
    const Type *t = in->op->args[i]->type, *like = in->op->args[0]->type;
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

bool infer_drop_hints(const Infer *in)
{
    for (int i = 0; i < in->info->n_slots; i++) {
        const OpSlot *slot = &in->info->slots[i];
        if (!(slot->flags & OPND_DROPPED) || !in->op->args[i])
            continue;
        if (slot->kind == SLOT_TILE && !scratch_ok(in, i))
            return false;
        in->op->args[i] = NULL;
    }
    return true;
}
