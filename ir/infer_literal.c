/* Literals as operands: whether they fit, and the type they take. */
#include "ir/infer.h"
#include <math.h>

bool infer_literal_fits(const Expr *e, Dtype dtype, const char **why)
{
    *why = "a value that fits";
    if (e->kind == EX_FLOAT && !dtype_is_float(dtype)) {
        *why = "an integer literal for";
        if (e->fval != floor(e->fval) || !isfinite(e->fval))
            return false;
        *why = "a value that fits";
        return e->fval >= (double)dtype_min(dtype) && e->fval <= (double)dtype_max(dtype) &&
               e->fval < 0x1p63;
    }
    if (!dtype_is_float(dtype))
        return e->ival >= dtype_min(dtype) && e->ival <= dtype_max(dtype);
    double v = e->kind == EX_FLOAT ? e->fval : (double)e->ival;
    uint64_t room = 0;
    dtype_store_double(dtype, &room, v);
    return !isfinite(v) || isfinite(dtype_load_double(dtype, &room));
}

static bool take_dtype(Program *p, Expr *e, Dtype dtype)
{
    const char *why;
    const Type *type = type_scalar(p->types, dtype);
    if (e->type == type || !infer_is_literal(e) || !infer_literal_fits(e, dtype, &why))
        return false;
    if (dtype_is_float(dtype)) {
        if (e->kind != EX_FLOAT)
            e->fval = (double)e->ival;
        e->kind = EX_FLOAT;
    } else {
        if (e->kind == EX_FLOAT)
            e->ival = (int64_t)e->fval;
        e->kind = dtype == DT_BOOL ? EX_BOOL : EX_INT;
    }
    e->type = type;
    return true;
}

/* An integer operand; not a boolean one. */
static bool take_int(Program *p, Expr *e, Dtype dtype)
{
    return e->kind == EX_INT && take_dtype(p, e, dtype);
}

/* The dtype that a number beside operand 0 takes; DT_COUNT when there is none. */
static Dtype number_dtype(const Expr *op)
{
    int dtype_slot = op_slot_of_kind(op->op, SLOT_DTYPE);
    if (dtype_slot >= 0 && op->args[dtype_slot])
        return op->args[dtype_slot]->dtype;
    uint32_t beside = op_info(op->op)->rule == RULE_SEL; /* the first is a mask */
    const Type *t = op->n_args > beside && op->args[beside] ? op->args[beside]->type : NULL;
    return t && type_is_shaped(t) ? t->dtype : DT_COUNT;
}

static bool settle_list(Program *p, const Expr *list)
{
    bool changed = false;
    for (uint32_t i = 0; i < list->n_args; i++)
        changed |= take_int(p, list->args[i], DT_INDEX);
    return changed;
}

static bool settle_number(Program *p, const Expr *op, Expr *e)
{
    Dtype dtype = infer_is_literal(e) ? number_dtype(op) : DT_COUNT;
    return dtype != DT_COUNT && take_dtype(p, e, dtype);
}

static bool settle_slot(Program *p, const Expr *op, Expr *e, SlotKind kind)
{
    switch (kind) {
    case SLOT_NUM:
    case SLOT_LIT:
    case SLOT_ELEMENT: return settle_number(p, op, e);
    case SLOT_INT:
    case SLOT_PEER:
    case SLOT_COND:
    case SLOT_CONST: return take_int(p, e, DT_INDEX);
    case SLOT_I32: return take_int(p, e, DT_INT32);
    case SLOT_IDX:
    case SLOT_SHAPE: return settle_list(p, e);
    default: return false;
    }
}

bool ex_settle_literals(Program *p, Expr *op)
{
    const OpInfo *info = op_info(op->op);
    bool changed = false;
    for (uint32_t i = 0; i < info->n_slots && i < op->n_args; i++)
        if (op->args[i])
            changed |= settle_slot(p, op, op->args[i], info->slots[i].kind);
    return changed;
}
