#include "lower/util.h"
#include <string.h>

static void visit(ExprFn *fn, void *env, Expr **e)
{
    if (*e)
        fn(env, e);
}

void low_roots(Stmt *s, ExprFn *fn, void *env)
{
    visit(fn, env, &s->value);
    for (uint32_t i = 0; i < s->n_values; i++)
        visit(fn, env, &s->values[i]);
    if (s->kind == ST_FOR) {
        visit(fn, env, &s->lo);
        visit(fn, env, &s->hi);
        visit(fn, env, &s->step);
    }
    visit(fn, env, &s->cond);
}

typedef struct {
    ExprFn *fn;
    void *env;
} Deep;

static void visit_deep(void *env, Expr **e)
{
    Deep *d = env;
    expr_walk(e, d->fn, d->env);
}

void low_exprs(Stmt *s, ExprFn *fn, void *env)
{
    Deep d = {fn, env};
    low_roots(s, visit_deep, &d);
}

void low_push(Program *p, Block *b, Stmt *s)
{
    avec_push(p->arena, b, s);
}

VarId *low_vars_dup(Program *p, const VarId *vars, uint32_t n)
{
    VarId *copy = arena_new_n(p->arena, VarId, n);
    if (n)
        memcpy(copy, vars, n * sizeof *vars);
    return copy;
}

Expr **low_exprs_new(Program *p, uint32_t n)
{
    return arena_new_n(p->arena, Expr *, n);
}

bool low_diverges(const Stmt *s)
{
    switch (s->kind) {
    case ST_BREAK:
    case ST_CONTINUE:
    case ST_RETURN: return true;
    case ST_IF: return low_block_diverges(&s->body) && low_block_diverges(&s->otherwise);
    default: return false;
    }
}

bool low_block_diverges(const Block *b)
{
    return b->len && low_diverges(vec_last(b));
}

Stmt *low_end_yield(const Block *b)
{
    return b->len && vec_last(b)->kind == ST_YIELD ? vec_last(b) : NULL;
}

Sym low_op_word(Program *p, OpId op)
{
    const char *full = op_info(op)->full;
    const char *dot = strrchr(full, '.');
    return intern(p->in, dot ? dot + 1 : full);
}

OpId low_stmt_op(const Stmt *s)
{
    return s->value && s->value->kind == EX_OP ? s->value->op : OPCODE_COUNT;
}

Expr *low_slot(const Expr *op, const char *name)
{
    int i = op_slot(op->op, name);
    return i >= 0 && (uint32_t)i < op->n_args ? op->args[i] : NULL;
}

void low_set_slot(Expr *op, const char *name, Expr *value)
{
    int i = op_slot(op->op, name);
    if (i >= 0 && (uint32_t)i < op->n_args)
        op->args[i] = value;
}

/* Tile arithmetic on integers faults on a zero divisor; memory reads fault out of bounds. */
static bool op_is_free(const Expr *e)
{
    switch (e->op) {
    case OP_ALLOC_WINDOW_BUFFER:
    case OP_WINDOW:
    case OP_TENSOR_ROW: return false;
    case OP_TILE_DIV:
    case OP_TILE_RDIV: return e->type && dtype_is_float(e->type->dtype);
    default: break;
    }
    const OpInfo *info = op_info(e->op);
    for (uint32_t i = 0; i < info->n_slots; i++)
        if (info->slots[i].effects)
            return false;
    return !op_has_effect(e->op) && info->result != RES_NONE;
}

bool low_is_free(const Expr *e)
{
    if (!e)
        return true;
    if (e->kind == EX_CALL || (e->kind == EX_OP && !op_is_free(e)))
        return false;
    if (e->kind == EX_SCALAR && (e->scalar == SC_FLOORDIV || e->scalar == SC_MOD ||
                                 e->scalar == SC_SHL || e->scalar == SC_SHR)) {
        int64_t b, width = e->args[0]->type ? 8 * (int64_t)dtype_bytes(e->args[0]->type->dtype) : 0;
        bool division = e->scalar == SC_FLOORDIV || e->scalar == SC_MOD;
        if (!expr_is_int(e->args[1], &b) || (division ? b == 0 : b < 0 || b >= width))
            return false;
    }
    for (uint32_t i = 0; i < e->n_args; i++)
        if (!low_is_free(e->args[i]))
            return false;
    return true;
}

static Expr *clone_or_null(Program *p, const Expr *e)
{
    return e ? expr_clone(p, e) : NULL;
}

static void clone_block(Program *p, Block *to, const Block *from)
{
    for (uint32_t i = 0; i < from->len; i++)
        low_push(p, to, low_stmt_clone(p, from->at[i]));
}

Stmt *low_stmt_clone(Program *p, const Stmt *s)
{
    Stmt *c = stmt_new(p, s->kind, s->loc);
    c->n_results = s->n_results;
    c->results = low_vars_dup(p, s->results, s->n_results);
    c->value = clone_or_null(p, s->value);
    c->n_values = s->n_values;
    c->values = low_exprs_new(p, s->n_values);
    for (uint32_t i = 0; i < s->n_values; i++)
        c->values[i] = expr_clone(p, s->values[i]);
    c->loop = s->loop;
    c->index = s->index;
    c->lo = clone_or_null(p, s->lo);
    c->hi = clone_or_null(p, s->hi);
    c->step = clone_or_null(p, s->step);
    if (s->kind == ST_FOR)
        c->iters = low_vars_dup(p, s->iters, s->n_values);
    c->cond = clone_or_null(p, s->cond);
    clone_block(p, &c->body, &s->body);
    clone_block(p, &c->otherwise, &s->otherwise);
    return c;
}

bool low_const(const Expr *e, int64_t *value)
{
    if (expr_is_int(e, value))
        return true;
    if (e->kind == EX_BOOL) {
        *value = e->ival;
        return true;
    }
    if (e->kind != EX_SCALAR || e->scalar == SC_CAST || e->n_args > 3 || !e->type)
        return false;
    int64_t args[3];
    for (uint32_t i = 0; i < e->n_args; i++)
        if (!low_const(e->args[i], &args[i]) || !e->args[i]->type)
            return false;
    return scalar_apply(e, args, value);
}

uint32_t low_stmt_count(const Block *b)
{
    uint32_t n = b->len;
    for (uint32_t i = 0; i < b->len; i++)
        n += low_stmt_count(&b->at[i]->body) + low_stmt_count(&b->at[i]->otherwise);
    return n;
}

typedef struct {
    Program *p;
    Func *f;
    bool good;
} Check;

static void check_op(void *env, Expr **e)
{
    Check *c = env;
    if (!c->good || (*e)->kind != EX_OP)
        return;
    const Type *t = infer_op(c->p, *e, c->f->kind);
    if (!t)
        c->good = false;
    else if (!(*e)->type || (*e)->type->mem == MEM_UNSET)
        (*e)->type = t;
}

static void check_stmt(void *env, Stmt *s)
{
    low_exprs(s, check_op, env);
}

bool low_check_ops(Program *p, Func *f)
{
    Check c = {p, f, true};
    block_walk(&f->body, check_stmt, &c);
    return c.good;
}

Expr *low_zeros(Program *p, uint32_t n)
{
    Expr *items[MAX_RANK];
    for (uint32_t i = 0; i < n && i < MAX_RANK; i++)
        items[i] = ex_index(p, 0);
    return ex_list(p, items, n);
}

Expr *low_shape(Program *p, const Type *t)
{
    Expr *items[MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++)
        items[i] = ex_dim(p, t->dims[i]);
    return ex_list(p, items, t->rank);
}
