/* Pass 03: each name is bound once; loops and branches carry values explicitly.
 *
 * The program is structured, so no dominance frontiers are needed: a branch merges what its arms
 * rebind, a loop carries what its body rebinds, and what nothing reads afterwards is swept out
 * again (pruned SSA). Carried values stand in the order in which their names were first bound,
 * after those that the program wrote itself with init_values and pl.yield_. `break` and `continue`
 * get a yield before them. Bindings on entering an arm or a body are undone on leaving it with a
 * trail, so the cost is that of the bindings, not of all names at every branch. */
#include "ir/paths.h"
#include "lower/pass.h"
#include "lower/ssa.h"
#include "lower/util.h"

typedef struct SsaLoop SsaLoop;
struct SsaLoop {
    Stmt *stmt;
    uint32_t n_user;      /* values carried by the program's own init_values */
    const VarId *carried; /* names carried after those */
    uint32_t n_carried;
};

typedef struct {
    Program *p;
    Func *f;
    uint32_t n_old;  /* variables before the pass */
    Paths paths;     /* old variables: their value here, or VAR_NONE */
    uint32_t *order; /* by old variable: place of its first binding */
    uint32_t n_ordered;
    uint32_t *seen; /* by old variable: stamp of the last collection that met it */
    uint32_t stamp;
    SsaLoop *loop; /* innermost, or NULL */
} Ssa;

static VarId bind_new(Ssa *x, VarId old)
{
    Var v = *func_var(x->f, old);
    VarId fresh = func_new_var(x->p, x->f, v.base, v.type, v.span);
    paths_set(&x->paths, old, fresh);
    return fresh;
}

static void rename_use(void *env, Expr **e)
{
    Ssa *x = env;
    if ((*e)->kind != EX_VAR || (*e)->var >= x->n_old)
        return;
    VarId now = paths_now(&x->paths, (*e)->var);
    if (now != VAR_NONE)
        (*e)->var = now;
}

static void rename_expr(Ssa *x, Expr **e)
{
    if (*e)
        expr_walk(e, rename_use, x);
}

static void note_order(Ssa *x, VarId v)
{
    if (x->order[v] == UINT32_MAX)
        x->order[v] = x->n_ordered++;
}

static void order_stmt(void *env, Stmt *s)
{
    Ssa *x = env;
    if (s->kind == ST_FOR) {
        note_order(x, s->nest->index);
        for (uint32_t i = 0; i < s->n_values; i++)
            note_order(x, s->nest->iters[i]);
    }
    if (s->kind == ST_LET || s->kind == ST_YIELD)
        for (uint32_t i = 0; i < s->n_results; i++)
            note_order(x, s->results[i]);
}

/* A name that is carried on, with its values where two arms meet. */
typedef struct {
    VarId var, then, otherwise;
    uint32_t order; /* of its first binding */
} Merge;

typedef VEC(Merge) MergeList;

static int by_order(const void *a, const void *b)
{
    const Merge *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void sort_merges(MergeList *list)
{
    if (list->len > 1)
        vec_sort(list, by_order);
}

/* Collects the names bound in a block, each once. */
typedef struct {
    Ssa *x;
    MergeList *out;
} Collect;

static void assigned_stmt(void *env, Stmt *s)
{
    Collect *c = env;
    Ssa *x = c->x;
    if (s->kind == ST_YIELD)
        return;
    for (uint32_t i = 0; i < s->n_results; i++) {
        VarId v = s->results[i];
        if (x->seen[v] != x->stamp)
            vec_push(c->out, (Merge){.var = v, .order = x->order[v]});
        x->seen[v] = x->stamp;
    }
}

static void convert_block(Ssa *x, Block *b);

static Meanings convert_arm(Ssa *x, Block *arm)
{
    uint32_t mark = paths_mark(&x->paths);
    Meanings changes = {0};
    convert_block(x, arm);
    paths_changes(&x->paths, mark, &changes);
    paths_back(&x->paths, mark);
    return changes;
}

/* The yield at the end of `b`, made if there is none, with room for n values in all. */
static Stmt *yield_with(Ssa *x, Block *b, Stmt *at, uint32_t n)
{
    Stmt *y = low_end_yield(b);
    if (!y) {
        y = stmt_new(x->p, ST_YIELD, at->loc);
        low_push(x->p, b, y);
    }
    Expr **values = low_exprs_new(x->p, n);
    for (uint32_t i = 0; i < y->n_values && i < n; i++)
        values[i] = y->values[i];
    y->values = values;
    y->n_values = n;
    return y;
}

/* The arms of an if meet. */
typedef struct {
    Ssa *x;
    bool then_ends, else_ends;
    MergeList *out;
} Arms;

/* A name bound in either arm that runs to its end; one that such an arm leaves unbound is unbound
 * from here on. */
static void merge_name(void *env, VarId v, VarId then, VarId otherwise)
{
    Arms *arms = env;
    Ssa *x = arms->x;
    VarId now = paths_now(&x->paths, v);
    if ((arms->then_ends || then == now) && (arms->else_ends || otherwise == now))
        return;
    if ((!arms->then_ends && then == VAR_NONE) || (!arms->else_ends && otherwise == VAR_NONE))
        paths_set(&x->paths, v, VAR_NONE);
    else
        vec_push(arms->out, (Merge){v, then, otherwise, x->order[v]});
}

static void yield_arm(Ssa *x, Stmt *s, Block *arm, uint32_t n_user, const MergeList *m, bool then)
{
    if (low_block_diverges(arm))
        return;
    Stmt *y = yield_with(x, arm, s, n_user + m->len);
    for (uint32_t i = 0; i < m->len; i++)
        y->values[n_user + i] = ex_var(x->p, x->f, then ? m->at[i].then : m->at[i].otherwise);
    y->n_results = s->n_results;
    y->results = low_vars_dup(x->p, s->results, s->n_results);
}

static void convert_if(Ssa *x, Stmt *s)
{
    rename_expr(x, &s->nest->cond);
    uint32_t n_user = s->n_results;
    Meanings then = convert_arm(x, &s->nest->body), otherwise = convert_arm(x, &s->nest->otherwise);
    MergeList merged = {0};
    Arms arms = {x, low_block_diverges(&s->nest->body), low_block_diverges(&s->nest->otherwise),
                 &merged};
    paths_join(&x->paths, &then, &otherwise, merge_name, &arms);
    sort_merges(&merged);
    const VarId *user = s->results;
    s->n_results = n_user + merged.len;
    s->results = arena_new_n(x->p->arena, VarId, s->n_results);
    for (uint32_t i = 0; i < s->n_results; i++)
        s->results[i] = bind_new(x, i < n_user ? user[i] : merged.at[i - n_user].var);
    if (s->n_results) {
        yield_arm(x, s, &s->nest->body, n_user, &merged, true);
        yield_arm(x, s, &s->nest->otherwise, n_user, &merged, false);
    }
    vec_free(&then);
    vec_free(&otherwise);
    vec_free(&merged);
}

/* Names that the loop may carry: bound in the body, and before it. */
static void find_carried(Ssa *x, Stmt *s, SsaLoop *loop)
{
    MergeList list = {0};
    x->stamp++;
    for (uint32_t i = 0; i < s->n_values; i++)
        x->seen[s->nest->iters[i]] = x->stamp;
    for (uint32_t i = 0; i < s->n_results; i++)
        x->seen[s->results[i]] = x->stamp;
    x->seen[s->nest->index] = x->stamp;
    Collect c = {x, &list};
    block_walk(&s->nest->body, assigned_stmt, &c);
    sort_merges(&list);
    VarId *carried = arena_new_n(x->p->arena, VarId, list.len);
    for (uint32_t i = 0; i < list.len; i++)
        if (paths_now(&x->paths, list.at[i].var) != VAR_NONE)
            carried[loop->n_carried++] = list.at[i].var;
    loop->carried = carried;
    vec_free(&list);
}

/* Completes the yield at the end of `b` with the values that the loop carries. */
static void yield_loop(Ssa *x, SsaLoop *loop, Block *b, Stmt *at)
{
    Stmt *s = loop->stmt;
    if (!s->n_results)
        return;
    Stmt *y = yield_with(x, b, at, s->n_results);
    for (uint32_t i = 0; i < loop->n_user; i++)
        if (!y->values[i])
            y->values[i] = ex_var(x->p, x->f, s->nest->iters[i]);
    for (uint32_t i = 0; i < loop->n_carried; i++) {
        uint32_t k = loop->n_user + i;
        VarId v = paths_now(&x->paths, loop->carried[i]);
        y->values[k] = ex_var(x->p, x->f, v == VAR_NONE ? s->nest->iters[k] : v);
    }
    y->n_results = s->n_results;
    y->results = low_vars_dup(x->p, s->results, s->n_results);
}

/* A result needs its variable before the body is converted, since the yields in it name it. */
static VarId result_var(Ssa *x, VarId old)
{
    Var v = *func_var(x->f, old);
    return func_new_var(x->p, x->f, v.base, v.type, v.span);
}

static void open_loop(Ssa *x, Stmt *s, SsaLoop *loop)
{
    uint32_t n = loop->n_user + loop->n_carried;
    Expr **values = low_exprs_new(x->p, n);
    VarId *iters = arena_new_n(x->p->arena, VarId, n),
          *results = arena_new_n(x->p->arena, VarId, n);
    for (uint32_t i = 0; i < n; i++) {
        bool user = i < loop->n_user;
        VarId old = user ? s->nest->iters[i] : loop->carried[i - loop->n_user];
        values[i] = user ? s->values[i] : ex_var(x->p, x->f, paths_now(&x->paths, old));
        results[i] = result_var(x, user && i < s->n_results ? s->results[i] : old);
        iters[i] = bind_new(x, old);
    }
    s->values = values;
    s->nest->iters = iters;
    s->results = results;
    s->n_values = s->n_results = n;
    s->nest->index = bind_new(x, s->nest->index);
}

static void convert_for(Ssa *x, Stmt *s)
{
    rename_expr(x, &s->nest->lo);
    rename_expr(x, &s->nest->hi);
    rename_expr(x, &s->nest->step);
    for (uint32_t i = 0; i < s->n_values; i++)
        rename_expr(x, &s->values[i]);
    SsaLoop loop = {.stmt = s, .n_user = s->n_values};
    const VarId *user = s->results;
    VarId index = s->nest->index;
    find_carried(x, s, &loop);
    uint32_t mark = paths_mark(&x->paths);
    open_loop(x, s, &loop);
    SsaLoop *outer = x->loop;
    x->loop = &loop;
    convert_block(x, &s->nest->body);
    if (!low_block_diverges(&s->nest->body))
        yield_loop(x, &loop, &s->nest->body, s);
    x->loop = outer;
    paths_back(&x->paths, mark);
    paths_set(&x->paths, index, VAR_NONE);
    for (uint32_t i = 0; i < s->n_results; i++)
        paths_set(&x->paths, i < loop.n_user ? user[i] : loop.carried[i - loop.n_user],
                  s->results[i]);
}

static void convert_let(Ssa *x, Stmt *s)
{
    rename_expr(x, &s->value);
    for (uint32_t i = 0; i < s->n_results; i++)
        s->results[i] = bind_new(x, s->results[i]);
}

static void convert_one(Ssa *x, Stmt *s)
{
    if (s->kind == ST_LET) {
        convert_let(x, s);
    } else if (s->kind == ST_FOR) {
        convert_for(x, s);
    } else if (s->kind == ST_IF) {
        convert_if(x, s);
    } else if (s->kind == ST_SCOPE) {
        rename_expr(x, &s->nest->blocks);
        for (uint32_t i = 0; i < s->n_values; i++)
            rename_expr(x, &s->values[i]);
        convert_block(x, &s->nest->body);
    } else {
        rename_expr(x, &s->value);
        for (uint32_t i = 0; i < s->n_values; i++)
            rename_expr(x, &s->values[i]);
    }
}

/* Statements behind one that ends the block can never run, and no value would reach them. */
static bool convert_stmt(void *env, Rewrite *r, Stmt *s)
{
    Ssa *x = env;
    if ((s->kind == ST_BREAK || s->kind == ST_CONTINUE) && x->loop)
        yield_loop(x, x->loop, r->out, s);
    convert_one(x, s);
    low_push(x->p, r->out, s);
    return !low_diverges(s);
}

static void convert_block(Ssa *x, Block *b)
{
    block_rewrite(b, convert_stmt, x);
}

static void convert_func(Program *p, Func *f)
{
    uint32_t n = f->vars.len;
    Ssa x = {.p = p, .f = f, .n_old = n};
    x.order = xmalloc((n + 1) * sizeof *x.order);
    x.seen = xcalloc(n + 1, sizeof *x.seen);
    for (uint32_t i = 0; i < n; i++)
        x.order[paths_add(&x.paths, VAR_NONE)] = UINT32_MAX;
    for (uint32_t i = 0; i < f->params.len; i++) {
        paths_set(&x.paths, f->params.at[i].var, f->params.at[i].var);
        note_order(&x, f->params.at[i].var);
    }
    block_walk(&f->body, order_stmt, &x);
    convert_block(&x, &f->body);
    ssa_sweep(p, f, NULL);
    xfree(x.order);
    xfree(x.seen);
    paths_free(&x.paths);
}

bool pass_convert_to_ssa(Program *p)
{
    for (uint32_t i = 0; i < p->funcs.len; i++)
        if (!func_is_element(p->funcs.at[i]))
            convert_func(p, p->funcs.at[i]);
    return true;
}
