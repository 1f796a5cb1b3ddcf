/* Pass 05, and the work of pass 15: folding, constants and copies propagated, branches on constants
 * resolved, loops without iterations and dead code dropped. Requires SSA, so that a name means one
 * value.
 *
 * What the program says stays recognisable: no loop with an iteration goes, no effect, and no read
 * of memory (it may fault, and the fault is what the program says). Each round only removes or
 * folds, and rounds go on until one changes nothing, so simplifying twice is simplifying once. */
#include "lower/simplify.h"
#include "lower/fold.h"
#include "lower/pass.h"
#include "lower/ssa.h"
#include "lower/util.h"

typedef struct {
    Program *p;
    Func *f;
    Expr **means; /* by variable: a constant or another variable it stands for, or NULL */
    uint32_t n_vars;
    bool changed; /* another round may find more */
    bool touched; /* something is written in another way */
} Simplify;

/* What stands for an operand may stand at its place: a constant or a variable. */
static Expr *meaning(Simplify *x, const Expr *e)
{
    Expr *m = e->kind == EX_VAR ? x->means[e->var] : NULL;
    while (m && m->kind == EX_VAR && x->means[m->var])
        m = x->means[m->var];
    return m;
}

static void simplify_node(void *env, Expr **e)
{
    Simplify *x = env;
    Expr *m = meaning(x, *e);
    if (m) {
        Expr *copy = expr_clone(x->p, m);
        copy->span = (*e)->span;
        *e = copy;
        x->changed = true;
        return;
    }
    if ((*e)->kind == EX_OP)
        x->touched |= ex_settle_literals(x->p, *e);
    const Expr *first = (*e)->kind == EX_SCALAR ? (*e)->args[0] : NULL;
    Expr *folded = fold_node(x->p, *e);
    x->touched = x->touched || (first && (*e)->args[0] != first);
    x->changed = x->changed || folded != *e;
    *e = folded;
}

static void simplify_root(void *env, Expr **e)
{
    expr_walk(e, simplify_node, env);
}

static bool is_plain(const Expr *e)
{
    return e->kind == EX_VAR || e->kind == EX_INT || e->kind == EX_BOOL;
}

/* `v = e` for a constant or a name: uses of v take it. The types must agree, or v would change
 * meaning. */
static bool stands_for(Simplify *x, VarId v, const Expr *e)
{
    if (!is_plain(e) || e->type != func_var(x->f, v)->type || x->means[v])
        return false;
    if (e->kind == EX_VAR && e->var == v)
        return false;
    x->means[v] = expr_clone(x->p, e);
    return true;
}

static bool same_value(const Expr *a, const Expr *b)
{
    return a->kind == b->kind && a->type == b->type &&
           (a->kind == EX_VAR ? a->var == b->var : is_plain(a) && a->ival == b->ival);
}

static bool loop_never_runs(const Stmt *s)
{
    int64_t lo, hi, step = 1;
    if (!expr_is_int(s->nest->lo, &lo) || !expr_is_int(s->nest->hi, &hi) ||
        (s->nest->step && !expr_is_int(s->nest->step, &step)))
        return false;
    return step > 0 ? lo >= hi : step < 0 && lo <= hi;
}

static bool simplify_stmt(void *env, Rewrite *r, Stmt *s);

static void simplify_block(Simplify *x, Block *b)
{
    block_rewrite(b, simplify_stmt, x);
}

/* The arm that runs takes the place of the if; its yield says what the results are. */
static void take_arm(Simplify *x, Stmt *s, Block *arm, Block *out)
{
    Stmt *y = low_end_yield(arm);
    if (y) {
        arm->len--;
        for (uint32_t i = 0; i < s->n_results; i++) {
            if (stands_for(x, s->results[i], y->values[i]))
                continue;
            Stmt *let = stmt_new(x->p, ST_LET, y->loc);
            let->n_results = 1;
            let->results = low_vars_dup(x->p, &s->results[i], 1);
            let->value = y->values[i];
            low_push(x->p, arm, let);
        }
    }
    simplify_block(x, arm);
    low_push_all(x->p, out, arm);
    x->changed = true;
}

/* A result that both arms give the same value is that value. */
static void unify_results(Simplify *x, Stmt *s)
{
    Stmt *a = low_end_yield(&s->nest->body), *b = low_end_yield(&s->nest->otherwise);
    if (!s->n_results || (!a && !b))
        return;
    for (uint32_t i = 0; i < s->n_results; i++) {
        const Expr *va = a ? a->values[i] : b->values[i], *vb = b ? b->values[i] : va;
        if (a && b && same_value(va, vb) && stands_for(x, s->results[i], va))
            x->changed = true;
    }
}

static void simplify_if(Simplify *x, Stmt *s, Block *out)
{
    simplify_root(x, &s->nest->cond);
    if (s->nest->cond->kind == EX_BOOL) {
        take_arm(x, s, s->nest->cond->ival ? &s->nest->body : &s->nest->otherwise, out);
        return;
    }
    simplify_block(x, &s->nest->body);
    simplify_block(x, &s->nest->otherwise);
    unify_results(x, s);
    if (!s->n_results && !s->nest->body.len && !s->nest->otherwise.len &&
        expr_is_free(s->nest->cond)) {
        x->changed = true;
        return;
    }
    low_push(x->p, out, s);
}

static void drop_loop(Simplify *x, Stmt *s)
{
    for (uint32_t i = 0; i < s->n_results; i++)
        x->means[s->results[i]] = s->values[i];
    x->changed = true;
}

static bool is_empty_loop(const Stmt *s)
{
    int64_t step = 1;
    return !s->nest->body.len && !s->n_results && expr_is_free(s->nest->lo) &&
           expr_is_free(s->nest->hi) &&
           (!s->nest->step || (expr_is_int(s->nest->step, &step) && step != 0));
}

static void simplify_for(Simplify *x, Stmt *s, Block *out)
{
    stmt_roots(s, simplify_root, x);
    bool plain = true;
    for (uint32_t i = 0; i < s->n_values; i++)
        plain = plain && is_plain(s->values[i]);
    if (plain && loop_never_runs(s)) {
        drop_loop(x, s);
        return;
    }
    simplify_block(x, &s->nest->body);
    if (is_empty_loop(s))
        x->changed = true;
    else
        low_push(x->p, out, s);
}

static void simplify_one(Simplify *x, Stmt *s, Block *out)
{
    switch (s->kind) {
    case ST_IF: simplify_if(x, s, out); return;
    case ST_FOR: simplify_for(x, s, out); return;
    case ST_LET:
        simplify_root(x, &s->value);
        if (s->n_results == 1)
            stands_for(x, s->results[0], s->value);
        break;
    default: stmt_roots(s, simplify_root, x);
    }
    low_push(x->p, out, s);
}

static bool simplify_stmt(void *env, Rewrite *r, Stmt *s)
{
    Simplify *x = env;
    simplify_one(x, s, r->out);
    if (!low_block_diverges(r->out))
        return true;
    x->changed = x->changed || r->n_rest;
    return false;
}

/* A carried value that every iteration hands on unchanged is the value before the loop. */
static void find_invariants(Simplify *x)
{
    Carriers carriers = {0};
    ssa_carriers(x->p, &x->f->body, &carriers);
    for (uint32_t i = 0; i < carriers.list.len; i++) {
        Carrier *c = carriers.list.at[i];
        for (uint32_t k = 0; c->stmt->kind == ST_FOR && k < c->stmt->n_results; k++) {
            bool same = true;
            for (uint32_t j = 0; j < c->yields.len && same; j++) {
                const Expr *v = c->yields.at[j]->values[k];
                same = (v->kind == EX_VAR && v->var == c->stmt->nest->iters[k]) ||
                       same_value(v, c->stmt->values[k]);
            }
            if (same && stands_for(x, c->stmt->nest->iters[k], c->stmt->values[k]))
                stands_for(x, c->stmt->results[k], c->stmt->values[k]);
        }
    }
}

static bool is_removable(const Stmt *s)
{
    return expr_is_free(s->value);
}

/* `touched` stays true when it was. */
static bool simplify_round(Program *p, Func *f, bool *touched)
{
    Simplify x = {.p = p, .f = f, .n_vars = f->vars.len};
    x.means = xcalloc(x.n_vars + 1, sizeof *x.means);
    find_invariants(&x);
    simplify_block(&x, &f->body);
    xfree(x.means);
    bool changed = ssa_sweep(p, f, is_removable) || x.changed;
    *touched = *touched || changed || x.touched;
    return changed;
}

void simplify_func(Program *p, Func *f)
{
    bool touched = false;
    while (simplify_round(p, f, &touched))
        ;
    f->untouched = !touched;
}

/* Constants may have come to where the table's rules look at them: an offset past its memory is an
 * error of the program from here on. */
bool pass_simplify(Program *p)
{
    bool good = true;
    for (uint32_t i = 0; i < p->funcs.len; i++) {
        if (func_is_element(p->funcs.at[i]))
            continue;
        simplify_func(p, p->funcs.at[i]);
        if (!p->funcs.at[i]->untouched)
            good = low_check_ops(p, p->funcs.at[i]) && good;
    }
    return good;
}
