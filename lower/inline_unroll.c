/* Pass 02: InCore helpers called from InCore code are inlined, pl.unroll bodies are repeated.
 *
 * Runs before SSA, where the name is the variable: an inlined local must not meet a name of its
 * caller. It keeps its own name where the caller has none like it, else the helper's name is put
 * before it. A parameter that the helper never rebinds stands for its argument when that is a name
 * or a constant. Callees are done first, so one copy brings everything below it along. Functions
 * that only InCore code called are gone afterwards. */
#include "lower/expand.h"
#include "lower/flatten.h"
#include "lower/fold.h"
#include "lower/pass.h"
#include "lower/util.h"

#define MAX_REPEATS 65536 /* of one pl.unroll */
#define MAX_DEPTH 200     /* of helpers calling helpers */

static void expand_block(Expand *x, Block *b);

static bool is_root_call(const Stmt *s)
{
    return (s->kind == ST_LET || s->kind == ST_EXPR) && s->value->kind == EX_CALL;
}

typedef struct {
    const Expand *x;
    Expr *found;
} CallSearch;

static void find_call(void *env, Expr **e)
{
    CallSearch *s = env;
    if ((*e)->kind == EX_CALL && !s->found && expand_inlines(s->x, (*e)->callee))
        s->found = *e;
}

/* A call of a helper inside an expression (not the statement's own call), or NULL. */
static Expr *nested_call(const Expand *x, Stmt *s)
{
    CallSearch search = {x, NULL};
    if (!is_root_call(s)) {
        stmt_exprs(s, find_call, &search);
        return search.found;
    }
    for (uint32_t i = 0; i < s->value->n_args; i++)
        expr_walk(&s->value->args[i], find_call, &search);
    return search.found;
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
    stmt_exprs(s, replace_index, env);
    stmt_exprs(s, fold_use, env);
}

static void find_rebinding(void *env, Stmt *s)
{
    Index *r = env;
    for (uint32_t i = 0; i < s->n_results; i++)
        r->rebound = r->rebound || s->results[i] == r->var;
    r->rebound = r->rebound || (s->kind == ST_FOR && s->nest->index == r->var);
}

static void copy_exprs(Expand *x, Expr **to, Expr **from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = expr_clone(x->p, from[i]);
}

/* One iteration; the values that its yield carries are assigned to `next` (the iters, or at the end
 * the results). */
static void repeat_body(Expand *x, Block *b, const Stmt *loop, int64_t i)
{
    Index r = {loop->nest->index, ex_int(x->p, DT_INDEX, i), x, false};
    block_walk((Block *)&loop->nest->body, find_rebinding, &r);
    if (r.rebound)
        expand_let(x, b, loop->loc, loop->nest->index, r.value);
    for (uint32_t k = 0; k < loop->nest->body.len && !x->failed; k++) {
        Stmt *s = low_stmt_clone(x->p, loop->nest->body.at[k]);
        Block one = {.at = &s, .len = 1, .cap = 1};
        if (!r.rebound)
            block_walk(&one, replace_in_stmt, &r);
        if (s->kind == ST_YIELD && k + 1 == loop->nest->body.len)
            expand_assign(x, b, s->loc, loop->nest->iters, s->values, s->n_values);
        else
            expand_add(x, b, s);
    }
}

static bool unroll_count(Expand *x, const Stmt *s, int64_t *lo, int64_t *step, int64_t *n)
{
    int64_t hi;
    *step = 1;
    if (!low_const(s->nest->lo, lo) || !low_const(s->nest->hi, &hi) ||
        (s->nest->step && !low_const(s->nest->step, step))) {
        diag_error(x->p->diags, s->nest->hi->span, "value",
                   "pl.unroll needs bounds that are known at compile time; use pl.range");
        return false;
    }
    if (*step == 0) {
        diag_error(x->p->diags, s->nest->step->span, "value", "the step of pl.unroll is 0");
        return false;
    }
    uint64_t distance = *step > 0 ? (uint64_t)hi - (uint64_t)*lo : (uint64_t)*lo - (uint64_t)hi;
    uint64_t stride = *step > 0 ? (uint64_t)*step : 0 - (uint64_t)*step;
    bool empty = *step > 0 ? hi <= *lo : hi >= *lo;
    uint64_t count = empty ? 0 : (distance - 1) / stride + 1;
    if (count > MAX_REPEATS)
        diag_error(
            x->p->diags, s->loc.span, "value",
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
    expand_assign(x, &all, s->loc, s->nest->iters, values, s->n_values);
    for (int64_t i = 0; i < n && !x->failed; i++)
        repeat_body(x, &all, s, (int64_t)((uint64_t)lo + (uint64_t)i * (uint64_t)step));
    for (uint32_t k = 0; k < s->n_values; k++)
        values[k] = ex_var(x->p, x->f, s->nest->iters[k]);
    expand_assign(x, &all, s->loc, s->results, values, s->n_values);
    if (!x->failed)
        expand_block(x, &all);
    low_push_all(x->p, b, &all);
}

/* A branch on the index of an unrolled loop is known here; the other arm may make no sense for it,
 * such as an offset past the end that the condition keeps away. */
static void expand_if(Expand *x, Block *b, Stmt *s)
{
    Block *arm = s->nest->cond->ival ? &s->nest->body : &s->nest->otherwise;
    Stmt *y = low_end_yield(arm);
    if (y)
        arm->len--;
    expand_block(x, arm);
    low_push_all(x->p, b, arm);
    if (y)
        expand_assign(x, b, y->loc, s->results, y->values, y->n_values);
}

static void expand_stmt(Expand *x, Block *b, Stmt *s)
{
    Expr *nested = nested_call(x, s);
    if (nested) {
        Block flat = {0};
        x->prefix = nested->callee->name;
        Flatten fl = {.p = x->p, .f = x->f, .out = &flat, .name = expand_unused_name, .env = x};
        flatten_stmt(&fl, s);
        for (uint32_t i = 0; i < flat.len; i++)
            expand_stmt(x, b, flat.at[i]);
    } else if (is_root_call(s) && expand_inlines(x, s->value->callee)) {
        expand_call(x, b, s);
    } else if (s->kind == ST_FOR && s->nest->loop == LOOP_UNROLL) {
        unroll(x, b, s);
    } else if (s->kind == ST_IF && s->nest->cond->kind == EX_BOOL) {
        expand_if(x, b, s);
    } else {
        x->scopes += s->kind == ST_SCOPE;
        expand_block(x, &s->nest->body);
        expand_block(x, &s->nest->otherwise);
        x->scopes -= s->kind == ST_SCOPE;
        expand_add(x, b, s);
    }
}

/* A branch taken for known leaves the rest of a block without a way to it. */
static bool expand_in(void *env, Rewrite *r, Stmt *s)
{
    Expand *x = env;
    expand_stmt(x, r->out, s);
    return !x->failed && !low_block_diverges(r->out);
}

static void expand_block(Expand *x, Block *b)
{
    block_rewrite(b, expand_in, x);
}

typedef struct {
    Program *p;
    Map done;
    Map from_incore, from_above; /* functions called by InCore code, by others */
    uint32_t depth;              /* of the calls being followed */
    bool failed;
} Calls;

static void expand_func(Calls *c, Func *f);

typedef struct {
    Calls *calls;
    bool incore; /* the code at hand */
} Callees;

static void visit_callee(void *env, Expr **e)
{
    Callees *v = env;
    if ((*e)->kind != EX_CALL)
        return;
    bool inlined = v->incore || (*e)->callee->spliced;
    map_set_ptr(inlined ? &v->calls->from_incore : &v->calls->from_above, (*e)->callee, 1);
    if (inlined)
        expand_func(v->calls, (*e)->callee);
}

static void visit_callees(Callees *v, Block *b)
{
    for (uint32_t i = 0; i < b->len; i++) {
        Stmt *s = b->at[i];
        Callees inside = {v->calls, v->incore || s->kind == ST_SCOPE};
        stmt_exprs(s, visit_callee, v);
        visit_callees(&inside, &s->nest->body);
        visit_callees(&inside, &s->nest->otherwise);
    }
}

static void expand_func(Calls *c, Func *f)
{
    if (map_get_ptr(&c->done, f, NULL))
        return;
    map_set_ptr(&c->done, f, 1);
    if (c->depth == MAX_DEPTH) {
        diag_error(c->p->diags, f->span, "value", "helpers call each other more than %d deep",
                   MAX_DEPTH);
        c->failed = true;
        return;
    }
    c->depth++;
    Callees v = {c, f->kind == FN_INCORE};
    if (func_may_hold(f, HOLDS_CALLS))
        visit_callees(&v, &f->body);
    c->depth--;
    if (c->failed)
        return;
    if (f->untouched)
        return;
    Expand x = {.p = c->p, .f = f};
    expand_names(f, &x.taken);
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
        bool inlined = map_get_ptr(&c->from_incore, f, NULL);
        bool helper = (f->kind == FN_INCORE || f->spliced) && inlined &&
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
        if (!func_is_element(p->funcs.at[i]))
            expand_func(&c, p->funcs.at[i]);
    if (!c.failed)
        drop_helpers(&c);
    map_free(&c.done);
    map_free(&c.from_incore);
    map_free(&c.from_above);
    return !c.failed;
}
