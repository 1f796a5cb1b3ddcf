/* A site is all code of a function with one origin and place. What the code does is read off its
 * instructions: the source map says which of them belong together, and which are barriers. */
#include "sim/machine/sites.h"

#include "base/vec.h"
#include <string.h>

typedef VEC(Site) SiteList;

static const char *phase_text(const BcProgram *p, const BcLoc *loc)
{
    return loc && loc->phase != BC_NO_INDEX ? p->strings[loc->phase] : "";
}

/* Ring names the barriers of its rounds otherwise. */
static bool is_barrier(const char *phase)
{
    return strncmp(phase, "barrier", 7) == 0 || strcmp(phase, "round") == 0 ||
           strcmp(phase, "closing barrier") == 0;
}

/* Every call has one of these barriers, once. */
static bool is_once(const char *phase)
{
    return strcmp(phase, "barrier(1)") == 0 || strcmp(phase, "closing barrier") == 0;
}

static bool same_site(const BcLoc *a, const BcLoc *b)
{
    return a->origin == b->origin && a->file == b->file && a->line == b->line && a->col == b->col;
}

static uint32_t site_number(SiteList *list, uint32_t first, uint32_t func, const BcLoc *loc)
{
    for (uint32_t i = first; i < list->len; i++)
        if (same_site(list->at[i].loc, loc))
            return i;
    vec_push(list, ((Site){.func = func, .loc = loc, .signal = BC_NONE, .root = -1}));
    return list->len - 1;
}

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

/* What an instruction tells about its site. */
static void learn(Site *s, const BcFunc *f, uint32_t pc, const char *phase)
{
    const BcInsn *in = &f->insns[pc];
    switch (in->op) {
    case BC_GET:
        if (!register_value(f, pc, in->b, &s->root))
            s->root = -1;
        break;
    case BC_CORE: s->lanes = true; break;
    case BC_NOTIFY:
        if (is_barrier(phase))
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

static uint8_t flags_of(const BcFunc *f, uint32_t pc, const char *phase)
{
    switch (f->insns[pc].op) {
    case BC_FORPREP: return is_once(phase) && loop_notifies(f, pc) ? SITE_BEGIN : 0;
    case BC_NOTIFY:
        if (is_barrier(phase))
            return SITE_BARRIER;
        return f->insns[pc].imm == NOTIFY_SET ? SITE_COUNT : 0;
    default: return 0;
    }
}

static void scan(Arena *arena, const BcProgram *p, Sites *s, SiteList *list, uint32_t func)
{
    const BcFunc *f = &p->funcs[func];
    uint32_t first = list->len;
    for (uint32_t pc = 0; pc < f->n_insns; pc++) {
        const BcLoc *loc = bc_loc(f, pc);
        if (!loc || loc->origin == BC_NO_INDEX)
            continue;
        if (!s->site[func]) {
            s->site[func] = arena_array(arena, f->n_insns, sizeof(uint32_t));
            s->flags[func] = arena_array(arena, f->n_insns, 1);
            memset(s->site[func], 0xff, f->n_insns * sizeof(uint32_t));
        }
        uint32_t site = site_number(list, first, func, loc);
        s->site[func][pc] = site;
        s->flags[func][pc] = flags_of(f, pc, phase_text(p, loc));
        learn(&list->at[site], f, pc, phase_text(p, loc));
    }
}

static bool has_phase(const BcProgram *p, const Site *s, const char *phase)
{
    const BcFunc *f = &p->funcs[s->func];
    for (uint32_t i = 0; i < f->n_locs; i++)
        if (f->locs[i].origin != BC_NO_INDEX && same_site(&f->locs[i], s->loc) &&
            strcmp(phase_text(p, &f->locs[i]), phase) == 0)
            return true;
    return false;
}

static bool find_op(const BcProgram *p, Site *s)
{
    const char *op = p->strings[s->loc->origin];
    if (cost_op_find(op, "", &s->op))
        return true;
    return cost_op_find(op, has_phase(p, s, "closing barrier") ? "ring" : "mesh", &s->op);
}

/* Code of a site that is no builtin of the table is as if it were written by hand. Host functions
 * have the marks on their dispatches: nothing is counted there. */
static void keep_known(const BcProgram *p, Sites *s, const SiteList *list)
{
    uint32_t *number = xcalloc(list->len + 1, sizeof *number);
    for (uint32_t i = 0; i < list->len; i++) {
        number[i] = UINT32_MAX;
        Site site = list->at[i];
        if (p->funcs[site.func].kind != BCF_INCORE || !find_op(p, &site))
            continue;
        number[i] = s->n;
        s->at[s->n++] = site;
    }
    for (uint32_t func = 0; func < p->n_funcs; func++)
        for (uint32_t pc = 0; s->site[func] && pc < p->funcs[func].n_insns; pc++)
            if (s->site[func][pc] != UINT32_MAX)
                s->site[func][pc] = number[s->site[func][pc]];
    free(number);
}

Sites *sites_find(Arena *arena, const BcProgram *p)
{
    Sites *s = arena_new(arena, Sites);
    SiteList list = {0};
    s->site = arena_array(arena, p->n_funcs + 1, sizeof *s->site);
    s->flags = arena_array(arena, p->n_funcs + 1, sizeof *s->flags);
    for (uint32_t func = 0; func < p->n_funcs && !p->stripped; func++)
        scan(arena, p, s, &list, func);
    s->at = arena_array(arena, list.len + 1, sizeof *s->at);
    keep_known(p, s, &list);
    vec_free(&list);
    return s;
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

/* A flattened view is made after the call has begun: what it is a view of is there. */
static uint16_t without_views(const BcFunc *f, uint16_t reg)
{
    for (uint32_t pc = f->n_insns; pc-- > 0;)
        if (f->insns[pc].op == BC_FLATTEN && f->insns[pc].a == reg && f->insns[pc].b != reg)
            reg = f->insns[pc].b;
    return reg;
}

uint16_t site_data(const Sites *s, const BcProgram *p, uint32_t func, uint32_t pc)
{
    const BcFunc *f = &p->funcs[func];
    uint32_t site = s->site[func][pc];
    bool back = s->at[site].op == COST_RING; /* a ring's call is counted at its end */
    for (uint32_t i = pc; i < f->n_insns; i += back ? UINT32_MAX : 1) {
        uint16_t reg = s->site[func][i] == site ? data_register(&f->insns[i]) : BC_NONE;
        if (reg != BC_NONE)
            return without_views(f, reg);
    }
    return BC_NONE;
}
