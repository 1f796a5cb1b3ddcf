#include "lower/util.h"
#include <string.h>

void low_push(Program *p, Block *b, Stmt *s)
{
    avec_push(p->arena, b, s);
}

void low_push_all(Program *p, Block *to, const Block *from)
{
    for (uint32_t i = 0; i < from->len; i++)
        low_push(p, to, from->at[i]);
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
    case ST_IF:
        return low_block_diverges(&s->nest->body) && low_block_diverges(&s->nest->otherwise);
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
    return intern(p->in, op_word(op));
}

OpId low_stmt_op(const Stmt *s)
{
    return s->value && s->value->kind == EX_OP ? s->value->op : OPCODE_COUNT;
}

static void clone_block(Program *p, Block *to, const Block *from)
{
    for (uint32_t i = 0; i < from->len; i++)
        low_push(p, to, low_stmt_clone(p, from->at[i]));
}

static void clone_nest(Program *p, Stmt *c, const Stmt *s)
{
    const StmtNest *from = s->nest;
    StmtNest *to = c->nest;
    to->hint = from->hint;
    to->blocks = expr_clone(p, from->blocks);
    to->sync_start = from->sync_start;
    to->loop = from->loop;
    to->index = from->index;
    to->lo = expr_clone(p, from->lo);
    to->hi = expr_clone(p, from->hi);
    to->step = expr_clone(p, from->step);
    if (s->kind == ST_FOR)
        to->iters = low_vars_dup(p, from->iters, s->n_values);
    to->cond = expr_clone(p, from->cond);
    clone_block(p, &to->body, &from->body);
    clone_block(p, &to->otherwise, &from->otherwise);
}

Stmt *low_stmt_clone(Program *p, const Stmt *s)
{
    Stmt *c = stmt_new(p, s->kind, s->loc);
    c->n_results = s->n_results;
    c->results = low_vars_dup(p, s->results, s->n_results);
    c->value = expr_clone(p, s->value);
    c->n_values = s->n_values;
    c->values = low_exprs_new(p, s->n_values);
    for (uint32_t i = 0; i < s->n_values; i++)
        c->values[i] = expr_clone(p, s->values[i]);
    if (stmt_nests(s))
        clone_nest(p, c, s);
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
        n += low_stmt_count(&b->at[i]->nest->body) + low_stmt_count(&b->at[i]->nest->otherwise);
    return n;
}

typedef struct {
    Program *p;
    FuncKind level; /* of the code at hand */
    bool good;
} OpCheck;

static void check_op(void *env, Expr **e)
{
    OpCheck *c = env;
    if (!c->good || (*e)->kind != EX_OP)
        return;
    const Type *t = infer_op(c->p, *e, c->level);
    if (!t)
        c->good = false;
    else if (!(*e)->type || (*e)->type->mem == MEM_UNSET)
        (*e)->type = t;
}

static void check_block(OpCheck *c, Block *b)
{
    for (uint32_t i = 0; i < b->len; i++) {
        Stmt *s = b->at[i];
        FuncKind level = c->level;
        stmt_exprs(s, check_op, c);
        c->level = s->kind == ST_SCOPE ? FN_INCORE : level;
        check_block(c, &s->nest->body);
        check_block(c, &s->nest->otherwise);
        c->level = level;
    }
}

bool low_check_ops(Program *p, Func *f)
{
    OpCheck c = {p, f->kind, true};
    check_block(&c, &f->body);
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
