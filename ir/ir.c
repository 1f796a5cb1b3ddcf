/* Walking, copying and comparing IR. */
#include "ir/ir.h"
#include <stddef.h>
#include <string.h>

VarId func_new_var(Program *p, Func *f, Sym base, const Type *type, Span span)
{
    avec_push_long(p->arena, &f->vars,
                   (Var){.base = base, .display = base, .type = type, .span = span});
    return f->vars.len - 1;
}

Func *program_func(const Program *p, Sym name)
{
    for (uint32_t i = 0; i < p->funcs.len; i++)
        if (p->funcs.at[i]->name == name && !func_is_element(p->funcs.at[i]))
            return p->funcs.at[i];
    return NULL;
}

const ElementInfo element_info[EL_COUNT] = {
#define PLD_ELEMENT(ENUM, text, form) [EL_##ENUM] = {text, ELEMENT_##form},
#include "ir/element.def"
};

/* Walkers. */

static void visit(Expr **e, ExprFn *fn, void *env)
{
    if (*e)
        fn(env, e);
}

void stmt_roots(Stmt *s, ExprFn *fn, void *env)
{
    visit(&s->value, fn, env);
    for (uint32_t i = 0; i < s->n_values; i++)
        visit(&s->values[i], fn, env);
    if (!stmt_nests(s))
        return;
    visit(&s->nest->lo, fn, env);
    visit(&s->nest->hi, fn, env);
    visit(&s->nest->step, fn, env);
    visit(&s->nest->cond, fn, env);
    visit(&s->nest->blocks, fn, env);
}

void expr_walk(Expr **e, ExprFn *fn, void *env)
{
    if (*e == NULL)
        return;
    for (uint32_t i = 0; i < (*e)->n_args; i++)
        expr_walk(&(*e)->args[i], fn, env);
    if ((*e)->kind == EX_CALL) {
        expr_walk(&(*e)->device, fn, env);
        expr_walk(&(*e)->cores, fn, env);
        expr_walk(&(*e)->task, fn, env);
    }
    fn(env, e);
}

typedef struct {
    ExprFn *fn;
    void *env;
} Deep;

static void visit_deep(void *env, Expr **e)
{
    const Deep *d = env;
    expr_walk(e, d->fn, d->env);
}

void stmt_exprs(Stmt *s, ExprFn *fn, void *env)
{
    stmt_roots(s, visit_deep, &(Deep){fn, env});
}

void block_walk(Block *b, StmtFn *fn, void *env)
{
    for (uint32_t i = 0; i < b->len; i++) {
        Stmt *s = b->at[i];
        fn(env, s);
        if (!stmt_nests(s))
            continue;
        block_walk(&s->nest->body, fn, env);
        block_walk(&s->nest->otherwise, fn, env);
    }
}

/* The statements read so far make room for those written: `cap` says how many, so that appending
 * more moves the block to new memory. */
void block_rewrite(Block *b, RewriteFn *fn, void *env)
{
    if (!b->len)
        return;
    Block old = *b;
    Rewrite r = {.out = b};
    bool more = true;
    b->len = b->cap = 0;
    for (uint32_t i = 0; i < old.len && more; i++) {
        if (b->at == old.at)
            b->cap = i + 1;
        r.rest = old.at + i + 1;
        r.n_rest = old.len - i - 1;
        more = fn(env, &r, old.at[i]);
    }
    if (b->at == old.at)
        b->cap = old.cap;
}

size_t ex_size(ExprKind kind)
{
    return kind == EX_CALL ? sizeof(Expr) : offsetof(Expr, device);
}

Expr *ex_alloc(Arena *arena, ExprKind kind)
{
    Expr *e = arena_alloc(arena, ex_size(kind));
    e->kind = kind;
    e->var = VAR_NONE;
    return e;
}

Expr *expr_clone(Program *p, const Expr *e)
{
    if (e == NULL)
        return NULL;
    Expr *copy = ex_alloc(p->arena, e->kind);
    memcpy(copy, e, ex_size(e->kind));
    copy->args = e->n_args ? arena_new_n(p->arena, Expr *, e->n_args) : NULL;
    for (uint32_t i = 0; i < e->n_args; i++)
        copy->args[i] = expr_clone(p, e->args[i]);
    if (e->kind == EX_CALL) {
        copy->device = expr_clone(p, e->device);
        copy->cores = expr_clone(p, e->cores);
        copy->task = expr_clone(p, e->task);
    }
    return copy;
}

bool extent_is_world(Sym name)
{
    return strcmp(name, WORLD_EXTENT) == 0;
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
    case EX_ELEMENT: return a->element == b->element && a->vars == b->vars;
    case EX_OP: return a->op == b->op;
    case EX_CALL:
        return a->callee == b->callee && a->sync_start == b->sync_start && a->how == b->how;
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
    return a->kind != EX_CALL || (expr_equal(a->device, b->device) &&
                                  expr_equal(a->cores, b->cores) && expr_equal(a->task, b->task));
}

bool expr_is_int(const Expr *e, int64_t *value)
{
    if (e == NULL || e->kind != EX_INT)
        return false;
    *value = e->ival;
    return true;
}

/* What may be dropped. */

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

/* Is operand 1 a constant that an integer may be divided, or shifted, by without a fault? */
static bool is_safe_operand(const Expr *e, bool shift)
{
    int64_t v;
    if (!expr_is_int(e->args[1], &v))
        return false;
    const Type *type = e->args[0]->type;
    return shift ? v >= 0 && type && v < 8 * (int64_t)dtype_bytes(type->dtype) : v != 0;
}

Expr *op_operand(const Expr *op, Operand name)
{
    int slot = op_slot_of(op->op, name);
    return slot < 0 ? NULL : op->args[slot];
}

const char *op_mode(const Expr *op)
{
    const Expr *mode = op_operand(op, OPERAND_mode);
    return mode ? mode->sym : "";
}

/* Could the op itself fault, its operands being fine? */
static bool op_may_fault(const Expr *e)
{
    uint16_t traits = op_info(e->op)->traits;
    bool ints = e->type && type_is_shaped(e->type) && !dtype_is_float(e->type->dtype);
    if (ints && (traits & TRAIT_DIVIDES))
        return !is_safe_operand(e, false);
    return (traits & TRAIT_FAULTS) || (ints && (traits & TRAIT_INT_FAULTS));
}

static bool may_fault(const Expr *e)
{
    if (e->kind == EX_ELEMENT)
        return true;
    if (e->kind == EX_OP)
        return op_may_fault(e);
    if (e->kind != EX_SCALAR)
        return false;
    bool shift = e->scalar == SC_SHL || e->scalar == SC_SHR;
    bool division = e->scalar == SC_FLOORDIV || e->scalar == SC_MOD;
    return (shift || division) && !is_safe_operand(e, shift);
}

bool expr_is_free(const Expr *e)
{
    if (e == NULL)
        return true;
    if (e->kind == EX_CALL || (e->kind == EX_OP && op_has_effect(e->op)) || may_fault(e))
        return false;
    for (uint32_t i = 0; i < e->n_args; i++)
        if (!expr_is_free(e->args[i]))
            return false;
    return true;
}
