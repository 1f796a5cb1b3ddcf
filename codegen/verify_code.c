/* The instructions of one function: fields by their letters in bytecode.def, then what the row of
 * the opcode in verify.def asks of its operands together. */
#include "codegen/verify.h"

#include <string.h>

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

static bool scalar_ok(int64_t code, uint32_t arity)
{
    return code >= 0 && code < SC_COUNT && code != SC_CAST &&
           scalar_info[code].device != SCALAR_NONE && scalar_info[code].arity == arity;
}

/* Of numbers in init and golden functions; `and` and `or` are jumps there. */
static bool number_ok(int64_t code, uint32_t arity)
{
    return code >= 0 && code < SC_COUNT && scalar_info[code].arity == arity && code != SC_AND &&
           code != SC_OR && code != SC_CAST;
}

/* What the operation code of an instruction is a member of. */
typedef enum {
    CODE_NONE,
    CODE_SCALAR_BINARY,
    CODE_SCALAR_UNARY,
    CODE_NUMBER_BINARY,
    CODE_NUMBER_UNARY,
    CODE_TILE_BINARY,
    CODE_TILE_UNARY,
    CODE_TILE_REDUCE,
    CODE_ENUM /* and the EnumType */
} Code;

static bool code_ok(const At *at, int set, int64_t code)
{
    switch (set) {
    case CODE_NONE: return false;
    case CODE_SCALAR_BINARY: return scalar_ok(code, 2);
    case CODE_SCALAR_UNARY: return scalar_ok(code, 1);
    case CODE_NUMBER_BINARY: return number_ok(code, 2);
    case CODE_NUMBER_UNARY: return number_ok(code, 1);
    case CODE_TILE_BINARY: return tileop_ok(at, code, 2);
    case CODE_TILE_UNARY: return tileop_ok(at, code, 1);
    case CODE_TILE_REDUCE: return code >= 0 && code < RED_COUNT;
    default: return enum_value_name((EnumType)(set - CODE_ENUM), code) != NULL;
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

static bool addable(uint8_t dtype)
{
    return dtype == DT_FP32 || dtype == DT_FP16 || dtype == DT_BF16 || dtype == DT_INT32 ||
           dtype == DT_INT16 || dtype == DT_INT8;
}

/* ---- rules: what is asked of operands together; each is in range already ---- */

static bool rule_NONE(At *at)
{
    (void)at;
    return true;
}

static bool rule_ANY_TILE(At *at)
{
    (void)at;
    return true;
}

static bool rule_SCALARS(At *at)
{
    ScalarDevice kind = dtype_is_float(at->in->d) ? SCALAR_FLOATS : SCALAR_INTS;
    return (scalar_info[at->in->imm].device & kind) || bad(at, "the dtype has no such operator");
}

static bool rule_INTEGER(At *at)
{
    return dtype_is_int(at->in->d) || bad(at, "no integer dtype");
}

static bool rule_FORWARD(At *at)
{
    return at->in->imm > (int64_t)at->pc || bad(at, "a jump that goes back");
}

static bool rule_BACK(At *at)
{
    return at->in->imm <= (int64_t)at->pc || bad(at, "a loop that goes forward");
}

static bool rule_CALL(At *at)
{
    const BcCall *c = &at->f->calls[at->in->a];
    return at->v->p->funcs[c->func].kind == BCF_INCORE || bad(at, "wrong level");
}

static bool rule_DISPATCH(At *at)
{
    return at->f->calls[at->in->a].n_results == 0 || bad(at, "wrong level");
}

static bool rule_SAME_MEMORY(At *at)
{
    const BcMreg *a = mreg(at, at->in->a), *b = mreg(at, at->in->b);
    return (a->kind == b->kind && a->dtype == b->dtype && a->rank == b->rank) ||
           bad(at, "registers of different types");
}

static bool rule_ROW(At *at)
{
    const BcMreg *a = mreg(at, at->in->a), *b = mreg(at, at->in->b);
    return (a->kind == BCM_TENSOR && b->kind == BCM_TENSOR && a->dtype == b->dtype &&
            a->rank + 1 == b->rank) ||
           bad(at, "not a row of a tensor");
}

static bool rule_FLATTEN(At *at)
{
    const BcMreg *a = mreg(at, at->in->a), *b = mreg(at, at->in->b);
    return (a->kind == b->kind && a->kind != BCM_BUFFER && a->dtype == b->dtype && a->rank == 2) ||
           bad(at, "registers that do not fit");
}

static bool rule_RESHAPE(At *at)
{
    const BcMreg *a = mreg(at, at->in->a), *b = mreg(at, at->in->b);
    return (a->kind == b->kind && a->kind != BCM_BUFFER && a->dtype == b->dtype &&
            a->rank == run_length(at->in)) ||
           bad(at, "registers that do not fit");
}

static bool rule_BUFFER(At *at)
{
    return mreg(at, at->in->a)->kind == BCM_BUFFER || bad(at, "not a buffer");
}

static bool rule_VIEW(At *at)
{
    const BcMreg *a = mreg(at, at->in->a), *b = mreg(at, at->in->b);
    return (a->kind == BCM_WINDOW && b->kind == BCM_BUFFER && a->dtype == at->in->e &&
            a->rank == run_length(at->in)) ||
           bad(at, "not a view of a buffer");
}

static bool rule_AXIS(At *at)
{
    const BcMreg *b = mreg(at, at->in->b);
    return (b->kind != BCM_BUFFER && index_ok(at->in->imm, b->rank)) || bad(at, "no such axis");
}

static bool rule_WINDOW(At *at)
{
    return mreg(at, at->in->b)->kind == BCM_WINDOW || bad(at, "not a window");
}

static bool element(At *at, const BcMreg *m)
{
    return (m->kind != BCM_BUFFER && m->rank == run_length(at->in)) || bad(at, "not an element");
}

static bool rule_ELEMENT_OF_A(At *at)
{
    return element(at, mreg(at, at->in->a));
}

static bool rule_ELEMENT_OF_B(At *at)
{
    return element(at, mreg(at, at->in->b));
}

/* Tile against memory: one dtype, one rank, and as many offsets; what is stored may be of lower
 * rank. */
static bool fits(At *at)
{
    const BcTile *a = tile(at, at->in->a);
    const BcMreg *b = mreg(at, at->in->b);
    bool store = at->in->op == BC_STORE || at->in->op == BC_RSTORE;
    return (a->dtype == b->dtype && (store ? a->rank <= b->rank : a->rank == b->rank) &&
            run_length(at->in) == b->rank) ||
           bad(at, "tile and memory differ in dtype or rank");
}

static bool rule_MOVE(At *at)
{
    if (mreg(at, at->in->b)->kind == BCM_BUFFER)
        return bad(at, "memory that is a buffer");
    if (at->in->imm == ATOMIC_ADD && !addable(tile(at, at->in->a)->dtype))
        return bad(at, "no atomic add here");
    return fits(at);
}

static bool rule_LOAD(At *at)
{
    const BcInsn *in = at->in;
    if (mreg(at, in->b)->kind == BCM_BUFFER)
        return bad(at, "memory that is a buffer");
    return (in->imm == 0 || in->imm == 1 || bad(at, "imm")) && fits(at);
}

static bool rule_REMOTE(At *at)
{
    if (mreg(at, at->in->b)->kind != BCM_WINDOW)
        return bad(at, "memory that is no window");
    return fits(at);
}

static bool rule_REMOTE_ADD(At *at)
{
    if (at->in->imm == ATOMIC_ADD && !addable(tile(at, at->in->a)->dtype))
        return bad(at, "no atomic add here");
    return rule_REMOTE(at);
}

static bool rule_TRANSFER(At *at)
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
    return tile(at, x->stages[0])->dtype == dst->dtype || bad(at, "staging tile of another dtype");
}

static bool rule_CELL(At *at)
{
    const BcMreg *m = mreg(at, at->in->a);
    return (m->kind == BCM_WINDOW && m->dtype == DT_INT32 && m->rank == run_length(at->in)) ||
           bad(at, "not a cell of an INT32 window");
}

static bool rule_SAME_TILES(At *at)
{
    const BcTile *a = tile(at, at->in->a);
    bool two = bc_op_fields((BcOp)at->in->op)[2] == 't';
    return (bcv_same_tile(a, tile(at, at->in->b)) &&
            (!two || bcv_same_tile(a, tile(at, at->in->c)))) ||
           bad(at, "tiles of different types");
}

static bool rule_SAME_SHAPES(At *at)
{
    return same_shape(tile(at, at->in->a), tile(at, at->in->b)) ||
           bad(at, "tiles of different shapes");
}

/* codegen/verify_tiles.c */
#define TILE_RULE(NAME)                                                                            \
    static bool rule_##NAME(At *at)                                                                \
    {                                                                                              \
        const char *defect = bcv_tiles_##NAME(at->f, at->in, run_length(at->in));                  \
        return !defect || bad(at, defect);                                                         \
    }
TILE_RULE(BROADCAST)
TILE_RULE(REDUCED)
TILE_RULE(PART)
TILE_RULE(PASTE)
TILE_RULE(CONCAT)
TILE_RULE(TILE_RESHAPE)
TILE_RULE(SWAP)
TILE_RULE(PAD)
TILE_RULE(SAME_INDEXED)
TILE_RULE(BYTES)
TILE_RULE(TILE_ELEMENT)
TILE_RULE(PRODUCT)
TILE_RULE(TURN)
TILE_RULE(COMPARED)
TILE_RULE(SELECTED)
TILE_RULE(PARTS)
TILE_RULE(COUNTED)

static bool rule_BLOCK(At *at)
{
    return at->in->imm == 0 || at->in->imm == 1 || bad(at, "another operand than 0 or 1");
}

static bool rule_AS(At *at)
{
    return at->in->imm >= 0 || bad(at, "a negative operand");
}

static bool rule_SPMD(At *at)
{
    return rule_CALL(at) && (at->in->imm >= 0 || bad(at, "a negative number of blocks"));
}

static bool rule_WITHIN(At *at)
{
    const BcMreg *a = mreg(at, at->in->a), *b = mreg(at, at->in->b);
    uint32_t gone = (uint32_t)at->in->imm;
    if (b->rank != run_length(at->in) || gone >> b->rank)
        return bad(at, "dimensions that its memory lacks");
    return (b->kind != BCM_BUFFER && a->kind == b->kind && a->dtype == b->dtype &&
            a->rank == b->rank - (uint32_t)__builtin_popcount(gone) && a->rank > 0) ||
           bad(at, "not a part of its memory");
}

static bool rule_FILLED(At *at)
{
    return mreg(at, at->in->a)->kind == BCM_TENSOR || bad(at, "no tensor");
}

static bool rule_MAKE(At *at)
{
    const BcMreg *a = mreg(at, at->in->a);
    return (a->kind == BCM_TENSOR && a->dtype == at->in->d && a->rank == run_length(at->in)) ||
           bad(at, "not memory of its type");
}

/* ---- the walk over codegen/verify.def ---- */

typedef enum {
#define PLD_RULE(NAME, doc) RULE_##NAME,
#include "codegen/verify.def"
} Rule;

static bool (*const rules[])(At *at) = {
#define PLD_RULE(NAME, doc) rule_##NAME,
#include "codegen/verify.def"
};

typedef struct {
    const char *levels; /* letters of level_letters */
    int code;           /* Code */
    Rule rule;
} Row;

static const char level_letters[] = {
    [BCF_HOST] = 'H', [BCF_ORCH] = 'O', [BCF_INCORE] = 'I', [BCF_ELEMENT] = 'E'};

#define CODE_PLD_MEMBER(TYPE) (CODE_ENUM + ENUM_##TYPE)
static const Row rows[] = {
#define PLD_VERIFY(ENUM, levels, code, rule) [BC_##ENUM] = {levels, CODE_##code, RULE_##rule},
#include "codegen/verify.def"
};

/* Each opcode has one row: a second one would be a second enumerator of that name. */
enum {
#define PLD_VERIFY(ENUM, levels, code, rule) ROW_##ENUM,
#include "codegen/verify.def"
    ROW_COUNT
};
_Static_assert(ROW_COUNT == (int)BC_OPCODE_COUNT, "a row of codegen/verify.def for each opcode");

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
    case 'y': return value >= 0 && value < DT_COUNT;
    case 'o': return code_ok(at, rows[at->in->op].code, value);
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

static bool check_insn(At *at)
{
    if (at->in->op >= BC_OPCODE_COUNT)
        return bad(at, "unknown opcode");
    const Row *row = &rows[at->in->op];
    if (!strchr(row->levels, level_letters[at->f->kind]))
        return bad(at, "not at this level");
    return check_fields(at) && rules[row->rule](at);
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
