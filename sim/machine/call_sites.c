#include "sim/machine/call_sites.h"

#include <stdlib.h>
#include <string.h>

/* The constant that a register holds at `pc`: set before it in the code, and live from there on. */
static bool register_value(const BcFunc *f, uint32_t pc, uint16_t reg, int64_t *out)
{
    while (pc-- > 0) {
        const BcInsn *in = &f->insns[pc];
        if (bc_op_fields((BcOp)in->op)[0] != 'w' || in->a != reg)
            continue;
        *out = in->imm;
        return in->op == BC_LDI;
    }
    return false;
}

/* The register that an instruction moves data of the target through. */
static uint16_t data_register(const BcInsn *in)
{
    switch (in->op) {
    case BC_RLOAD: return in->b;
    case BC_PUT:
    case BC_GET: return in->a;
    default: return BC_NONE;
    }
}

/* Per memory register: what it is a flattened view of, itself when it is none. */
static uint16_t *find_views(const BcFunc *f)
{
    uint16_t *view_of = xcalloc(f->n_mregs + (size_t)1, sizeof *view_of);
    for (uint32_t i = 0; i < f->n_mregs; i++)
        view_of[i] = (uint16_t)i;
    for (uint32_t pc = 0; pc < f->n_insns; pc++)
        if (f->insns[pc].op == BC_FLATTEN || f->insns[pc].op == BC_SHAPE)
            view_of[f->insns[pc].a] = f->insns[pc].b;
    return view_of;
}

/* What an instruction tells about its call. */
static void learn(CallSite *s, const BcFunc *f, const uint16_t *view_of, uint32_t pc, Phase phase)
{
    const BcInsn *in = &f->insns[pc];
    uint16_t data = data_register(in);
    /* A view is made after the call has begun: what it is a view of is there. */
    if (s->data == BC_NONE && data != BC_NONE)
        s->data = view_of[data];
    switch (in->op) {
    case BC_GET:
        if (!register_value(f, pc, in->b, &s->root))
            s->root = -1;
        break;
    case BC_CORE: s->lanes = true; break;
    case BC_NOTIFY:
        if (phase_is_barrier(phase))
            s->signal = in->a;
        break;
    default: break;
    }
}

static bool loop_notifies(const BcFunc *f, uint32_t pc)
{
    for (uint32_t i = pc + 1; i < (uint32_t)f->insns[pc].imm; i++)
        if (f->insns[i].op == BC_NOTIFY)
            return true;
    return false;
}

static uint8_t flags_of(const BcFunc *f, uint32_t pc, Phase phase)
{
    switch (f->insns[pc].op) {
    case BC_FORPREP: return phase_is_once(phase) && loop_notifies(f, pc) ? CALL_BEGIN : 0;
    case BC_WAIT: return phase_is_barrier(phase) ? CALL_EACH : 0;
    case BC_NOTIFY:
        if (phase_is_barrier(phase))
            return CALL_BARRIER | CALL_EACH;
        if (phase == PHASE_EPILOGUE)
            return f->insns[pc].imm == NOTIFY_SET ? CALL_ROWS | CALL_EACH : CALL_EACH;
        return f->insns[pc].imm == NOTIFY_SET ? CALL_ROWS : 0;
    default: return 0;
    }
}

/* A function that is looked at. */
typedef struct {
    CallSites *sites;
    const BcFunc *f;
    uint32_t func, base; /* number of its first call site */
    uint16_t *view_of;
} Scan;

static void scan_region(Scan *x, uint32_t i)
{
    CallSites *s = x->sites;
    const BcFunc *f = x->f;
    const BcRegion *r = &f->regions[i];
    uint32_t end = i + 1 < f->n_regions ? r[1].pc : f->n_insns;
    if (r->site == BC_NO_INDEX)
        return;
    CallSite *site = &s->at[x->base + r->site];
    if (site->pc == UINT32_MAX)
        site->pc = r->pc;
    for (uint32_t pc = r->pc; pc < end; pc++) {
        s->site[x->func][pc] = x->base + r->site;
        s->phase[x->func][pc] = r->phase;
        s->flags[x->func][pc] = flags_of(f, pc, (Phase)r->phase);
        learn(site, f, x->view_of, pc, (Phase)r->phase);
    }
}

static void scan(Arena *arena, CallSites *s, const BcProgram *p, uint32_t func)
{
    const BcFunc *f = &p->funcs[func];
    Scan x = {.sites = s, .f = f, .func = func, .base = s->n};
    if (f->n_sites == 0)
        return;
    s->site[func] = arena_array(arena, f->n_insns, sizeof(uint32_t));
    s->flags[func] = arena_array(arena, f->n_insns, 1);
    s->phase[func] = arena_array(arena, f->n_insns, 1);
    memset(s->site[func], 0xff, f->n_insns * sizeof(uint32_t));
    for (uint32_t i = 0; i < f->n_sites; i++)
        s->at[s->n++] = (CallSite){.func = func,
                                   .pc = UINT32_MAX,
                                   .builtin = (Builtin)f->sites[i],
                                   .signal = BC_NONE,
                                   .data = BC_NONE,
                                   .root = -1};
    x.view_of = find_views(f);
    for (uint32_t i = 0; i < f->n_regions; i++)
        scan_region(&x, i);
    xfree(x.view_of);
}

CallSites *call_sites_find(Arena *arena, const BcProgram *p)
{
    CallSites *s = arena_new(arena, CallSites);
    size_t n = 0;
    for (uint32_t func = 0; func < p->n_funcs; func++)
        n += p->funcs[func].n_sites;
    s->site = arena_array(arena, p->n_funcs + 1, sizeof *s->site);
    s->flags = arena_array(arena, p->n_funcs + 1, sizeof *s->flags);
    s->phase = arena_array(arena, p->n_funcs + 1, sizeof *s->phase);
    s->at = arena_array(arena, n + 1, sizeof *s->at);
    for (uint32_t func = 0; func < p->n_funcs; func++)
        scan(arena, s, p, func);
    return s;
}
