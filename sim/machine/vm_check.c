#include "sim/machine/vm_check.h"

#ifdef PLD_VM_CHECK

#include <stdio.h>
#include <stdlib.h>

static void hold(bool good, const char *what, int64_t got, int64_t most)
{
    if (good)
        return;
    fprintf(stderr, "vm check: %s: %lld of %lld\n", what, (long long)got, (long long)most);
    abort();
}

/* `n` things from `first` on, of `count`. */
static void within(const char *what, int64_t first, int64_t n, int64_t count)
{
    hold(first >= 0 && n >= 0 && first <= count && n <= count - first, what, first + n, count);
}

static uint32_t run_length(const BcInsn *in)
{
    const uint16_t fields[] = {in->a, in->b, in->c, in->d, in->e};
    const char *codes = bc_op_fields((BcOp)in->op);
    for (uint32_t i = 0; i < 5; i++)
        if (codes[i] == 'n' || codes[i] == 'q')
            return fields[i];
    return codes[5] == 'n' ? (uint32_t)in->imm : 0;
}

static void check_call(const World *w, const BcFunc *f, const BcCall *c)
{
    within("called function", c->func, 1, w->program->n_funcs);
    for (uint32_t i = 0; i < c->n_mem; i++)
        within("memory argument", c->mem[i], 1, f->n_mregs);
    for (uint32_t i = 0; i < c->n_scalars; i++)
        within("scalar argument", c->scalars[i], 1, f->n_regs);
    if (c->n_results)
        within("results", c->results, c->n_results, f->n_regs);
}

static void check_xfer(const BcFunc *f, const BcXfer *x)
{
    within("registers of a transfer", x->run, 3 * (int64_t)x->rank, f->n_regs);
    for (uint32_t i = 0; i < x->n_stages; i++)
        within("staging tile", x->stages[i], 1, f->n_tiles);
}

static void check_field(const World *w, const BcFunc *f, const BcInsn *in, char code, int64_t v)
{
    switch (code) {
    case 'r':
    case 'w': within("register", v, 1, f->n_regs); break;
    case 'm':
    case 'M': within("memory register", v, 1, f->n_mregs); break;
    case 't':
    case 'T': within("tile slot", v, 1, f->n_tiles); break;
    case 'p':
    case 'x': within("run of registers", v, run_length(in), f->n_regs); break;
    case 'v':
        if (v != BC_NONE)
            within("run of registers", v, run_length(in), f->n_regs);
        break;
    case 'n': within("rank", v, 0, BC_MAX_RANK); break;
    case 'y': within("dtype", v, 1, DT_COUNT); break;
    case 'k': within("constant", v, 1, w->program->n_consts); break;
    case 's': within("string", v, 1, w->program->n_strings); break;
    case 'j': within("instruction", v, 1, f->n_insns); break;
    case 'b': within("window", v, 1, w->program->n_windows); break;
    case 'c':
        within("call", v, 1, f->n_calls);
        check_call(w, f, &f->calls[v]);
        break;
    case 'f':
        within("transfer", v, 1, f->n_xfers);
        check_xfer(f, &f->xfers[v]);
        break;
    default: break;
    }
}

void vm_check_insn(const World *w, const Lane *lane)
{
    const Frame *top = &lane->frames.at[lane->frames.len - 1];
    within("instruction", top->pc, 1, top->f->n_insns);
    const BcInsn *in = &top->f->insns[top->pc];
    const int64_t fields[] = {in->a, in->b, in->c, in->d, in->e, in->imm};
    within("opcode", in->op, 1, BC_OPCODE_COUNT);
    const char *codes = bc_op_fields((BcOp)in->op);
    for (uint32_t i = 0; i < 6; i++)
        check_field(w, top->f, in, codes[i], fields[i]);
}

void vm_check_slot(Lane *lane, const BcTile *t)
{
    within("tile in the memory of the core", t->at, t->bytes, lane->core_cap);
    lane->checked = t;
}

/* Bytes from the first to the last of a layout. */
static int64_t extent(const FabRect *r, const int64_t *stride)
{
    int64_t bytes = r->run;
    for (int i = 0; i < r->n; i++)
        bytes += (r->count[i] - 1) * stride[i];
    return r->run ? bytes : 0;
}

void vm_check_local(const Lane *lane, const RectPair *p, const char *at)
{
    bool tile = lane->checked && at == lane->core_mem + lane->checked->at;
    within("bytes of a tile", 0, extent(&p->rect, p->tile_stride), tile ? lane->checked->bytes : 8);
}

void vm_check_region(const Region *region, const FabRect *r)
{
    within("bytes of device memory", r->at.offset, extent(r, r->stride), region->bytes);
}

void vm_check_valid(const BcTile *t, const int64_t *valid)
{
    for (uint32_t i = 0; i < t->rank; i++)
        within("valid extent", valid[i], 0, t->shape[i]);
}

#endif
