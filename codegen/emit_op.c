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

static const Expr *arg(const OpCode *oc, const char *name)
{
    int slot = op_slot(oc->e->op, name);
    return slot < 0 ? NULL : oc->e->args[slot];
}

VReg emit_memory(FuncEmit *fe, const Expr *e)
{
    if (e->kind != EX_VAR) {
        diag_internal(fe->p->diags, e->span, "memory operand that is no variable");
        return NO_VREG;
    }
    return emit_memory_reg(fe, e->var);
}

static VReg memory(const OpCode *oc, const char *name)
{
    return emit_memory(oc->fe, arg(oc, name));
}

static uint32_t tile(const OpCode *oc, const Expr *e)
{
    if (e->kind != EX_VAR) {
        diag_internal(oc->fe->p->diags, e->span, "tile operand that is no variable");
        return 0;
    }
    const Var *v = func_var(oc->fe->f, e->var);
    return emit_slot(oc->fe, v->type, v->base);
}

/* The slot of the tile that the op makes; one that nothing binds gets a place of its own. */
static uint32_t result_tile(const OpCode *oc)
{
    if (oc->result == VAR_NONE)
        return emit_slot(oc->fe, oc->e->type, op_info(oc->e->op)->full);
    const Var *v = func_var(oc->fe->f, oc->result);
    return emit_slot(oc->fe, v->type, v->base);
}

static VReg run(const OpCode *oc, const char *name, uint32_t *n)
{
    const Expr *list = arg(oc, name);
    if (n)
        *n = list->n_args;
    return emit_run(oc->fe, 'x', list->args, list->n_args);
}

static VReg valid_run(const OpCode *oc)
{
    const Expr *list = arg(oc, "valid_shape");
    return list ? emit_run(oc->fe, 'v', list->args, list->n_args) : NO_VREG;
}

static VReg scalar(const OpCode *oc, const char *name)
{
    return emit_expr(oc->fe, arg(oc, name));
}

static void emit_load(const OpCode *oc)
{
    uint32_t n;
    VReg m = memory(oc, "src"), offsets = run(oc, "offsets", &n), valid = valid_run(oc);
    emit_insn(oc->fe, BC_LOAD, result_tile(oc), m, offsets, n, valid, 0);
}

static void emit_store(const OpCode *oc)
{
    uint32_t n;
    VReg m = memory(oc, "dst"), offsets = run(oc, "offsets", &n);
    emit_insn(oc->fe, BC_STORE, tile(oc, arg(oc, "tile")), m, offsets, n, 0, 0);
}

static void emit_write(const OpCode *oc)
{
    uint32_t n;
    const Expr *value = arg(oc, "value");
    VReg m = memory(oc, "dst"), indices = run(oc, "indices", &n), v = emit_expr(oc->fe, value);
    emit_insn(oc->fe, BC_WRITE, m, indices, n, v, value->type->dtype, 0);
}

static void emit_remote_load(const OpCode *oc)
{
    uint32_t n;
    VReg m = memory(oc, "src"), peer = scalar(oc, "peer"), offsets = run(oc, "offsets", &n);
    VReg valid = valid_run(oc);
    emit_insn(oc->fe, BC_RLOAD, result_tile(oc), m, peer, offsets, valid, n);
}

static void emit_remote_store(const OpCode *oc)
{
    uint32_t n;
    VReg m = memory(oc, "dst"), peer = scalar(oc, "peer"), offsets = run(oc, "offsets", &n);
    emit_insn(oc->fe, BC_RSTORE, tile(oc, arg(oc, "tile")), m, peer, offsets, n,
              arg(oc, "atomic")->ival);
}

static void emit_notify(const OpCode *oc)
{
    uint32_t n;
    VReg m = memory(oc, "signal"), peer = scalar(oc, "peer"), cell = run(oc, "offsets", &n);
    VReg value = scalar(oc, "value");
    emit_insn(oc->fe, BC_NOTIFY, m, peer, cell, n, value, arg(oc, "op")->ival);
}

static void emit_wait(const OpCode *oc)
{
    uint32_t n;
    VReg m = memory(oc, "signal"), cell = run(oc, "offsets", &n), expected = scalar(oc, "expected");
    emit_insn(oc->fe, BC_WAIT, m, cell, n, expected, 0, arg(oc, "cmp")->ival);
}

/* A literal as an element of `dtype`, rounded to it once: the bits of a double, or an integer. */
static uint32_t element_const(FuncEmit *fe, const Expr *e, Dtype dtype)
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

static TileOp tile_op(OpId op)
{
    switch (op) {
    case OP_TILE_ADD: return TOP_ADD;
    case OP_TILE_SUB: return TOP_SUB;
    case OP_TILE_RSUB: return TOP_RSUB;
    case OP_TILE_MUL: return TOP_MUL;
    case OP_TILE_DIV: return TOP_DIV;
    case OP_TILE_RDIV: return TOP_RDIV;
    case OP_TILE_MAXIMUM: return TOP_MAX;
    case OP_TILE_MINIMUM: return TOP_MIN;
    case OP_TILE_NEG: return TOP_NEG;
    case OP_TILE_ABS: return TOP_ABS;
    default: return TOP_COUNT;
    }
}

static void emit_elementwise(const OpCode *oc)
{
    FuncEmit *fe = oc->fe;
    const Expr *e = oc->e, *b = e->n_args > 1 ? e->args[1] : NULL;
    TileOp op = tile_op(e->op);
    uint32_t a = tile(oc, e->args[0]);
    if (!b) {
        emit_insn(fe, BC_TUN, result_tile(oc), a, 0, 0, 0, op);
    } else if (is_literal(b)) {
        emit_insn(fe, BC_TBINK, result_tile(oc), a, 0, 0, op, element_const(fe, b, e->type->dtype));
    } else if (b->type->kind == TY_TILE) {
        emit_insn(fe, BC_TBIN, result_tile(oc), a, tile(oc, b), 0, 0, op);
    } else {
        VReg r = emit_expr(fe, b);
        emit_insn(fe, BC_TBINR, result_tile(oc), a, r, b->type->dtype, 0, op);
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
    static const char *const parts[] = {"dst_offsets", "src_offsets", "shape"};
    FuncEmit *fe = oc->fe;
    const Type *t = arg(oc, "src")->type;
    const Expr *stage = arg(oc, "stage"), *atomic = arg(oc, "atomic");
    Expr *items[3 * MAX_RANK];
    VXfer x = {.rank = t->rank, .pipeline = arg(oc, "pipeline")->ival != 0};
    if (!arg(oc, "shape"))
        whole_transfer(fe, t, items);
    else
        for (uint32_t i = 0; i < 3; i++)
            memcpy(items + i * t->rank, arg(oc, parts[i])->args, t->rank * sizeof *items);
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
    VReg dst = memory(oc, "dst"), peer = scalar(oc, "peer"), src = memory(oc, "src");
    uint32_t x = transfer(oc);
    emit_insn(oc->fe, oc->e->op == OP_PUT ? BC_PUT : BC_GET, dst, peer, src, x, 0, 0);
}

static LineCol place_of(const FuncEmit *fe)
{
    const Loc *loc = &fe->loc;
    if (loc->file)
        return (LineCol){loc->line, loc->col};
    return loc->span.end && fe->p->src ? source_line_col(fe->p->src, loc->span.begin)
                                       : (LineCol){0, 0};
}

static void emit_alloc(const OpCode *oc)
{
    FuncEmit *fe = oc->fe;
    const Expr *name = arg(oc, "name"), *align = arg(oc, "align"), *zero = arg(oc, "zero");
    VReg bytes = scalar(oc, "bytes"), offset = scalar(oc, "offset");
    LineCol place = place_of(fe);
    Sym file = fe->loc.file ? fe->loc.file : fe->p->src ? fe->p->src->name : "?";
    BcWindow w = {.name = emit_string(fe->em, name->sym),
                  .file = emit_string(fe->em, file),
                  .line = place.line,
                  .col = place.col,
                  .align = align->ival,
                  .zero = zero->ival != 0};
    VReg m = emit_memory_result(fe, oc->result, (BcMreg){.kind = BCM_BUFFER});
    emit_insn(fe, BC_ALLOC, m, bytes, offset, 0, 0, fe->em->windows.len);
    vec_push(&fe->em->windows, w);
}

static void emit_view(const OpCode *oc)
{
    FuncEmit *fe = oc->fe;
    const Expr *e = oc->e;
    uint32_t n;
    VReg src, extents, m;
    switch (e->op) {
    case OP_WINDOW:
        src = memory(oc, "buffer");
        extents = run(oc, "shape", &n);
        m = emit_memory_result(fe, oc->result, emit_mem_type(e->type));
        emit_insn(fe, BC_VIEW, m, src, extents, n, e->type->dtype, 0);
        break;
    case OP_TENSOR_ROW: {
        src = memory(oc, "src");
        VReg row = scalar(oc, "row");
        m = emit_memory_result(fe, oc->result, emit_mem_type(e->type));
        emit_insn3(fe, BC_ROW, m, src, row);
        break;
    }
    default:
        src = memory(oc, "src");
        m = emit_memory_result(fe, oc->result, emit_mem_type(e->type));
        emit_insn3(fe, BC_FLATTEN, m, src, 0);
        break;
    }
}

static void emit_check(const OpCode *oc)
{
    VReg cond = scalar(oc, "cond");
    emit_insn(oc->fe, BC_CHECK, cond, 0, 0, 0, 0, emit_string(oc->fe->em, arg(oc, "message")->sym));
}

/* Ops whose result is no scalar. */
static void emit_effect(const OpCode *oc)
{
    FuncEmit *fe = oc->fe;
    const Expr *e = oc->e;
    switch (e->op) {
    case OP_TILE_LOAD: emit_load(oc); break;
    case OP_TILE_STORE: emit_store(oc); break;
    case OP_WRITE: emit_write(oc); break;
    case OP_TILE_FULL:
        emit_insn(fe, BC_TFULL, result_tile(oc), 0, 0, 0, 0,
                  element_const(fe, arg(oc, "value"), e->type->dtype));
        break;
    case OP_TILE_CREATE: emit_insn3(fe, BC_TCREATE, result_tile(oc), 0, 0); break;
    case OP_TILE_COPY: emit_insn3(fe, BC_TCOPY, result_tile(oc), tile(oc, e->args[0]), 0); break;
    case OP_TILE_CAST:
        emit_insn(fe, BC_TCAST, result_tile(oc), tile(oc, e->args[0]), 0, 0, 0,
                  arg(oc, "mode")->ival);
        break;
    case OP_GET_COMM_CTX: break; /* a context is the register of its view */
    case OP_ALLOC_WINDOW_BUFFER: emit_alloc(oc); break;
    case OP_WINDOW:
    case OP_TENSOR_ROW:
    case OP_FLATTEN: emit_view(oc); break;
    case OP_CHECK: emit_check(oc); break;
    case OP_NOTIFY: emit_notify(oc); break;
    case OP_WAIT: emit_wait(oc); break;
    case OP_FENCE: emit_insn(fe, BC_FENCE, 0, 0, 0, 0, 0, arg(oc, "kind")->ival); break;
    case OP_REMOTE_LOAD: emit_remote_load(oc); break;
    case OP_REMOTE_STORE: emit_remote_store(oc); break;
    case OP_PUT:
    case OP_GET: emit_transfer(oc); break;
    default:
        if (tile_op(e->op) != TOP_COUNT)
            emit_elementwise(oc);
        else
            diag_internal(fe->p->diags, e->span, "%s reached code generation",
                          op_info(e->op)->full);
        break;
    }
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
    if (fe->f->kind == FN_HOST) {
        device = e->device ? emit_expr(fe, e->device) : emit_const_reg(fe, 0);
        cores = e->cores ? emit_expr(fe, e->cores) : emit_const_reg(fe, 1);
    }
    if (n_results) {
        bind_call_results(fe, &c, results, n_results);
    } else if ((c.n_results = scalar_results(e->callee)) > 0) {
        c.results = regs_new(&fe->ints, c.n_results);
    }
    vec_push(&fe->calls, c);
    if (fe->f->kind == FN_HOST)
        emit_insn3(fe, BC_DISPATCH, fe->calls.len - 1, device, cores);
    else
        emit_insn3(fe, BC_CALL, fe->calls.len - 1, 0, 0);
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
