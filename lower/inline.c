/* Inlining one call: the callee's statements with its names and extents replaced by the caller's.
 */
#include "lower/expand.h"
#include "lower/util.h"

#define MAX_STATEMENTS (1u << 20) /* of one function, after expansion */

typedef struct {
    Func *f;
    Map *out;
} Names;

static void add_names(Names *n, const VarId *vars, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        map_set_ptr(n->out, func_var(n->f, vars[i])->base, 1);
}

static void names_of(void *env, Stmt *s)
{
    add_names(env, s->results, s->n_results);
    if (s->kind != ST_FOR)
        return;
    add_names(env, &s->nest->index, 1);
    add_names(env, s->nest->iters, s->n_values);
}

void expand_names(Func *f, Map *out)
{
    Names n = {f, out};
    for (uint32_t i = 0; i < f->params.len; i++)
        add_names(&n, &f->params.at[i].var, 1);
    block_walk(&f->body, names_of, &n);
}

static bool is_taken(const Expand *x, Sym name)
{
    return map_get_ptr(&x->taken, name, NULL);
}

Sym expand_unused_name(void *env, Sym consumer)
{
    Expand *x = env;
    Sym name = internf(x->p->in, "%s_%s", x->prefix, consumer);
    while (is_taken(x, name))
        name = internf(x->p->in, "%s_%s", x->prefix, name);
    map_set_ptr(&x->taken, name, 1);
    return name;
}

void expand_add(Expand *x, Block *b, Stmt *s)
{
    low_push(x->p, b, s);
    if (++x->n_statements == MAX_STATEMENTS && !x->failed) {
        x->failed = true;
        diag_error(x->p->diags, s->loc.span, "value",
                   "pl.unroll and inlined helpers make more than %u statements of this function; "
                   "use pl.range",
                   MAX_STATEMENTS);
    }
}

void expand_let(Expand *x, Block *b, Loc loc, VarId v, Expr *value)
{
    Stmt *s = stmt_new(x->p, ST_LET, loc);
    s->results = low_vars_dup(x->p, &v, 1);
    s->n_results = 1;
    s->value = value;
    expand_add(x, b, s);
}

typedef struct {
    Map targets; /* variables */
    bool found;
} Mention;

static void mention(void *env, Expr **e)
{
    Mention *m = env;
    m->found = m->found || ((*e)->kind == EX_VAR && map_get(&m->targets, (*e)->var, NULL));
}

/* targets = values, all at once: where a value reads a target bound before it, it goes through a
 * temporary. */
void expand_assign(Expand *x, Block *b, Loc loc, const VarId *targets, Expr **values, uint32_t n)
{
    Mention m = {0};
    for (uint32_t i = 0; n > 1 && i < n; i++) {
        m.found = false;
        expr_walk(&values[i], mention, &m);
        map_set(&m.targets, targets[i], 1);
        if (!m.found)
            continue;
        Sym name = expand_unused_name(x, func_var(x->f, targets[i])->base);
        VarId v = func_new_var(x->p, x->f, name, values[i]->type, values[i]->span);
        expand_let(x, b, loc, v, values[i]);
        values[i] = ex_var(x->p, x->f, v);
    }
    map_free(&m.targets);
    for (uint32_t i = 0; i < n; i++)
        if (values[i]->kind != EX_VAR || values[i]->var != targets[i])
            expand_let(x, b, loc, targets[i], values[i]);
}

/* One call being inlined: what the callee's names and extents mean in the caller. */
typedef struct {
    Expand *x;
    Func *callee;
    VarId *vars;   /* by callee variable; VAR_NONE until met */
    Expr **stands; /* by callee variable: the argument it stands for, or NULL */
    bool *rebound; /* by callee variable: bound in the body */
    Map names;     /* that appear in the callee */
    Map extents;   /* callee's extent name -> const Dim * of the caller */
} Inline;

static const Dim *extent_of(void *env, Sym name)
{
    Inline *in = env;
    uint64_t d;
    return map_get_ptr(&in->extents, name, &d) ? (const Dim *)(uintptr_t)d : NULL;
}

static void note_rebound(void *env, Stmt *s)
{
    Inline *in = env;
    for (uint32_t i = 0; i < s->n_results; i++)
        in->rebound[s->results[i]] = true;
    if (s->kind != ST_FOR)
        return;
    in->rebound[s->nest->index] = true;
    for (uint32_t i = 0; i < s->n_values; i++)
        in->rebound[s->nest->iters[i]] = true;
}

static VarId caller_var(Inline *in, VarId v)
{
    if (in->vars[v] != VAR_NONE)
        return in->vars[v];
    Expand *x = in->x;
    const Var *var = func_var(in->callee, v);
    Sym name = var->base;
    while (is_taken(x, name) || (name != var->base && map_get_ptr(&in->names, name, NULL)))
        name = internf(x->p->in, "%s_%s", in->callee->name, name);
    const Type *type = type_subst(x->p->types, var->type, extent_of, in);
    in->vars[v] = func_new_var(x->p, x->f, name, type, var->span);
    return in->vars[v];
}

static void rename_use(void *env, Expr **e)
{
    Inline *in = env;
    Program *p = in->x->p;
    Span span = (*e)->span;
    if ((*e)->kind == EX_VAR && in->stands[(*e)->var])
        *e = expr_clone(p, in->stands[(*e)->var]);
    else if ((*e)->kind == EX_VAR)
        *e = ex_var(p, in->x->f, caller_var(in, (*e)->var));
    else if ((*e)->kind == EX_EXTENT && extent_of(in, (*e)->sym))
        *e = ex_dim(p, extent_of(in, (*e)->sym));
    else if ((*e)->type)
        (*e)->type = type_subst(p->types, (*e)->type, extent_of, in);
    (*e)->span = span;
}

static void rename_vars(Inline *in, VarId *vars, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        vars[i] = caller_var(in, vars[i]);
}

static void rename_stmt(void *env, Stmt *s)
{
    Inline *in = env;
    stmt_exprs(s, rename_use, in);
    rename_vars(in, s->results, s->n_results);
    if (s->kind == ST_FOR) {
        rename_vars(in, &s->nest->index, 1);
        rename_vars(in, s->nest->iters, s->n_values);
    }
}

/* An extent name of the callee's signature is the caller's extent at the same place. */
static void bind_extents(Inline *in, const Type *param, const Type *arg)
{
    if (!type_is_shaped(param) || !type_is_shaped(arg) || param->rank != arg->rank)
        return;
    for (uint32_t i = 0; i < param->rank; i++) {
        const Dim *d = param->dims[i];
        if (d->n_terms == 1 && d->terms[0].n_atoms == 1 && d->terms[0].coef == 1 &&
            d->terms[0].atoms[0]->kind == DIM_NAME &&
            !map_get_ptr(&in->extents, d->terms[0].atoms[0]->name, NULL))
            map_set_ptr(&in->extents, d->terms[0].atoms[0]->name,
                        (uint64_t)(uintptr_t)arg->dims[i]);
    }
}

static void bind_params(Inline *in, Block *b, const Expr *call, Loc loc)
{
    Expand *x = in->x;
    for (uint32_t i = 0; i < call->n_args; i++) {
        VarId v = in->callee->params.at[i].var;
        bind_extents(in, func_var(in->callee, v)->type, call->args[i]->type);
    }
    for (uint32_t i = 0; i < call->n_args; i++) {
        VarId v = in->callee->params.at[i].var;
        Expr *arg = call->args[i];
        bool plain = arg->kind == EX_VAR || arg->kind == EX_INT || arg->kind == EX_BOOL;
        const Type *type = type_subst(x->p->types, func_var(in->callee, v)->type, extent_of, in);
        if (plain && !in->rebound[v] && (arg->type == type || arg->kind == EX_VAR))
            in->stands[v] = arg;
        else
            expand_let(x, b, loc, caller_var(in, v), expr_clone(x->p, arg));
    }
}

/* A result that the caller does not take is computed all the same where that could be noticed. */
static void add_effect(Expand *x, Block *b, Loc loc, Expr *value)
{
    if (expr_is_free(value))
        return;
    Stmt *s = stmt_new(x->p, ST_EXPR, loc);
    s->value = value;
    expand_add(x, b, s);
}

static void inline_body(Inline *in, Block *b, Stmt *call)
{
    Expand *x = in->x;
    const Block *body = &in->callee->body;
    Stmt *ret = NULL;
    for (uint32_t i = 0; i < body->len && !x->failed; i++) {
        Stmt *s = low_stmt_clone(x->p, body->at[i]);
        Block one = {.at = &s, .len = 1, .cap = 1};
        block_walk(&one, rename_stmt, in);
        if (s->kind == ST_RETURN)
            ret = s;
        else
            expand_add(x, b, s);
        x->n_statements += low_stmt_count(&s->nest->body) + low_stmt_count(&s->nest->otherwise);
    }
    if (ret && call->n_results && ret->n_values == call->n_results)
        expand_assign(x, b, ret->loc, call->results, ret->values, ret->n_values);
    for (uint32_t i = 0; ret && !call->n_results && i < ret->n_values; i++)
        add_effect(x, b, ret->loc, ret->values[i]);
}

void expand_call(Expand *x, Block *b, Stmt *call)
{
    Func *callee = call->value->callee;
    uint32_t n = callee->vars.len;
    Inline in = {.x = x, .callee = callee};
    in.vars = xmalloc((n + 1) * sizeof *in.vars);
    in.stands = xcalloc(n + 1, sizeof *in.stands);
    in.rebound = xcalloc(n + 1, sizeof *in.rebound);
    for (uint32_t i = 0; i < n; i++)
        in.vars[i] = VAR_NONE;
    block_walk(&callee->body, note_rebound, &in);
    expand_names(callee, &in.names);
    x->prefix = callee->name;
    bind_params(&in, b, call->value, call->loc);
    inline_body(&in, b, call);
    xfree(in.vars);
    xfree(in.stands);
    xfree(in.rebound);
    map_free(&in.names);
    map_free(&in.extents);
}
