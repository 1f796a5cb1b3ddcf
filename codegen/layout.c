/* What stands where in a .pldb file. Each function visits the fields of one record in their order:
 * writing takes them from it, reading puts them into it, so that the two cannot disagree. Reading
 * allocates nothing that the bytes do not account for; what the tables mean is checked by verify.c.
 */
#include "codegen/layout.h"
#include <string.h>

/* ---- fields */

static void f_u8(Layout *l, uint8_t *v)
{
    if (l->writing)
        buf_u8(l->out, *v);
    else
        *v = get_u8(l->in);
}

static void f_bool(Layout *l, bool *v)
{
    if (l->writing)
        buf_u8(l->out, *v);
    else
        *v = get_bool(l->in);
}

static void f_u16(Layout *l, uint16_t *v)
{
    if (l->writing)
        buf_u16(l->out, *v);
    else
        *v = get_u16(l->in);
}

static void f_u32(Layout *l, uint32_t *v)
{
    if (l->writing)
        buf_u32(l->out, *v);
    else
        *v = get_u32(l->in);
}

static void f_i64(Layout *l, int64_t *v)
{
    if (l->writing)
        buf_u64(l->out, (uint64_t)*v);
    else
        *v = get_i64(l->in);
}

static void f_f64(Layout *l, double *v)
{
    int64_t bits = 0;
    memcpy(&bits, v, sizeof bits);
    f_i64(l, &bits);
    memcpy(v, &bits, sizeof bits);
}

/* A string, by its number in the file. */
static void f_str(Layout *l, uint32_t *s)
{
    uint32_t number = *s;
    if (l->writing && *s != BC_NO_INDEX) {
        if (l->number[*s] == BC_NO_INDEX) {
            l->number[*s] = l->n_texts++;
            buf_u32(&l->texts, (uint32_t)strlen(l->strings[*s]));
            buf_str(&l->texts, l->strings[*s]);
        }
        number = l->number[*s];
    }
    f_u32(l, l->writing ? &number : s);
}

/* How many of something follow, from 0 to `most`. */
static void f_few(Layout *l, uint8_t *n, uint8_t most)
{
    f_u8(l, n);
    if (!l->writing && (*n > most || l->in->bad)) {
        l->in->bad = true;
        *n = 0;
    }
}

/* The `n` elements of a table, each by `visit`. One that is read is ours to fill in. */
#define ELEMENTS(l, at, n, visit)                                                                  \
    do {                                                                                           \
        if (!(l)->writing)                                                                         \
            (at) = arena_array((l)->arena, (n), sizeof *(at));                                     \
        for (uint32_t i_ = 0; i_ < (n); i_++)                                                      \
            visit((l), (void *)(uintptr_t) & (at)[i_]);                                            \
    } while (0)

/* The same with their number in front; each takes at least `least` bytes. */
#define TABLE(l, at, n, least, visit)                                                              \
    do {                                                                                           \
        f_count((l), &(n), (least));                                                               \
        ELEMENTS((l), (at), (n), visit);                                                           \
    } while (0)

static void f_count(Layout *l, uint32_t *n, size_t least)
{
    if (l->writing)
        buf_u32(l->out, *n);
    else
        *n = get_count(l->in, least);
}

/* ---- records */

static void f_binding(Layout *l, uint32_t (*pair)[2])
{
    f_str(l, &(*pair)[0]);
    f_str(l, &(*pair)[1]);
}

static void s_program(Layout *l, BcProgram *p)
{
    f_u8(l, &p->platform);
    f_u32(l, &p->ranks);
    f_u32(l, &p->compiled_ranks);
    f_u32(l, &p->entry);
    f_str(l, &p->program_name);
    TABLE(l, p->bindings, p->n_bindings, 8, f_binding);
}

static void f_text(Layout *l, const char **text)
{
    uint32_t len = get_count(l->in, 1);
    *text = arena_strndup(l->arena, (const char *)l->in->at, len);
    l->in->bad |= strlen(*text) != len;
    l->in->at += len;
    l->in->left -= len;
}

static void s_strings(Layout *l, BcProgram *p)
{
    if (l->writing) {
        buf_u32(l->out, l->n_texts);
        buf_bytes(l->out, l->texts.at, l->texts.len);
        return;
    }
    TABLE(l, p->strings, p->n_strings, 4, f_text);
}

static void s_consts(Layout *l, BcProgram *p)
{
    TABLE(l, p->consts, p->n_consts, 8, f_i64);
}

static void s_extents(Layout *l, BcProgram *p)
{
    TABLE(l, p->extents, p->n_extents, 4, f_str);
}

static void f_dim_step(Layout *l, BcDimStep *d)
{
    f_u32(l, &d->op);
    f_i64(l, &d->value);
}

static void s_dims(Layout *l, BcProgram *p)
{
    TABLE(l, p->dim_steps, p->n_dim_steps, 12, f_dim_step);
}

static void f_window(Layout *l, BcWindow *w)
{
    f_str(l, &w->name);
    f_i64(l, &w->align);
    f_bool(l, &w->zero);
    if (!l->writing)
        w->file = BC_NO_INDEX;
}

static void s_windows(Layout *l, BcProgram *p)
{
    TABLE(l, p->windows, p->n_windows, 13, f_window);
}

static void f_param(Layout *l, BcParam *m)
{
    f_str(l, &m->name);
    f_u8(l, &m->kind);
    f_u8(l, &m->dir);
    f_u8(l, &m->dtype);
    f_few(l, &m->rank, BC_MAX_RANK);
    f_bool(l, &m->signal);
    for (uint32_t i = 0; i < m->rank; i++) {
        f_u32(l, &m->dims[i].first);
        f_u32(l, &m->dims[i].n);
    }
}

static void f_bind(Layout *l, BcBind *m)
{
    f_u32(l, &m->extent);
    f_u32(l, &m->param);
    f_u32(l, &m->axis);
    f_i64(l, &m->mul);
    f_i64(l, &m->add);
}

static void f_mreg(Layout *l, BcMreg *m)
{
    f_u8(l, &m->kind);
    f_u8(l, &m->dtype);
    f_few(l, &m->rank, BC_MAX_RANK);
}

static void f_tile(Layout *l, BcTile *t)
{
    uint8_t memory = (uint8_t)t->memory;
    f_u8(l, &t->dtype);
    f_few(l, &t->rank, BC_MAX_RANK);
    f_u8(l, &memory);
    for (uint32_t i = 0; i < t->rank; i++)
        f_i64(l, &t->shape[i]);
    f_i64(l, &t->addr);
    f_i64(l, &t->bytes);
    if (l->writing)
        return;
    t->memory = memory;
    t->name = BC_NO_INDEX;
}

static void f_call(Layout *l, BcCall *c)
{
    f_u32(l, &c->func);
    TABLE(l, c->mem, c->n_mem, 2, f_u16);
    TABLE(l, c->scalars, c->n_scalars, 2, f_u16);
    f_u16(l, &c->results);
    f_u16(l, &c->n_results);
}

static void f_xfer(Layout *l, BcXfer *x)
{
    f_u16(l, &x->run);
    f_u8(l, &x->rank);
    f_u8(l, &x->atomic);
    f_bool(l, &x->pipeline);
    f_few(l, &x->n_stages, 2);
    for (uint32_t i = 0; i < x->n_stages; i++)
        f_u16(l, &x->stages[i]);
}

/* Types of the memory registers, whose number is a field of the function. */
static void f_mregs(Layout *l, BcFunc *f)
{
    if (!l->writing && (f->n_mregs > l->in->left / 3 || l->in->bad)) {
        l->in->bad = true;
        f->n_mregs = 0;
    }
    ELEMENTS(l, f->mregs, f->n_mregs, f_mreg);
}

static void f_func(Layout *l, BcFunc *f)
{
    f_str(l, &f->name);
    f_u8(l, &f->kind);
    f_bool(l, &f->generated);
    f_u16(l, &f->n_regs);
    f_u16(l, &f->n_mregs);
    for (MemSpace m = MEM_VEC; m < MEM_KINDS; m++)
        f_i64(l, &f->core_bytes[m]);
    TABLE(l, f->params, f->n_params, 9, f_param);
    TABLE(l, f->binds, f->n_binds, 28, f_bind);
    f_mregs(l, f);
    TABLE(l, f->tiles, f->n_tiles, 19, f_tile);
    TABLE(l, f->calls, f->n_calls, 16, f_call);
    TABLE(l, f->xfers, f->n_xfers, 6, f_xfer);
}

static void s_funcs(Layout *l, BcProgram *p)
{
    TABLE(l, p->funcs, p->n_funcs, 38, f_func);
}

static void f_insn(Layout *l, BcInsn *in)
{
    uint32_t imm = (uint32_t)in->imm;
    f_u16(l, &in->op);
    f_u16(l, &in->a);
    f_u16(l, &in->b);
    f_u16(l, &in->c);
    f_u16(l, &in->d);
    f_u16(l, &in->e);
    /* What is read may be no opcode; a string stays the number that it is. */
    if (l->writing && bc_op_fields((BcOp)in->op)[5] == 's')
        f_str(l, &imm);
    else
        f_u32(l, &imm);
    if (!l->writing)
        in->imm = (int32_t)imm;
}

static void f_insns(Layout *l, BcFunc *f)
{
    TABLE(l, f->insns, f->n_insns, sizeof(BcInsn), f_insn);
}

/* What follows the functions stands in the file in their order. */
static void each_func(Layout *l, BcProgram *p, void (*visit)(Layout *l, BcFunc *f))
{
    for (uint32_t i = 0; i < p->n_funcs; i++)
        visit(l, (BcFunc *)&p->funcs[i]);
}

static void s_code(Layout *l, BcProgram *p)
{
    each_func(l, p, f_insns);
}

static void f_element(Layout *l, BcElementFunc *u)
{
    f_bool(l, &u->golden);
    f_u32(l, &u->param);
    f_u32(l, &u->n_index);
    f_f64(l, &u->rtol);
    f_f64(l, &u->atol);
    f_func(l, &u->func);
    f_insns(l, &u->func);
}

static void s_elements(Layout *l, BcProgram *p)
{
    TABLE(l, p->element_funcs, p->n_element_funcs, 67, f_element);
}

static void f_region(Layout *l, BcRegion *r)
{
    f_u32(l, &r->pc);
    f_u32(l, &r->site);
    f_u8(l, &r->phase);
}

static void f_sites(Layout *l, BcFunc *f)
{
    TABLE(l, f->sites, f->n_sites, 1, f_u8);
    TABLE(l, f->regions, f->n_regions, 9, f_region);
}

static void s_sites(Layout *l, BcProgram *p)
{
    each_func(l, p, f_sites);
}

static void f_loc(Layout *l, BcLoc *loc)
{
    f_u32(l, &loc->pc);
    f_str(l, &loc->file);
    f_u32(l, &loc->line);
    f_u32(l, &loc->col);
}

static void f_func_source(Layout *l, BcFunc *f)
{
    for (uint32_t i = 0; i < f->n_tiles; i++)
        f_str(l, &((BcTile *)f->tiles)[i].name);
    TABLE(l, f->locs, f->n_locs, 16, f_loc);
}

static void s_source(Layout *l, BcProgram *p)
{
    for (uint32_t i = 0; i < p->n_windows; i++) {
        BcWindow *w = (BcWindow *)&p->windows[i];
        f_str(l, &w->file);
        f_u32(l, &w->line);
        f_u32(l, &w->col);
    }
    each_func(l, p, f_func_source);
    for (uint32_t i = 0; i < p->n_element_funcs; i++)
        f_func_source(l, &((BcElementFunc *)p->element_funcs)[i].func);
}

void layout_section(Layout *l, Section s, BcProgram *p)
{
    switch (s) {
    case SEC_PROGRAM: s_program(l, p); break;
    case SEC_STRINGS: s_strings(l, p); break;
    case SEC_CONSTS: s_consts(l, p); break;
    case SEC_EXTENTS: s_extents(l, p); break;
    case SEC_DIMS: s_dims(l, p); break;
    case SEC_WINDOWS: s_windows(l, p); break;
    case SEC_FUNCS: s_funcs(l, p); break;
    case SEC_CODE: s_code(l, p); break;
    case SEC_ELEMENTS: s_elements(l, p); break;
    case SEC_SITES: s_sites(l, p); break;
    case SEC_SOURCE: s_source(l, p); break;
    case SEC_COUNT: break;
    }
}
