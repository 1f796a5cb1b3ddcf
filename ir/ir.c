/* Walking, copying and comparing IR. */
#include "ir/ir.h"
#include <string.h>

VarId func_new_var(Program *p, Func *f, Sym base, const Type *type, Span span)
{
    avec_push(p->arena, &f->vars, (Var){.base = base, .display = base, .type = type, .span = span});
    return f->vars.len - 1;
}

Func *program_func(const Program *p, Sym name)
{
    for (uint32_t i = 0; i < p->funcs.len; i++)
        if (p->funcs.at[i]->name == name && p->funcs.at[i]->pure == NULL)
            return p->funcs.at[i];
    return NULL;
}

/* Walkers. */

static void visit(Expr **e, ExprFn *fn, void *env)
{
    if (*e)
        fn(env, e);
}

void stmt_exprs(Stmt *s, ExprFn *fn, void *env)
{
    visit(&s->value, fn, env);
    visit(&s->lo, fn, env);
    visit(&s->hi, fn, env);
    visit(&s->step, fn, env);
    visit(&s->cond, fn, env);
    for (uint32_t i = 0; i < s->n_values; i++)
        visit(&s->values[i], fn, env);
}

void expr_walk(Expr **e, ExprFn *fn, void *env)
{
    if (*e == NULL)
        return;
    for (uint32_t i = 0; i < (*e)->n_args; i++)
        expr_walk(&(*e)->args[i], fn, env);
    expr_walk(&(*e)->device, fn, env);
    expr_walk(&(*e)->cores, fn, env);
    fn(env, e);
}

void block_walk(Block *b, StmtFn *fn, void *env)
{
    for (uint32_t i = 0; i < b->len; i++) {
        Stmt *s = b->at[i];
        fn(env, s);
        block_walk(&s->body, fn, env);
        block_walk(&s->otherwise, fn, env);
    }
}

Expr *expr_clone(Program *p, const Expr *e)
{
    if (e == NULL)
        return NULL;
    Expr *copy = arena_new(p->arena, Expr);
    *copy = *e;
    copy->args = e->n_args ? arena_new_n(p->arena, Expr *, e->n_args) : NULL;
    for (uint32_t i = 0; i < e->n_args; i++)
        copy->args[i] = expr_clone(p, e->args[i]);
    copy->device = expr_clone(p, e->device);
    copy->cores = expr_clone(p, e->cores);
    return copy;
}

/* Comparison. */

/* Equal apart from operands. */
static bool same_node(const Expr *a, const Expr *b)
{
    if (a->kind != b->kind || a->type != b->type || a->n_args != b->n_args)
        return false;
    switch (a->kind) {
    case EX_INT:
    case EX_BOOL: return a->ival == b->ival;
    case EX_FLOAT: return memcmp(&a->fval, &b->fval, sizeof a->fval) == 0;
    case EX_VAR: return a->var == b->var;
    case EX_EXTENT:
    case EX_STR: return a->sym == b->sym;
    case EX_SCALAR: return a->scalar == b->scalar && (a->scalar != SC_CAST || a->dtype == b->dtype);
    case EX_OP: return a->op == b->op;
    case EX_CALL: return a->callee == b->callee;
    case EX_LIST: return true;
    case EX_ENUM: return a->enum_type == b->enum_type && a->ival == b->ival;
    case EX_DTYPE: return a->dtype == b->dtype;
    }
    return false;
}

bool expr_equal(const Expr *a, const Expr *b)
{
    if (a == b || a == NULL || b == NULL)
        return a == b;
    if (!same_node(a, b))
        return false;
    for (uint32_t i = 0; i < a->n_args; i++)
        if (!expr_equal(a->args[i], b->args[i]))
            return false;
    return expr_equal(a->device, b->device) && expr_equal(a->cores, b->cores);
}

bool expr_is_int(const Expr *e, int64_t *value)
{
    if (e == NULL || e->kind != EX_INT)
        return false;
    *value = e->ival;
    return true;
}

/* Purity. */

bool expr_is_pure(const Expr *e)
{
    if (e == NULL)
        return true;
    if (e->kind == EX_CALL || (e->kind == EX_OP && op_has_effect(e->op)))
        return false;
    for (uint32_t i = 0; i < e->n_args; i++)
        if (!expr_is_pure(e->args[i]))
            return false;
    return true;
}

/* The value of a constant that `//` or a shift may use without a fault. */
static bool safe_operand(const Expr *e, bool is_shift)
{
    int64_t v;
    if (!expr_is_int(e->args[1], &v))
        return false;
    if (!is_shift)
        return v != 0;
    const Type *type = e->args[0]->type;
    return v >= 0 && type && v < 8 * (int64_t)dtype_bytes(type->dtype);
}

static bool divides_integers(const Expr *e)
{
    bool division = e->op == OP_TILE_DIV || e->op == OP_TILE_RDIV || e->op == OP_TENSOR_DIV ||
                    e->op == OP_TENSOR_RDIV;
    return division && e->type && type_is_shaped(e->type) && !dtype_is_float(e->type->dtype);
}

/* Could this node itself fault, its operands being fine? */
static bool may_fault(const Expr *e)
{
    if (e->kind == EX_OP && divides_integers(e))
        return e->op == OP_TILE_RDIV || e->op == OP_TENSOR_RDIV || !safe_operand(e, false);
    if (e->kind != EX_SCALAR)
        return false;
    switch (e->scalar) {
    case SC_FLOORDIV:
    case SC_MOD: return !safe_operand(e, false);
    case SC_SHL:
    case SC_SHR: return !safe_operand(e, true);
    default: return false;
    }
}

static bool never_faults(const Expr *e)
{
    if (e == NULL)
        return true;
    if (may_fault(e))
        return false;
    for (uint32_t i = 0; i < e->n_args; i++)
        if (!never_faults(e->args[i]))
            return false;
    return true;
}

bool expr_is_total(const Expr *e)
{
    return expr_is_pure(e) && never_faults(e);
}
