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
