/* Valid regions of tensor values, as expressions. A tile carries its region with it; memory does
 * not, so that a value in scratch memory needs to be told where it is valid: a load of a chunk is
 * cut there. What loops and branches hand on, and what some operations make of a part, has a region
 * that only a tile knows; the plan keeps such values on the core. */
#include "lower/value_region.h"
#include "lower/util.h"

static const ValueRegion *region_of(const RegionEnv *r, const Expr *e)
{
    static const ValueRegion full;
    return e->kind == EX_VAR && e->var < r->n ? &r->region[e->var] : &full;
}

static int64_t extent_of(const Type *t, uint32_t i)
{
    int64_t v = 0;
    (void)dim_is_const(t->dims[i], &v);
    return v;
}

static Expr *number(const RegionEnv *r, int64_t v)
{
    return ex_index(r->p, v);
}

static Expr *smaller(const RegionEnv *r, Expr *a, Expr *b)
{
    return ex_scalar(r->p, SC_MIN, a, b);
}

/* What is left of `extent` behind an offset, at most `size`. */
static Expr *rest(const RegionEnv *r, const Expr *extent, const Expr *offset, int64_t size)
{
    Expr *left = ex_scalar(r->p, SC_SUB, expr_clone(r->p, extent), expr_clone(r->p, offset));
    return smaller(r, ex_scalar(r->p, SC_MAX, left, number(r, 0)), number(r, size));
}

Expr *region_behind(const RegionEnv *r, const Expr *valid, const Expr *offset, int64_t size)
{
    return rest(r, valid, offset, size);
}

/* Where operand `e` is valid along axis `i`. */
static Expr *valid_along(const RegionEnv *r, const Expr *e, uint32_t i)
{
    const ValueRegion *v = region_of(r, e);
    return v->kind == REGION_PART ? expr_clone(r->p, v->valid[i])
                                  : number(r, extent_of(e->type, i));
}

static ValueRegion worst_of(const RegionEnv *r, const Expr *e)
{
    ValueRegion out = {REGION_WHOLE, {NULL}};
    for (uint32_t i = 0; i < e->n_args; i++) {
        if (!e->args[i] || !e->args[i]->type || !type_is_shaped(e->args[i]->type))
            continue;
        RegionKind kind = region_of(r, e->args[i])->kind;
        out.kind = kind > out.kind ? kind : out.kind;
    }
    return out;
}

/* The operand that has all extents along `axis`, which is repeated nowhere there. */
static const Expr *leader(const Expr *e, const Type *t, uint32_t axis)
{
    for (uint32_t i = 0; i < e->n_args && i < 2; i++) {
        const Type *a = e->args[i] ? e->args[i]->type : NULL;
        if (!a || !type_is_shaped(a) || a->rank + axis < t->rank)
            continue;
        if (extent_of(a, a->rank + axis - t->rank) == extent_of(t, axis))
            return e->args[i];
    }
    return NULL;
}

static ValueRegion broadcast(const RegionEnv *r, const Expr *e, const Type *t)
{
    ValueRegion out = worst_of(r, e);
    for (uint32_t i = 0; out.kind == REGION_PART && i < t->rank; i++) {
        const Expr *from = leader(e, t, i);
        out.valid[i] = from ? valid_along(r, from, from->type->rank + i - t->rank)
                            : number(r, extent_of(t, i));
    }
    return out;
}

static bool is_true(const Expr *e)
{
    return e && e->ival;
}

static ValueRegion sliced(const RegionEnv *r, const Expr *e)
{
    const Expr *input = OP_ARG(e, TENSOR_SLICE, input), *at = OP_ARG(e, TENSOR_SLICE, offset);
    const Expr *valid = OP_ARG(e, TENSOR_SLICE, valid_shape);
    const Expr *shape = OP_ARG(e, TENSOR_SLICE, shape), *drop = OP_ARG(e, TENSOR_SLICE, drop_dims);
    bool clamp = is_true(OP_ARG(e, TENSOR_SLICE, clamp));
    ValueRegion out = {region_of(r, input)->kind, {NULL}};
    if (out.kind == REGION_WHOLE && (valid || clamp))
        out.kind = REGION_PART;
    if (out.kind == REGION_PART && drop && drop->n_args)
        out.kind = REGION_ON_CORE;
    for (uint32_t i = 0; out.kind == REGION_PART && i < shape->n_args; i++) {
        int64_t size = shape->args[i]->ival;
        Expr *v = valid ? expr_clone(r->p, valid->args[i]) : number(r, size);
        if (region_of(r, input)->kind == REGION_PART)
            v = smaller(r, v, rest(r, region_of(r, input)->valid[i], at->args[i], size));
        else if (clamp)
            v = smaller(r, v, rest(r, ex_dim(r->p, input->type->dims[i]), at->args[i], size));
        out.valid[i] = v;
    }
    return out;
}

static ValueRegion swapped(const RegionEnv *r, const Expr *e)
{
    ValueRegion out = worst_of(r, e);
    uint32_t a = (uint32_t)OP_ARG(e, TENSOR_TRANSPOSE, axis1)->ival;
    uint32_t b = (uint32_t)OP_ARG(e, TENSOR_TRANSPOSE, axis2)->ival;
    for (uint32_t i = 0; out.kind == REGION_PART && i < e->type->rank; i++)
        out.valid[i] = valid_along(r, e->args[0], i == a ? b : i == b ? a : i);
    return out;
}

static ValueRegion reduced(const RegionEnv *r, const Expr *e)
{
    ValueRegion out = worst_of(r, e);
    uint32_t axis = e->type->rank - (reduce_along_rows(op_info(e->op)->reduce) ? 1u : 2u);
    for (uint32_t i = 0; out.kind == REGION_PART && i < e->type->rank; i++)
        out.valid[i] = i == axis ? number(r, 1) : valid_along(r, e->args[0], i);
    return out;
}

static ValueRegion multiplied(const RegionEnv *r, const Expr *e)
{
    ValueRegion out = worst_of(r, e);
    const Expr *lhs = SHARED_ARG(e, lhs), *rhs = SHARED_ARG(e, rhs);
    if (lhs->type->rank != 2 || rhs->type->rank != 2)
        out.kind = out.kind == REGION_WHOLE ? REGION_WHOLE : REGION_ON_CORE;
    if (out.kind == REGION_PART) {
        out.valid[0] = valid_along(r, lhs, is_true(op_operand(e, OPERAND_a_trans)));
        out.valid[1] = valid_along(r, rhs, !is_true(op_operand(e, OPERAND_b_trans)));
    }
    return out;
}

static ValueRegion hull(const RegionEnv *r, const Expr *e)
{
    ValueRegion out = worst_of(r, e);
    for (uint32_t i = 0; out.kind == REGION_PART && i < e->type->rank; i++)
        out.valid[i] =
            ex_scalar(r->p, SC_MAX, valid_along(r, e->args[0], i), valid_along(r, e->args[1], i));
    return out;
}

/* A part whose region only a tile carries on. */
static ValueRegion whole_only(const RegionEnv *r, const Expr *e)
{
    ValueRegion out = worst_of(r, e);
    out.kind = out.kind == REGION_WHOLE ? REGION_WHOLE : REGION_ON_CORE;
    return out;
}

ValueRegion value_region(const RegionEnv *r, const Expr *e)
{
    ValueRegion out = {REGION_WHOLE, {NULL}};
    if (e->kind == EX_VAR)
        return *region_of(r, e);
    if (e->kind != EX_OP)
        return out;
    switch (op_info(e->op)->rule) {
    case RULE_ELEMENTWISE:
    case RULE_CAST:
    case RULE_EXPAND:
    case RULE_CMP: return broadcast(r, e, e->type);
    case RULE_SLICE: return sliced(r, e);
    case RULE_TRANSPOSE: return swapped(r, e);
    case RULE_REDUCE: return reduced(r, e);
    case RULE_MATMUL:
    case RULE_MATMUL_ACC: return multiplied(r, e);
    case RULE_PARTS: return hull(r, e);
    case RULE_SET_VALIDSHAPE:
        out.kind = region_of(r, e->args[0])->kind == REGION_ON_CORE ? REGION_ON_CORE : REGION_PART;
        for (uint32_t i = 0; i < 2; i++)
            out.valid[i] = expr_clone(r->p, e->args[1 + i]);
        return out;
    case RULE_CREATE:
    case RULE_CI:
    case RULE_FILLPAD: return out;
    default: return whole_only(r, e);
    }
}
