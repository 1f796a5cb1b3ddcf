/* Task ids. Dispatches of a device run in program order, so what deps= lists changes no result: it
 * is checked, and what is left of an id is that it is one. */
#include "elab/elab.h"

static bool is_task(Val v)
{
    return v.kind == V_NONE || (v.kind == V_EXPR && v.expr->type && v.expr->type->kind == TY_TASK);
}

static void check_dep(Elab *e, Val v, Span span)
{
    if ((v.kind == V_LIST || v.kind == V_TUPLE)) {
        for (uint32_t i = 0; i < v.n; i++)
            check_dep(e, v.items[i], span);
        return;
    }
    if (v.kind != V_BAD && !is_task(v))
        elab_error(e, span, "type", "deps= lists task ids, arrays of them and None, got %s",
                   val_describe(e, v));
}

void elab_check_deps(Elab *e, const Ast *deps)
{
    check_dep(e, elab_eval(e, deps), deps->span);
}

void elab_task(Elab *e, const Ast *target, const Ast *deps)
{
    if (deps)
        elab_check_deps(e, deps);
    Stmt *s = elab_emit(e, ST_LET);
    s->loc.span = target->span;
    s->value = ex_op(e->p, OP_TASK, NULL, 0);
    s->value->span = target->span;
    s->n_results = 1;
    s->results = arena_new(e->arena, VarId);
    s->results[0] = elab_bind(e, target->name, s->value->type, target->span, ALIAS_NONE);
}
