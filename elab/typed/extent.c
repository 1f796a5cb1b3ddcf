/* Extents inside a function: which dynamic extents its parameters bring, and which of its integers
 * are one. */
#include "elab/typed/typed.h"

static void put_dim(void *env, Expr **x)
{
    Elab *e = env;
    if ((*x)->kind != EX_VAR)
        return;
    const Name *n = elab_name(e, elab_name_id(e, func_var(e->fn->f, (*x)->var)->base));
    if (n->state == NM_VAR && n->var == (*x)->var && n->dim)
        *x = ex_dim(e->p, n->dim);
}

const Dim *elab_dim(Elab *e, const Expr *x)
{
    if (!x->type || !type_is_int_scalar(x->type))
        return NULL;
    Expr *copy = expr_clone(e->p, x);
    expr_walk(&copy, put_dim, e);
    const Dim *d = dim_of_expr(e->p, copy);
    int64_t v;
    bool wide = x->type->dtype == DT_INDEX || x->type->dtype == DT_INT64;
    return d && (wide || dim_is_const(d, &v)) ? d : NULL;
}

/* A name for an extent that no parameter brings. */
static Sym extent_name(Elab *e, const Expr *x)
{
    Sym base = x->kind == EX_VAR ? func_var(e->fn->f, x->var)->base : intern(e->in, "part");
    for (uint32_t i = 0;; i++) {
        Sym name = internf(e->in, "%s_extent%u", base, i);
        bool taken = map_get_ptr(&e->fn->locals, name, NULL);
        for (uint32_t k = 0; k < e->p->extents.len && !taken; k++)
            taken = e->p->extents.at[k] == name;
        if (!taken)
            return name;
    }
}

Expr *elab_own_extent(Elab *e, Expr *x, Sym name)
{
    Expr *extent = ex_alloc(e->arena, EX_EXTENT);
    bool known = false;
    extent->type = type_scalar(e->tt, DT_INDEX);
    extent->span = x->span;
    extent->sym = name ? name : extent_name(e, x);
    extent->n_args = 1;
    extent->args = arena_new_n(e->arena, Expr *, 1);
    extent->args[0] = x;
    for (uint32_t i = 0; i < e->p->extents.len; i++)
        known |= e->p->extents.at[i] == extent->sym;
    if (!known)
        avec_push(e->arena, &e->p->extents, extent->sym);
    map_set_ptr(&e->fn->extents, extent->sym, 1);
    return extent;
}

/* pld.system.extent(value, "NAME"), of dumps. */
Val elab_extent_call(Elab *e, const Ast *call)
{
    Val name = call->call.args.len == 2 ? elab_eval(e, call->call.args.at[1]) : val_none;
    if (!e->ir || !e->fn || name.kind != V_STR) {
        elab_error(e, call->span, "name", "pld.system.extent is for .ir files only");
        return val_bad;
    }
    const Ast *value = call->call.args.at[0];
    Expr *x = elab_int(e, elab_eval(e, value), value->span, "an extent");
    return x ? val_expr(elab_own_extent(e, x, name.s)) : val_bad;
}
