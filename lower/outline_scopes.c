/* Pass 04: each scope of an orchestration function, with pl.at(...) or pl.spmd(...), becomes an
 * InCore function and a call of it.
 *
 * Parameters are the names that are live into the scope, in order of first use, and extents that no
 * parameter binds. Memory that is written is an Out, or an InOut where the scope also reads it; a
 * memory that is an Out of the caller stays one. Results are the versions of memory that something
 * behind the scope uses. */
#include "ir/alias.h"
#include "lower/pass.h"
#include "lower/util.h"
#include <string.h>

typedef struct {
    Program *p;
    Func *f;        /* the caller */
    uint32_t *uses; /* by variable of f: uses that are not in the scope at hand */
    uint32_t n_scopes;
    VEC(Func *) made;
} Outline;

/* One scope. */
typedef struct {
    Outline *o;
    Stmt *scope;
    Func *f;         /* made of it */
    VarId *vars;     /* by variable of the caller: that of f, or VAR_NONE */
    bool *inside;    /* by variable of the caller: bound in the scope */
    Map extents;     /* names that parameters bind */
    VEC(VarId) live; /* of the caller, in order of the parameters */
    VEC(Sym) more;   /* extents that are passed as scalars, after those */
    VEC(VarId) more_vars;
} OutlineScope;

static void note_binding(OutlineScope *x, const VarId *vars, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        x->inside[vars[i]] = true;
}

static void bindings(void *env, Stmt *s)
{
    OutlineScope *x = env;
    note_binding(x, s->results, s->n_results);
    if (s->kind == ST_FOR) {
        note_binding(x, &s->nest->index, 1);
        note_binding(x, s->nest->iters, s->n_values);
    }
}

static VarId copy_var(OutlineScope *x, VarId v)
{
    if (x->vars[v] == VAR_NONE) {
        const Var from = *func_var(x->o->f, v);
        x->vars[v] = func_new_var(x->o->p, x->f, from.base, from.type, from.span);
    }
    return x->vars[v];
}

static void bind_extents(OutlineScope *x, const Type *t)
{
    for (uint32_t i = 0; type_is_shaped(t) && i < t->rank; i++) {
        SymList names = {0};
        dim_names(t->dims[i], &names);
        for (uint32_t k = 0; k < names.len; k++)
            map_set_ptr(&x->extents, names.at[k], 1);
        vec_free(&names);
    }
}

static void find_live(void *env, Expr **e)
{
    OutlineScope *x = env;
    if ((*e)->kind != EX_VAR || x->inside[(*e)->var] || x->vars[(*e)->var] != VAR_NONE)
        return;
    VarId v = copy_var(x, (*e)->var);
    vec_push(&x->live, (*e)->var);
    avec_push(x->o->p->arena, &x->f->params, (Param){.var = v});
    bind_extents(x, func_var(x->f, v)->type);
}

static void live_in(void *env, Stmt *s)
{
    stmt_exprs(s, find_live, env);
}

static VarId extent_var(OutlineScope *x, Sym name)
{
    for (uint32_t i = 0; i < x->more.len; i++)
        if (x->more.at[i] == name)
            return x->more_vars.at[i];
    VarId v = func_new_var(x->o->p, x->f, name, type_scalar(x->o->p->types, DT_INDEX), x->f->span);
    vec_push(&x->more, name);
    vec_push(&x->more_vars, v);
    avec_push(x->o->p->arena, &x->f->params, (Param){.var = v});
    return v;
}

static void rename_use(void *env, Expr **e)
{
    OutlineScope *x = env;
    Span span = (*e)->span;
    if ((*e)->kind == EX_VAR)
        (*e)->var = copy_var(x, (*e)->var);
    else if ((*e)->kind == EX_EXTENT && !map_get_ptr(&x->extents, (*e)->sym, NULL))
        *e = ex_var(x->o->p, x->f, extent_var(x, (*e)->sym));
    (*e)->span = span;
}

static void rename_vars(OutlineScope *x, VarId *vars, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        vars[i] = copy_var(x, vars[i]);
}

/* Behind its call, which says that nobody waits for it, a deferred wait is one like others. */
static void plain_wait(void *env, Expr **e)
{
    (void)env;
    if ((*e)->kind == EX_OP && (*e)->op == OP_DEFER_WAIT)
        (*e)->op = OP_WAIT;
}

static void rename_stmt(void *env, Stmt *s)
{
    stmt_exprs(s, plain_wait, NULL);
    OutlineScope *x = env;
    stmt_exprs(s, rename_use, x);
    rename_vars(x, s->results, s->n_results);
    if (s->kind == ST_FOR) {
        rename_vars(x, &s->nest->index, 1);
        rename_vars(x, s->nest->iters, s->n_values);
    }
}

/* ---- results */

static void count_use(void *env, Expr **e)
{
    Outline *o = env;
    if ((*e)->kind == EX_VAR)
        o->uses[(*e)->var]++;
}

static void discount_use(void *env, Expr **e)
{
    Outline *o = env;
    if ((*e)->kind == EX_VAR)
        o->uses[(*e)->var]--;
}

static void count_stmt(void *env, Stmt *s)
{
    stmt_exprs(s, count_use, env);
}

static void discount_stmt(void *env, Stmt *s)
{
    stmt_exprs(s, discount_use, env);
}

/* Variables of the caller that the scope binds and something behind it uses. */
static void find_results(OutlineScope *x, Stmt *call)
{
    Outline *o = x->o;
    VEC(VarId) found = {0};
    for (uint32_t i = 0; i < x->scope->nest->body.len; i++) {
        const Stmt *s = x->scope->nest->body.at[i];
        for (uint32_t k = 0; k < s->n_results; k++)
            if (o->uses[s->results[k]])
                vec_push(&found, s->results[k]);
    }
    call->n_results = found.len;
    call->results = found.len ? low_vars_dup(o->p, found.at, found.len) : NULL;
    vec_free(&found);
}

static int32_t param_of(OutlineScope *x, const FuncAlias *memory, VarId v)
{
    AliasNode root = alias_root(memory, v);
    for (uint32_t i = 0; i < x->f->params.len; i++)
        if (alias_node(memory, x->f->params.at[i].var) == root)
            return (int32_t)i;
    return -1;
}

static void set_directions(OutlineScope *x, const FuncAlias *memory)
{
    for (uint32_t i = 0; i < x->live.len; i++) {
        Param *param = &x->f->params.at[i];
        if (!type_is_memory(func_var(x->f, param->var)->type))
            continue;
        uint8_t uses = alias_uses(memory, param->var);
        bool reads = uses & USE_READ;
        param->dir = !(uses & USE_WRITE) ? DIR_IN : reads ? DIR_INOUT : DIR_OUT;
    }
}

static void set_results(OutlineScope *x, const Stmt *call)
{
    Program *p = x->o->p;
    Func *f = x->f;
    const Type **types = arena_new_n(p->arena, const Type *, call->n_results + 1);
    f->result = type_none(p->types);
    if (!call->n_results)
        return;
    Stmt *ret = stmt_new(p, ST_RETURN, call->loc);
    ret->n_values = call->n_results;
    ret->values = low_exprs_new(p, ret->n_values);
    for (uint32_t i = 0; i < ret->n_values; i++) {
        VarId v = copy_var(x, call->results[i]);
        ret->values[i] = ex_var(p, f, v);
        types[i] = func_var(f, v)->type;
    }
    f->result = ret->n_values == 1 ? types[0] : type_tuple(p->types, types, ret->n_values);
    low_push(p, &f->body, ret);
}

static void set_aliases(OutlineScope *x, const Stmt *call, const FuncAlias *memory)
{
    for (uint32_t i = 0; i < call->n_results; i++) {
        VarId v = copy_var(x, call->results[i]);
        const Type *t = func_var(x->f, v)->type;
        int32_t param = type_is_memory(t) ? param_of(x, memory, v) : -1;
        if (param < 0)
            diag_error(x->o->p->diags, call->loc.span, "memory",
                       "%s of this scope is used after it, and is not one memory that was there "
                       "before",
                       func_var(x->f, v)->base);
        avec_push(x->o->p->arena, &x->f->alias, param);
    }
}

/* ---- the call */

static bool is_taken(const Outline *o, Sym name)
{
    for (uint32_t i = 0; i < o->made.len; i++)
        if (o->made.at[i]->name == name)
            return true;
    for (uint32_t i = 0; i < o->p->funcs.len; i++)
        if (!func_is_element(o->p->funcs.at[i]) && o->p->funcs.at[i]->name == name)
            return true;
    return false;
}

static Sym scope_name(Outline *o, const Stmt *s)
{
    Interner *in = o->p->in;
    Sym base =
        s->nest->hint ? s->nest->hint : internf(in, "%s_incore_%u", o->f->name, o->n_scopes++);
    Sym name = base;
    for (uint32_t i = 0; is_taken(o, name); i++)
        name = internf(in, "%s_%u", base, i);
    return name;
}

static Func *new_func(Outline *o, const Stmt *s)
{
    Func *f = arena_new(o->p->arena, Func);
    f->kind = FN_INCORE;
    f->name = scope_name(o, s);
    f->span = s->loc.span;
    f->loc = s->loc;
    f->rtol = f->atol = -1;
    f->sites.at = o->f->sites.at;
    f->sites.len = o->f->sites.len;
    f->sites.cap = o->f->sites.cap;
    return f;
}

static Expr *make_call(OutlineScope *x)
{
    Outline *o = x->o;
    uint32_t n = x->live.len;
    Expr **args = low_exprs_new(o->p, n + x->more.len);
    for (uint32_t i = 0; i < n; i++)
        args[i] = ex_var(o->p, o->f, x->live.at[i]);
    for (uint32_t i = 0; i < x->more.len; i++)
        args[n + i] = ex_dim(o->p, dim_name(o->p->types, x->more.at[i]));
    Expr *call = ex_call(o->p, x->f, args, n + x->more.len, NULL);
    call->cores = x->scope->nest->blocks;
    call->sync_start = x->scope->nest->sync_start;
    call->task = x->scope->n_values ? x->scope->values[0] : NULL;
    call->how = x->scope->nest->how;
    call->span = x->scope->loc.span;
    return call;
}

static void free_scope(OutlineScope *x)
{
    xfree(x->vars);
    xfree(x->inside);
    map_free(&x->extents);
    vec_free(&x->live);
    vec_free(&x->more);
    vec_free(&x->more_vars);
}

static Stmt *outline(Outline *o, Stmt *s)
{
    size_t n = o->f->vars.len + (size_t)1;
    OutlineScope x = {.o = o, .scope = s, .f = new_func(o, s)};
    x.vars = xmalloc(n * sizeof *x.vars);
    memset(x.vars, 0xff, n * sizeof *x.vars); /* VAR_NONE */
    x.inside = xcalloc(n, sizeof *x.inside);
    block_walk(&s->nest->body, bindings, &x);
    block_walk(&s->nest->body, discount_stmt, o);
    block_walk(&s->nest->body, live_in, &x);
    Stmt *call = stmt_new(o->p, ST_LET, s->loc);
    find_results(&x, call);
    block_walk(&s->nest->body, rename_stmt, &x);
    x.f->body = s->nest->body;
    set_results(&x, call);
    Aliases all = {.p = o->p};
    const FuncAlias *memory = alias_of(&all, x.f);
    set_directions(&x, memory);
    set_aliases(&x, call, memory);
    alias_free(&all);
    call->kind = call->n_results ? ST_LET : ST_EXPR;
    call->value = make_call(&x);
    vec_push(&o->made, x.f);
    free_scope(&x);
    return call;
}

static bool outline_stmt(void *env, Rewrite *r, Stmt *s)
{
    Outline *o = env;
    if (s->kind == ST_SCOPE) {
        low_push(o->p, r->out, outline(o, s));
        return true;
    }
    block_rewrite(&s->nest->body, outline_stmt, o);
    block_rewrite(&s->nest->otherwise, outline_stmt, o);
    low_push(o->p, r->out, s);
    return true;
}

static void outline_func(Func *f, Outline *o)
{
    o->f = f;
    o->n_scopes = 0;
    o->uses = xcalloc(f->vars.len + (size_t)1, sizeof *o->uses);
    block_walk(&f->body, count_stmt, o);
    block_rewrite(&f->body, outline_stmt, o);
    xfree(o->uses);
}

/* What was made of a function stands in front of it. */
bool pass_outline_scopes(Program *p)
{
    Outline o = {.p = p};
    VEC(Func *) all = {0};
    for (uint32_t i = 0; i < p->funcs.len; i++) {
        Func *f = p->funcs.at[i];
        uint32_t made = o.made.len;
        if (f->kind == FN_ORCH && !f->untouched)
            outline_func(f, &o);
        for (uint32_t k = made; k < o.made.len; k++)
            avec_push(p->arena, &all, o.made.at[k]);
        avec_push(p->arena, &all, f);
    }
    p->funcs.at = all.at;
    p->funcs.len = all.len;
    p->funcs.cap = all.cap;
    vec_free(&o.made);
    return !diags_failed(p->diags);
}
