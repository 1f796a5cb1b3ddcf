/* Init and golden functions: registers hold numbers that know what they are, variables are bound
 * several times, so each has a register of its own. Reductions become loops. */
#include "codegen/emitter.h"

static void load(FuncEmit *fe, VReg dst, int64_t value)
{
    emit_insn(fe, BC_LDI, FIELDS(dst), value);
}

static void move(FuncEmit *fe, VReg dst, VReg src)
{
    if (dst != src)
        emit_insn(fe, BC_MOV, FIELDS(dst, src), 0);
}

static void binary(FuncEmit *fe, VReg dst, ScalarOp op, VReg a, VReg b)
{
    emit_insn(fe, BC_PBIN, FIELDS(dst, a, b), op);
}

/* min and max of several values, two at a time. */
static void chain_into(FuncEmit *fe, VReg dst, const Expr *e)
{
    VReg all = emit_number(fe, e->args[0]);
    for (uint32_t i = 1; i < e->n_args; i++) {
        VReg next = emit_number(fe, e->args[i]);
        VReg to = i + 1 < e->n_args ? regs_new(&fe->ints, 1) : dst;
        binary(fe, to, e->scalar, all, next);
        all = to;
    }
}

static void element_into(FuncEmit *fe, VReg dst, const Expr *e)
{
    uint32_t n = e->n_args - 1;
    VReg run = n == 1 ? emit_number(fe, e->args[1]) : regs_new(&fe->ints, n);
    for (uint32_t i = 0; n > 1 && i < n; i++)
        emit_number_into(fe, run + i, e->args[1 + i]);
    emit_insn(fe, BC_READ, FIELDS(dst, emit_memory(fe, e->args[0]), run, n), 0);
}

static void logic_into(FuncEmit *fe, VReg dst, const Expr *e)
{
    emit_number_into(fe, dst, e->args[0]);
    uint32_t skip = emit_insn(fe, e->scalar == SC_AND ? BC_JZ : BC_JNZ, FIELDS(dst), 0);
    emit_number_into(fe, dst, e->args[1]);
    emit_patch(fe, skip);
}

static void cond_into(FuncEmit *fe, VReg dst, const Expr *e)
{
    uint32_t otherwise = emit_insn(fe, BC_JZ, FIELDS(emit_number(fe, e->args[0])), 0);
    emit_number_into(fe, dst, e->args[1]);
    uint32_t end = emit_insn(fe, BC_JMP, FIELDS(0), 0);
    emit_patch(fe, otherwise);
    emit_number_into(fe, dst, e->args[2]);
    emit_patch(fe, end);
}

/* ---- reductions */

/* A loop of a reduction. */
typedef struct {
    VReg index, hi, step;
    uint32_t prep, body, range, filter; /* filter: the jump of its condition, or UINT32_MAX */
} Clause;

typedef struct {
    ElementOp op;
    VReg value, some; /* so far; MIN, MAX: is there one? */
    JumpList out;     /* ALL, ANY: it is decided */
} Reduction;

static Clause open_clause(FuncEmit *fe, const Expr *e, uint32_t k)
{
    Expr *const *args = e->args + 1 + 4 * (size_t)k;
    Clause c = {.index = fe->var_reg[e->vars[k]], .filter = UINT32_MAX};
    emit_number_into(fe, c.index, args[0]);
    c.hi = emit_number(fe, args[1]);
    c.step = emit_number(fe, args[2]);
    c.prep = emit_insn(fe, BC_FORPREP, FIELDS(c.index, c.hi, c.step), 0);
    c.range = emit_open_loop(fe);
    c.body = fe->code.len;
    if (args[3])
        c.filter = emit_insn(fe, BC_JZ, FIELDS(emit_number(fe, args[3])), 0);
    return c;
}

static void close_clause(FuncEmit *fe, const Clause *c)
{
    if (c->filter != UINT32_MAX)
        emit_patch(fe, c->filter);
    emit_insn(fe, BC_FORLOOP, FIELDS(c->index, c->hi, c->step), c->body);
    emit_close_loop(fe, c->range);
    emit_patch(fe, c->prep);
}

/* Also what only the loop gives a value is set before it, so that its register is kept in there. */
static void start(FuncEmit *fe, Reduction *r)
{
    load(fe, r->value, r->op == EL_PROD || r->op == EL_ALL);
    if (r->op != EL_MIN && r->op != EL_MAX)
        return;
    r->some = regs_new(&fe->ints, 1);
    load(fe, r->some, 0);
}

/* The first value stands for itself. */
static void take_least(FuncEmit *fe, Reduction *r, VReg v)
{
    uint32_t first = emit_insn(fe, BC_JZ, FIELDS(r->some), 0);
    binary(fe, r->value, r->op == EL_MIN ? SC_MIN : SC_MAX, r->value, v);
    uint32_t end = emit_insn(fe, BC_JMP, FIELDS(0), 0);
    emit_patch(fe, first);
    move(fe, r->value, v);
    load(fe, r->some, 1);
    emit_patch(fe, end);
}

static void take(FuncEmit *fe, Reduction *r, VReg v)
{
    switch (r->op) {
    case EL_SUM: binary(fe, r->value, SC_ADD, r->value, v); break;
    case EL_PROD: binary(fe, r->value, SC_MUL, r->value, v); break;
    case EL_MIN:
    case EL_MAX: take_least(fe, r, v); break;
    default: {
        uint32_t next = emit_insn(fe, r->op == EL_ALL ? BC_JNZ : BC_JZ, FIELDS(v), 0);
        load(fe, r->value, r->op == EL_ANY);
        vec_push(&r->out, emit_insn(fe, BC_JMP, FIELDS(0), 0));
        emit_patch(fe, next);
        break;
    }
    }
}

static void finish(FuncEmit *fe, Reduction *r)
{
    emit_patch_all(fe, &r->out);
    if (r->op == EL_MIN || r->op == EL_MAX) {
        uint32_t text = emit_string(fe->em, r->op == EL_MIN ? "min of nothing" : "max of nothing");
        emit_insn(fe, BC_CHECK, FIELDS(r->some), text);
    }
}

static void reduction_into(FuncEmit *fe, VReg dst, const Expr *e)
{
    Reduction r = {.op = e->element, .value = dst};
    VEC(Clause) clauses = {0};
    start(fe, &r);
    for (uint32_t k = 0; k < e->n_args / 4; k++)
        vec_push(&clauses, open_clause(fe, e, k));
    take(fe, &r, emit_number(fe, e->args[0]));
    while (clauses.len) {
        Clause c = vec_pop(&clauses);
        close_clause(fe, &c);
    }
    vec_free(&clauses);
    finish(fe, &r);
}

/* ---- expressions */

static void operator_into(FuncEmit *fe, VReg dst, const Expr *e)
{
    switch (e->scalar) {
    case SC_MIN:
    case SC_MAX: chain_into(fe, dst, e); return;
    case SC_AND:
    case SC_OR: logic_into(fe, dst, e); return;
    case SC_SELECT: cond_into(fe, dst, e); return;
    default: break;
    }
    VReg a = emit_number(fe, e->args[0]);
    if (e->n_args == 1)
        emit_insn(fe, BC_PUN, FIELDS(dst, a), e->scalar);
    else
        binary(fe, dst, e->scalar, a, emit_number(fe, e->args[1]));
}

static void element_op_into(FuncEmit *fe, VReg dst, const Expr *e)
{
    switch (e->element) {
    case EL_READ: element_into(fe, dst, e); break;
    case EL_RANDN: emit_insn(fe, BC_RANDN, FIELDS(dst, emit_number(fe, e->args[0])), 0); break;
    case EL_UNIFORM: emit_insn(fe, BC_UNIFORM, FIELDS(dst, emit_number(fe, e->args[0])), 0); break;
    default: reduction_into(fe, dst, e); break;
    }
}

static void value_into(FuncEmit *fe, VReg dst, const Expr *e)
{
    if (e->kind == EX_SCALAR)
        operator_into(fe, dst, e);
    else
        element_op_into(fe, dst, e);
}

VReg emit_number(FuncEmit *fe, const Expr *e)
{
    switch (e->kind) {
    case EX_INT:
    case EX_BOOL: return emit_const_reg(fe, e->ival);
    case EX_FLOAT: return emit_float_reg(fe, e->fval);
    case EX_VAR: return fe->var_reg[e->var];
    case EX_EXTENT: return emit_extent(fe, e->sym);
    default: break;
    }
    VReg dst = regs_new(&fe->ints, 1);
    value_into(fe, dst, e);
    return dst;
}

void emit_number_into(FuncEmit *fe, VReg dst, const Expr *e)
{
    bool small = (e->kind == EX_INT || e->kind == EX_BOOL) && e->ival == (int32_t)e->ival;
    if (small)
        load(fe, dst, e->ival);
    else if (e->kind == EX_SCALAR || e->kind == EX_ELEMENT)
        value_into(fe, dst, e);
    else
        move(fe, dst, emit_number(fe, e));
}

/* ---- statements */

static bool mentions(const Expr *e, VarId v)
{
    if (e == NULL)
        return false;
    bool found = e->kind == EX_VAR && e->var == v;
    for (uint32_t i = 0; i < e->n_args && !found; i++)
        found = mentions(e->args[i], v);
    return found;
}

/* Does the value take shape in several steps, so that the old one would be gone too early? */
static bool takes_steps(const Expr *e)
{
    if (e->kind == EX_SCALAR)
        return e->scalar == SC_AND || e->scalar == SC_OR || e->scalar == SC_SELECT;
    return e->kind == EX_ELEMENT && element_info[e->element].form == ELEMENT_REDUCE;
}

static void set(FuncEmit *fe, VarId v, const Expr *e)
{
    if (takes_steps(e) && mentions(e, v))
        move(fe, fe->var_reg[v], emit_number(fe, e));
    else
        emit_number_into(fe, fe->var_reg[v], e);
}

void emit_number_let(FuncEmit *fe, const Stmt *s)
{
    const Expr *e = s->value;
    if (e->kind != EX_LIST) {
        set(fe, s->results[0], e);
        return;
    }
    VReg values = regs_new(&fe->ints, e->n_args);
    for (uint32_t i = 0; i < e->n_args; i++)
        emit_number_into(fe, values + i, e->args[i]);
    for (uint32_t i = 0; i < e->n_args; i++)
        move(fe, fe->var_reg[s->results[i]], values + i);
}

/* A bound in a register that the body cannot change. */
static VReg bound(FuncEmit *fe, const Expr *e)
{
    VReg r = emit_number(fe, e);
    if (e->kind != EX_VAR)
        return r;
    VReg kept = regs_new(&fe->ints, 1);
    move(fe, kept, r);
    return kept;
}

/* The body may set its index, and the next iteration counts on from where it was. */
void emit_number_for(FuncEmit *fe, const Stmt *s)
{
    LoopCode loop = {.stmt = s, .outer = fe->loop};
    VReg counter = regs_new(&fe->ints, 1);
    emit_number_into(fe, counter, s->nest->lo);
    VReg hi = bound(fe, s->nest->hi), step = bound(fe, s->nest->step);
    uint32_t prep = emit_insn(fe, BC_FORPREP, FIELDS(counter, hi, step), 0);
    uint32_t range = emit_open_loop(fe), body = fe->code.len;
    move(fe, fe->var_reg[s->nest->index], counter);
    fe->loop = &loop;
    emit_block(fe, &s->nest->body, s);
    fe->loc = s->loc;
    emit_patch_all(fe, &loop.continues);
    emit_insn(fe, BC_FORLOOP, FIELDS(counter, hi, step), body);
    emit_close_loop(fe, range);
    emit_patch(fe, prep);
    emit_patch_all(fe, &loop.breaks);
    fe->loop = loop.outer;
}

/* The condition stands at the end, where the loop goes back. */
void emit_number_while(FuncEmit *fe, const Stmt *s)
{
    LoopCode loop = {.stmt = s, .outer = fe->loop};
    uint32_t first = emit_insn(fe, BC_JMP, FIELDS(0), 0);
    uint32_t range = emit_open_loop(fe), body = fe->code.len;
    fe->loop = &loop;
    emit_block(fe, &s->nest->body, s);
    fe->loc = s->loc;
    emit_patch_all(fe, &loop.continues);
    emit_patch(fe, first);
    emit_insn(fe, BC_LOOP, FIELDS(emit_number(fe, s->nest->cond)), body);
    emit_close_loop(fe, range);
    emit_patch_all(fe, &loop.breaks);
    fe->loop = loop.outer;
}
