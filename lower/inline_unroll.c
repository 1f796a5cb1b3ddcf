/* Pass 02: InCore helpers called from InCore code are inlined, pl.unroll bodies are repeated.
 *
 * Runs before SSA, where the name is the variable: an inlined local must not meet a name of its caller.
 * It keeps its own name where the caller has none like it, else the helper's name is put before it. A
 * parameter that the helper never rebinds stands for its argument when that is a name or a constant.
 * Callees are done first, so one copy brings everything below it along. Functions that only InCore code
 * called are gone afterwards. */
#include "base/map.h"
#include "lower/flatten.h"
#include "lower/fold.h"
#include "lower/pass.h"
#include "lower/util.h"

#define MAX_REPEATS 65536          /* of one pl.unroll */
#define MAX_DEPTH 200              /* of helpers calling helpers */
#define MAX_STATEMENTS (1u << 20)  /* of one function, after expansion */

typedef struct {
    Program *p;
    Func *f;                 /* the function that is being expanded */
    Map taken;               /* names of f before the pass, and of temporaries since */
    Sym prefix;              /* for temporaries: the helper being called */
    uint32_t n_statements;
    bool failed;
} Expand;

static void expand_block(Expand *x, Block *b);

static bool is_taken(const Expand *x, Sym name)
{
    return map_get_ptr(&x->taken, name, NULL);
}

/* A name that nothing in the caller has: for what lives only between two statements. */
static Sym unused_name(void *env, Sym consumer)
{
    Expand *x = env;
    Sym name = internf(x->p->in, "%s_%s", x->prefix, consumer);
    while (is_taken(x, name))
        name = internf(x->p->in, "%s_%s", x->prefix, name);
    map_set_ptr(&x->taken, name, 1);
    return name;
}

static void add(Expand *x, Block *b, Stmt *s)
{
    low_push(x->p, b, s);
    if (++x->n_statements == MAX_STATEMENTS && !x->failed) {
        x->failed = true;
        diag_error(x->p->diags, s->loc.span, "value",
                   "pl.unroll and inlined helpers make more than %u statements of this function; use pl.range",
                   MAX_STATEMENTS);
    }
}

static void add_let(Expand *x, Block *b, Loc loc, VarId v, Expr *value)
{
    Stmt *s = stmt_new(x->p, ST_LET, loc);
    s->results = low_vars_dup(x->p, &v, 1);
    s->n_results = 1;
    s->value = value;
    add(x, b, s);
}

typedef struct {
    VarId var;
    bool found;
} Mention;

static void mention(void *env, Expr **e)
{
    Mention *m = env;
    m->found = m->found || ((*e)->kind == EX_VAR && (*e)->var == m->var);
}

static bool mentions(Expr *e, VarId v)
{
    Mention m = {v, false};
    expr_walk(&e, mention, &m);
    return m.found;
}

/* targets = values, all at once: where a value reads a target bound before it, it goes through a
 * temporary. */
static void assign(Expand *x, Block *b, Loc loc, const VarId *targets, Expr **values, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        bool clash = false;
        for (uint32_t j = 0; j < i; j++)
            clash = clash || mentions(values[i], targets[j]);
        if (!clash)
            continue;
        Sym name = unused_name(x, func_var(x->f, targets[i])->base);
        VarId v = func_new_var(x->p, x->f, name, values[i]->type, values[i]->span);
        add_let(x, b, loc, v, values[i]);
        values[i] = ex_var(x->p, x->f, v);
    }
    for (uint32_t i = 0; i < n; i++)
        if (values[i]->kind != EX_VAR || values[i]->var != targets[i])
            add_let(x, b, loc, targets[i], values[i]);
}

/* One call being inlined: what the callee's names and extents mean in the caller. */
typedef struct {
    Expand *x;
    Func *callee;
    VarId *vars;             /* by callee variable; VAR_NONE until met */
    Expr **stands;           /* by callee variable: the argument it stands for, or NULL */
    bool *rebound;           /* by callee variable: bound in the body */
    Map extents;             /* callee's extent name -> const Dim * of the caller */
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
    in->rebound[s->index] = true;
    for (uint32_t i = 0; i < s->n_values; i++)
        in->rebound[s->iters[i]] = true;
}

static bool callee_has(const Inline *in, Sym name)
{
    for (uint32_t i = 0; i < in->callee->vars.len; i++)
        if (in->callee->vars.at[i].base == name)
            return true;
    return false;
}

static VarId caller_var(Inline *in, VarId v)
{
    if (in->vars[v] != VAR_NONE)
        return in->vars[v];
    Expand *x = in->x;
    const Var *var = func_var(in->callee, v);
    Sym name = var->base;
    while (is_taken(x, name) || (name != var->base && callee_has(in, name)))
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
    low_exprs(s, rename_use, in);
    rename_vars(in, s->results, s->n_results);
    if (s->kind == ST_FOR) {
        rename_vars(in, &s->index, 1);
        rename_vars(in, s->iters, s->n_values);
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
            map_set_ptr(&in->extents, d->terms[0].atoms[0]->name, (uint64_t)(uintptr_t)arg->dims[i]);
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
            add_let(x, b, loc, caller_var(in, v), expr_clone(x->p, arg));
    }
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
            add(x, b, s);
        x->n_statements += low_stmt_count(&s->body) + low_stmt_count(&s->otherwise);
    }
    if (ret && call->n_results && ret->n_values == call->n_results)
        assign(x, b, ret->loc, call->results, ret->values, ret->n_values);
}

static void inline_call(Expand *x, Block *b, Stmt *call)
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
    x->prefix = callee->name;
    bind_params(&in, b, call->value, call->loc);
    inline_body(&in, b, call);
    free(in.vars);
    free(in.stands);
    free(in.rebound);
    map_free(&in.extents);
}

static bool is_root_call(const Stmt *s)
{
    return (s->kind == ST_LET || s->kind == ST_EXPR) && s->value->kind == EX_CALL;
}

static void find_call(void *env, Expr **e)
{
    Expr **found = env;
    if ((*e)->kind == EX_CALL && !*found)
        *found = *e;
}

/* A call of a helper inside an expression (not the statement's own call), or NULL. */
static Expr *nested_call(Stmt *s)
{
    Expr *found = NULL;
    if (!is_root_call(s)) {
        low_exprs(s, find_call, &found);
        return found;
    }
    for (uint32_t i = 0; i < s->value->n_args; i++)
        expr_walk(&s->value->args[i], find_call, &found);
    return found;
}

typedef struct {
    VarId var;
    Expr *value;
    Expand *x;
    bool rebound;
} Index;

static void replace_index(void *env, Expr **e)
{
    Index *r = env;
    if ((*e)->kind == EX_VAR && (*e)->var == r->var) {
        Expr *copy = expr_clone(r->x->p, r->value);
        copy->span = (*e)->span;
        *e = copy;
    }
}

static void fold_use(void *env, Expr **e)
{
    Index *r = env;
    *e = fold_node(r->x->p, *e);
}

static void replace_in_stmt(void *env, Stmt *s)
{
    low_exprs(s, replace_index, env);
    low_exprs(s, fold_use, env);
}

static void find_rebinding(void *env, Stmt *s)
{
    Index *r = env;
    for (uint32_t i = 0; i < s->n_results; i++)
        r->rebound = r->rebound || s->results[i] == r->var;
    r->rebound = r->rebound || (s->kind == ST_FOR && s->index == r->var);
}

static void copy_exprs(Expand *x, Expr **to, Expr **from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = expr_clone(x->p, from[i]);
}

/* One iteration; the values that its yield carries are assigned to `next` (the iters, or at the end the
 * results). */
static void repeat_body(Expand *x, Block *b, const Stmt *loop, int64_t i)
{
    Index r = {loop->index, ex_int(x->p, DT_INDEX, i), x, false};
    block_walk((Block *)&loop->body, find_rebinding, &r);
    if (r.rebound)
        add_let(x, b, loop->loc, loop->index, r.value);
    for (uint32_t k = 0; k < loop->body.len && !x->failed; k++) {
        Stmt *s = low_stmt_clone(x->p, loop->body.at[k]);
        Block one = {.at = &s, .len = 1, .cap = 1};
        if (!r.rebound)
            block_walk(&one, replace_in_stmt, &r);
        if (s->kind == ST_YIELD && k + 1 == loop->body.len)
            assign(x, b, s->loc, loop->iters, s->values, s->n_values);
        else
            add(x, b, s);
    }
}

static bool unroll_count(Expand *x, const Stmt *s, int64_t *lo, int64_t *step, int64_t *n)
{
    int64_t hi;
    *step = 1;
    if (!low_const(s->lo, lo) || !low_const(s->hi, &hi) || (s->step && !low_const(s->step, step))) {
        diag_error(x->p->diags, s->hi->span, "value",
                   "pl.unroll needs bounds that are known at compile time; use pl.range");
        return false;
    }
    if (*step == 0) {
        diag_error(x->p->diags, s->step->span, "value", "the step of pl.unroll is 0");
        return false;
    }
    uint64_t distance = *step > 0 ? (uint64_t)hi - (uint64_t)*lo : (uint64_t)*lo - (uint64_t)hi;
    uint64_t stride = *step > 0 ? (uint64_t)*step : 0 - (uint64_t)*step;
    bool empty = *step > 0 ? hi <= *lo : hi >= *lo;
    uint64_t count = empty ? 0 : (distance - 1) / stride + 1;
    if (count > MAX_REPEATS)
        diag_error(x->p->diags, s->loc.span, "value",
                   "pl.unroll would repeat its body %llu times, at most %d are possible; use pl.range",
                   (unsigned long long)count, MAX_REPEATS);
    *n = (int64_t)count;
    return count <= MAX_REPEATS;
}

static void unroll(Expand *x, Block *b, Stmt *s)
{
    int64_t lo, step, n;
    if (!unroll_count(x, s, &lo, &step, &n)) {
        x->failed = true;
        return;
    }
    Block all = {0};
    x->prefix = intern(x->p->in, "next");
    Expr **values = low_exprs_new(x->p, s->n_values);
    copy_exprs(x, values, s->values, s->n_values);
    assign(x, &all, s->loc, s->iters, values, s->n_values);
    for (int64_t i = 0; i < n && !x->failed; i++)
        repeat_body(x, &all, s, (int64_t)((uint64_t)lo + (uint64_t)i * (uint64_t)step));
    for (uint32_t k = 0; k < s->n_values; k++)
        values[k] = ex_var(x->p, x->f, s->iters[k]);
    assign(x, &all, s->loc, s->results, values, s->n_values);
    if (!x->failed)
        expand_block(x, &all);
    for (uint32_t i = 0; i < all.len; i++)
        low_push(x->p, b, all.at[i]);
}

/* A branch on the index of an unrolled loop is known here; the other arm may make no sense for it, such
 * as an offset past the end that the condition keeps away. */
static void expand_if(Expand *x, Block *b, Stmt *s)
{
    Block *arm = s->cond->ival ? &s->body : &s->otherwise;
    Stmt *y = low_end_yield(arm);
    if (y)
        arm->len--;
    expand_block(x, arm);
    for (uint32_t i = 0; i < arm->len; i++)
        low_push(x->p, b, arm->at[i]);
    if (y)
        assign(x, b, y->loc, s->results, y->values, y->n_values);
}

static void expand_stmt(Expand *x, Block *b, Stmt *s)
{
    Expr *nested = x->f->kind == FN_INCORE ? nested_call(s) : NULL;
    if (nested) {
        Block flat = {0};
        x->prefix = nested->callee->name;
        Flatten fl = {.p = x->p, .f = x->f, .out = &flat, .name = unused_name, .env = x};
        flatten_stmt(&fl, s);
        for (uint32_t i = 0; i < flat.len; i++)
            expand_stmt(x, b, flat.at[i]);
    } else if (x->f->kind == FN_INCORE && is_root_call(s)) {
        inline_call(x, b, s);
    } else if (s->kind == ST_FOR && s->loop == LOOP_UNROLL) {
        unroll(x, b, s);
    } else if (s->kind == ST_IF && s->cond->kind == EX_BOOL) {
        expand_if(x, b, s);
    } else {
        expand_block(x, &s->body);
        expand_block(x, &s->otherwise);
        add(x, b, s);
    }
}

static void expand_block(Expand *x, Block *b)
{
    Block old = *b;
    *b = (Block){0};
    for (uint32_t i = 0; i < old.len && !x->failed; i++)
        expand_stmt(x, b, old.at[i]);
}

typedef struct {
    Program *p;
    Map done;
    Map from_incore, from_above;   /* functions called by InCore code, by others */
    uint32_t depth;                /* of the calls being followed */
    bool failed;
} Calls;

static void expand_func(Calls *c, Func *f);

typedef struct {
    Calls *calls;
    Func *caller;
} Callees;

static void visit_callee(void *env, Expr **e)
{
    Callees *v = env;
    if ((*e)->kind != EX_CALL)
        return;
    bool incore = v->caller->kind == FN_INCORE;
    map_set_ptr(incore ? &v->calls->from_incore : &v->calls->from_above, (*e)->callee, 1);
    if (incore)
        expand_func(v->calls, (*e)->callee);
}

static void visit_callees(void *env, Stmt *s)
{
    low_exprs(s, visit_callee, env);
}

static void expand_func(Calls *c, Func *f)
{
    if (map_get_ptr(&c->done, f, NULL))
        return;
    map_set_ptr(&c->done, f, 1);
    if (c->depth == MAX_DEPTH) {
        diag_error(c->p->diags, f->span, "value", "helpers call each other more than %d deep", MAX_DEPTH);
        c->failed = true;
        return;
    }
    c->depth++;
    Callees v = {c, f};
    block_walk(&f->body, visit_callees, &v);
    c->depth--;
    if (c->failed)
        return;
    Expand x = {.p = c->p, .f = f};
    for (uint32_t i = 0; i < f->vars.len; i++)
        map_set_ptr(&x.taken, f->vars.at[i].base, 1);
    expand_block(&x, &f->body);
    map_free(&x.taken);
    c->failed = c->failed || x.failed || !low_check_ops(c->p, f);
}

static void drop_helpers(Calls *c)
{
    uint32_t to = 0;
    Program *p = c->p;
    for (uint32_t i = 0; i < p->funcs.len; i++) {
        Func *f = p->funcs.at[i];
        bool helper = f->kind == FN_INCORE && map_get_ptr(&c->from_incore, f, NULL) &&
                      !map_get_ptr(&c->from_above, f, NULL);
        if (!helper)
            p->funcs.at[to++] = f;
    }
    p->funcs.len = to;
}

bool pass_inline_unroll(Program *p)
{
    Calls c = {.p = p};
    for (uint32_t i = 0; i < p->funcs.len && !c.failed; i++)
        if (low_has_body(p->funcs.at[i]))
            expand_func(&c, p->funcs.at[i]);
    if (!c.failed)
        drop_helpers(&c);
    map_free(&c.done);
    map_free(&c.from_incore);
    map_free(&c.from_above);
    return !c.failed;
}
