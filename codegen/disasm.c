/* Bytecode as text: tables of each function, then one instruction a line with its place in the
 * source. */
#include "codegen/bytecode.h"
#include <inttypes.h>
#include <string.h>

enum { LOC_COLUMN = 52 }; /* where the place stands */

typedef struct {
    const BcProgram *p;
    const BcFunc *f;
    Buf *out;
} Dis;

static const struct {
    const char *name, fields[7];
} ops[] = {
#define PLD_BC(ENUM, name, a, b, c, d, e, imm, doc) {name, {a, b, c, d, e, imm, 0}},
#include "codegen/bytecode.def"
};

const char *bc_op_name(BcOp op)
{
    return ops[op].name;
}

const char *bc_op_fields(BcOp op)
{
    return ops[op].fields;
}

uint32_t bc_memory_params(const BcFunc *f)
{
    uint32_t n = 0;
    while (n < f->n_params && f->params[n].kind != BCP_SCALAR)
        n++;
    return n;
}

bool bc_prints(const BcProgram *p)
{
    for (uint32_t i = 0; i < p->n_funcs; i++)
        for (uint32_t k = 0; k < p->funcs[i].n_insns; k++) {
            uint16_t op = p->funcs[i].insns[k].op;
            if (op == BC_SHOW || op == BC_SHOWT || op == BC_SHOWM)
                return true;
        }
    return false;
}

bool bc_is_outside(const BcFunc *f)
{
    for (uint32_t i = 0; i < f->n_insns; i++)
        if (f->insns[i].op == BC_OUTSIDE)
            return true;
    return false;
}

const BcRegion *bc_region(const BcFunc *f, uint32_t pc)
{
    uint32_t lo = 0, hi = f->n_regions; /* the last entry at or before pc is below hi */
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (f->regions[mid].pc <= pc)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo && f->regions[lo - 1].site != BC_NO_INDEX ? &f->regions[lo - 1] : NULL;
}

const BcLoc *bc_loc(const BcFunc *f, uint32_t pc)
{
    uint32_t lo = 0, hi = f->n_locs; /* as bc_region */
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (f->locs[mid].pc <= pc)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? &f->locs[lo - 1] : NULL;
}

static const char *str(const Dis *d, uint32_t s)
{
    return s == BC_NO_INDEX ? "-" : d->p->strings[s];
}

/* A postfix expression as infix text, by a stack of texts. */
void bc_dim_text(const BcProgram *p, const BcDim *dim, Buf *out)
{
    static const char *const infix[] = {"", "", " + ", " * ", " // ", " % ", "min", "max"};
    Buf stack[BC_MAX_DIM_STACK] = {{0}};
    uint32_t depth = 0;
    for (uint32_t i = 0; i < dim->n; i++) {
        const BcDimStep *s = &p->dim_steps[dim->first + i];
        if (s->op == BCD_CONST) {
            buf_printf(&stack[depth++], "%" PRId64, s->value);
        } else if (s->op == BCD_NAME) {
            buf_str(&stack[depth++], p->strings[p->extents[s->value]]);
        } else {
            bool call = s->op >= BCD_MIN;
            Buf joined = {0};
            buf_printf(&joined, "%s(%s%s%s)", call ? infix[s->op] : "", stack[depth - 2].at,
                       call ? ", " : infix[s->op], stack[depth - 1].at);
            buf_free(&stack[--depth]);
            buf_free(&stack[depth - 1]);
            stack[depth - 1] = joined;
        }
    }
    buf_str(out, stack[0].at);
    buf_free(&stack[0]);
}

static void print_param(const Dis *d, const BcParam *m)
{
    static const char *const kinds[] = {"tensor", "window", "scalar"}, *const dirs[] = {"in", "out",
                                                                                        "inout"};
    buf_printf(d->out, "  param %s: %s %s", str(d, m->name), kinds[m->kind], dtype_name(m->dtype));
    for (uint32_t i = 0; i < m->rank; i++) {
        buf_str(d->out, i ? ", " : " [");
        bc_dim_text(d->p, &m->dims[i], d->out);
    }
    if (m->kind != BCP_SCALAR)
        buf_printf(d->out, "] %s%s", dirs[m->dir], m->signal ? " signal" : "");
    buf_char(d->out, '\n');
}

static void print_bind(const Dis *d, uint32_t i)
{
    const BcBind *b = &d->f->binds[i];
    buf_printf(d->out, "  r%u = %s", i, str(d, d->p->extents[b->extent]));
    if (b->param != BC_NO_INDEX)
        buf_printf(d->out, " = (%s.shape[%u] - %" PRId64 ") / %" PRId64,
                   str(d, d->f->params[b->param].name), b->axis, b->add, b->mul);
    buf_char(d->out, '\n');
}

static void print_tile(const Dis *d, uint32_t i)
{
    const BcTile *t = &d->f->tiles[i];
    buf_printf(d->out, "  t%u = %s", i, dtype_name(t->dtype));
    for (uint32_t k = 0; k < t->rank; k++)
        buf_printf(d->out, "%s%" PRId64, k ? ", " : " [", t->shape[k]);
    buf_printf(d->out, "] in %s at %" PRId64 ", %" PRId64 " bytes", mem_kind_name(t->memory),
               t->addr, t->bytes);
    if (t->name != BC_NO_INDEX)
        buf_printf(d->out, " (%s)", str(d, t->name));
    buf_char(d->out, '\n');
}

static void print_mreg(const Dis *d, uint32_t i)
{
    static const char *const kinds[] = {"tensor", "window", "buffer"};
    const BcMreg *m = &d->f->mregs[i];
    buf_printf(d->out, "  m%u = %s", i, kinds[m->kind]);
    if (m->kind != BCM_BUFFER)
        buf_printf(d->out, " %s, rank %u", dtype_name(m->dtype), m->rank);
    buf_char(d->out, '\n');
}

static void print_op_code(const Dis *d, const BcInsn *in, int64_t code)
{
    const char *name;
    switch (in->op) {
    case BC_BIN:
    case BC_UN:
    case BC_PBIN:
    case BC_PUN: name = scalar_info[code].code; break;
    case BC_TCAST: name = enum_value_name(ENUM_CastMode, code); break;
    case BC_STORE:
    case BC_RSTORE: name = enum_value_name(ENUM_AtomicType, code); break;
    case BC_NOTIFY: name = enum_value_name(ENUM_NotifyOp, code); break;
    case BC_WAIT: name = enum_value_name(ENUM_WaitCmp, code); break;
    case BC_TRED: name = reduce_name((TileReduce)code); break;
    case BC_FENCE: name = enum_value_name(ENUM_FenceKind, code); break;
    default: name = tileop_name((TileOp)code); break;
    }
    buf_str(d->out, name);
}

static void print_run(const Dis *d, uint32_t first, uint32_t n)
{
    if (first == BC_NONE || n == 0)
        buf_char(d->out, '-');
    else if (n == 1)
        buf_printf(d->out, "r%u", first);
    else
        buf_printf(d->out, "r%u..r%u", first, first + n - 1);
}

static void print_const(const Dis *d, const BcInsn *in, int64_t value)
{
    bool tile = in->op == BC_TFULL || in->op == BC_TBINK || in->op == BC_TPAD;
    if (in->op == BC_LDF || (tile && dtype_is_float(d->f->tiles[in->a].dtype))) {
        double v;
        memcpy(&v, &value, sizeof v);
        buf_double(d->out, v);
    } else {
        buf_printf(d->out, "%" PRId64, value);
    }
}

static void print_call(const Dis *d, const BcCall *c)
{
    buf_printf(d->out, "%s(", str(d, d->p->funcs[c->func].name));
    for (uint32_t i = 0; i < c->n_mem; i++)
        buf_printf(d->out, "%sm%u", i ? ", " : "", c->mem[i]);
    for (uint32_t i = 0; i < c->n_scalars; i++)
        buf_printf(d->out, "%sr%u", i || c->n_mem ? ", " : "", c->scalars[i]);
    buf_char(d->out, ')');
    if (c->n_results) {
        buf_str(d->out, " -> ");
        print_run(d, c->results, c->n_results);
    }
}

static void print_xfer(const Dis *d, const BcXfer *x)
{
    static const char *const parts[] = {"dst=", " src=", " shape="};
    for (uint32_t i = 0; i < 3; i++) {
        buf_str(d->out, parts[i]);
        print_run(d, (uint32_t)x->run + i * x->rank, x->rank);
    }
    buf_printf(d->out, " %s%s", enum_value_name(ENUM_AtomicType, x->atomic),
               x->pipeline ? " pipeline" : "");
    for (uint32_t i = 0; i < x->n_stages; i++)
        buf_printf(d->out, " t%u", x->stages[i]);
}

static void print_field(const Dis *d, const BcInsn *in, char code, int64_t v, uint32_t n)
{
    switch (code) {
    case 'r':
    case 'w': buf_printf(d->out, "r%" PRId64, v); break;
    case 'm':
    case 'M': buf_printf(d->out, "m%" PRId64, v); break;
    case 't':
    case 'T': buf_printf(d->out, "t%" PRId64, v); break;
    case 'x':
    case 'v':
    case 'p': print_run(d, (uint32_t)v, n); break;
    case 'y': buf_str(d->out, dtype_name((Dtype)v)); break;
    case 'o': print_op_code(d, in, v); break;
    case 'k': print_const(d, in, d->p->consts[v]); break;
    case 's': buf_printf(d->out, "\"%s\"", str(d, (uint32_t)v)); break;
    case 'c': print_call(d, &d->f->calls[v]); break;
    case 'f': print_xfer(d, &d->f->xfers[v]); break;
    case 'b': buf_printf(d->out, "%s", str(d, d->p->windows[v].name)); break;
    case 'j': buf_printf(d->out, "->%" PRId64, v); break;
    default: buf_printf(d->out, "%" PRId64, v); break;
    }
}

/* The operands in field order; lengths of runs show in the runs. */
static void print_operands(const Dis *d, const BcInsn *in)
{
    const int64_t fields[] = {in->a, in->b, in->c, in->d, in->e, in->imm};
    const char *codes = ops[in->op].fields;
    uint32_t n = 0;
    for (uint32_t i = 0; i < 6; i++) {
        if (codes[i] == 'n' || codes[i] == 'q')
            n = (uint32_t)fields[i];
    }
    const char *sep = "";
    for (uint32_t i = 0; i < 6; i++) {
        if (codes[i] == '-' || codes[i] == 'n' || codes[i] == 'q')
            continue;
        buf_str(d->out, sep);
        print_field(d, in, codes[i], fields[i], n);
        sep = ", ";
    }
}

/* What an instruction is from: its place in the source, its builtin call and the step of that. */
static void print_origin(const Dis *d, uint32_t pc, size_t width)
{
    const BcLoc *l = bc_loc(d->f, pc);
    const BcRegion *r = bc_region(d->f, pc);
    bool place = l && l->line;
    if (!place && !r)
        return;
    if (width < LOC_COLUMN)
        buf_fill(d->out, ' ', LOC_COLUMN - width);
    buf_str(d->out, " ;");
    if (place)
        buf_printf(d->out, " %s:%u:%u", str(d, l->file), l->line, l->col);
    if (r)
        buf_printf(d->out, " %s%s%s", builtin_info((Builtin)d->f->sites[r->site])->op,
                   r->phase ? " " : "", phase_text((Phase)r->phase));
}

static void print_code(const Dis *d)
{
    for (uint32_t pc = 0; pc < d->f->n_insns; pc++) {
        const BcInsn *in = &d->f->insns[pc];
        size_t start = d->out->len;
        buf_printf(d->out, "%6u  %-9s", pc, ops[in->op].name);
        print_operands(d, in);
        while (d->out->at[d->out->len - 1] == ' ')
            d->out->at[--d->out->len] = '\0';
        print_origin(d, pc, d->out->len - start);
        buf_char(d->out, '\n');
    }
}

static void print_tables(Dis *d, const BcFunc *f)
{
    d->f = f;
    buf_printf(d->out, ": %u registers, %" PRId64 " bytes on the core\n", f->n_regs,
               bc_core_bytes(f));
    uint32_t mems = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        print_param(d, &f->params[i]);
        mems += f->params[i].kind != BCP_SCALAR;
    }
    for (uint32_t i = 0; i < f->n_binds; i++)
        print_bind(d, i);
    for (uint32_t i = mems; i < f->n_mregs; i++)
        print_mreg(d, i);
    for (uint32_t i = 0; i < f->n_tiles; i++)
        print_tile(d, i);
    print_code(d);
}

static void print_func(Dis *d, const BcFunc *f)
{
    static const char *const kinds[] = {"host", "orchestration", "incore"};
    buf_printf(d->out, "\n%s %s%s", kinds[f->kind], str(d, f->name),
               f->generated ? " (builtin)" : "");
    print_tables(d, f);
}

static void print_element_func(Dis *d, const BcElementFunc *u)
{
    buf_printf(d->out, "\n%s %s", u->golden ? "golden" : "init", str(d, u->func.name));
    if (u->golden && u->rtol >= 0)
        buf_str(d->out, " rtol="), buf_double(d->out, u->rtol);
    if (u->golden && u->atol >= 0)
        buf_str(d->out, " atol="), buf_double(d->out, u->atol);
    print_tables(d, &u->func);
}

void bc_disassemble(const BcProgram *p, Buf *out)
{
    Dis d = {.p = p, .out = out};
    buf_printf(out, "program %s platform=%s ranks=%u", str(&d, p->program_name),
               platforms[p->platform].name, p->compiled_ranks);
    buf_str(out, p->ranks ? " (this number only)" : "");
    for (uint32_t i = 0; i < p->n_bindings; i++)
        buf_printf(out, " %s=%s", str(&d, p->bindings[i][0]), str(&d, p->bindings[i][1]));
    buf_printf(out, "\nentry %s\n", str(&d, p->funcs[p->entry].name));
    for (uint32_t i = 0; i < p->n_windows; i++)
        buf_printf(out, "window %s align=%" PRId64 "%s\n", str(&d, p->windows[i].name),
                   p->windows[i].align, p->windows[i].zero ? " zero" : "");
    for (uint32_t i = 0; i < p->n_funcs; i++)
        print_func(&d, &p->funcs[i]);
    for (uint32_t i = 0; i < p->n_element_funcs; i++)
        print_element_func(&d, &p->element_funcs[i]);
}
