/* Task ids: which dispatches come before which, where pl.manual_scope leaves that to the program
 * and where some wait for deferred conditions. A dispatch is part of a task; a task is complete
 * when its dispatch has ended, and those in its deps= are. */
#include "elab/typed/with.h"
#include <string.h>

typedef VEC(Expr *) TaskList;

static bool is_array(Val v)
{
    return v.kind == V_EXPR && v.expr->type && type_is_memory(v.expr->type) &&
           v.expr->type->dtype == DT_TASK_ID;
}

/* All ids of an array. */
static void add_array(Elab *e, Expr *array, TaskList *out)
{
    int64_t n = 0;
    (void)type_elements(array->type, &n);
    for (int64_t i = 0; i < n; i++) {
        Expr *index = ex_index(e->p, i);
        Expr *slots[OP_MAX_SLOTS] = {expr_clone(e->p, array), elab_list(e, &index, 1, array->span)};
        Val item = elab_make_op(e, OP_READ, slots, array->span);
        if (item.kind == V_EXPR)
            avec_push(e->arena, out, item.expr);
    }
}

static void add_dep(Elab *e, Val v, Span span, TaskList *out)
{
    if (v.kind == V_LIST || v.kind == V_TUPLE) {
        for (uint32_t i = 0; i < v.n; i++)
            add_dep(e, v.items[i], span, out);
    } else if (is_array(v)) {
        add_array(e, v.expr, out);
    } else if (elab_is_task(v)) {
        avec_push(e->arena, out, v.expr);
    } else if (v.kind != V_NONE && v.kind != V_BAD) {
        elab_error(e, span, "type", "deps= lists task ids, arrays of them and None, got %s",
                   val_describe(e, v));
    }
}

bool elab_is_task(Val v)
{
    return v.kind == V_EXPR && v.expr->type && type_is_task(v.expr->type);
}

/* pl.system.task_dummy of what deps= lists. */
static Expr *task_op(Elab *e, const Ast *deps, Span span)
{
    TaskList list = {0};
    if (deps)
        add_dep(e, elab_eval(e, deps), deps->span, &list);
    Expr *slots[OP_MAX_SLOTS] = {list.len ? elab_list(e, list.at, list.len, span) : NULL};
    Val v = elab_make_op(e, OP_TASK, slots, span);
    return v.kind == V_EXPR ? v.expr : NULL;
}

Expr *elab_new_task(Elab *e, const Ast *deps, Span span)
{
    Expr *op = task_op(e, deps, span);
    if (!op || (op->kind == EX_VAR && type_is_task(op->type)))
        return op;
    Stmt *s = elab_emit(e, ST_LET);
    s->loc.span = span;
    s->value = op;
    s->n_results = 1;
    s->results = arena_new(e->arena, VarId);
    s->results[0] = elab_bind(e, elab_fresh(e, "task"), op->type, span, ALIAS_NONE);
    Expr *var = ex_var(e->p, e->fn->f, s->results[0]);
    var->span = span;
    return var;
}

/* ---- what calls say of it */

void elab_note_no_dep(Elab *e, const Ast *a, uint32_t i, uint32_t *bits)
{
    Sym d = a->kind == AST_CALL ? elab_dotted(e, a->call.callee) : NULL;
    if (d && strcmp(d, "pl.no_dep") == 0 && i < CALL_NO_DEP_BITS)
        *bits |= UINT32_C(1) << i;
}

bool elab_task_keyword(Elab *e, const AstKeyword *k, uint8_t *how)
{
    if (strcmp(k->name, "manual") == 0) {
        *how |= CALL_MANUAL;
    } else if (strcmp(k->name, "deferred") == 0) {
        *how |= CALL_DEFERRED;
    } else if (strcmp(k->name, "task") == 0) {
        Val v = elab_eval(e, k->value);
        e->fn->task = elab_is_task(v) ? v.expr : NULL;
    } else {
        return false;
    }
    return true;
}

void elab_set_task(Elab *e, Expr *call, uint8_t how, uint32_t no_dep)
{
    Fn *fn = e->fn;
    call->how = (uint8_t)(how | (fn->manual ? CALL_MANUAL : 0));
    call->no_dep = no_dep;
    call->task = fn->task;
    fn->task = NULL;
    if (!call->task && call->how & CALL_MANUAL)
        call->task = elab_new_task(e, NULL, call->span);
}

/* ---- pl.submit(self.k, ..., deps=[...]) */

/* A call without its hints; what pl.spmd_submit says of blocks is left for the call. */
static bool strip(Elab *e, const Ast *call, bool spmd, Ast *out, Expr **predicate)
{
    const Ast *deps = NULL;
    ast_take(out, call);
    out->call.keywords.at = arena_new_n(e->arena, AstKeyword, call->call.keywords.len + 1);
    out->call.keywords.len = 0;
    for (uint32_t i = 0; i < call->call.keywords.len; i++) {
        const AstKeyword *k = &call->call.keywords.at[i];
        if (strcmp(k->name, "deps") == 0) {
            deps = k->value;
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
        } else if (strcmp(k->name, "dumps") == 0 || strcmp(k->name, "allow_early_resolve") == 0) {
            elab_say_hint(e, k->span, arena_printf(e->arena, "%s=", k->name));
        } else {
            out->call.keywords.at[out->call.keywords.len++] = *k;
        }
    }
    e->fn->task = elab_new_task(e, deps, call->span);
    out->call.callee = call->call.args.at[0];
    out->call.args.at++;
    out->call.args.len--;
    return true;
}

/* The call as a statement, its results bound to names; those and the task. */
static Val emit_call(Elab *e, Expr *call, Expr *task)
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
    items[n] = val_expr(task);
    return n ? val_items(e, V_TUPLE, items, n + 1) : items[0];
}

/* The call in an if: where it is skipped, its results are the memory as it was. */
static Val emit_guarded(Elab *e, Expr *call, Expr *task, Expr *predicate)
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
    s->nest->cond = predicate;
    Stmt *then = stmt_new(e->p, ST_EXPR, s->loc);
    then->value = call;
    avec_push(e->arena, &s->nest->body, then);
    items[n] = val_expr(task);
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
    Expr *task = e->fn->task;
    Val v = elab_call(e, &inner);
    e->fn->blocks = e->fn->task = NULL;
    if (!task)
        return val_bad;
    if (v.kind == V_EXPR && v.expr->kind == EX_CALL)
        return predicate ? emit_guarded(e, v.expr, task, predicate) : emit_call(e, v.expr, task);
    if (v.kind != V_BAD)
        elab_error(e, call->span, "type", "%s takes an InCore function and its arguments", dotted);
    return val_bad;
}

Val elab_task_dummy(Elab *e, const Ast *call)
{
    const Ast *deps = NULL;
    for (uint32_t i = 0; i < call->call.keywords.len; i++) {
        const AstKeyword *k = &call->call.keywords.at[i];
        if (!k->name || strcmp(k->name, "deps") != 0) {
            elab_error(e, k->span, "name", "pl.system.task_dummy takes deps= only");
            return val_bad;
        }
        deps = k->value;
    }
    if (e->fn->level != FN_ORCH) {
        elab_error(e, call->span, "level", "task ids are of orchestration functions");
        return val_bad;
    }
    Expr *x = task_op(e, deps, call->span);
    return x ? val_expr(x) : val_bad;
}
