/* Program -> .pldb bytes. Mirrors decode.c function by function; the format is described in
 * man/pldb.5. */
#include "base/crc32.h"
#include "codegen/bytecode.h"
#include "codegen/format.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    const BcProgram *p;
    bool strip;
    Buf sec[SEC_COUNT];
    uint32_t *number; /* new number of each string of p, or BC_NO_INDEX */
    uint32_t n_strings;
} Enc;

/* Strings are numbered by first use, so a stripped file holds none of the source map's. */
static void put_str(Enc *e, Buf *b, uint32_t s)
{
    if (s == BC_NO_INDEX) {
        buf_u32(b, BC_NO_INDEX);
        return;
    }
    if (e->number[s] == BC_NO_INDEX) {
        const char *text = e->p->strings[s];
        e->number[s] = e->n_strings++;
        buf_u32(&e->sec[SEC_STRINGS], (uint32_t)strlen(text));
        buf_str(&e->sec[SEC_STRINGS], text);
    }
    buf_u32(b, e->number[s]);
}

static void put_i64(Buf *b, int64_t v)
{
    buf_u64(b, (uint64_t)v);
}

static void put_f64(Buf *b, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    buf_u64(b, bits);
}

static void put_program(Enc *e)
{
    const BcProgram *p = e->p;
    Buf *b = &e->sec[SEC_PROGRAM];
    buf_u8(b, p->platform);
    buf_u32(b, p->ranks);
    buf_u32(b, p->compiled_ranks);
    buf_u32(b, p->entry);
    put_str(e, b, p->program_name);
    buf_u32(b, p->n_bindings);
    for (uint32_t i = 0; i < p->n_bindings; i++) {
        put_str(e, b, p->bindings[i][0]);
        put_str(e, b, p->bindings[i][1]);
    }
}

static void put_consts(Enc *e)
{
    Buf *b = &e->sec[SEC_CONSTS];
    buf_u32(b, e->p->n_consts);
    for (uint32_t i = 0; i < e->p->n_consts; i++)
        put_i64(b, e->p->consts[i]);
}

static void put_extents(Enc *e)
{
    Buf *b = &e->sec[SEC_EXTENTS];
    buf_u32(b, e->p->n_extents);
    for (uint32_t i = 0; i < e->p->n_extents; i++)
        put_str(e, b, e->p->extents[i]);
}

static void put_dims(Enc *e)
{
    Buf *b = &e->sec[SEC_DIMS];
    buf_u32(b, e->p->n_dim_steps);
    for (uint32_t i = 0; i < e->p->n_dim_steps; i++) {
        buf_u32(b, e->p->dim_steps[i].op);
        put_i64(b, e->p->dim_steps[i].value);
    }
}

static void put_windows(Enc *e)
{
    Buf *b = &e->sec[SEC_WINDOWS];
    buf_u32(b, e->p->n_windows);
    for (uint32_t i = 0; i < e->p->n_windows; i++) {
        const BcWindow *w = &e->p->windows[i];
        put_str(e, b, w->name);
        put_i64(b, w->align);
        buf_u8(b, w->zero);
    }
}

static void put_param(Enc *e, Buf *b, const BcParam *m)
{
    put_str(e, b, m->name);
    buf_u8(b, m->kind);
    buf_u8(b, m->dir);
    buf_u8(b, m->dtype);
    buf_u8(b, m->rank);
    buf_u8(b, m->signal);
    for (uint32_t i = 0; i < m->rank; i++) {
        buf_u32(b, m->dims[i].first);
        buf_u32(b, m->dims[i].n);
    }
}

static void put_bind(Buf *b, const BcBind *m)
{
    buf_u32(b, m->extent);
    buf_u32(b, m->param);
    buf_u32(b, m->axis);
    put_i64(b, m->mul);
    put_i64(b, m->add);
}

static void put_tile(Buf *b, const BcTile *t)
{
    buf_u8(b, t->dtype);
    buf_u8(b, t->rank);
    buf_u8(b, t->memory);
    for (uint32_t i = 0; i < t->rank; i++)
        put_i64(b, t->shape[i]);
    put_i64(b, t->addr);
    put_i64(b, t->bytes);
}

static void put_regs(Buf *b, uint32_t n, const uint16_t *regs)
{
    buf_u32(b, n);
    for (uint32_t i = 0; i < n; i++)
        buf_u16(b, regs[i]);
}

static void put_call(Buf *b, const BcCall *c)
{
    buf_u32(b, c->func);
    put_regs(b, c->n_mem, c->mem);
    put_regs(b, c->n_scalars, c->scalars);
    buf_u16(b, c->results);
    buf_u16(b, c->n_results);
}

static void put_xfer(Buf *b, const BcXfer *x)
{
    buf_u16(b, x->run);
    buf_u8(b, x->rank);
    buf_u8(b, x->atomic);
    buf_u8(b, x->pipeline);
    buf_u8(b, x->n_stages);
    for (uint32_t i = 0; i < x->n_stages; i++)
        buf_u16(b, x->stages[i]);
}

static void put_func(Enc *e, Buf *b, const BcFunc *f)
{
    put_str(e, b, f->name);
    buf_u8(b, f->kind);
    buf_u8(b, f->generated);
    buf_u16(b, f->n_regs);
    buf_u16(b, f->n_mregs);
    for (MemSpace m = MEM_VEC; m < MEM_KINDS; m++)
        put_i64(b, f->core_bytes[m]);
    buf_u32(b, f->n_params);
    for (uint32_t i = 0; i < f->n_params; i++)
        put_param(e, b, &f->params[i]);
    buf_u32(b, f->n_binds);
    for (uint32_t i = 0; i < f->n_binds; i++)
        put_bind(b, &f->binds[i]);
    for (uint32_t i = 0; i < f->n_mregs; i++) {
        buf_u8(b, f->mregs[i].kind);
        buf_u8(b, f->mregs[i].dtype);
        buf_u8(b, f->mregs[i].rank);
    }
    buf_u32(b, f->n_tiles);
    for (uint32_t i = 0; i < f->n_tiles; i++)
        put_tile(b, &f->tiles[i]);
    buf_u32(b, f->n_calls);
    for (uint32_t i = 0; i < f->n_calls; i++)
        put_call(b, &f->calls[i]);
    buf_u32(b, f->n_xfers);
    for (uint32_t i = 0; i < f->n_xfers; i++)
        put_xfer(b, &f->xfers[i]);
}

static void put_funcs(Enc *e)
{
    buf_u32(&e->sec[SEC_FUNCS], e->p->n_funcs);
    for (uint32_t i = 0; i < e->p->n_funcs; i++)
        put_func(e, &e->sec[SEC_FUNCS], &e->p->funcs[i]);
}

static void put_insn(Enc *e, Buf *b, const BcInsn *in)
{
    const uint16_t fields[] = {in->op, in->a, in->b, in->c, in->d, in->e};
    for (uint32_t i = 0; i < 6; i++)
        buf_u16(b, fields[i]);
    if (bc_op_fields((BcOp)in->op)[5] == 's')
        put_str(e, b, (uint32_t)in->imm);
    else
        buf_u32(b, (uint32_t)in->imm);
}

static void put_insns(Enc *e, Buf *b, const BcFunc *f)
{
    buf_u32(b, f->n_insns);
    for (uint32_t k = 0; k < f->n_insns; k++)
        put_insn(e, b, &f->insns[k]);
}

static void put_code(Enc *e)
{
    for (uint32_t i = 0; i < e->p->n_funcs; i++)
        put_insns(e, &e->sec[SEC_CODE], &e->p->funcs[i]);
}

static void put_elements(Enc *e)
{
    Buf *b = &e->sec[SEC_ELEMENTS];
    buf_u32(b, e->p->n_element_funcs);
    for (uint32_t i = 0; i < e->p->n_element_funcs; i++) {
        const BcElementFunc *u = &e->p->element_funcs[i];
        buf_u8(b, u->golden);
        buf_u32(b, u->param);
        buf_u32(b, u->n_index);
        put_f64(b, u->rtol);
        put_f64(b, u->atol);
        put_func(e, b, &u->func);
        put_insns(e, b, &u->func);
    }
}

static void put_sites(Enc *e)
{
    Buf *b = &e->sec[SEC_SITES];
    for (uint32_t i = 0; i < e->p->n_funcs; i++) {
        const BcFunc *f = &e->p->funcs[i];
        buf_u32(b, f->n_sites);
        buf_bytes(b, f->sites, f->n_sites);
        buf_u32(b, f->n_regions);
        for (uint32_t k = 0; k < f->n_regions; k++) {
            buf_u32(b, f->regions[k].pc);
            buf_u32(b, f->regions[k].site);
            buf_u8(b, f->regions[k].phase);
        }
    }
}

static void put_func_source(Enc *e, Buf *b, const BcFunc *f)
{
    for (uint32_t i = 0; i < f->n_tiles; i++)
        put_str(e, b, f->tiles[i].name);
    buf_u32(b, f->n_locs);
    for (uint32_t i = 0; i < f->n_locs; i++) {
        const BcLoc *l = &f->locs[i];
        buf_u32(b, l->pc);
        put_str(e, b, l->file);
        buf_u32(b, l->line);
        buf_u32(b, l->col);
    }
}

static void put_source(Enc *e)
{
    Buf *b = &e->sec[SEC_SOURCE];
    for (uint32_t i = 0; i < e->p->n_windows; i++) {
        const BcWindow *w = &e->p->windows[i];
        put_str(e, b, w->file);
        buf_u32(b, w->line);
        buf_u32(b, w->col);
    }
    for (uint32_t i = 0; i < e->p->n_funcs; i++)
        put_func_source(e, b, &e->p->funcs[i]);
    for (uint32_t i = 0; i < e->p->n_element_funcs; i++)
        put_func_source(e, b, &e->p->element_funcs[i].func);
}

/* Fills the sections; the strings get their count in front once all are numbered. */
static void put_sections(Enc *e)
{
    put_program(e);
    put_consts(e);
    put_extents(e);
    put_dims(e);
    put_windows(e);
    put_funcs(e);
    put_code(e);
    put_elements(e);
    put_sites(e);
    if (!e->strip)
        put_source(e);
    Buf all = {0};
    buf_u32(&all, e->n_strings);
    buf_bytes(&all, e->sec[SEC_STRINGS].at, e->sec[SEC_STRINGS].len);
    buf_free(&e->sec[SEC_STRINGS]);
    e->sec[SEC_STRINGS] = all;
}

static Enc enc_new(const BcProgram *p, bool strip)
{
    Enc e = {.p = p, .strip = strip};
    e.number = xmalloc((p->n_strings + (size_t)1) * sizeof *e.number);
    memset(e.number, 0xff, p->n_strings * sizeof *e.number);
    put_sections(&e);
    return e;
}

static void enc_free(Enc *e)
{
    xfree(e->number);
    for (uint32_t i = 0; i < SEC_COUNT; i++)
        buf_free(&e->sec[i]);
}

static uint32_t section_count(const Enc *e)
{
    return e->strip ? SEC_SOURCE : SEC_COUNT;
}

/* Over id, size and bytes of each section, so that no bytes can move from one to the next unseen.
 */
static uint64_t enc_hash(const Enc *e)
{
    uint64_t hash = HASH64_INIT;
    Buf head = {0};
    for (uint32_t i = 0; i < section_count(e); i++) {
        buf_clear(&head);
        buf_u32(&head, i + 1);
        buf_u64(&head, e->sec[i].len);
        hash = hash64(hash, head.at, head.len);
        hash = hash64(hash, e->sec[i].at, e->sec[i].len);
    }
    buf_free(&head);
    return hash;
}

void bc_hash(BcProgram *p)
{
    Enc e = enc_new(p, true);
    p->hash = enc_hash(&e);
    enc_free(&e);
}

static void put_header(const Enc *e, Buf *head, uint64_t hash)
{
    uint32_t n = section_count(e);
    uint64_t offset = HEADER_BYTES + (uint64_t)n * SECTION_ENTRY_BYTES, size = offset;
    for (uint32_t i = 0; i < n; i++)
        size += e->sec[i].len;
    buf_bytes(head, BC_MAGIC, 8);
    buf_u32(head, BC_VERSION);
    buf_u32(head, e->strip ? FLAG_STRIPPED : 0);
    buf_u32(head, n);
    buf_u32(head, 0);
    buf_u64(head, size);
    buf_u64(head, hash);
    for (uint32_t i = 0; i < n; i++) {
        buf_u32(head, i + 1);
        buf_u32(head, crc32_bytes(0, e->sec[i].at, e->sec[i].len));
        buf_u64(head, offset);
        buf_u64(head, e->sec[i].len);
        offset += e->sec[i].len;
    }
    uint32_t crc = crc32_bytes(0, head->at, head->len);
    for (uint32_t i = 0; i < 4; i++)
        head->at[HEADER_CRC + i] = (char)(crc >> 8 * i & 0xff);
}

void bc_encode(BcProgram *p, bool strip, Buf *out)
{
    strip = strip || p->stripped;
    Enc e = enc_new(p, strip);
    if (strip)
        p->hash = enc_hash(&e);
    else
        bc_hash(p);
    Buf head = {0};
    put_header(&e, &head, p->hash);
    buf_bytes(out, head.at, head.len);
    for (uint32_t i = 0; i < section_count(&e); i++)
        buf_bytes(out, e.sec[i].at, e.sec[i].len);
    buf_free(&head);
    enc_free(&e);
}
