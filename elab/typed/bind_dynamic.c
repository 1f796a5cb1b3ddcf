/* x.bind_dynamic(axis, M): an extent of the entry's parameter x is known only when it is called,
 * under the name of pl.dynamic("M"), whatever the argument at hand says. */
#include "elab/typed/typed.h"
#include <string.h>

bool elab_is_bind_dynamic(const Ast *s)
{
    const Ast *f =
        s->kind == AST_EXPR_STMT && s->value->kind == AST_CALL ? s->value->call.callee : NULL;
    return f && f->kind == AST_ATTR && f->attr.base->kind == AST_NAME &&
           strcmp(f->attr.name, "bind_dynamic") == 0;
}

const Ast *elab_local_extent(Elab *e, const AstList *body, Sym name)
{
    for (uint32_t i = 0; i < body->len; i++) {
        const Ast *s = body->at[i];
        bool made = s->kind == AST_ASSIGN && s->assign.targets.len == 1 &&
                    s->assign.targets.at[0]->kind == AST_NAME &&
                    s->assign.targets.at[0]->name == name && s->assign.value->kind == AST_CALL;
        Sym dotted = made ? elab_dotted(e, s->assign.value->call.callee) : NULL;
        if (dotted && strcmp(dotted, "pl.dynamic") == 0)
            return s->assign.value;
    }
    return NULL;
}

/* The body may make the name itself: N = pl.dynamic("N"). */
static Val extent_of(Elab *e, const AstList *body, const Ast *a)
{
    const Ast *made = a->kind == AST_NAME ? elab_local_extent(e, body, a->name) : NULL;
    return elab_eval(e, made ? made : a);
}

/* Sets the extent that one statement names; false after a mistake. */
static bool bind(Elab *e, const AstList *body, const Ast *call, const Dim **dims, uint32_t rank)
{
    const AstList *args = &call->call.args;
    if (args->len != 2 || call->call.keywords.len) {
        elab_error(e, call->span, "type", "write x.bind_dynamic(axis, pl.dynamic(\"M\"))");
        return false;
    }
    Val axis = elab_eval(e, args->at[0]), extent = extent_of(e, body, args->at[1]);
    if (axis.kind == V_BAD || extent.kind == V_BAD)
        return false;
    if (axis.kind != V_INT || axis.i < -(int64_t)rank || axis.i >= (int64_t)rank) {
        elab_error(e, args->at[0]->span, "shape", "an axis of %u is wanted, got %s", rank,
                   val_describe(e, axis));
        return false;
    }
    /* -D M=3 makes a number of the name. */
    if (extent.kind != V_DIM && (extent.kind != V_INT || extent.i < 0)) {
        elab_error(e, args->at[1]->span, "type",
                   "the extent is a name that pl.dynamic gives, got %s", val_describe(e, extent));
        return false;
    }
    dims[axis.i < 0 ? axis.i + rank : axis.i] =
        extent.kind == V_DIM ? extent.dim : dim_const(e->tt, extent.i);
    return true;
}

const Type *elab_bind_dynamic(Elab *e, const Ast *def, Sym param, const Type *t)
{
    const AstList *body = &def->def.body;
    const Dim *dims[MAX_RANK];
    bool any = false, ok = true;
    if (t->kind != TY_TENSOR)
        return t;
    for (uint32_t i = 0; i < t->rank; i++)
        dims[i] = t->dims[i];
    for (uint32_t i = 0; i < body->len; i++) {
        if (!elab_is_bind_dynamic(body->at[i]) ||
            body->at[i]->value->call.callee->attr.base->name != param)
            continue;
        any = true;
        ok &= bind(e, body, body->at[i]->value, dims, t->rank);
    }
    if (!ok)
        return NULL;
    return any ? type_shaped(e->tt, t->kind, t->dtype, t->rank, dims) : t;
}
