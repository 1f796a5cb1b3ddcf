/* Which variables name one memory. All values of a window or tensor in a function usually do: an
 * op's result is its destination, and loops carry it around. Such a group needs one register and no
 * moves; only where different memories meet (x if c else y) are memory registers assigned at run
 * time. */
#include "codegen/emitter.h"

static bool names_memory(const Type *t)
{
    return type_is_memory(t) || t->kind == TY_BUFFER || t->kind == TY_CTX;
}

uint32_t emit_group(FuncEmit *fe, VarId v)
{
    while (fe->group[v] != v)
        v = fe->group[v] = fe->group[fe->group[v]];
    return v;
}

static void join(FuncEmit *fe, VarId a, VarId b)
{
    a = emit_group(fe, a);
    b = emit_group(fe, b);
    if (a == b)
        return;
    uint32_t lower = a < b ? a : b, higher = a < b ? b : a;
    fe->group[higher] = lower;
    fe->definers[lower] += fe->definers[higher];
}

static void join_expr(FuncEmit *fe, VarId v, const Expr *e)
{
    if (e && e->kind == EX_VAR && names_memory(func_var(fe->f, v)->type))
        join(fe, v, e->var);
}

/* The operand whose memory an op's result is, or NULL. */
static const Expr *aliased(const Expr *e)
{
    switch (op_info(e->op)->result) {
    case RES_ARG0: return e->args[0];
    case RES_ARG1: return e->args[1];
    case RES_ARG2: return e->args[2];
    case RES_CTX: return e->args[0];
    default: return NULL;
    }
}

int32_t emit_alias(const Func *callee, uint32_t result)
{
    return result < callee->alias.len ? callee->alias.at[result] : -1;
}

static void group_let(FuncEmit *fe, const Stmt *s)
{
    const Expr *e = s->value;
    for (uint32_t i = 0; i < s->n_results; i++) {
        VarId v = s->results[i];
        if (!names_memory(func_var(fe->f, v)->type))
            continue;
        const Expr *from = e;
        if (e->kind == EX_CALL) {
            int32_t alias = emit_alias(e->callee, i);
            from = alias >= 0 ? e->args[alias] : NULL;
        } else if (e->kind == EX_OP) {
            from = aliased(e);
        }
        if (from)
            join_expr(fe, v, from);
        else
            fe->definers[emit_group(fe, v)]++;
    }
}

static void group_signal(FuncEmit *fe, const Expr *e)
{
    uint64_t callee;
    if (e->kind == EX_OP && (e->op == OP_NOTIFY || e->op == OP_WAIT)) {
        if (e->args[0]->kind == EX_VAR)
            fe->signals[e->args[0]->var] = true;
    } else if (e->kind == EX_CALL && map_get_ptr(&fe->em->func_index, e->callee, &callee)) {
        const BcParam *params = fe->em->params[callee];
        for (uint32_t i = 0; params && i < e->n_args; i++) {
            if (params[i].signal && e->args[i]->kind == EX_VAR)
                fe->signals[e->args[i]->var] = true;
        }
    }
}

static void group_block(FuncEmit *fe, const Block *b, const Stmt *owner, const Stmt *loop);

static void group_stmt(FuncEmit *fe, const Stmt *s, const Stmt *next, const Stmt *owner,
                       const Stmt *loop)
{
    bool jump = next && (next->kind == ST_BREAK || next->kind == ST_CONTINUE);
    const Stmt *target = jump ? loop : owner;
    switch (s->kind) {
    case ST_LET:
        group_let(fe, s);
        group_signal(fe, s->value);
        break;
    case ST_EXPR: group_signal(fe, s->value); break;
    case ST_YIELD:
        for (uint32_t i = 0; target && i < s->n_values && i < target->n_results; i++)
            join_expr(fe, target->results[i], s->values[i]);
        break;
    case ST_FOR:
        for (uint32_t i = 0; i < s->n_values; i++) {
            join_expr(fe, s->iters[i], s->values[i]);
            if (names_memory(func_var(fe->f, s->iters[i])->type))
                join(fe, s->iters[i], s->results[i]);
        }
        group_block(fe, &s->body, s, s);
        break;
    case ST_IF:
        group_block(fe, &s->body, s, loop);
        group_block(fe, &s->otherwise, s, loop);
        break;
    default: break;
    }
}

static void group_block(FuncEmit *fe, const Block *b, const Stmt *owner, const Stmt *loop)
{
    for (uint32_t i = 0; i < b->len; i++)
        group_stmt(fe, b->at[i], i + 1 < b->len ? b->at[i + 1] : NULL, owner, loop);
}

void emit_group_memory(FuncEmit *fe)
{
    const Func *f = fe->f;
    for (uint32_t i = 0; i < f->vars.len; i++) {
        fe->group[i] = i;
        fe->group_reg[i] = fe->var_reg[i] = NO_VREG;
    }
    for (uint32_t i = 0; i < f->params.len; i++)
        fe->definers[f->params.at[i].var]++;
    group_block(fe, &f->body, NULL, NULL);
    for (uint32_t i = 0; i < f->vars.len; i++) {
        if (fe->signals[i])
            fe->signals[emit_group(fe, i)] = true;
    }
}

bool emit_one_memory(FuncEmit *fe, VarId v)
{
    return fe->definers[emit_group(fe, v)] == 1;
}

static uint32_t type_index(FuncEmit *fe, BcMreg m)
{
    for (uint32_t i = 0; i < fe->mem_types.len; i++) {
        const BcMreg *t = &fe->mem_types.at[i];
        if (t->kind == m.kind && t->dtype == m.dtype && t->rank == m.rank)
            return i;
    }
    vec_push(&fe->mem_types, m);
    return fe->mem_types.len - 1;
}

BcMreg emit_mem_type(const Type *t)
{
    if (!type_is_memory(t))
        return (BcMreg){.kind = BCM_BUFFER};
    return (BcMreg){.kind = t->kind == TY_DIST ? BCM_WINDOW : BCM_TENSOR,
                    .dtype = (uint8_t)t->dtype,
                    .rank = t->rank};
}

VReg emit_memory_result(FuncEmit *fe, VarId v, BcMreg type)
{
    VReg r = regs_new(&fe->mems, 1);
    fe->mems.regs.at[r].type = type_index(fe, type);
    if (v != VAR_NONE)
        emit_name_memory(fe, v, r);
    return r;
}

void emit_name_memory(FuncEmit *fe, VarId v, VReg reg)
{
    if (emit_one_memory(fe, v))
        fe->group_reg[emit_group(fe, v)] = reg;
    else
        fe->var_reg[v] = reg;
}
