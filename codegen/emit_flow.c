/* Statements: bindings, loops, branches, and the values they carry. A loop's carried value, its
 * value in the body and its result share one register; yields are parallel copies into it. */
#include "codegen/emitter.h"

static void set_loc(FuncEmit *fe, const Stmt *s)
{
    fe->loc = s->loc;
}

static bool is_memory_value(const Type *t)
{
    return type_is_memory(t) || t->kind == TY_BUFFER || t->kind == TY_CTX;
}

/* One copy of a parallel copy: registers of the same class. */
typedef struct {
    VReg dst, src;
    bool done;
} Copy;

typedef struct {
    FuncEmit *fe;
    BcOp op; /* MOV or MMOV */
    VEC(Copy) copies;
    Map readers;         /* register -> copies still to come that read it */
    Map writer;          /* register -> 1 + the copy that writes it */
    VEC(uint32_t) ready; /* copies whose destination nobody reads any more */
} ParallelMoves;

static void parallel_add(ParallelMoves *pc, VReg dst, VReg src)
{
    if (dst != src)
        vec_push(&pc->copies, (Copy){dst, src, false});
}

static uint64_t readers_of(const ParallelMoves *pc, VReg r)
{
    uint64_t n = 0;
    map_get(&pc->readers, r, &n);
    return n;
}

static void do_copy(ParallelMoves *pc, uint32_t i)
{
    Copy *c = &pc->copies.at[i];
    uint64_t left = readers_of(pc, c->src) - 1, writer = 0;
    emit_insn(pc->fe, pc->op, FIELDS(c->dst, c->src), 0);
    c->done = true;
    map_set(&pc->readers, c->src, left);
    if (left == 0 && map_get(&pc->writer, c->src, &writer) && !pc->copies.at[writer - 1].done)
        vec_push(&pc->ready, (uint32_t)writer - 1);
}

static VReg temporary(ParallelMoves *pc, VReg like)
{
    FuncEmit *fe = pc->fe;
    if (pc->op == BC_MOV)
        return regs_new(&fe->ints, 1);
    VReg r = regs_new(&fe->mems, 1);
    fe->mems.regs.at[r].type = fe->mems.regs.at[like].type;
    return r;
}

/* What is left are cycles: the value of one destination is saved, its one reader reads the copy. */
static void break_cycle(ParallelMoves *pc, uint32_t i)
{
    VReg dst = pc->copies.at[i].dst, saved = temporary(pc, dst);
    uint64_t writer;
    emit_insn(pc->fe, pc->op, FIELDS(saved, dst), 0);
    for (uint32_t k = i; !pc->copies.at[k].done;) {
        Copy *c = &pc->copies.at[k];
        bool last = c->src == dst;
        emit_insn(pc->fe, pc->op, FIELDS(c->dst, last ? saved : c->src), 0);
        c->done = true;
        if (last || !map_get(&pc->writer, c->src, &writer))
            break;
        k = (uint32_t)writer - 1;
    }
}

static void parallel_run(ParallelMoves *pc)
{
    for (uint32_t i = 0; i < pc->copies.len; i++) {
        const Copy *c = &pc->copies.at[i];
        map_set(&pc->readers, c->src, readers_of(pc, c->src) + 1);
        map_set(&pc->writer, c->dst, i + 1);
    }
    for (uint32_t i = 0; i < pc->copies.len; i++) {
        if (!readers_of(pc, pc->copies.at[i].dst))
            vec_push(&pc->ready, i);
    }
    while (pc->ready.len)
        do_copy(pc, vec_pop(&pc->ready));
    for (uint32_t i = 0; i < pc->copies.len; i++) {
        if (!pc->copies.at[i].done)
            break_cycle(pc, i);
    }
    vec_free(&pc->copies);
    vec_free(&pc->ready);
    map_free(&pc->readers);
    map_free(&pc->writer);
}

static void check_tile(FuncEmit *fe, VarId dst, const Expr *value)
{
    const Type *a = func_var(fe->f, dst)->type;
    const Type *b = value->kind == EX_VAR ? func_var(fe->f, value->var)->type : value->type;
    if (a != b)
        diag_internal(fe->p->diags, fe->loc.span, "a carried tile changes its place from %s to %s",
                      type_text(fe->p->arena, b), type_text(fe->p->arena, a));
}

/* A single copy of a value that the last instruction makes: it makes it in the right place. Only
 * where no jump leads here, and where the value is new (nothing after a yield can read its other
 * name). */
static bool retarget(FuncEmit *fe, const ParallelMoves *pc)
{
    VInsn *last = fe->code.len ? &fe->code.at[fe->code.len - 1] : NULL;
    if (pc->copies.len != 1 || !last || fe->patched == fe->code.len)
        return false;
    const Copy *c = &pc->copies.at[0];
    LiveInterval *l = &fe->ints.regs.at[c->src];
    if (bc_op_fields((BcOp)last->op)[0] != 'w' || last->f[0] != c->src || last->op == BC_FORLOOP ||
        l->n != 1 || l->start != fe->code.len)
        return false;
    l->start = UINT32_MAX;
    last->f[0] = c->dst;
    regs_touch(fe, &fe->ints, c->dst, 1, fe->code.len);
    return true;
}

/* Values into the registers of `dsts`, all read before any is written. `yield`: they end a block.
 */
static void carry(FuncEmit *fe, const VarId *dsts, Expr *const *values, uint32_t n, bool yield)
{
    ParallelMoves ints = {.fe = fe, .op = BC_MOV}, mems = {.fe = fe, .op = BC_MMOV};
    for (uint32_t i = 0; i < n; i++) {
        const Type *t = func_var(fe->f, dsts[i])->type;
        if (t->kind == TY_TILE)
            check_tile(fe, dsts[i], values[i]);
        else if (!is_memory_value(t))
            parallel_add(&ints, fe->var_reg[dsts[i]], emit_expr(fe, values[i]));
        else if (!emit_one_memory(fe, dsts[i]))
            parallel_add(&mems, emit_memory_reg(fe, dsts[i]), emit_memory(fe, values[i]));
    }
    if (yield && retarget(fe, &ints))
        vec_free(&ints.copies);
    else
        parallel_run(&ints);
    parallel_run(&mems);
}

/* Registers for what a loop or branch hands on. */
static void new_carried(FuncEmit *fe, const VarId *vars, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const Type *t = func_var(fe->f, vars[i])->type;
        if (t->kind == TY_SCALAR)
            fe->var_reg[vars[i]] = regs_new(&fe->ints, 1);
        else if (is_memory_value(t) && !emit_one_memory(fe, vars[i]))
            emit_memory_result(fe, vars[i], emit_mem_type(t));
    }
}

static void emit_let(FuncEmit *fe, const Stmt *s)
{
    const Expr *e = s->value;
    VarId v = s->results[0];
    const Type *t = func_var(fe->f, v)->type;
    if (e->kind == EX_OP || e->kind == EX_CALL)
        emit_op(fe, e, s->results, s->n_results);
    else if (t->kind == TY_SCALAR)
        fe->var_reg[v] = emit_expr(fe, e);
    else if (!is_memory_value(t))
        check_tile(fe, v, e);
}

uint32_t emit_open_loop(FuncEmit *fe)
{
    uint32_t id = fe->loops.len;
    vec_push(&fe->loops, (LoopRange){.begin = fe->code.len + 1, .end = fe->code.len + 1});
    vec_push(&fe->open, id);
    fe->label++;
    return id;
}

void emit_close_loop(FuncEmit *fe, uint32_t id)
{
    fe->loops.at[id].end = fe->code.len; /* position of the last instruction */
    fe->open.len--;
}

void emit_patch_all(FuncEmit *fe, JumpList *jumps)
{
    for (uint32_t i = 0; i < jumps->len; i++)
        emit_patch(fe, jumps->at[i]);
    vec_free(jumps);
}

static void emit_for(FuncEmit *fe, const Stmt *s)
{
    LoopCode loop = {.stmt = s, .outer = fe->loop};
    new_carried(fe, s->nest->iters, s->n_values);
    carry(fe, s->nest->iters, s->values, s->n_values, false);
    for (uint32_t i = 0; i < s->n_results; i++)
        fe->var_reg[s->results[i]] = fe->var_reg[s->nest->iters[i]];
    VReg index = fe->var_reg[s->nest->index] = regs_new(&fe->ints, 1);
    emit_expr_into(fe, index, s->nest->lo);
    VReg hi = emit_expr(fe, s->nest->hi), step = emit_expr(fe, s->nest->step);
    bool parallel = s->nest->loop == LOOP_PARALLEL;
    if (parallel)
        emit_insn(fe, BC_PAR, FIELDS(0), 0);
    uint32_t prep = emit_insn(fe, BC_FORPREP, FIELDS(index, hi, step), 0);
    uint32_t range = emit_open_loop(fe), body = fe->code.len;
    fe->loop = &loop;
    if (parallel)
        emit_insn(fe, BC_ITER, FIELDS(index), 0);
    emit_block(fe, &s->nest->body, s);
    set_loc(fe, s);
    emit_patch_all(fe, &loop.continues);
    emit_insn(fe, BC_FORLOOP, FIELDS(index, hi, step), body);
    emit_close_loop(fe, range);
    emit_patch(fe, prep);
    emit_patch_all(fe, &loop.breaks);
    if (parallel)
        emit_insn(fe, BC_PAR, FIELDS(0), 1);
    fe->loop = loop.outer;
}

static bool ends_in_jump(const Block *b)
{
    return b->len &&
           (b->at[b->len - 1]->kind == ST_BREAK || b->at[b->len - 1]->kind == ST_CONTINUE);
}

/* A jump that is taken when the condition is `sense`. */
static uint32_t emit_branch(FuncEmit *fe, const Expr *cond, bool sense)
{
    while (cond->kind == EX_SCALAR && cond->scalar == SC_NOT) {
        cond = cond->args[0];
        sense = !sense;
    }
    return emit_insn(fe, sense ? BC_JNZ : BC_JZ, FIELDS(emit_expr(fe, cond)), 0);
}

static void emit_if(FuncEmit *fe, const Stmt *s)
{
    new_carried(fe, s->results, s->n_results);
    if (s->nest->body.len == 0 && s->nest->otherwise.len) {
        uint32_t skip = emit_branch(fe, s->nest->cond, true);
        emit_block(fe, &s->nest->otherwise, s);
        emit_patch(fe, skip);
        return;
    }
    uint32_t otherwise = emit_branch(fe, s->nest->cond, false);
    emit_block(fe, &s->nest->body, s);
    if (s->nest->otherwise.len == 0) {
        emit_patch(fe, otherwise);
        return;
    }
    bool jump = !ends_in_jump(&s->nest->body);
    uint32_t end = jump ? emit_insn(fe, BC_JMP, FIELDS(0), 0) : 0;
    emit_patch(fe, otherwise);
    emit_block(fe, &s->nest->otherwise, s);
    if (jump)
        emit_patch(fe, end);
}

static void emit_yield(FuncEmit *fe, const Stmt *s, const Stmt *next, const Stmt *owner)
{
    bool jump = next && (next->kind == ST_BREAK || next->kind == ST_CONTINUE);
    const Stmt *target = jump && fe->loop ? fe->loop->stmt : owner;
    if (target)
        carry(fe, target->results, s->values, s->n_values, true);
}

static void emit_return(FuncEmit *fe, const Stmt *s)
{
    if (func_is_element(fe->f)) {
        emit_insn(fe, BC_RET, FIELDS(emit_expr(fe, s->values[0]), 1), 0);
        return;
    }
    VEC(Expr *) scalars = {0};
    for (uint32_t i = 0; i < s->n_values; i++) {
        if (s->values[i]->type->kind == TY_SCALAR)
            vec_push(&scalars, s->values[i]);
    }
    VReg run = scalars.len ? regs_new(&fe->ints, scalars.len) : NO_VREG;
    for (uint32_t i = 0; i < scalars.len; i++)
        emit_expr_into(fe, run + i, scalars.at[i]);
    emit_insn(fe, BC_RET, FIELDS(run, scalars.len), 0);
    vec_free(&scalars);
}

static void emit_jump(FuncEmit *fe, const Stmt *s)
{
    uint32_t at = emit_insn(fe, BC_JMP, FIELDS(0), 0);
    if (s->kind == ST_BREAK)
        vec_push(&fe->loop->breaks, at);
    else
        vec_push(&fe->loop->continues, at);
}

static void emit_stmt(FuncEmit *fe, const Stmt *s, const Stmt *next, const Stmt *owner)
{
    set_loc(fe, s);
    switch (s->kind) {
    case ST_LET:
        if (func_is_element(fe->f))
            emit_number_let(fe, s);
        else
            emit_let(fe, s);
        break;
    case ST_EXPR:
        if (s->value->kind == EX_OP || s->value->kind == EX_CALL)
            emit_op(fe, s->value, NULL, 0);
        else if (s->value->kind == EX_SCALAR)
            emit_expr(fe, s->value); /* it may fault */
        break;
    case ST_FOR:
        if (s->nest->loop == LOOP_WHILE)
            emit_number_while(fe, s);
        else if (func_is_element(fe->f))
            emit_number_for(fe, s);
        else
            emit_for(fe, s);
        break;
    case ST_IF: emit_if(fe, s); break;
    case ST_YIELD: emit_yield(fe, s, next, owner); break;
    case ST_RETURN: emit_return(fe, s); break;
    case ST_BREAK:
    case ST_CONTINUE: emit_jump(fe, s); break;
    case ST_SCOPE: diag_internal(fe->p->diags, fe->span, "a scope reached code generation"); break;
    }
}

void emit_block(FuncEmit *fe, const Block *b, const Stmt *owner)
{
    for (uint32_t i = 0; i < b->len; i++)
        emit_stmt(fe, b->at[i], i + 1 < b->len ? b->at[i + 1] : NULL, owner);
}
