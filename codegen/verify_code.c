/* The instructions of one function: fields by their codes in bytecode.def, then what each opcode
 * asks of its operands together. */
#include "codegen/verify.h"

/* The instruction at hand. */
typedef struct {
    Verify *v;
    const BcFunc *f;
    const BcInsn *in;
    uint32_t pc;
} At;

static bool bad(At *at, const char *what)
{
    return bcv_fail(at->v, "instruction %u (%s): %s", at->pc,
                    at->in->op < BC_OPCODE_COUNT ? bc_op_name(at->in->op) : "?", what);
}

static uint16_t field(const BcInsn *in, uint32_t i)
{
    const uint16_t fields[] = {in->a, in->b, in->c, in->d, in->e};
    return fields[i];
}

/* Is there a kernel of this arity for the elements of the tile that the instruction writes? */
static bool tileop_ok(const At *at, int64_t code, uint32_t arity)
{
    if (code < 0 || code >= TOP_COUNT || at->in->a >= at->f->n_tiles)
        return false;
    TileOp op = (TileOp)code;
    return tileop_arity(op) == arity && tileop_takes(op, at->f->tiles[at->in->a].dtype);
}

/* The enumeration that an operation code is a member of. */
static bool check_code(At *at, int64_t code)
{
    switch (at->in->op) {
    case BC_BIN:
    case BC_UN:
        return code >= 0 && code < SC_COUNT && scalar_info[code].device != SCALAR_NONE &&
               scalar_info[code].arity == (at->in->op == BC_BIN ? 2 : 1);
    case BC_TBIN:
    case BC_TBINK:
    case BC_TBINR: return tileop_ok(at, code, 2);
    case BC_TUN: return tileop_ok(at, code, 1);
    case BC_TCAST: return enum_value_name(ENUM_CastMode, code) != NULL;
    case BC_RSTORE: return enum_value_name(ENUM_AtomicType, code) != NULL;
    case BC_NOTIFY: return enum_value_name(ENUM_NotifyOp, code) != NULL;
    case BC_WAIT: return enum_value_name(ENUM_WaitCmp, code) != NULL;
    case BC_FENCE: return enum_value_name(ENUM_FenceKind, code) != NULL;
    default: return false;
    }
}

/* Length of the runs of an instruction: its field n or q; 0 when there is none. */
static uint32_t run_length(const BcInsn *in)
{
    const char *codes = bc_op_fields(in->op);
    for (uint32_t i = 0; i < 5; i++) {
        if (codes[i] == 'n' || codes[i] == 'q')
            return field(in, i);
    }
    return codes[5] == 'n' ? (uint32_t)in->imm : 0;
}

static bool run_ok(At *at, uint32_t first)
{
    return first + (uint64_t)run_length(at->in) <= at->f->n_regs;
}

static bool index_ok(int64_t i, uint64_t n)
{
    return i >= 0 && (uint64_t)i < n;
}

static bool check_field(At *at, char code, int64_t value)
{
    const BcFunc *f = at->f;
    const BcProgram *p = at->v->p;
    switch (code) {
    case '-': return value == 0;
    case 'r':
    case 'w': return index_ok(value, f->n_regs);
    case 'm':
    case 'M': return index_ok(value, f->n_mregs);
    case 't':
    case 'T': return index_ok(value, f->n_tiles);
    case 'x': return run_ok(at, (uint32_t)value);
    case 'v': return value == BC_NONE || run_ok(at, (uint32_t)value);
    case 'p': return run_length(at->in) ? run_ok(at, (uint32_t)value) : value == 0;
    case 'n': return value >= 1 && value <= BC_MAX_RANK;
    case 'q':
    case 'i': return true;
    case 'y': return value < DT_COUNT;
    case 'o': return check_code(at, value);
    case 'k': return index_ok(value, p->n_consts);
    case 's': return index_ok(value, p->n_strings);
    case 'j': return index_ok(value, f->n_insns);
    case 'c': return index_ok(value, f->n_calls);
    case 'f': return index_ok(value, f->n_xfers);
    case 'b': return index_ok(value, p->n_windows);
    default: return false;
    }
}

static bool check_fields(At *at)
{
    static const char *const names[] = {"field a", "field b", "field c",
                                        "field d", "field e", "imm"};
    const char *codes = bc_op_fields(at->in->op);
    for (uint32_t i = 0; i < 6; i++) {
        if (!check_field(at, codes[i], i < 5 ? field(at->in, i) : at->in->imm))
            return bad(at, names[i]);
    }
    return true;
}

/* Instructions that only stand at some levels: bits 1 << BcFuncKind. */
static uint32_t op_levels(uint16_t op)
{
    enum { H = 1 << BCF_HOST, O = 1 << BCF_ORCH, I = 1 << BCF_INCORE };
    switch (op) {
    case BC_DISPATCH:
    case BC_ALLOC:
    case BC_VIEW:
    case BC_ROW:
    case BC_WORLD: return H;
    case BC_CALL: return O;
    case BC_RANK:
    case BC_NRANKS:
    case BC_READ:
    case BC_WRITE: return O | I;
    default: return op >= BC_LOAD || op == BC_CORE ? I : H | O | I;
    }
}

/* Loops end where they say: only FORLOOP goes back. */
static bool check_jump(At *at)
{
    int64_t to = at->in->imm, here = at->pc;
    if (at->in->op == BC_FORLOOP)
        return to <= here || bad(at, "a loop that goes forward");
    return to > here || bad(at, "a jump that goes back");
}

static const BcMreg *mreg(const At *at, uint32_t m)
{
    return &at->f->mregs[m];
}
static const BcTile *tile(const At *at, uint32_t t)
{
    return &at->f->tiles[t];
}

static bool same_shape(const BcTile *a, const BcTile *b)
{
    if (a->rank != b->rank)
        return false;
    for (uint32_t i = 0; i < a->rank; i++) {
        if (a->shape[i] != b->shape[i])
            return false;
    }
    return true;
}

bool bcv_same_tile(const BcTile *a, const BcTile *b)
{
    return a->dtype == b->dtype && same_shape(a, b);
}

static bool same_mreg(const BcMreg *a, const BcMreg *b)
{
    return a->kind == b->kind && a->dtype == b->dtype && a->rank == b->rank;
}

static bool addable(uint8_t dtype)
{
    return dtype == DT_FP32 || dtype == DT_FP16 || dtype == DT_BF16 || dtype == DT_INT32 ||
           dtype == DT_INT16 || dtype == DT_INT8;
}

/* Tile against memory: one dtype, one rank, and as many offsets. */
static bool check_move(At *at, uint32_t t, uint32_t m, bool remote)
{
    const BcTile *a = tile(at, t);
    const BcMreg *b = mreg(at, m);
    if (remote ? b->kind != BCM_WINDOW : b->kind == BCM_BUFFER)
        return bad(at, remote ? "memory that is no window" : "memory that is a buffer");
    if (a->dtype != b->dtype || a->rank != b->rank || run_length(at->in) != b->rank)
        return bad(at, "tile and memory differ in dtype or rank");
    return true;
}

static bool check_signal(At *at)
{
    const BcMreg *m = mreg(at, at->in->a);
    if (m->kind != BCM_WINDOW || m->dtype != DT_INT32 || m->rank != run_length(at->in))
        return bad(at, "not a cell of an INT32 window");
    return true;
}

static bool check_transfer(At *at)
{
    const BcInsn *in = at->in;
    const BcXfer *x = &at->f->xfers[in->d];
    const BcMreg *dst = mreg(at, in->a), *src = mreg(at, in->c);
    const BcMreg *remote = in->op == BC_PUT ? dst : src, *local = in->op == BC_PUT ? src : dst;
    if (remote->kind != BCM_WINDOW || local->kind == BCM_BUFFER)
        return bad(at, "memory of the wrong kind");
    if (dst->dtype != src->dtype || dst->rank != src->rank || dst->rank != x->rank)
        return bad(at, "source and destination differ in dtype or rank");
    if (x->atomic && (in->op == BC_GET || !addable(dst->dtype)))
        return bad(at, "no atomic add here");
    for (uint32_t i = 0; i < x->n_stages; i++) {
        if (tile(at, x->stages[i])->dtype != dst->dtype)
            return bad(at, "staging tile of another dtype");
    }
    return true;
}

static bool check_memory_op(At *at)
{
    const BcInsn *in = at->in;
    const BcMreg *a = mreg(at, in->a), *b = in->op == BC_ALLOC ? NULL : mreg(at, in->b);
    switch (in->op) {
    case BC_MMOV: return same_mreg(a, b) || bad(at, "registers of different types");
    case BC_ROW:
        return (a->kind == BCM_TENSOR && b->kind == BCM_TENSOR && a->dtype == b->dtype &&
                a->rank + 1 == b->rank) ||
               bad(at, "not a row of a tensor");
    case BC_FLATTEN:
        return (a->kind == b->kind && a->kind != BCM_BUFFER && a->dtype == b->dtype &&
                a->rank == 2) ||
               bad(at, "registers that do not fit");
    case BC_ALLOC: return a->kind == BCM_BUFFER || bad(at, "not a buffer");
    default:
        return (a->kind == BCM_WINDOW && b->kind == BCM_BUFFER && a->dtype == in->e &&
                a->rank == run_length(in)) ||
               bad(at, "not a view of a buffer");
    }
}

static bool check_element(At *at, uint32_t m)
{
    const BcMreg *b = mreg(at, m);
    return (b->kind != BCM_BUFFER && b->rank == run_length(at->in)) || bad(at, "not an element");
}

static bool check_query(At *at)
{
    const BcMreg *b = mreg(at, at->in->b);
    if (at->in->op == BC_DIM)
        return (b->kind != BCM_BUFFER && index_ok(at->in->imm, b->rank)) || bad(at, "no such axis");
    return b->kind == BCM_WINDOW || bad(at, "not a window");
}

static bool check_tile_op(At *at)
{
    const BcInsn *in = at->in;
    const BcTile *a = tile(at, in->a), *b = tile(at, in->b);
    if (in->op == BC_TCAST)
        return same_shape(a, b) || bad(at, "tiles of different shapes");
    if (!bcv_same_tile(a, b) || (in->op == BC_TBIN && !bcv_same_tile(a, tile(at, in->c))))
        return bad(at, "tiles of different types");
    return true;
}

/* What an opcode asks of its operands together; each is in range already. */
static bool check_operands(At *at)
{
    const BcInsn *in = at->in;
    switch (in->op) {
    case BC_BIN:
    case BC_UN:
        if (dtype_is_float(in->d))
            return bad(at, "floating-point scalars");
        return (scalar_info[in->imm].device & SCALAR_INTS) || bad(at, "no operator of integers");
    case BC_JMP:
    case BC_JZ:
    case BC_JNZ:
    case BC_FORPREP:
    case BC_FORLOOP: return check_jump(at);
    case BC_CALL:
    case BC_DISPATCH: {
        const BcCall *c = &at->f->calls[in->a];
        if (in->op == BC_CALL ? at->v->p->funcs[c->func].kind != BCF_INCORE : c->n_results != 0)
            return bad(at, "wrong level");
        return true;
    }
    case BC_MMOV:
    case BC_ROW:
    case BC_FLATTEN:
    case BC_ALLOC:
    case BC_VIEW: return check_memory_op(at);
    case BC_DIM:
    case BC_RANK:
    case BC_NRANKS: return check_query(at);
    case BC_READ: return check_element(at, in->b);
    case BC_WRITE: return check_element(at, in->a);
    case BC_LOAD: return check_move(at, in->a, in->b, false);
    case BC_STORE: return check_move(at, in->a, in->b, false);
    case BC_RLOAD: return check_move(at, in->a, in->b, true);
    case BC_RSTORE:
        if (in->imm == ATOMIC_ADD && !addable(tile(at, in->a)->dtype))
            return bad(at, "no atomic add here");
        return check_move(at, in->a, in->b, true);
    case BC_TCOPY:
    case BC_TBIN:
    case BC_TBINK:
    case BC_TBINR:
    case BC_TUN:
    case BC_TCAST: return check_tile_op(at);
    case BC_PUT:
    case BC_GET: return check_transfer(at);
    case BC_NOTIFY:
    case BC_WAIT: return check_signal(at);
    default: return true;
    }
}

static bool check_insn(At *at)
{
    if (at->in->op >= BC_OPCODE_COUNT)
        return bad(at, "unknown opcode");
    if (!(op_levels(at->in->op) >> at->f->kind & 1))
        return bad(at, "not at this level");
    return check_fields(at) && check_operands(at);
}

bool bcv_code(Verify *v)
{
    const BcFunc *f = v->f;
    if (f->n_insns == 0 || f->insns[f->n_insns - 1].op != BC_RET)
        return bcv_fail(v, "does not end with ret");
    for (uint32_t i = 0; i < f->n_insns; i++) {
        At at = {.v = v, .f = f, .in = &f->insns[i], .pc = i};
        if (!check_insn(&at))
            return false;
    }
    return true;
}
