/* One walk a function, callees first. A value that is one of two memories (after an if) joins them:
 * what is done with it may be done with either. */
#include "lower/views.h"
#include "lower/ssa.h"
#include "lower/util.h"

typedef struct {
    Views *views;
    Func *f;
    FuncViews *v;
} Walk;

VarId view_root(const FuncViews *v, VarId var)
{
    while (v->parent[var] != var)
        var = v->parent[var] = v->parent[v->parent[var]];
    return var;
}

static void join(Walk *w, VarId a, const Expr *b)
{
    VarId i = view_root(w->v, a), j = b && b->kind == EX_VAR ? view_root(w->v, b->var) : i;
    if (i == j || !func_var(w->f, i)->type || !type_is_memory(func_var(w->f, a)->type))
        return;
    w->v->parent[j] = i;
    w->v->use[i] |= w->v->use[j];
}

static void mark(Walk *w, const Expr *e, uint8_t use)
{
    if (e && e->kind == EX_VAR)
        w->v->use[view_root(w->v, e->var)] |= use;
}

/* The operand whose memory the result is, or NULL. */
static const Expr *result_memory(const Expr *op)
{
    ResultRule rule = op_info(op->op)->result;
    uint32_t i = rule == RES_ARG0 ? 0 : rule == RES_ARG1 ? 1 : rule == RES_ARG2 ? 2 : UINT32_MAX;
    return i < op->n_args ? op->args[i] : NULL;
}

static void walk_op(Walk *w, const Stmt *s, const Expr *op)
{
    const OpInfo *info = op_info(op->op);
    for (uint32_t i = 0; i < info->n_slots && i < op->n_args; i++) {
        if (info->slots[i].kind == SLOT_SIGNAL)
            mark(w, op->args[i], VIEW_SIGNAL);
        else if (info->slots[i].effects)
            mark(w, op->args[i], VIEW_DATA);
    }
    if (s->n_results == 1)
        join(w, s->results[0], result_memory(op));
}

static void walk_call(Walk *w, const Stmt *s, const Expr *call)
{
    const FuncViews *callee = views_of(w->views, call->callee);
    for (uint32_t i = 0; i < call->n_args; i++)
        if (i < call->callee->params.len && call->args[i]->type &&
            type_is_memory(call->args[i]->type))
            mark(w, call->args[i], view_use(callee, call->callee->params.at[i].var));
    for (uint32_t i = 0; i < s->n_results && i < call->callee->alias.len; i++) {
        int32_t param = call->callee->alias.at[i];
        if (param >= 0 && (uint32_t)param < call->n_args)
            join(w, s->results[i], call->args[param]);
    }
}

static void walk_stmt(void *env, Stmt *s)
{
    Walk *w = env;
    if (!s->value)
        return;
    if (s->value->kind == EX_OP)
        walk_op(w, s, s->value);
    else if (s->value->kind == EX_CALL)
        walk_call(w, s, s->value);
    else if (s->n_results == 1)
        join(w, s->results[0], s->value);
}

static void walk_carriers(Walk *w)
{
    Carriers carriers = {0};
    ssa_carriers(w->views->p, &w->f->body, &carriers);
    for (uint32_t i = 0; i < carriers.list.len; i++) {
        const Carrier *c = carriers.list.at[i];
        for (uint32_t k = 0; k < c->stmt->n_results; k++) {
            for (uint32_t y = 0; y < c->yields.len; y++)
                join(w, c->stmt->results[k], c->yields.at[y]->values[k]);
            if (c->stmt->kind != ST_FOR)
                continue;
            join(w, c->stmt->results[k], c->stmt->values[k]);
            join(w, c->stmt->iters[k], c->stmt->values[k]);
        }
    }
}

const FuncViews *views_of(Views *views, Func *f)
{
    uint64_t known;
    if (map_get_ptr(&views->done, f, &known))
        return (const FuncViews *)(uintptr_t)known;
    FuncViews *v = arena_new(views->p->arena, FuncViews);
    v->n = f->vars.len;
    v->parent = arena_new_n(views->p->arena, VarId, v->n + 1);
    v->use = arena_new_n(views->p->arena, uint8_t, v->n + 1);
    for (uint32_t i = 0; i < v->n; i++)
        v->parent[i] = i;
    map_set_ptr(&views->done, f, (uint64_t)(uintptr_t)v);
    Walk w = {views, f, v};
    walk_carriers(&w);
    block_walk(&f->body, walk_stmt, &w);
    return v;
}

void views_free(Views *views)
{
    map_free(&views->done);
}
