/* Run-time values in the hands of the evaluator: what it asks where not all is known now. */
#include "elab/typed/typed.h"
#include <string.h>

static bool is_local(Elab *e, Sym name)
{
    return map_get_ptr(&e->fn->locals, name, NULL);
}

static void bound_names(Elab *e, SymList *out)
{
    for (uint32_t i = 0; i < e->fn->name_syms.len; i++)
        if (elab_name(e, i)->state == NM_VAR)
            vec_push(out, e->fn->name_syms.at[i]);
}

static bool has_self(Elab *e)
{
    return e->fn->decl->method;
}

/* A function knows the extents that its parameters bring. */
static bool extents_bound(Elab *e, Val v, Span span)
{
    if (v.kind != V_DIM)
        return true;
    SymList names = {0};
    dim_names(v.dim, &names);
    Sym missing = NULL;
    for (uint32_t i = 0; i < names.len && !missing; i++)
        missing = map_get_ptr(&e->fn->extents, names.at[i], NULL) ? NULL : names.at[i];
    vec_free(&names);
    if (missing)
        elab_error(e, span, "shape",
                   "no parameter of %s has the extent %s, so it is not known here", e->fn->f->name,
                   missing);
    return !missing;
}

/* ---- operators */

static bool is_shaped(Val v)
{
    return v.kind == V_EXPR && v.expr->type && type_is_shaped(v.expr->type);
}

static Val shape_of(Elab *e, const Type *t, Span span)
{
    Val items[MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++) {
        items[i] = elab_localise(e, val_dim(t->dims[i]));
        if (items[i].kind == V_EXPR)
            items[i].expr->span = span;
    }
    return val_items(e, V_TUPLE, items, t->rank);
}

static Val attribute(Elab *e, Val v, const Ast *a)
{
    bool shaped = is_shaped(v);
    if (shaped && strcmp(a->attr.name, "shape") == 0)
        return shape_of(e, v.expr->type, a->span);
    if (shaped && strcmp(a->attr.name, "dtype") == 0)
        return val_dtype(v.expr->type->dtype);
    elab_error(e, a->attr.name_span, "name", "%s has no attribute %s%s", val_describe(e, v),
               a->attr.name, shaped ? ": it has shape and dtype" : "");
    return val_bad;
}

static Val unary(Elab *e, UnaryOp op, Val a, Span span)
{
    return is_shaped(a) ? elab_shaped_unary(e, op, a, span) : elab_scalar_unary(e, op, a, span);
}

static Val binary(Elab *e, BinaryOp op, Val a, Val b, Span span)
{
    if (is_shaped(a) || is_shaped(b))
        return elab_shaped_binary(e, op, a, b, span);
    return elab_scalar_binary(e, op, a, b, span);
}

static Val compare(Elab *e, CompareOp op, Val a, Val b, Span span)
{
    if (!is_shaped(a) && !is_shaped(b))
        return elab_scalar_compare(e, op, a, b, span);
    elab_error(e, span, "type", "%s compares scalars, got %s and %s%s", compare_op_text(op),
               val_describe(e, a), val_describe(e, b), elab_hint(e, "pl.cmp"));
    return val_bad;
}

static Val logic(Elab *e, bool is_and, Val a, Val b, Span span)
{
    Expr *args[2] = {elab_condition(e, a, span, is_and ? "and" : "or"),
                     elab_condition(e, b, span, is_and ? "and" : "or")};
    return args[0] && args[1] ? elab_scalar(e, is_and ? SC_AND : SC_OR, args, 2, span) : val_bad;
}

/* Python's functions take compile-time values, but for abs of a scalar. */
static Val builtin(Elab *e, const char *name, const Arg *first, uint32_t n, Span span)
{
    Val v = first->val;
    if (strcmp(name, "abs") == 0 && n == 1 && v.expr->type->kind == TY_SCALAR)
        return elab_scalar(e, SC_ABS, &v.expr, 1, span);
    elab_error(e, span, "type", "%s() is for compile-time values: use %s on run-time ones", name,
               elab_builtin_run_time(name));
    return val_bad;
}

const RunTime elab_run_time = {
    is_local,         elab_local,        bound_names, has_self,    extents_bound,
    elab_constant,    elab_dim,          attribute,   elab_index,  unary,
    binary,           compare,           logic,       elab_select, builtin,
    elab_dotted_call, elab_function_call};
