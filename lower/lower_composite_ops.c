/* Pass 09: collectives in InCore code become notify, wait, transfers, tile ops and loops.
 *
 * A communication context, rank and rank count of the same window that the function has at hand are
 * used again, and those of any window where the whole program works in one group. Requires flat SSA
 * form, and keeps it. The result of a collective is the memory that it updates, so later uses of
 * the result become uses of the newest name of that memory. */
#include "lower/composite.h"
#include "lower/device_set.h"
#include "lower/one_buffer.h"
#include "lower/pass.h"
#include "lower/util.h"

/* What is known where the walk stands: the context of a window, and its rank and rank count. */
typedef struct {
    AliasNode root; /* of the window's memory */
    VarId ctx, rank, nranks;
    Block *block; /* where the last of them is bound */
} Context;

typedef struct {
    Program *p;
    Func *f;
    const FuncAlias *memory; /* of the function as it was */
    VEC(VarId) renamed;      /* per variable: the name that took its place, or VAR_NONE */
    VEC(Context) whole;      /* bound in the function's own block: they hold to its end */
    VEC(Context) inner;      /* bound in the blocks around the place, innermost last */
    VarId last_made;         /* last name that this pass bound at the begin of the function */
    bool one_group;          /* every context of the program means the same ranks */
    bool ok;
} Pass;

static void cover(Pass *x)
{
    while (x->renamed.len < x->f->vars.len)
        vec_push(&x->renamed, VAR_NONE);
}

static AliasNode root_of(const Pass *x, const Expr *e)
{
    return e && e->kind == EX_VAR ? alias_root(x->memory, e->var) : ALIAS_NONE;
}

static void remember(Pass *x, Context c)
{
    if (c.block == &x->f->body)
        vec_push(&x->whole, c);
    else
        vec_push(&x->inner, c);
}

/* Contexts around the place, newest first: number `i` of them, or NULL. */
static const Context *context_at(const Pass *x, uint32_t i)
{
    if (i < x->inner.len)
        return &x->inner.at[x->inner.len - 1 - i];
    i -= x->inner.len;
    return i < x->whole.len ? &x->whole.at[x->whole.len - 1 - i] : NULL;
}

static void note_context(Pass *x, const Stmt *s, Block *b)
{
    const Expr *e = s->value;
    const Context *found;
    if (e->kind != EX_OP || s->n_results != 1)
        return;
    if (e->op == OP_GET_COMM_CTX)
        remember(x, (Context){root_of(x, e->args[0]), s->results[0], VAR_NONE, VAR_NONE, b});
    if (e->op != OP_RANK && e->op != OP_NRANKS)
        return;
    for (uint32_t i = 0; (found = context_at(x, i)) != NULL; i++) {
        if (e->args[0]->kind != EX_VAR || found->ctx != e->args[0]->var)
            continue;
        Context c = *found;
        *(e->op == OP_RANK ? &c.rank : &c.nranks) = s->results[0];
        c.block = b;
        remember(x, c);
        return;
    }
}

static bool is_of_call(const Pass *x, const Context *c, const Expr *op)
{
    for (uint32_t k = 0; k < op->n_args; k++) {
        const Expr *arg = op->args[k];
        if (arg && arg->type && arg->type->kind == TY_DIST && root_of(x, arg) == c->root)
            return true;
    }
    return false;
}

static const Context *find_context(const Pass *x, const Expr *op)
{
    const Context *c;
    for (uint32_t i = 0; (c = context_at(x, i)) != NULL; i++)
        if (is_of_call(x, c, op))
            return c;
    return x->one_group ? context_at(x, 0) : NULL;
}

/* The parameter that is the memory of a node, or VAR_NONE. */
static VarId param_of(const Pass *x, AliasNode root)
{
    for (uint32_t i = 0; i < x->f->params.len; i++)
        if (alias_node(x->memory, x->f->params.at[i].var) == root)
            return x->f->params.at[i].var;
    return VAR_NONE;
}

static bool binds(const Stmt *s, VarId v)
{
    return s->kind == ST_LET && s->n_results == 1 && s->results[0] == v;
}

/* `name = value` behind the statement of `b` that binds `after`, at its begin for VAR_NONE. */
static VarId insert(Expansion *e, Block *b, VarId after, const char *name, Expr *value)
{
    Block scratch = {0}, *out = e->out;
    uint32_t at = 0;
    e->out = &scratch;
    VarId v = comp_let(e, name, value);
    e->out = out;
    while (after != VAR_NONE && at < b->len && !binds(b->at[at], after))
        at++;
    if (after != VAR_NONE && at < b->len)
        at++;
    avec_push(e->p->arena, b, scratch.at[0]);
    for (uint32_t i = b->len - 1; i > at; i--)
        b->at[i] = b->at[i - 1];
    b->at[at] = scratch.at[0];
    return v;
}

/* The context of the call, made at the begin of the function where there is none: that is where a
 * hand written kernel has it, and the next call finds it there. */
static Context context_of(Pass *x, Expansion *e)
{
    const Context *found = find_context(x, e->op);
    if (found)
        return *found;
    Context c = {alias_root(x->memory, e->data), VAR_NONE, VAR_NONE, VAR_NONE, e->out};
    VarId param = param_of(x, c.root), view = param == VAR_NONE ? e->data : param;
    Expr *value = ex_opv(x->p, OP_GET_COMM_CTX, 1, comp_use(e, view));
    if (param == VAR_NONE) {
        c.ctx = comp_let(e, "ctx", value);
        return c;
    }
    c.block = &x->f->body;
    c.ctx = insert(e, c.block, x->last_made, "ctx", value);
    c.rank = insert(e, c.block, c.ctx, "my_rank", ex_opv(x->p, OP_RANK, 1, comp_use(e, c.ctx)));
    c.nranks = insert(e, c.block, c.rank, "nranks", ex_opv(x->p, OP_NRANKS, 1, comp_use(e, c.ctx)));
    x->last_made = c.nranks;
    return c;
}

/* my_rank and nranks, found or computed beside the context. */
static void set_ranks(Pass *x, Expansion *e)
{
    Context c = context_of(x, e);
    if (c.rank == VAR_NONE) {
        Expr *value = ex_opv(x->p, OP_RANK, 1, comp_use(e, c.ctx));
        c.rank = insert(e, c.block, c.ctx, "my_rank", value);
    }
    if (c.nranks == VAR_NONE) {
        Expr *value = ex_opv(x->p, OP_NRANKS, 1, comp_use(e, c.ctx));
        c.nranks = insert(e, c.block, c.rank, "nranks", value);
    }
    e->my_rank = c.rank;
    e->nranks = c.nranks;
    remember(x, c);
}

static bool check_buffers(Pass *x, const Stmt *s)
{
    const Expr *op = s->value;
    const Expr *src = op_operand(op, OPERAND_src), *target = op_operand(op, OPERAND_target);
    if (!src || root_of(x, src) != root_of(x, target))
        return true;
    diag_error(x->p->diags, s->loc.span, "value", "%s needs different buffers for src and target",
               op_info(op->op)->full);
    x->ok = false;
    return false;
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
    set_ranks(x, &e);
    comp_begin(&e);
    comp_expand(&e, false);
    cover(x);
    const Type *t = func_var(x->f, target)->type;
    VarId newest = func_var(x->f, e.data)->type == t ? e.data : target;
    if (s->kind != ST_LET)
        return;
    x->renamed.at[s->results[0]] = newest;
    if (newest != target)
        func_var(x->f, newest)->base = func_var(x->f, s->results[0])->base;
}

static void lower_block(Pass *x, Block *b);

static bool lower_stmt(void *env, Rewrite *r, Stmt *s)
{
    Pass *x = env;
    if (low_is_collective(s)) {
        expand(x, s, r->out);
        return true;
    }
    if (s->kind == ST_LET)
        note_context(x, s, r->out);
    lower_block(x, &s->nest->body);
    lower_block(x, &s->nest->otherwise);
    low_push(x->p, r->out, s);
    return true;
}

static void lower_block(Pass *x, Block *b)
{
    uint32_t mark = x->inner.len;
    block_rewrite(b, lower_stmt, x);
    x->inner.len = mark;
}

static void rename_use(void *env, Expr **e)
{
    Pass *x = env;
    while ((*e)->kind == EX_VAR && x->renamed.at[(*e)->var] != VAR_NONE)
        (*e)->var = x->renamed.at[(*e)->var];
}

static void rename_stmt(void *env, Stmt *s)
{
    stmt_exprs(s, rename_use, env);
}

bool pass_lower_composite_ops(Program *p)
{
    bool ok = low_one_buffer(p), one_group = device_sets_agree(p);
    Aliases aliases = {.p = p};
    for (uint32_t i = 0; i < p->funcs.len; i++) {
        if (p->funcs.at[i]->kind != FN_INCORE || p->funcs.at[i]->untouched)
            continue;
        Pass x = {
            .p = p, .f = p->funcs.at[i], .last_made = VAR_NONE, .one_group = one_group, .ok = true};
        x.memory = alias_of(&aliases, x.f);
        lower_block(&x, &x.f->body);
        cover(&x);
        block_walk(&x.f->body, rename_stmt, &x);
        ok &= x.ok;
        vec_free(&x.renamed);
        vec_free(&x.whole);
        vec_free(&x.inner);
    }
    alias_free(&aliases);
    return ok;
}
