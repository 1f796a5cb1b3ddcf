/* Pass 08: collectives in InCore code become notify, wait, transfers, tile ops and loops.
 *
 * A communication context, rank and rank count of the same window that the function has at hand are
 * used again, and those of any window where the whole program works in one group. Requires flat SSA
 * form, and keeps it. The result of a collective is the memory that it updates, so later uses of
 * the result become uses of the newest name of that memory. */
#include "lower/composite.h"
#include "lower/host_domain.h"
#include "lower/pass.h"

/* What is known where the walk stands: the context of a window, and its rank and rank count. */
typedef struct {
    VarId root, ctx, rank, nranks;
} Context;

typedef struct {
    Program *p;
    Func *f;
    VEC(VarId) root;       /* per variable: the parameter or view whose memory it is, or itself */
    VEC(VarId) renamed;    /* per variable: the name that took its place, or VAR_NONE */
    VEC(Context) contexts; /* innermost last */
    bool one_group;        /* every context of the program means the same ranks */
    bool ok;
} Pass;

static void cover(Pass *x)
{
    for (VarId v = x->root.len; v < x->f->vars.len; v++) {
        vec_push(&x->root, v);
        vec_push(&x->renamed, VAR_NONE);
    }
}

static VarId root_of(Pass *x, const Expr *e)
{
    cover(x);
    return e && e->kind == EX_VAR ? x->root.at[e->var] : VAR_NONE;
}

/* The operand whose memory is the result of an op. */
static const Expr *same_memory(const Expr *e)
{
    if (e->kind != EX_OP)
        return e->kind == EX_VAR ? e : NULL;
    if (e->op == OP_FLATTEN)
        return e->args[0];
    switch (op_info(e->op)->result) {
    case RES_ARG0: return e->args[0];
    case RES_ARG1: return e->args[1];
    case RES_ARG2: return e->args[2];
    default: return NULL;
    }
}

static void note_context(Pass *x, const Stmt *s)
{
    const Expr *e = s->value;
    if (e->kind != EX_OP || s->n_results != 1)
        return;
    if (e->op == OP_GET_COMM_CTX) {
        Context c = {root_of(x, e->args[0]), s->results[0], VAR_NONE, VAR_NONE};
        vec_push(&x->contexts, c);
        return;
    }
    if (e->op != OP_RANK && e->op != OP_NRANKS)
        return;
    for (uint32_t i = x->contexts.len; i-- > 0;) {
        Context c = x->contexts.at[i];
        if (e->args[0]->kind != EX_VAR || c.ctx != e->args[0]->var)
            continue;
        *(e->op == OP_RANK ? &c.rank : &c.nranks) = s->results[0];
        vec_push(&x->contexts, c);
        return;
    }
}

static void note_let(Pass *x, const Stmt *s)
{
    cover(x);
    const Expr *mem = s->n_results == 1 ? same_memory(s->value) : NULL;
    if (mem && mem->kind == EX_VAR)
        x->root.at[s->results[0]] = x->root.at[mem->var];
    note_context(x, s);
}

/* Loops and branches hand memory on. */
static void note_carried(Pass *x, const Stmt *s)
{
    cover(x);
    for (uint32_t i = 0; i < s->n_values && s->kind == ST_FOR; i++)
        x->root.at[s->iters[i]] = x->root.at[s->results[i]] = root_of(x, s->values[i]);
}

static void note_yield(Pass *x, const Stmt *s)
{
    cover(x);
    for (uint32_t i = 0; i < s->n_values; i++)
        if (s->values[i]->kind == EX_VAR)
            x->root.at[s->results[i]] = x->root.at[s->values[i]->var];
}

static const Context *find_context(Pass *x, const Expr *op)
{
    for (uint32_t i = x->contexts.len; i-- > 0;)
        for (uint32_t k = 0; k < op->n_args; k++)
            if (op->args[k] && op->args[k]->type && op->args[k]->type->kind == TY_DIST &&
                root_of(x, op->args[k]) == x->contexts.at[i].root)
                return &x->contexts.at[i];
    return x->one_group && x->contexts.len ? &vec_last(&x->contexts) : NULL;
}

/* my_rank and nranks, found or computed here. */
static void set_ranks(Pass *x, Expansion *e)
{
    Program *p = x->p;
    const Context *found = find_context(x, e->op);
    Context c = found ? *found : (Context){x->root.at[e->data], VAR_NONE, VAR_NONE, VAR_NONE};
    if (c.ctx == VAR_NONE)
        c.ctx = comp_let(e, "ctx", ex_opv(p, OP_GET_COMM_CTX, 1, comp_use(e, e->data)));
    if (c.rank == VAR_NONE)
        c.rank = comp_let(e, "my_rank", ex_opv(p, OP_RANK, 1, comp_use(e, c.ctx)));
    if (c.nranks == VAR_NONE)
        c.nranks = comp_let(e, "nranks", ex_opv(p, OP_NRANKS, 1, comp_use(e, c.ctx)));
    e->my_rank = c.rank;
    e->nranks = c.nranks;
    vec_push(&x->contexts, c);
}

static bool check_buffers(Pass *x, const Stmt *s)
{
    const Expr *op = s->value;
    bool push = op->op == OP_ALLGATHER || op->op == OP_ALL_TO_ALL || op->op == OP_ALL_TO_ALL_V;
    if (!push || root_of(x, op->args[0]) != root_of(x, op->args[1]))
        return true;
    diag_error(x->p->diags, s->loc.span, "value", "%s needs different buffers for src and target",
               op_info(op->op)->full);
    x->ok = false;
    return false;
}

static bool is_collective(const Stmt *s)
{
    return (s->kind == ST_LET || s->kind == ST_EXPR) && s->value->kind == EX_OP &&
           op_is_collective(s->value->op);
}

static void expand(Pass *x, const Stmt *s, Block *out)
{
    const Expr *op = s->value;
    cover(x);
    if (!check_buffers(x, s))
        return;
    VarId target = op->args[comp_target_slot(op->op)]->var;
    Expansion e = {.p = x->p,
                   .f = x->f,
                   .op = op,
                   .out = out,
                   .loc = s->loc,
                   .lane = VAR_NONE,
                   .signal = op->args[comp_signal_slot(op->op)]->var,
                   .data = target};
    e.loc.origin = intern(x->p->in, op_info(op->op)->full);
    set_ranks(x, &e);
    comp_expand(&e, false);
    cover(x);
    const Type *t = func_var(x->f, target)->type;
    VarId newest = func_var(x->f, e.data)->type == t ? e.data : target;
    x->root.at[newest] = x->root.at[target];
    if (s->kind != ST_LET)
        return;
    x->renamed.at[s->results[0]] = newest;
    x->root.at[s->results[0]] = x->root.at[target];
    if (newest != target)
        func_var(x->f, newest)->base = func_var(x->f, s->results[0])->base;
}

static void lower_block(Pass *x, Block *b)
{
    Block old = *b;
    uint32_t mark = x->contexts.len;
    *b = (Block){0};
    for (uint32_t i = 0; i < old.len; i++) {
        Stmt *s = old.at[i];
        if (is_collective(s)) {
            expand(x, s, b);
            continue;
        }
        if (s->kind == ST_LET)
            note_let(x, s);
        note_carried(x, s);
        lower_block(x, &s->body);
        lower_block(x, &s->otherwise);
        if (s->kind == ST_YIELD)
            note_yield(x, s);
        avec_push(x->p->arena, b, s);
    }
    x->contexts.len = mark;
}

static void rename_use(void *env, Expr **e)
{
    Pass *x = env;
    while ((*e)->kind == EX_VAR && x->renamed.at[(*e)->var] != VAR_NONE)
        (*e)->var = x->renamed.at[(*e)->var];
}

static void rename_expr(void *env, Expr **e)
{
    expr_walk(e, rename_use, env);
}

static void rename_stmt(void *env, Stmt *s)
{
    stmt_exprs(s, rename_expr, env);
}

bool pass_lower_composite_ops(Program *p)
{
    bool ok = true, one_group = host_single_domain(p);
    for (uint32_t i = 0; i < p->funcs.len; i++) {
        if (p->funcs.at[i]->kind != FN_INCORE)
            continue;
        Pass x = {.p = p, .f = p->funcs.at[i], .one_group = one_group, .ok = true};
        lower_block(&x, &x.f->body);
        cover(&x);
        block_walk(&x.f->body, rename_stmt, &x);
        ok &= x.ok;
        vec_free(&x.root);
        vec_free(&x.renamed);
        vec_free(&x.contexts);
    }
    return ok;
}
