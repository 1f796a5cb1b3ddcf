/* Writing the statements of an expansion, in SSA form: what a loop or branch changes is carried. */
#include "lower/composite.h"
#include <string.h>

static Builder builder(Expansion *x)
{
    return (Builder){.p = x->p, .f = x->f, .block = x->out, .loc = x->loc};
}

Expr *comp_use(Expansion *x, VarId v)
{
    return ex_var(x->p, x->f, v);
}

VarId comp_let(Expansion *x, const char *name, Expr *value)
{
    Builder b = builder(x);
    return build_let(&b, intern(x->p->in, name), value);
}

void comp_do(Expansion *x, Expr *value)
{
    Builder b = builder(x);
    build_expr(&b, value);
}

void comp_phase(Expansion *x, Phase phase)
{
    x->loc.phase = phase;
}

Expr *comp_i32(Expansion *x, int64_t v)
{
    return ex_int(x->p, DT_INT32, v);
}

static VarId *one_var(Expansion *x, VarId v)
{
    VarId *at = arena_new(x->p->arena, VarId);
    *at = v;
    return at;
}

static Expr **one_expr(Expansion *x, VarId v)
{
    Expr **at = arena_new(x->p->arena, Expr *);
    *at = comp_use(x, v);
    return at;
}

/* Another version of a variable. */
static VarId again(Expansion *x, VarId v)
{
    const Var *old = func_var(x->f, v);
    return func_new_var(x->p, x->f, old->base, old->type, x->loc.span);
}

Carry comp_for(Expansion *x, const char *index, Expr *lo, Expr *hi, VarId carried)
{
    Builder b = builder(x);
    Carry c = {.outer = x->out, .before = carried, .inside = VAR_NONE};
    c.stmt = build_for(&b, intern(x->p->in, index), lo, hi);
    if (carried != VAR_NONE) {
        c.inside = again(x, carried);
        c.stmt->n_values = 1;
        c.stmt->values = one_expr(x, carried);
        c.stmt->nest->iters = one_var(x, c.inside);
    }
    x->out = &c.stmt->nest->body;
    return c;
}

Expr *comp_index(Expansion *x, const Carry *loop)
{
    return comp_use(x, loop->stmt->nest->index);
}

Carry comp_if(Expansion *x, Expr *cond, VarId carried)
{
    Builder b = builder(x);
    Carry c = {.outer = x->out, .before = carried, .inside = carried};
    c.stmt = build_if(&b, cond);
    x->out = &c.stmt->nest->body;
    return c;
}

Carry comp_if_other(Expansion *x, Expr *rank, VarId carried)
{
    return comp_if(x, ex_scalar(x->p, SC_NE, rank, comp_use(x, x->my_rank)), carried);
}

static void yield(Expansion *x, Block *out, VarId result, VarId value)
{
    Stmt *s = stmt_new(x->p, ST_YIELD, x->loc);
    s->n_results = s->n_values = 1;
    s->results = one_var(x, result);
    s->values = one_expr(x, value);
    avec_push(x->p->arena, out, s);
}

VarId comp_end(Expansion *x, Carry *c, VarId last)
{
    VarId result = VAR_NONE;
    if (c->before != VAR_NONE) {
        result = again(x, c->before);
        c->stmt->n_results = 1;
        c->stmt->results = one_var(x, result);
        yield(x, &c->stmt->nest->body, result, last);
        if (c->stmt->kind == ST_IF)
            yield(x, &c->stmt->nest->otherwise, result, c->before);
    }
    x->out = c->outer;
    return result;
}

void comp_check_ranks(Expansion *x, const Dim *rows, const char *message)
{
    int64_t v;
    if (dim_is_const(rows, &v) && x->p->ranks_bound && v == x->p->ranks)
        return;
    Expr *same = ex_scalar(x->p, SC_EQ, comp_use(x, x->nranks), ex_dim(x->p, rows));
    Sym text = internf(x->p->in, "%s needs %s", op_info(x->op->op)->full, message);
    comp_do(x, ex_opv(x->p, OP_CHECK, 2, same, ex_str(x->p, text)));
}

int comp_target_slot(OpId op)
{
    return op_info(op)->result == RES_ARG1 ? 1 : 0;
}

int comp_signal_slot(OpId op)
{
    return op_slot_of_kind(op, SLOT_SIGNAL);
}

/* The builtin that a call is expanded to. */
static Builtin builtin_of(const Expr *op)
{
    Builtin found = BUILTIN_COUNT;
    builtin_from_call(op_info(op->op)->full, op_mode(op), &found);
    return found;
}

void comp_begin(Expansion *x)
{
    avec_push(x->p->arena, &x->f->sites, builtin_of(x->op));
    x->loc.site = x->f->sites.len;
}

void comp_expand(Expansion *x, bool host)
{
    switch (x->f->sites.at[x->loc.site - 1]) {
    case BUILTIN_BARRIER: comp_expand_barrier(x); break;
    case BUILTIN_BROADCAST: comp_expand_broadcast(x); break;
    case BUILTIN_REDUCE_SCATTER: comp_expand_reduce_scatter(x); break;
    case BUILTIN_ALLGATHER: comp_expand_allgather(x); break;
    case BUILTIN_ALL_TO_ALL: comp_expand_all_to_all(x); break;
    case BUILTIN_ALL_TO_ALL_V: comp_expand_all_to_all_v(x); break;
    case BUILTIN_RING: comp_expand_ring(x, host); break;
    case BUILTIN_MESH: comp_expand_mesh(x); break;
    case BUILTIN_COUNT: break;
    }
}
