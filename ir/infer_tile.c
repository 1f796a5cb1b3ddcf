/* Type rules of tile creation, of arithmetic on tiles and whole tensors, and of scalar operators.
 */
#include "ir/infer.h"

static bool check_literal(const Infer *in, int slot, Dtype dtype)
{
    const Expr *e = in->op->args[slot];
    const char *why;
    if (infer_literal_fits(e, dtype, &why))
        return true;
    return infer_fail(in, slot, "value", "needs %s %s in %s, got %s", why, dtype_name(dtype),
                      in->info->slots[slot].name, infer_text(in, e));
}

const Type *infer_create(const Infer *in)
{
    const Dim *dims[MAX_RANK];
    Dtype dtype = in->op->args[1]->dtype;
    int64_t bytes;
    if (!infer_dims(in, 0, true, dims))
        return NULL;
    if (dtype == DT_INDEX) {
        infer_fail(in, 1, "type", "needs an element dtype, got pl.INDEX: use pl.INT64");
        return NULL;
    }
    if (in->id == OP_TILE_FULL && !check_literal(in, 2, dtype))
        return NULL;
    const Type *t = type_shaped(in->p->types, TY_TILE, dtype, in->op->args[0]->n_args, dims);
    if (type_bytes(t, &bytes))
        return t;
    infer_fail(in, 0, "shape", "needs a tile of fewer than 2^63 bytes");
    return NULL;
}

static bool same_dims(const Type *a, const Type *b)
{
    if (a->rank != b->rank)
        return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i])
            return false;
    return true;
}

/* Operand b of an elementwise op against the type of a. */
static bool second_operand_ok(const Infer *in, const Type *a)
{
    const Expr *e = in->op->args[1];
    const Type *b = e->type;
    bool whole = a->kind != TY_TILE;
    Arena *arena = in->p->arena;
    if (infer_is_literal(e))
        return check_literal(in, 1, a->dtype);
    if (b->kind == TY_SCALAR) {
        bool good = dtype_is_float(b->dtype) ? b->dtype == a->dtype : b->dtype != DT_BOOL;
        return good || infer_fail(in, 1, "type", "needs a scalar that %s takes for rhs, got %s",
                                  type_text(arena, a), type_text(arena, b));
    }
    if (type_is_memory(b) && !whole)
        return infer_fail(in, 1, "type",
                          "needs a tile or a number for rhs, got %s: load it first with pl.load",
                          type_text(arena, b));
    if (a->dtype != b->dtype)
        return infer_fail(in, 1, "type", "needs operands of one dtype, got %s and %s",
                          type_text(arena, a), type_text(arena, b));
    if (!same_dims(a, b))
        return infer_fail(in, 1, "shape", "needs operands of one shape, got %s and %s",
                          type_text(arena, a), type_text(arena, b));
    return true;
}

/* What whole-tensor arithmetic works on: the tensor as a tile. */
static const Type *whole_tile(const Infer *in, const Type *t)
{
    int64_t v;
    for (uint32_t i = 0; i < t->rank; i++)
        if (!dim_is_const(t->dims[i], &v) || v < 1) {
            infer_fail(
                in, 0, "shape",
                "needs a tensor of compile-time shape, got %s: load parts of it with pl.load",
                type_text(in->p->arena, t));
            return NULL;
        }
    return type_shaped(in->p->types, TY_TILE, t->dtype, t->rank, t->dims);
}

const Type *infer_cast(const Infer *in)
{
    const Type *a = in->op->args[0]->type;
    if (type_is_memory(a) && !whole_tile(in, a))
        return NULL;
    Dtype to = in->op->args[1]->dtype;
    if (to != DT_INDEX)
        return type_shaped(in->p->types, TY_TILE, to, a->rank, a->dims);
    infer_fail(in, OPND(TILE_CAST, target_type), "type",
               "needs an element dtype for target_type, got pl.INDEX: use pl.INT64");
    return NULL;
}

const Type *infer_elementwise(const Infer *in)
{
    const Type *a = in->op->args[0]->type;
    if (type_is_memory(a) && !whole_tile(in, a))
        return NULL;
    if (a->dtype == DT_BOOL) {
        infer_fail(in, 0, "type", "needs numbers, got %s: cast it first with pl.cast",
                   type_text(in->p->arena, a));
        return NULL;
    }
    if (!tileop_takes(op_info(in->info->tile)->tile_op, a->dtype)) {
        infer_fail(in, 0, "type", "needs %s elements, got %s",
                   dtype_is_float(a->dtype) ? "integer" : "floating-point",
                   type_text(in->p->arena, a));
        return NULL;
    }
    if (in->info->n_slots == 2 && !second_operand_ok(in, a))
        return NULL;
    return type_shaped(in->p->types, TY_TILE, a->dtype, a->rank, a->dims);
}

static const Type *scalar_fail(Program *p, const Expr *e, const char *required, const Expr *got)
{
    diag_error(p->diags, got->span.end ? got->span : e->span, "type",
               "operator '%s' needs %s, got %s", scalar_text(e->scalar), required,
               got->type ? type_text(p->arena, got->type) : "no scalar");
    return NULL;
}

static bool contains(Dtype wide, Dtype narrow)
{
    return dtype_min(wide) <= dtype_min(narrow) && dtype_max(wide) >= dtype_max(narrow);
}

/* The operand dtype that holds the other; INDEX before INT64. DT_COUNT when neither does. */
static Dtype common_dtype(Dtype a, Dtype b)
{
    if (a == b || b == DT_BOOL || a == DT_BOOL)
        return a == b ? a : DT_COUNT;
    if (a == DT_INDEX || b == DT_INDEX)
        return DT_INDEX;
    return contains(a, b) ? a : contains(b, a) ? b : DT_COUNT;
}

static bool is_int(const Expr *e)
{
    return e->type && type_is_int_scalar(e->type) && e->kind != EX_FLOAT;
}

static bool is_bool(const Expr *e)
{
    return e->type && e->type->kind == TY_SCALAR && e->type->dtype == DT_BOOL;
}

/* Integer operands `from` and up; BOOL ones where `bools`. */
static const Type *common_type(Program *p, const Expr *e, uint32_t from, bool bools)
{
    Dtype d = DT_COUNT;
    for (uint32_t i = from; i < e->n_args; i++) {
        const Expr *arg = e->args[i];
        bool floats = arg->type && arg->type->kind == TY_SCALAR && dtype_is_float(arg->type->dtype);
        if (!is_int(arg) && !(bools && is_bool(arg)))
            return scalar_fail(p, e,
                               floats ? "integers (fold floating-point arithmetic into a tile op)"
                                      : "integer scalars",
                               arg);
        Dtype mine = arg->type->dtype;
        Dtype both = i == from ? mine : common_dtype(d, mine);
        if (both == DT_COUNT) {
            diag_error(p->diags, e->span, "type",
                       "operator '%s' needs operands of one dtype, got pl.%s and pl.%s: convert "
                       "one with pl.cast",
                       scalar_text(e->scalar), dtype_name(d), dtype_name(mine));
            return NULL;
        }
        d = both;
    }
    return type_scalar(p->types, d);
}

static const Type *infer_logic(Program *p, const Expr *e)
{
    for (uint32_t i = 0; i < e->n_args; i++)
        if (!is_bool(e->args[i]))
            return scalar_fail(p, e, "conditions (compare with 0 to make one)", e->args[i]);
    return type_scalar(p->types, DT_BOOL);
}

static const Type *infer_scalar_cast(Program *p, const Expr *e)
{
    if (!is_int(e->args[0]) && !is_bool(e->args[0]))
        return scalar_fail(p, e, "an integer scalar", e->args[0]);
    if (dtype_is_float(e->dtype)) {
        diag_error(p->diags, e->span, "type",
                   "pl.cast of a scalar needs an integer dtype, got pl.%s: cast a tile instead",
                   dtype_name(e->dtype));
        return NULL;
    }
    return type_scalar(p->types, e->dtype);
}

const Type *infer_scalar(Program *p, Expr *e)
{
    switch (e->scalar) {
    case SC_AND:
    case SC_OR:
    case SC_NOT: return infer_logic(p, e);
    case SC_CAST: return infer_scalar_cast(p, e);
    case SC_SELECT:
        if (!is_bool(e->args[0]))
            return scalar_fail(p, e, "a condition", e->args[0]);
        return common_type(p, e, 1, true);
    case SC_EQ:
    case SC_NE:
    case SC_LT:
    case SC_LE:
    case SC_GT:
    case SC_GE:
        return common_type(p, e, 0, e->scalar <= SC_NE) ? type_scalar(p->types, DT_BOOL) : NULL;
    default: return common_type(p, e, 0, false);
    }
}
