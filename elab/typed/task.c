/* Task ids. Dispatches of a device run in program order, so what deps= lists changes no result: it
 * is checked, and what is left of an id is that it is one. */
#include "elab/typed/with.h"
#include <string.h>

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

static Val new_task(Elab *e, Span span)
{
    Expr *x = ex_op(e->p, OP_TASK, NULL, 0);
    x->span = span;
    return val_expr(x);
}

/* ---- pl.submit(self.k, ..., deps=[...]) */

/* A call without its hints; what pl.spmd_submit says of blocks is left for the call. */
static bool strip(Elab *e, const Ast *call, bool spmd, Ast *out, Expr **predicate)
{
    *out = *call;
    out->call.keywords.at = arena_new_n(e->arena, AstKeyword, call->call.keywords.len + 1);
    out->call.keywords.len = 0;
    for (uint32_t i = 0; i < call->call.keywords.len; i++) {
        const AstKeyword *k = &call->call.keywords.at[i];
        if (strcmp(k->name, "deps") == 0) {
            elab_check_deps(e, k->value);
        } else if (strcmp(k->name, "predicate") == 0) {
            *predicate = elab_condition(e, elab_eval(e, k->value), k->value->span, "predicate=");
            if (!*predicate)
                return false;
        } else if (spmd && strcmp(k->name, "core_num") == 0) {
            Expr *n = elab_int(e, elab_eval(e, k->value), k->value->span, "core_num=");
            e->fn->blocks = n ? elab_widen(e, n, type_scalar(e->tt, DT_INDEX)) : NULL;
            if (!e->fn->blocks)
                return false;
        } else if (spmd && strcmp(k->name, "sync_start") == 0) {
            e->fn->sync_start = k->value->kind == AST_TRUE;
        } else if (strcmp(k->name, "dumps") != 0 && strcmp(k->name, "allow_early_resolve") != 0) {
            out->call.keywords.at[out->call.keywords.len++] = *k;
        }
    }
    out->call.callee = call->call.args.at[0];
    out->call.args.at++;
    out->call.args.len--;
    return true;
}

/* The call as a statement, its results bound to names; those and the task. */
static Val emit_call(Elab *e, Expr *call)
{
    const Type *t = call->type;
    uint32_t n = t->kind == TY_NONE ? 0 : t->kind == TY_TUPLE ? t->n_elems : 1;
    Stmt *s = elab_emit(e, n ? ST_LET : ST_EXPR);
    Val *items = arena_new_n(e->arena, Val, n + 1);
    AliasNode *memory = elab_result_memory(e, call, n);
    s->value = call;
    s->n_results = n;
    s->results = arena_new_n(e->arena, VarId, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        Sym name = elab_fresh(e, call->callee->name);
        const Type *one = t->kind == TY_TUPLE ? t->elems[i] : t;
        s->results[i] = elab_bind(e, name, one, call->span, memory[i]);
        items[i] = val_expr(ex_var(e->p, e->fn->f, s->results[i]));
        items[i].expr->span = call->span;
    }
    items[n] = new_task(e, call->span);
    return n ? val_items(e, V_TUPLE, items, n + 1) : items[0];
}

/* The call in an if: where it is skipped, its results are the memory as it was. */
static Val emit_guarded(Elab *e, Expr *call, Expr *predicate)
{
    const Type *t = call->type;
    uint32_t n = t->kind == TY_NONE ? 0 : t->kind == TY_TUPLE ? t->n_elems : 1;
    Val *items = arena_new_n(e->arena, Val, n + 1);
    bool view = false;
    for (uint32_t i = 0; i < n; i++) {
        const Expr *from = expr_memory(call, i, &view);
        if (!from || from->kind != EX_VAR) {
            elab_error(e, call->span, "type",
                       "with predicate= the results of %s are memory that it is given by name",
                       call->callee->name);
            return val_bad;
        }
        items[i] = val_expr(ex_var(e->p, e->fn->f, from->var));
        items[i].expr->span = call->span;
    }
    Stmt *s = elab_emit(e, ST_IF);
    s->cond = predicate;
    Stmt *then = stmt_new(e->p, ST_EXPR, s->loc);
    then->value = call;
    avec_push(e->arena, &s->body, then);
    items[n] = new_task(e, call->span);
    return n ? val_items(e, V_TUPLE, items, n + 1) : items[0];
}

Val elab_submit(Elab *e, Sym dotted, const Ast *call)
{
    Ast inner;
    bool spmd = strcmp(dotted, "pl.spmd_submit") == 0;
    if (!e->fn || e->fn->level != FN_ORCH) {
        elab_error(e, call->span, "level", "%s stands in orchestration functions", dotted);
        return val_bad;
    }
    if (!call->call.args.len || !elab_plain_call(e, call)) {
        elab_error(e, call->span, "type", "write %s(self.kernel, arguments, deps=[...])", dotted);
        return val_bad;
    }
    e->fn->sync_start = false;
    Expr *predicate = NULL;
    if (!strip(e, call, spmd, &inner, &predicate))
        return val_bad;
    if (spmd && !e->fn->blocks) {
        elab_error(e, call->span, "type", "pl.spmd_submit needs core_num=");
        return val_bad;
    }
    Val v = elab_call(e, &inner);
    e->fn->blocks = NULL;
    if (v.kind == V_EXPR && v.expr->kind == EX_CALL)
        return predicate ? emit_guarded(e, v.expr, predicate) : emit_call(e, v.expr);
    if (v.kind != V_BAD)
        elab_error(e, call->span, "type", "%s takes an InCore function and its arguments", dotted);
    return val_bad;
}

Val elab_task_dummy(Elab *e, const Ast *call)
{
    for (uint32_t i = 0; i < call->call.keywords.len; i++) {
        const AstKeyword *k = &call->call.keywords.at[i];
        if (k->name && strcmp(k->name, "deps") == 0) {
            elab_check_deps(e, k->value);
            continue;
        }
        elab_error(e, k->span, "name", "pl.system.task_dummy takes deps= only");
        return val_bad;
    }
    return new_task(e, call->span);
}

void elab_task(Elab *e, const Ast *target, const Ast *deps)
{
    if (deps)
        elab_check_deps(e, deps);
    Stmt *s = elab_emit(e, ST_LET);
    s->loc.span = target->span;
    s->value = new_task(e, target->span).expr;
    s->n_results = 1;
    s->results = arena_new(e->arena, VarId);
    s->results[0] = elab_bind(e, target->name, s->value->type, target->span, ALIAS_NONE);
}
