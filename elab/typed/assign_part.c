/* t[...] = value: elements and parts of memory, of tensor values and of tiles. */
#include "elab/typed/typed.h"

static const Ast *base_name(Elab *e, const Ast *target)
{
    if (target->sub.base->kind == AST_NAME)
        return target->sub.base;
    elab_error(e, target->span, "syntax", "assign to an element or a slice of a named tensor");
    return NULL;
}

static Val assign_element(Elab *e, OpId op, Expr *base, const BuiltinRegion *r, Val v, Span span)
{
    Expr *slots[3] = {base, r->offsets, NULL};
    slots[2] = elab_slot(e, op, 2, v, span, slots);
    return slots[2] ? elab_make_op(e, op, slots, e->fn->loc.span) : val_bad;
}

/* Extents without those that an index drops. */
static bool same_extents(Elab *e, const BuiltinRegion *r, const Type *value)
{
    uint32_t at = 0, n = r->shape->n_args, dropped = r->drop ? r->drop->n_args : 0;
    if (value->rank == n)
        dropped = 0;
    if (value->rank + dropped != n)
        return false;
    for (uint32_t i = 0, k = 0; i < n; i++) {
        if (k < dropped && r->drop->args[k]->ival == i) {
            k++;
            continue;
        }
        if (value->dims[at++] != dim_of_expr(e->p, r->shape->args[i]))
            return false;
    }
    return true;
}

/* The value with the extents of the part, those of indices being 1. */
static Expr *with_leading_dims(Elab *e, Expr *x, const BuiltinRegion *r, Span span)
{
    OpId op = x->type->value ? OP_TENSOR_RESHAPE : OP_TILE_RESHAPE;
    bool trailing = false; /* leading ones that are missing are no matter for memory */
    for (uint32_t k = 0; r->drop && k < r->drop->n_args; k++)
        trailing |= r->drop->args[k]->ival != k;
    if (!trailing)
        return x;
    Expr *items[MAX_RANK];
    for (uint32_t i = 0; i < r->shape->n_args; i++)
        items[i] = expr_clone(e->p, r->shape->args[i]);
    Expr *slots[] = {x, elab_list(e, items, r->shape->n_args, span)};
    Val v = elab_make_op(e, op, slots, span);
    return v.kind == V_EXPR ? v.expr : NULL;
}

static Val assign_part(Elab *e, OpId op, Expr *base, const BuiltinRegion *r, Val v, Span span)
{
    Expr *slots[3] = {base, r->offsets, elab_value_of(e, v, span)};
    if (!slots[2] && v.kind == V_EXPR && v.expr->type && type_is_shaped(v.expr->type))
        return val_bad;
    if (!slots[2])
        slots[2] = elab_slot(e, OP_TENSOR_ASSIGN, OPND(TENSOR_ASSIGN, value), v, span, slots);
    if (!slots[2] || !slots[2]->type)
        return val_bad;
    const Type *value = slots[2]->type;
    if (value->kind == TY_TILE && !same_extents(e, r, value)) {
        elab_error(e, span, "shape", "the slice has the extents of another shape than the value %s",
                   type_text(e->arena, value));
        return val_bad;
    }
    if (value->kind == TY_TILE && value->rank != base->type->rank && !r->offsets->n_args)
        return val_bad;
    if (value->kind == TY_TILE && value->rank < base->type->rank)
        slots[2] = with_leading_dims(e, slots[2], r, span);
    if (op == OP_TILE_ASSEMBLE) {
        Expr *source = slots[2];
        slots[OPND(TILE_ASSEMBLE, source)] = source;
        slots[OPND(TILE_ASSEMBLE, offset)] = r->offsets;
    }
    return slots[2] ? elab_make_op(e, op, slots, e->fn->loc.span) : val_bad;
}

void elab_assign_subscript(Elab *e, const Ast *target, Val v, Span span)
{
    const Ast *name = base_name(e, target);
    Val base = name ? elab_eval(e, name) : val_bad;
    if (base.kind == V_BAD || v.kind == V_BAD)
        return;
    if (base.kind != V_EXPR || !base.expr->type || !type_is_shaped(base.expr->type)) {
        elab_error(e, target->span, "type", "%s cannot be assigned to by index",
                   val_describe(e, base));
        return;
    }
    if (e->fn->level == FN_HOST) {
        elab_error(e, target->span, "level",
                   "a host function cannot write elements of a tensor: write them in a kernel");
        return;
    }
    BuiltinRegion r = elab_region(e, target, base.expr->type);
    if (!r.ok)
        return;
    bool tile = base.expr->type->kind == TY_TILE && !base.expr->type->value;
    OpId op = r.shape ? (tile ? OP_TILE_ASSEMBLE : OP_TENSOR_ASSIGN)
              : tile  ? OP_TILE_WRITE
                      : OP_WRITE;
    Val x = r.shape ? assign_part(e, op, base.expr, &r, v, span)
                    : assign_element(e, op, base.expr, &r, v, span);
    if (x.kind == V_EXPR)
        elab_emit_let(e, name->name, name->span, x.expr, x.expr->type);
}
