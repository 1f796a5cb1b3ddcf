/* Calls under a dotted name that are no operation: typed constants, casts and extremes of scalars,
 * task ids, and names that stand in certain statements only. */
#include "elab/typed/with.h"
#include <string.h>

static Val call_const(Elab *e, const Ast *call)
{
    Args args = {0};
    static const char *const names[] = {"value", "dtype"};
    Val v[2] = {{0}, {0}};
    Span at[2] = {call->span, call->span};
    if (!elab_args(e, call, &args))
        return val_bad;
    for (uint32_t i = 0, pos = 0; i < args.len; i++) {
        uint32_t k = 2;
        if (!args.at[i].name)
            k = pos++;
        else
            for (k = 0; k < 2 && strcmp(names[k], args.at[i].name) != 0;)
                k++;
        if (k > 1 || v[k].kind != V_BAD) {
            elab_error(e, args.at[i].span, "type",
                       "pl.const takes a value and a dtype: pl.const(1, pl.INT32)");
            return val_bad;
        }
        v[k] = args.at[i].val;
        at[k] = args.at[i].span;
    }
    bool number = v[0].kind == V_INT || v[0].kind == V_FLOAT || v[0].kind == V_BOOL;
    if (!number || v[1].kind != V_DTYPE) {
        elab_error(e, number ? at[1] : at[0], "type",
                   "pl.const takes a compile-time number and a dtype: pl.const(1, pl.INT32)");
        return val_bad;
    }
    if (v[1].dtype == DT_BOOL && v[0].kind == V_INT && (v[0].i == 0 || v[0].i == 1))
        v[0] = val_bool(v[0].i != 0);
    if (v[0].kind == V_BOOL && v[1].dtype != DT_BOOL)
        v[0] = val_int(v[0].i);
    return e->fn ? val_expr(elab_expr(e, v[0], v[1].dtype, at[0])) : v[0];
}

static Val call_extreme(Elab *e, Sym dotted, const Ast *call)
{
    Args args = {0};
    bool max = dotted[4] == 'a';
    if (!elab_positional(e, call, dotted, 2, 64, &args))
        return val_bad;
    Val best = args.at[0].val;
    for (uint32_t i = 1; i < args.len; i++) {
        Val v[2] = {best, args.at[i].val};
        if (val_known(v[0]) && val_known(v[1])) {
            best = elab_fold_call(e, intern(e->in, max ? "max" : "min"), v, 2, call->span);
            if (best.kind == V_BAD)
                return best;
            continue;
        }
        Dtype hint = DT_COUNT;
        for (int k = 0; k < 2; k++)
            if (v[k].kind == V_EXPR && v[k].expr->type && v[k].expr->type->kind == TY_SCALAR)
                hint = v[k].expr->type->dtype;
        Expr *x[2];
        for (int k = 0; k < 2; k++) {
            x[k] = elab_expr(e, v[k], val_known(v[k]) ? hint : DT_COUNT, call->span);
            if (!x[k])
                return val_bad;
            if (x[k]->type->kind != TY_SCALAR) {
                elab_error(e, call->span, "type", "%s takes scalars, got %s: use pl.%s on tiles",
                           dotted, val_describe(e, v[k]), max ? "maximum" : "minimum");
                return val_bad;
            }
        }
        best = elab_scalar(e, max ? SC_MAX : SC_MIN, x, 2, call->span);
        if (best.kind == V_BAD)
            return best;
    }
    return best;
}

static Val special_call(Elab *e, Sym dotted, const Ast *call)
{
    if (strcmp(dotted, "pl.const") == 0)
        return call_const(e, call);
    if (strcmp(dotted, "pl.min") == 0 || strcmp(dotted, "pl.max") == 0)
        return call_extreme(e, dotted, call);
    if (strcmp(dotted, "pl.yield_") == 0)
        elab_error(e, call->span, "syntax",
                   "pl.yield_ is a statement of its own: name = pl.yield_(value)");
    else if (strcmp(dotted, "pld.loc") == 0)
        elab_error(e, call->span, "syntax", "pld.loc is a statement of .ir files only");
    else
        elab_error(e, call->span, "syntax",
                   "%s stands in a for statement only: for i in %s(n):", dotted, dotted);
    return val_bad;
}

/* pl.cast of a scalar, its arguments evaluated. */
Val elab_cast_call(Elab *e, const Args *args, Span span)
{
    Val to = val_none;
    Span at = span;
    uint32_t n = 0;
    for (uint32_t i = 1; i < args->len; i++) {
        const Arg *a = &args->at[i];
        bool mode = a->name && strcmp(a->name, "mode") == 0;
        if (mode && ((a->val.kind == V_STR && strcmp(a->val.s, "round") == 0) ||
                     (a->val.kind == V_ENUM && a->val.enum_type == ENUM_CastMode &&
                      a->val.i == CAST_ROUND)))
            continue; /* what a cast of a scalar does */
        if (a->name && strcmp(a->name, "target_type") != 0 && strcmp(a->name, "dtype") != 0) {
            elab_error(
                e, a->name_span, "name",
                "pl.cast of a scalar has no %s=: it takes a value and target_type=", a->name);
            return val_bad;
        }
        to = a->val;
        at = a->span;
        n++;
    }
    if (to.kind != V_DTYPE || n != 1) {
        elab_error(e, at, "type", "pl.cast takes a value and a dtype: pl.cast(x, pl.INT32)");
        return val_bad;
    }
    return elab_scalar_cast(e, args->at[0].val, to.dtype, span);
}

/* In dumps the short name is the extent, the full one the operation; in kernels it is the extent
 * that a parameter brings. */
static bool names_extent(Elab *e)
{
    bool brought = map_get_ptr(&e->fn->extents, intern(e->in, WORLD_EXTENT), NULL);
    return e->ir ? e->fn->f->kind == FN_HOST || brought : e->fn->f->kind != FN_HOST && brought;
}

/* pl.create_tensor without the words that change nothing. */
static Val create_tensor(Elab *e, Sym dotted, const Ast *call)
{
    Ast inner;
    uint32_t n = call->call.keywords.len;
    ast_take(&inner, call);
    inner.call.keywords.at = arena_new_n(e->arena, AstKeyword, n + 1);
    inner.call.keywords.len = 0;
    for (uint32_t i = 0; i < n; i++) {
        const AstKeyword *k = &call->call.keywords.at[i];
        Sym d = elab_dotted(e, k->value);
        bool layout = strcmp(k->name, "layout") == 0;
        if (layout && (!d || (strcmp(d, "pl.ND") != 0 && strcmp(d, "pl.TensorLayout.ND") != 0))) {
            elab_error(e, k->value->span, "type", "the layout of memory is pl.TensorLayout.ND");
            return val_bad;
        }
        bool manual = strcmp(k->name, "manual_dep") == 0;
        if (layout || manual)
            elab_say_hint(e, k->span, arena_printf(e->arena, "%s=", k->name));
        if (!layout && !(manual && k->value->kind == AST_FALSE))
            inner.call.keywords.at[inner.call.keywords.len++] = *k;
    }
    return elab_op_call(e, dotted, &inner);
}

/* Most operations mean the same wherever they stand: once it is seen that a name is nothing else,
 * the names above are not compared with it again. */
static void note_operation(Elab *e, Sym dotted)
{
    OpId found[4];
    if (!op_find(dotted, found, 4))
        return;
    switch (op_info(found[0])->family) {
    case FAMILY_SUBSTRATE:
    case FAMILY_WINDOW:
    case FAMILY_VIEW:
    case FAMILY_CREATE: return;
    default: map_set_ptr(&e->operations, dotted, found[0]);
    }
}

Val elab_dotted_call(Elab *e, Sym dotted, const Ast *call)
{
    if (map_get_ptr(&e->operations, dotted, NULL))
        return elab_op_call(e, dotted, call);
    if (strcmp(dotted, "pld.world_size") == 0 && e->fn && names_extent(e))
        return val_expr(ex_dim(e->p, dim_world(e->p)));
    if (strcmp(dotted, "pl.submit") == 0 || strcmp(dotted, "pl.spmd_submit") == 0)
        return elab_submit(e, dotted, call);
    if (strcmp(dotted, "pl.system.task_dummy") == 0 && e->fn)
        return elab_task_dummy(e, call);
    if (strcmp(dotted, "pl.no_dep") == 0 && call->call.args.len == 1) {
        elab_say_hint(e, call->span, dotted); /* the call that it is an argument of knows */
        return elab_eval(e, call->call.args.at[0]);
    }
    if (strcmp(dotted, "pl.create_tensor") == 0 || strcmp(dotted, "pl.tensor.create") == 0)
        return create_tensor(e, dotted, call);
    Val v;
    if (elab_array_call(e, dotted, call, &v) || elab_nothing_call(e, dotted, call, &v))
        return v;
    if (strcmp(dotted, "pld.system.extent") == 0)
        return elab_extent_call(e, call);
    if (elab_is_special_call(dotted))
        return special_call(e, dotted, call);
    note_operation(e, dotted);
    return elab_op_call(e, dotted, call);
}
