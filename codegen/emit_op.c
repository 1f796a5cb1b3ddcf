/* Ops and calls -> instructions. Op results need no code of their own where they name an operand's
 * memory. */
#include "codegen/emitter.h"
#include <string.h>

/* An op being emitted; `result` is the variable it binds, or VAR_NONE. */
typedef struct {
    FuncEmit *fe;
    const Expr *e;
    VarId result;
} OpCode;

VReg emit_memory(FuncEmit *fe, const Expr *e)
{
    if (e->kind != EX_VAR) {
        diag_internal(fe->p->diags, e->span, "memory operand that is no variable");
        return NO_VREG;
    }
    return emit_memory_reg(fe, e->var);
}

static VReg memory(const OpCode *oc, const Expr *e)
{
    return emit_memory(oc->fe, e);
}

uint32_t emit_tile(FuncEmit *fe, const Expr *e)
{
    if (e->kind != EX_VAR) {
        diag_internal(fe->p->diags, e->span, "tile operand that is no variable");
        return 0;
    }
    const Var *v = func_var(fe->f, e->var);
    return emit_slot(fe, v->type, v->base);
}

static uint32_t tile(const OpCode *oc, const Expr *e)
{
    return emit_tile(oc->fe, e);
}

/* The slot of the tile that the op makes; one that nothing binds gets a place of its own. */
static uint32_t result_tile(const OpCode *oc)
{
    if (oc->result == VAR_NONE)
        return emit_slot(oc->fe, oc->e->type, op_info(oc->e->op)->full);
    const Var *v = func_var(oc->fe->f, oc->result);
    return emit_slot(oc->fe, v->type, v->base);
}

static VReg run(const OpCode *oc, const Expr *list, uint32_t *n)
{
    *n = list->n_args;
    return emit_run(oc->fe, 'x', list->args, list->n_args);
}

static VReg valid_run(const OpCode *oc, const Expr *list)
{
    return list ? emit_run(oc->fe, 'v', list->args, list->n_args) : NO_VREG;
}

static VReg scalar(const OpCode *oc, const Expr *e)
{
    return emit_expr(oc->fe, e);
}

static void emit_load(const OpCode *oc)
{
    uint32_t n;
    VReg m = memory(oc, OP_ARG(oc->e, TILE_LOAD, tensor)),
         offsets = run(oc, OP_ARG(oc->e, TILE_LOAD, offsets), &n),
         valid = valid_run(oc, OP_ARG(oc->e, TILE_LOAD, valid_shape));
    const Expr *clamp = OP_ARG(oc->e, TILE_LOAD, clamp);
    emit_insn(oc->fe, BC_LOAD, FIELDS(result_tile(oc), m, offsets, n, valid), clamp && clamp->ival);
}

static void emit_store(const OpCode *oc)
{
    uint32_t n;
    VReg m = memory(oc, OP_ARG(oc->e, TILE_STORE, output_tensor)),
         offsets = run(oc, OP_ARG(oc->e, TILE_STORE, offsets), &n);
    const Expr *atomic = OP_ARG(oc->e, TILE_STORE, atomic);
    emit_insn(oc->fe, BC_STORE, FIELDS(tile(oc, OP_ARG(oc->e, TILE_STORE, tile)), m, offsets, n),
              atomic ? atomic->ival : ATOMIC_NONE);
}

static void emit_write(const OpCode *oc)
{
    uint32_t n;
    const Expr *value = OP_ARG(oc->e, WRITE, value);
    VReg m = memory(oc, OP_ARG(oc->e, WRITE, input)),
         indices = run(oc, OP_ARG(oc->e, WRITE, indices), &n), v = emit_expr(oc->fe, value);
    emit_insn(oc->fe, BC_WRITE, FIELDS(m, indices, n, v, value->type->dtype), 0);
}

static void emit_remote_load(const OpCode *oc)
{
    uint32_t n;
    VReg m = memory(oc, OP_ARG(oc->e, REMOTE_LOAD, target)),
         peer = scalar(oc, OP_ARG(oc->e, REMOTE_LOAD, peer)),
         offsets = run(oc, OP_ARG(oc->e, REMOTE_LOAD, offsets), &n);
    VReg valid = valid_run(oc, OP_ARG(oc->e, REMOTE_LOAD, valid_shape));
    emit_insn(oc->fe, BC_RLOAD, FIELDS(result_tile(oc), m, peer, offsets, valid), n);
}

static void emit_remote_store(const OpCode *oc)
{
    uint32_t n;
    VReg m = memory(oc, OP_ARG(oc->e, REMOTE_STORE, target)),
         peer = scalar(oc, OP_ARG(oc->e, REMOTE_STORE, peer)),
         offsets = run(oc, OP_ARG(oc->e, REMOTE_STORE, offsets), &n);
    emit_insn(oc->fe, BC_RSTORE,
              FIELDS(tile(oc, OP_ARG(oc->e, REMOTE_STORE, src_tile)), m, peer, offsets, n),
              OP_ARG(oc->e, REMOTE_STORE, atomic)->ival);
}

static void emit_notify(const OpCode *oc)
{
    uint32_t n;
    VReg m = memory(oc, OP_ARG(oc->e, NOTIFY, signal)),
         peer = scalar(oc, OP_ARG(oc->e, NOTIFY, peer)),
         cell = run(oc, OP_ARG(oc->e, NOTIFY, offsets), &n);
    VReg value = scalar(oc, OP_ARG(oc->e, NOTIFY, value));
    emit_insn(oc->fe, BC_NOTIFY, FIELDS(m, peer, cell, n, value), OP_ARG(oc->e, NOTIFY, op)->ival);
}

static void emit_wait(const OpCode *oc)
{
    uint32_t n;
    VReg m = memory(oc, OP_ARG(oc->e, WAIT, signal)),
         cell = run(oc, OP_ARG(oc->e, WAIT, offsets), &n),
         expected = scalar(oc, OP_ARG(oc->e, WAIT, expected));
    emit_insn(oc->fe, BC_WAIT, FIELDS(m, cell, n, expected), OP_ARG(oc->e, WAIT, cmp)->ival);
}

/* A literal as an element of `dtype`, rounded to it once: the bits of a double, or an integer. */
uint32_t emit_element_const(FuncEmit *fe, const Expr *e, Dtype dtype)
{
    unsigned char element[8] = {0};
    int64_t value = e->ival;
    if (dtype_is_float(dtype)) {
        if (e->kind == EX_FLOAT)
            dtype_store_double(dtype, element, e->fval);
        else
            dtype_store_int(dtype, element, e->ival);
        double rounded = dtype_load_double(dtype, element);
        memcpy(&value, &rounded, sizeof value);
    } else if (e->kind == EX_FLOAT) {
        dtype_store_int(dtype, element, (int64_t)e->fval);
        value = dtype_load_int(dtype, element);
    }
    return emit_const(fe->em, value);
}

static bool is_literal(const Expr *e)
{
    return e->kind == EX_INT || e->kind == EX_FLOAT || e->kind == EX_BOOL;
}

static void emit_elementwise(const OpCode *oc)
{
    FuncEmit *fe = oc->fe;
    const Expr *e = oc->e;
    TileOp op = op_info(e->op)->tile_op;
    const Expr *b = tileop_arity(op) == 2 ? e->args[1] : NULL;
    uint32_t a = tile(oc, e->args[0]);
    if (!b) {
        emit_insn(fe, BC_TUN, FIELDS(result_tile(oc), a), op);
    } else if (is_literal(b)) {
        emit_insn(fe, BC_TBINK, FIELDS(result_tile(oc), a, 0, 0, op),
                  emit_element_const(fe, b, e->type->dtype));
    } else if (b->type->kind == TY_TILE) {
        emit_insn(fe, BC_TBIN, FIELDS(result_tile(oc), a, tile(oc, b)), op);
    } else {
        VReg r = emit_expr(fe, b);
        emit_insn(fe, BC_TBINR, FIELDS(result_tile(oc), a, r, b->type->dtype), op);
    }
}

static void emit_matmul(const OpCode *oc)
{
    const Expr *acc = op_operand(oc->e, OPERAND_acc), *bias = op_operand(oc->e, OPERAND_bias),
               *fresh = op_operand(oc->e, OPERAND_init_cond);
    uint32_t a = tile(oc, op_operand(oc->e, OPERAND_lhs)),
             b = tile(oc, op_operand(oc->e, OPERAND_rhs));
    if (acc) {
        VReg zero = fresh ? emit_expr(oc->fe, fresh) : emit_const_reg(oc->fe, 0);
        emit_insn(oc->fe, BC_TMATACC, FIELDS(result_tile(oc), a, b, tile(oc, acc), zero), 0);
    } else if (bias) {
        emit_insn(oc->fe, BC_TMATBIAS, FIELDS(result_tile(oc), a, b, tile(oc, bias)), 0);
    } else {
        emit_insn(oc->fe, BC_TMATMUL, FIELDS(result_tile(oc), a, b), 0);
    }
}

static void emit_selection(const OpCode *oc)
{
    const Expr *e = oc->e;
    FuncEmit *fe = oc->fe;
    static const TileOp part_ops[] = {TOP_ADD, TOP_MUL, TOP_MAX, TOP_MIN};
    uint32_t to = result_tile(oc);
    switch (op_info(e->op)->emit) {
    case EMIT_CMP:
        emit_insn(fe, BC_TCMP, FIELDS(to, tile(oc, e->args[0]), tile(oc, e->args[1])),
                  (int32_t)OP_ARG(e, TILE_CMP, cmp_type)->ival);
        return;
    case EMIT_SEL:
        emit_insn(fe, BC_TSEL,
                  FIELDS(to, tile(oc, e->args[0]), tile(oc, e->args[1]), tile(oc, e->args[2])), 0);
        return;
    case EMIT_PARTS: {
        uint32_t how = e->op == OP_TILE_PART_ADD   ? 0
                       : e->op == OP_TILE_PART_MUL ? 1
                       : e->op == OP_TILE_PART_MAX ? 2
                                                   : 3;
        emit_insn(fe, BC_TPARTS, FIELDS(to, tile(oc, e->args[0]), tile(oc, e->args[1])),
                  part_ops[how]);
        return;
    }
    default:
        emit_insn(fe, BC_TCOUNT, FIELDS(to, scalar(oc, OP_ARG(e, TILE_CI, start))),
                  OP_ARG(e, TILE_CI, descending)->ival != 0);
    }
}

/* Whole memories: offsets 0 and the extents of the source. */
static void whole_transfer(FuncEmit *fe, const Type *t, Expr **items)
{
    for (uint32_t i = 0; i < t->rank; i++) {
        items[i] = items[t->rank + i] = ex_index(fe->p, 0);
        items[2 * t->rank + i] = ex_dim(fe->p, t->dims[i]);
    }
}

static uint32_t transfer(const OpCode *oc)
{
    FuncEmit *fe = oc->fe;
    const Expr *e = oc->e, *stage = SHARED_ARG(e, stage);
    const Expr *parts[] = {SHARED_ARG(e, dst_offsets), SHARED_ARG(e, src_offsets),
                           SHARED_ARG(e, shape)};
    const Expr *atomic = e->op == OP_PUT ? OP_ARG(e, PUT, atomic) : NULL;
    const Type *t = SHARED_ARG(e, src)->type;
    Expr *items[3 * MAX_RANK];
    VXfer x = {.rank = t->rank, .pipeline = SHARED_ARG(e, pipeline)->ival != 0};
    if (!SHARED_ARG(e, shape))
        whole_transfer(fe, t, items);
    else
        for (uint32_t i = 0; i < 3; i++)
            memcpy(items + i * t->rank, parts[i]->args, t->rank * sizeof *items);
    x.run = emit_run(fe, 'x', items, 3 * x.rank);
    x.atomic = atomic ? (uint8_t)atomic->ival : 0;
    x.n_stages = stage ? stage->n_args : 0;
    for (uint32_t i = 0; i < x.n_stages && i < 2; i++)
        x.stages[i] = tile(oc, stage->args[i]);
    vec_push(&fe->xfers, x);
    return fe->xfers.len - 1;
}

static void emit_transfer(const OpCode *oc)
{
    const Expr *e = oc->e;
    VReg dst = memory(oc, SHARED_ARG(e, dst)), peer = scalar(oc, SHARED_ARG(e, peer));
    VReg src = memory(oc, SHARED_ARG(e, src));
    uint32_t x = transfer(oc);
    emit_insn(oc->fe, e->op == OP_PUT ? BC_PUT : BC_GET, FIELDS(dst, peer, src, x), 0);
}

static void emit_check(const OpCode *oc)
{
    VReg cond = scalar(oc, OP_ARG(oc->e, CHECK, cond));
    emit_insn(oc->fe, BC_CHECK, FIELDS(cond),
              emit_string(oc->fe->em, OP_ARG(oc->e, CHECK, message)->sym));
}

/* Ops whose result is no scalar. */
static void emit_effect(const OpCode *oc)
{
    FuncEmit *fe = oc->fe;
    const Expr *e = oc->e;
    switch (op_info(e->op)->emit) {
    case EMIT_LOAD: emit_load(oc); return;
    case EMIT_STORE: emit_store(oc); return;
    case EMIT_WRITE: emit_write(oc); return;
    case EMIT_FULL:
        emit_insn(fe, BC_TFULL, FIELDS(result_tile(oc)),
                  emit_element_const(fe, OP_ARG(e, TILE_FULL, value), e->type->dtype));
        return;
    case EMIT_CREATE: emit_insn(fe, BC_TCREATE, FIELDS(result_tile(oc)), 0); return;
    case EMIT_COPY:
        emit_insn(fe, BC_TCOPY, FIELDS(result_tile(oc), tile(oc, e->args[0])), 0);
        return;
    case EMIT_CAST:
        emit_insn(fe, BC_TCAST, FIELDS(result_tile(oc), tile(oc, OP_ARG(e, TILE_CAST, input))),
                  OP_ARG(e, TILE_CAST, mode)->ival);
        return;
    case EMIT_TILE_OP: emit_elementwise(oc); return;
    case EMIT_MATMUL: emit_matmul(oc); return;
    case EMIT_TURN:
        emit_insn(fe, BC_TTURN, FIELDS(result_tile(oc), tile(oc, e->args[0])), 0);
        return;
    case EMIT_NOTHING: return;
    case EMIT_CMP:
    case EMIT_SEL:
    case EMIT_PARTS:
    case EMIT_CI: emit_selection(oc); return;
    case EMIT_ALLOC:
    case EMIT_WINDOW:
    case EMIT_MAKE:
    case EMIT_PART:
    case EMIT_SEEN:
    case EMIT_ROW:
    case EMIT_FLATTEN:
    case EMIT_AS_SHAPE: emit_view(fe, e, oc->result); return;
    case EMIT_CHECK: emit_check(oc); return;
    case EMIT_DEBUG_PRINT: emit_debug_print(fe, e); return;
    case EMIT_SUBWORKER: emit_insn(fe, BC_OUTSIDE, FIELDS(0), 0); return;
    case EMIT_REDUCE:
        emit_insn(fe, BC_TRED, FIELDS(result_tile(oc), tile(oc, e->args[0])),
                  op_info(e->op)->reduce);
        return;
    case EMIT_SLICE:
    case EMIT_EXTRACT:
    case EMIT_ASSEMBLE:
    case EMIT_RESHAPE:
    case EMIT_TRANSPOSE:
    case EMIT_CONCAT:
    case EMIT_FILLPAD:
    case EMIT_SET_VALIDSHAPE:
    case EMIT_REINTERPRET_VIEW:
    case EMIT_TILE_WRITE: emit_shape(fe, e, result_tile(oc)); return;
    case EMIT_NOTIFY: emit_notify(oc); return;
    case EMIT_WAIT: emit_wait(oc); return;
    case EMIT_FENCE: emit_insn(fe, BC_FENCE, FIELDS(0), OP_ARG(e, FENCE, kind)->ival); return;
    case EMIT_REMOTE_LOAD: emit_remote_load(oc); return;
    case EMIT_REMOTE_STORE: emit_remote_store(oc); return;
    case EMIT_TRANSFER: emit_transfer(oc); return;
    case EMIT_LOWERED:
    case EMIT_READ:
    case EMIT_TILE_READ:
    case EMIT_DIM:
    case EMIT_WORLD:
    case EMIT_RANK:
    case EMIT_NRANKS:
    case EMIT_CORE:
    case EMIT_FIT:
    case EMIT_BLOCK_IDX:
    case EMIT_BLOCK_NUM:
    case EMIT_TASK:
    case EMIT_TASK_INVALID: break;
    }
    diag_internal(fe->p->diags, e->span, "%s reached code generation", op_info(e->op)->full);
}

static bool is_scalar(const Type *t)
{
    return t && t->kind == TY_SCALAR;
}

/* The scalar results of a call are a run, in order. */
static void bind_call_results(FuncEmit *fe, VCall *c, const VarId *results, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        c->n_results += is_scalar(func_var(fe->f, results[i])->type);
    c->results = c->n_results ? regs_new(&fe->ints, c->n_results) : NO_VREG;
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (is_scalar(func_var(fe->f, results[i])->type))
            fe->var_reg[results[i]] = c->results + k++;
    }
}

/* Results that nothing takes still need registers. */
static uint32_t scalar_results(const Func *f)
{
    uint32_t n = is_scalar(f->result);
    for (uint32_t i = 0; f->result && f->result->kind == TY_TUPLE && i < f->result->n_elems; i++)
        n += is_scalar(f->result->elems[i]);
    return n;
}

/* How many blocks a call runs as, where that is known and a small number; else 0. */
static int32_t known_blocks(const Expr *call)
{
    int64_t n;
    return expr_is_int(call->cores, &n) && n > 0 && n < 1 << 16 ? (int32_t)n : 0;
}

/* Whose task the call behind it is. */
static void emit_as_task(FuncEmit *fe, const Expr *call)
{
    if (!call->task && !call->how && !call->no_dep)
        return;
    VReg task = call->task ? emit_expr(fe, call->task) : emit_const_reg(fe, 0);
    uint32_t no_dep = 0, n_mem = 0; /* of memory arguments */
    for (uint32_t i = 0; i < call->n_args && i < CALL_NO_DEP_BITS; i++)
        if (type_is_memory(call->args[i]->type))
            no_dep |= (call->no_dep >> i & 1) << n_mem++;
    emit_insn(fe, BC_AS, FIELDS(task), (int32_t)(call->how | no_dep << CALL_HOW_BITS));
}

static void emit_call(FuncEmit *fe, const Expr *e, const VarId *results, uint32_t n_results)
{
    uint64_t func = 0;
    VCall c = {.results = NO_VREG};
    VReg device = NO_VREG, cores = NO_VREG;
    map_get_ptr(&fe->em->func_index, e->callee, &func);
    c.func = (uint32_t)func;
    c.mem = arena_new_n(fe->em->arena, VReg, e->n_args);
    c.scalars = arena_new_n(fe->em->arena, VReg, e->n_args);
    for (uint32_t i = 0; i < e->n_args; i++) {
        if (type_is_memory(e->args[i]->type))
            c.mem[c.n_mem++] = emit_memory(fe, e->args[i]);
        else
            c.scalars[c.n_scalars++] = emit_expr(fe, e->args[i]);
    }
    if (e->cores && fe->f->kind == FN_ORCH)
        cores = emit_expr(fe, e->cores);
    if (fe->f->kind == FN_HOST) {
        device = e->device ? emit_expr(fe, e->device) : emit_const_reg(fe, 0);
        cores = e->cores ? emit_expr(fe, e->cores) : emit_const_reg(fe, 1);
    }
    emit_as_task(fe, e);
    if (n_results) {
        bind_call_results(fe, &c, results, n_results);
    } else if ((c.n_results = scalar_results(e->callee)) > 0) {
        c.results = regs_new(&fe->ints, c.n_results);
    }
    vec_push(&fe->calls, c);
    if (fe->f->kind == FN_HOST)
        emit_insn(fe, BC_DISPATCH, FIELDS(fe->calls.len - 1, device, cores), 0);
    else if (e->cores)
        emit_insn(fe, BC_SPMD, FIELDS(fe->calls.len - 1, cores),
                  e->sync_start + 2 * known_blocks(e));
    else
        emit_insn(fe, BC_CALL, FIELDS(fe->calls.len - 1), 0);
}

void emit_op(FuncEmit *fe, const Expr *e, const VarId *results, uint32_t n_results)
{
    fe->span = e->span;
    if (e->kind == EX_CALL) {
        emit_call(fe, e, results, n_results);
    } else if (is_scalar(e->type)) {
        VReg dst = regs_new(&fe->ints, 1);
        emit_expr_into(fe, dst, e);
        if (n_results)
            fe->var_reg[results[0]] = dst;
    } else {
        OpCode oc = {.fe = fe, .e = e, .result = n_results ? results[0] : VAR_NONE};
        emit_effect(&oc);
    }
}
