#include "lower/ssa.h"
#include "lower/util.h"

static void collect(Program *p, const Block *b, Carrier *owner, Carrier *loop, Carriers *out);

static Carrier *carrier_new(Program *p, Stmt *s, Carriers *out)
{
    Carrier *c = arena_new(p->arena, Carrier);
    c->stmt = s;
    if (s->n_results)
        avec_push(p->arena, &out->list, c);
    return c;
}

static void collect(Program *p, const Block *b, Carrier *owner, Carrier *loop, Carriers *out)
{
    for (uint32_t i = 0; i < b->len; i++) {
        Stmt *s = b->at[i];
        if (s->kind == ST_YIELD) {
            Carrier *to = i + 1 == b->len ? owner : loop;
            if (to)
                avec_push(p->arena, &to->yields, s);
        } else if (s->kind == ST_FOR) {
            Carrier *c = carrier_new(p, s, out);
            collect(p, &s->nest->body, c, c, out);
        } else if (s->kind == ST_IF) {
            Carrier *c = carrier_new(p, s, out);
            collect(p, &s->nest->body, c, loop, out);
            collect(p, &s->nest->otherwise, c, loop, out);
        } else if (s->kind == ST_SCOPE) {
            collect(p, &s->nest->body, NULL, NULL, out);
        }
    }
}

void ssa_carriers(Program *p, const Block *body, Carriers *out)
{
    collect(p, body, NULL, NULL, out);
}

static void keep_vars(VarId *at, uint32_t n, const bool *keep)
{
    uint32_t to = 0;
    for (uint32_t i = 0; i < n; i++)
        if (keep[i])
            at[to++] = at[i];
}

static uint32_t keep_exprs(Expr **at, uint32_t n, const bool *keep)
{
    uint32_t to = 0;
    for (uint32_t i = 0; i < n; i++)
        if (keep[i])
            at[to++] = at[i];
    return to;
}

/* Removes value number k of the carrier for each k with !keep[k]. */
static void keep_carried(Carrier *c, const bool *keep)
{
    Stmt *s = c->stmt;
    uint32_t n = s->n_results, left = 0;
    for (uint32_t i = 0; i < n; i++)
        left += keep[i];
    keep_vars(s->results, n, keep);
    if (s->kind == ST_FOR) {
        keep_vars(s->nest->iters, n, keep);
        s->n_values = keep_exprs(s->values, n, keep);
    }
    s->n_results = left;
    for (uint32_t i = 0; i < c->yields.len; i++) {
        Stmt *y = c->yields.at[i];
        keep_vars(y->results, n, keep);
        y->n_values = keep_exprs(y->values, n, keep);
        y->n_results = left;
    }
}

/* What binds a variable: a let, or value k of a carrier. */
typedef struct {
    Stmt *let;
    Carrier *carrier;
    uint32_t k;
} Def;

typedef struct {
    Program *p;
    Func *f;
    bool (*removable)(const Stmt *s);
    Def *defs;    /* by variable */
    bool *needed; /* by variable */
    VEC(VarId) work;
    bool changed;
} Sweep;

static void need_var(Sweep *w, VarId v)
{
    if (!w->needed[v]) {
        w->needed[v] = true;
        vec_push(&w->work, v);
    }
}

static void need_uses(void *env, Expr **e)
{
    if ((*e)->kind == EX_VAR)
        need_var(env, (*e)->var);
}

static bool is_removable(const Sweep *w, const Stmt *s)
{
    return s->kind == ST_LET && w->removable && w->removable(s);
}

/* Statements that stay are where need begins; values of yields and of init_values are needed only
 * when what they feed is. */
static void find_roots(void *env, Stmt *s)
{
    Sweep *w = env;
    if (is_removable(w, s)) {
        for (uint32_t i = 0; i < s->n_results; i++)
            w->defs[s->results[i]] = (Def){.let = s};
        return;
    }
    if (s->kind == ST_YIELD)
        return;
    if (s->kind == ST_FOR) {
        expr_walk(&s->nest->lo, need_uses, w);
        expr_walk(&s->nest->hi, need_uses, w);
        if (s->nest->step)
            expr_walk(&s->nest->step, need_uses, w);
        return;
    }
    stmt_exprs(s, need_uses, w);
}

static void define_carried(Sweep *w, Carriers *carriers)
{
    for (uint32_t i = 0; i < carriers->list.len; i++) {
        Carrier *c = carriers->list.at[i];
        for (uint32_t k = 0; k < c->stmt->n_results; k++) {
            w->defs[c->stmt->results[k]] = (Def){.carrier = c, .k = k};
            if (c->stmt->kind == ST_FOR)
                w->defs[c->stmt->nest->iters[k]] = (Def){.carrier = c, .k = k};
        }
    }
}

static void need_def(Sweep *w, Def d)
{
    if (d.let)
        stmt_exprs(d.let, need_uses, w);
    if (!d.carrier)
        return;
    Stmt *s = d.carrier->stmt;
    if (s->kind == ST_FOR)
        expr_walk(&s->values[d.k], need_uses, w);
    for (uint32_t i = 0; i < d.carrier->yields.len; i++)
        expr_walk(&d.carrier->yields.at[i]->values[d.k], need_uses, w);
}

static bool drop_carried(Sweep *w, Carrier *c)
{
    Stmt *s = c->stmt;
    bool *keep = arena_new_n(w->p->arena, bool, s->n_results);
    bool all = true;
    for (uint32_t k = 0; k < s->n_results; k++) {
        keep[k] = w->needed[s->results[k]] || (s->kind == ST_FOR && w->needed[s->nest->iters[k]]);
        all = all && keep[k];
    }
    if (!all)
        keep_carried(c, keep);
    return !all;
}

static bool is_dead(const Sweep *w, const Stmt *s)
{
    if (!is_removable(w, s))
        return s->kind == ST_YIELD && !s->n_values;
    for (uint32_t k = 0; k < s->n_results; k++)
        if (w->needed[s->results[k]])
            return false;
    return true;
}

static bool drop_dead(void *env, Rewrite *r, Stmt *s)
{
    Sweep *w = env;
    block_rewrite(&s->nest->body, drop_dead, w);
    block_rewrite(&s->nest->otherwise, drop_dead, w);
    if (is_dead(w, s))
        w->changed = true;
    else
        low_push(w->p, r->out, s);
    return true;
}

bool ssa_sweep(Program *p, Func *f, bool (*removable)(const Stmt *s))
{
    Sweep w = {.p = p, .f = f, .removable = removable};
    w.defs = xcalloc(f->vars.len + 1, sizeof *w.defs);
    w.needed = xcalloc(f->vars.len + 1, sizeof *w.needed);
    Carriers carriers = {0};
    ssa_carriers(p, &f->body, &carriers);
    define_carried(&w, &carriers);
    block_walk(&f->body, find_roots, &w);
    while (w.work.len)
        need_def(&w, w.defs[vec_pop(&w.work)]);
    for (uint32_t i = 0; i < carriers.list.len; i++)
        w.changed = drop_carried(&w, carriers.list.at[i]) || w.changed;
    block_rewrite(&f->body, drop_dead, &w);
    xfree(w.defs);
    xfree(w.needed);
    vec_free(&w.work);
    return w.changed;
}
