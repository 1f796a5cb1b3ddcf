/* Hoisting. Scalar arithmetic stays nested; an op or call below anything is bound to a name before
 * the statement. Two things need care: an operand that may fault is bound too when something with
 * an effect right of it moves in front of it, and the right side of `and`, `or` and the arms of `a
 * if c else b` run only when they should (an if with a yield, where they hold something that could
 * be noticed). */
#include "lower/flatten.h"
#include "lower/util.h"

static Expr *flatten_operand(Flatten *x, Expr *e, Sym base);

static bool holds_op(const Expr *e)
{
    if (!e)
        return false;
    if (e->kind == EX_OP || e->kind == EX_CALL)
        return true;
    for (uint32_t i = 0; i < e->n_args; i++)
        if (holds_op(e->args[i]))
            return true;
    return false;
}

static VarId temporary(Flatten *x, Sym base, const Type *type, Span span)
{
    Sym name = x->name ? x->name(x->env, base) : base;
    return func_new_var(x->p, x->f, name, type, span);
}

static Expr *bind(Flatten *x, Expr *e, Sym base)
{
    Stmt *let = stmt_new(x->p, ST_LET, x->loc);
    VarId v = temporary(x, base, e->type, e->span);
    let->results = low_vars_dup(x->p, &v, 1);
    let->n_results = 1;
    let->value = e;
    low_push(x->p, x->out, let);
    Expr *use = ex_var(x->p, x->f, v);
    use->span = e->span;
    return use;
}

/* Binds what may fault in an operand, so that it is evaluated here. */
static Expr *pin(Flatten *x, Expr *e, Sym base)
{
    if (!e || expr_is_free(e))
        return e;
    if (e->kind != EX_LIST)
        return bind(x, e, base);
    for (uint32_t i = 0; i < e->n_args; i++)
        e->args[i] = pin(x, e->args[i], base);
    return e;
}

static Sym operand_base(const Expr *e, uint32_t i, Sym base)
{
    if (e->kind == EX_CALL && e->callee && i < e->callee->params.len)
        return func_var(e->callee, e->callee->params.at[i].var)->base;
    return base;
}

static void flatten_args(Flatten *x, Expr *e, Sym base)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < e->n_args; i++)
        if (e->args[i] && holds_op(e->args[i]) && !expr_is_free(e->args[i]))
            last = i;
    for (uint32_t i = 0; i < e->n_args; i++) {
        if (!e->args[i])
            continue;
        Sym name = operand_base(e, i, base);
        e->args[i] = flatten_operand(x, e->args[i], name);
        if (i < last)
            e->args[i] = pin(x, e->args[i], name);
    }
    if (e->kind == EX_CALL && e->device)
        e->device = flatten_operand(x, e->device, intern(x->p->in, "device"));
    if (e->kind == EX_CALL && e->cores)
        e->cores = flatten_operand(x, e->cores, intern(x->p->in, "cores"));
    if (e->kind == EX_CALL && e->task)
        e->task = flatten_operand(x, e->task, intern(x->p->in, "task"));
}

static void yield_value(Flatten *x, Block *arm, Expr *value, VarId result, Sym base)
{
    Flatten in = *x;
    in.out = arm;
    Stmt *y = stmt_new(x->p, ST_YIELD, x->loc);
    y->values = low_exprs_new(x->p, 1);
    y->values[0] = flatten_operand(&in, value, base);
    y->n_values = y->n_results = 1;
    y->results = low_vars_dup(x->p, &result, 1);
    low_push(x->p, arm, y);
}

static Expr *branch(Flatten *x, Expr *cond, Expr *then, Expr *otherwise, const Expr *like, Sym base)
{
    Stmt *s = stmt_new(x->p, ST_IF, x->loc);
    VarId v = temporary(x, base, like->type, like->span);
    s->nest->cond = cond;
    s->n_results = 1;
    s->results = low_vars_dup(x->p, &v, 1);
    yield_value(x, &s->nest->body, then, v, base);
    yield_value(x, &s->nest->otherwise, otherwise, v, base);
    low_push(x->p, x->out, s);
    Expr *use = ex_var(x->p, x->f, v);
    use->span = like->span;
    return use;
}

/* True when something in e->args[from..] must not run unless the operand before says so. */
static bool must_branch(const Expr *e, uint32_t from)
{
    for (uint32_t i = from; i < e->n_args; i++)
        if (holds_op(e->args[i]) && !expr_is_free(e->args[i]))
            return true;
    return false;
}

static Expr *flatten_scalar(Flatten *x, Expr *e, Sym base)
{
    bool lazy = e->scalar == SC_AND || e->scalar == SC_OR || e->scalar == SC_SELECT;
    if (!lazy || !must_branch(e, 1)) {
        flatten_args(x, e, base);
        return e;
    }
    Expr *cond = flatten_operand(x, e->args[0], base);
    if (e->scalar == SC_SELECT)
        return branch(x, cond, e->args[1], e->args[2], e, base);
    if (e->scalar == SC_AND)
        return branch(x, cond, e->args[1], ex_bool(x->p, false), e, base);
    return branch(x, cond, ex_bool(x->p, true), e->args[1], e, base);
}

/* `e` as it may stand below an op: a name, a constant, scalar arithmetic, a list of those. */
static Expr *flatten_operand(Flatten *x, Expr *e, Sym base)
{
    if (!holds_op(e))
        return e;
    if (e->kind == EX_SCALAR)
        return flatten_scalar(x, e, base);
    flatten_args(x, e, base);
    return e->kind == EX_LIST || e->kind == EX_EXTENT ? e : bind(x, e, base);
}

static void flatten_value(Flatten *x, Stmt *s, Sym base)
{
    Expr *e = s->value;
    if (e->kind == EX_OP || e->kind == EX_CALL)
        flatten_args(x, e, base);
    else
        s->value = flatten_operand(x, e, base);
}

static Sym statement_base(Flatten *x, const Stmt *s)
{
    if (s->n_results)
        return func_var(x->f, s->results[0])->base;
    if (s->value->kind == EX_OP)
        return low_op_word(x->p, s->value->op);
    return s->value->kind == EX_CALL ? s->value->callee->name : intern(x->p->in, "value");
}

static Sym value_base(Flatten *x, const Stmt *s, uint32_t i)
{
    if (s->kind == ST_FOR)
        return func_var(x->f, s->nest->iters[i])->base;
    if (s->kind == ST_YIELD && i < s->n_results)
        return func_var(x->f, s->results[i])->base;
    if (s->kind == ST_RETURN && i < x->f->alias.len && x->f->alias.at[i] >= 0)
        return func_var(x->f, x->f->params.at[x->f->alias.at[i]].var)->base;
    return intern(x->p->in, "result");
}

static void flatten_named(Flatten *x, Expr **e, const char *base)
{
    if (*e)
        *e = flatten_operand(x, *e, intern(x->p->in, base));
}

static void flatten_values(Flatten *x, Stmt *s)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < s->n_values; i++)
        if (holds_op(s->values[i]) && !expr_is_free(s->values[i]))
            last = i;
    for (uint32_t i = 0; i < s->n_values; i++) {
        Sym base = value_base(x, s, i);
        s->values[i] = flatten_operand(x, s->values[i], base);
        if (i < last)
            s->values[i] = pin(x, s->values[i], base);
    }
}

void flatten_stmt(Flatten *x, Stmt *s)
{
    x->loc = s->loc;
    if (s->value)
        flatten_value(x, s, statement_base(x, s));
    if (s->kind == ST_FOR) {
        flatten_named(x, &s->nest->lo, "start");
        flatten_named(x, &s->nest->hi, "stop");
        flatten_named(x, &s->nest->step, "step");
    }
    flatten_values(x, s);
    flatten_named(x, &s->nest->cond, "cond");
    low_push(x->p, x->out, s);
}
