/* .pldb bytes -> program. Mirrors encode.c function by function. Reads nothing outside the bytes
 * and allocates nothing that the bytes do not account for; what the tables mean is checked by
 * verify.c. */
#include "base/crc32.h"
#include "codegen/bytecode.h"
#include "codegen/format.h"
#include "codegen/reader.h"
#include <string.h>

typedef struct {
    BcProgram *p;
    Arena *arena;
    Reader sec[SEC_COUNT];
    uint64_t hash; /* as the header says */
} Dec;

static const char *const section_names[] = {
#define PLD_SECTION(ENUM, name, doc) name,
#include "codegen/section.def"
};

static void get_program(Dec *d, Reader *r)
{
    BcProgram *p = d->p;
    p->platform = get_u8(r);
    p->ranks = get_u32(r);
    p->compiled_ranks = get_u32(r);
    p->entry = get_u32(r);
    p->program_name = get_u32(r);
    p->n_bindings = get_count(r, 8);
    uint32_t(*pairs)[2] = arena_array(d->arena, p->n_bindings, sizeof *pairs);
    for (uint32_t i = 0; i < p->n_bindings; i++) {
        pairs[i][0] = get_u32(r);
        pairs[i][1] = get_u32(r);
    }
    p->bindings = (const uint32_t(*)[2])pairs;
}

static void get_strings(Dec *d, Reader *r)
{
    uint32_t n = get_count(r, 4);
    const char **texts = arena_new_n(d->arena, const char *, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t len = get_count(r, 1);
        texts[i] = arena_strndup(d->arena, (const char *)r->at, len);
        r->bad |= strlen(texts[i]) != len;
        r->at += len;
        r->left -= len;
    }
    d->p->n_strings = n;
    d->p->strings = texts;
}

static void get_consts(Dec *d, Reader *r)
{
    uint32_t n = get_count(r, 8);
    int64_t *consts = arena_new_n(d->arena, int64_t, n);
    for (uint32_t i = 0; i < n; i++)
        consts[i] = get_i64(r);
    d->p->n_consts = n;
    d->p->consts = consts;
}

static void get_extents(Dec *d, Reader *r)
{
    uint32_t n = get_count(r, 4);
    uint32_t *extents = arena_new_n(d->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        extents[i] = get_u32(r);
    d->p->n_extents = n;
    d->p->extents = extents;
}

static void get_dims(Dec *d, Reader *r)
{
    uint32_t n = get_count(r, 12);
    BcDimStep *steps = arena_new_n(d->arena, BcDimStep, n);
    for (uint32_t i = 0; i < n; i++) {
        steps[i].op = get_u32(r);
        steps[i].value = get_i64(r);
    }
    d->p->n_dim_steps = n;
    d->p->dim_steps = steps;
}

static void get_windows(Dec *d, Reader *r)
{
    uint32_t n = get_count(r, 13);
    BcWindow *windows = arena_new_n(d->arena, BcWindow, n);
    for (uint32_t i = 0; i < n; i++) {
        windows[i].name = get_u32(r);
        windows[i].align = get_i64(r);
        windows[i].zero = get_bool(r);
        windows[i].file = BC_NO_INDEX;
    }
    d->p->n_windows = n;
    d->p->windows = windows;
}

static uint8_t get_rank(Reader *r)
{
    uint8_t rank = get_u8(r);
    r->bad |= rank > BC_MAX_RANK;
    return r->bad ? 0 : rank;
}

static void get_param(Reader *r, BcParam *m)
{
    m->name = get_u32(r);
    m->kind = get_u8(r);
    m->dir = get_u8(r);
    m->dtype = get_u8(r);
    m->rank = get_rank(r);
    m->signal = get_bool(r);
    for (uint32_t i = 0; i < m->rank; i++) {
        m->dims[i].first = get_u32(r);
        m->dims[i].n = get_u32(r);
    }
}

static void get_bind(Reader *r, BcBind *m)
{
    m->extent = get_u32(r);
    m->param = get_u32(r);
    m->axis = get_u32(r);
    m->mul = get_i64(r);
    m->add = get_i64(r);
}

static void get_tile(Reader *r, BcTile *t)
{
    t->dtype = get_u8(r);
    t->rank = get_rank(r);
    t->memory = get_u8(r);
    for (uint32_t i = 0; i < t->rank; i++)
        t->shape[i] = get_i64(r);
    t->addr = get_i64(r);
    t->bytes = get_i64(r);
    t->name = BC_NO_INDEX;
}

static const uint16_t *get_regs(Dec *d, Reader *r, uint32_t *n)
{
    *n = get_count(r, 2);
    uint16_t *regs = arena_new_n(d->arena, uint16_t, *n);
    for (uint32_t i = 0; i < *n; i++)
        regs[i] = get_u16(r);
    return regs;
}

static void get_call(Dec *d, Reader *r, BcCall *c)
{
    c->func = get_u32(r);
    c->mem = get_regs(d, r, &c->n_mem);
    c->scalars = get_regs(d, r, &c->n_scalars);
    c->results = get_u16(r);
    c->n_results = get_u16(r);
}

static void get_xfer(Reader *r, BcXfer *x)
{
    x->run = get_u16(r);
    x->rank = get_rank(r);
    x->atomic = get_u8(r);
    x->pipeline = get_bool(r);
    x->n_stages = get_u8(r);
    r->bad |= x->n_stages > 2;
    for (uint32_t i = 0; !r->bad && i < x->n_stages; i++)
        x->stages[i] = get_u16(r);
}

static void get_func_tables(Dec *d, Reader *r, BcFunc *f)
{
    BcTile *tiles = arena_new_n(d->arena, BcTile, f->n_tiles = get_count(r, 19));
    for (uint32_t i = 0; i < f->n_tiles; i++)
        get_tile(r, &tiles[i]);
    BcCall *calls = arena_new_n(d->arena, BcCall, f->n_calls = get_count(r, 16));
    for (uint32_t i = 0; i < f->n_calls; i++)
        get_call(d, r, &calls[i]);
    BcXfer *xfers = arena_new_n(d->arena, BcXfer, f->n_xfers = get_count(r, 6));
    for (uint32_t i = 0; i < f->n_xfers; i++)
        get_xfer(r, &xfers[i]);
    f->tiles = tiles;
    f->calls = calls;
    f->xfers = xfers;
}

static void get_func(Dec *d, Reader *r, BcFunc *f)
{
    f->name = get_u32(r);
    f->kind = get_u8(r);
    f->generated = get_bool(r);
    f->n_regs = get_u16(r);
    f->n_mregs = get_u16(r);
    for (MemSpace m = MEM_VEC; m < MEM_KINDS; m++)
        f->core_bytes[m] = get_i64(r);
    BcParam *params = arena_new_n(d->arena, BcParam, f->n_params = get_count(r, 9));
    for (uint32_t i = 0; i < f->n_params; i++)
        get_param(r, &params[i]);
    BcBind *binds = arena_new_n(d->arena, BcBind, f->n_binds = get_count(r, 28));
    for (uint32_t i = 0; i < f->n_binds; i++)
        get_bind(r, &binds[i]);
    r->bad |= f->n_mregs > r->left / 3;
    f->n_mregs = r->bad ? 0 : f->n_mregs;
    BcMreg *mregs = arena_new_n(d->arena, BcMreg, f->n_mregs);
    for (uint32_t i = 0; i < f->n_mregs; i++) {
        mregs[i].kind = get_u8(r);
        mregs[i].dtype = get_u8(r);
        mregs[i].rank = get_rank(r);
    }
    f->params = params;
    f->binds = binds;
    f->mregs = mregs;
    get_func_tables(d, r, f);
}

static void get_funcs(Dec *d, Reader *r)
{
    uint32_t n = get_count(r, 38);
    BcFunc *funcs = arena_new_n(d->arena, BcFunc, n);
    for (uint32_t i = 0; i < n && !r->bad; i++)
        get_func(d, r, &funcs[i]);
    d->p->n_funcs = n;
    d->p->funcs = funcs;
}

static void get_insn(Reader *r, BcInsn *in)
{
    in->op = get_u16(r);
    in->a = get_u16(r);
    in->b = get_u16(r);
    in->c = get_u16(r);
    in->d = get_u16(r);
    in->e = get_u16(r);
    in->imm = (int32_t)get_u32(r);
}

/* The tables of a program being decoded are ours to fill in. */
static BcFunc *func_at(Dec *d, uint32_t i)
{
    return (BcFunc *)&d->p->funcs[i];
}

static void get_insns(Dec *d, Reader *r, BcFunc *f)
{
    BcInsn *insns = arena_new_n(d->arena, BcInsn, f->n_insns = get_count(r, sizeof(BcInsn)));
    for (uint32_t k = 0; k < f->n_insns; k++)
        get_insn(r, &insns[k]);
    f->insns = insns;
}

static void get_code(Dec *d, Reader *r)
{
    for (uint32_t i = 0; i < d->p->n_funcs; i++)
        get_insns(d, r, func_at(d, i));
}

static void get_elements(Dec *d, Reader *r)
{
    uint32_t n = get_count(r, 67);
    BcElementFunc *funcs = arena_new_n(d->arena, BcElementFunc, n);
    for (uint32_t i = 0; i < n && !r->bad; i++) {
        BcElementFunc *u = &funcs[i];
        u->golden = get_bool(r);
        u->param = get_u32(r);
        u->n_index = get_u32(r);
        u->rtol = get_f64(r);
        u->atol = get_f64(r);
        get_func(d, r, &u->func);
        get_insns(d, r, &u->func);
    }
    d->p->n_element_funcs = n;
    d->p->element_funcs = funcs;
}

static void get_sites(Dec *d, Reader *r)
{
    for (uint32_t i = 0; i < d->p->n_funcs; i++) {
        BcFunc *f = func_at(d, i);
        uint8_t *sites = arena_new_n(d->arena, uint8_t, f->n_sites = get_count(r, 1));
        get_bytes(r, sites, f->n_sites);
        BcRegion *regions = arena_new_n(d->arena, BcRegion, f->n_regions = get_count(r, 9));
        for (uint32_t k = 0; k < f->n_regions; k++) {
            regions[k].pc = get_u32(r);
            regions[k].site = get_u32(r);
            regions[k].phase = get_u8(r);
        }
        f->sites = sites;
        f->regions = regions;
    }
}

static void get_func_source(Dec *d, Reader *r, BcFunc *f)
{
    for (uint32_t i = 0; i < f->n_tiles; i++)
        ((BcTile *)f->tiles)[i].name = get_u32(r);
    BcLoc *locs = arena_new_n(d->arena, BcLoc, f->n_locs = get_count(r, 16));
    for (uint32_t i = 0; i < f->n_locs; i++) {
        locs[i].pc = get_u32(r);
        locs[i].file = get_u32(r);
        locs[i].line = get_u32(r);
        locs[i].col = get_u32(r);
    }
    f->locs = locs;
}

static void get_source(Dec *d, Reader *r)
{
    for (uint32_t i = 0; i < d->p->n_windows; i++) {
        BcWindow *w = (BcWindow *)&d->p->windows[i];
        w->file = get_u32(r);
        w->line = get_u32(r);
        w->col = get_u32(r);
    }
    for (uint32_t i = 0; i < d->p->n_funcs; i++)
        get_func_source(d, r, func_at(d, i));
    for (uint32_t i = 0; i < d->p->n_element_funcs; i++)
        get_func_source(d, r, &((BcElementFunc *)d->p->element_funcs)[i].func);
}

static bool get_sections(Dec *d, const char **why)
{
    static void (*const readers[])(Dec *, Reader *) = {
        get_program, get_strings, get_consts,   get_extents, get_dims,   get_windows,
        get_funcs,   get_code,    get_elements, get_sites,   get_source,
    };
    _Static_assert(sizeof readers / sizeof *readers == SEC_COUNT, "one reader a section");
    for (uint32_t i = 0; i < SEC_COUNT; i++) {
        Reader *r = &d->sec[i];
        if (i == SEC_SOURCE && d->p->stripped)
            break;
        readers[i](d, r);
        if (r->bad || r->left) {
            *why = arena_printf(d->arena, "section %u (%s): malformed", i + 1, section_names[i]);
            return false;
        }
    }
    return true;
}

/* Sections follow each other without gaps, so that every byte of the file is covered by a checksum.
 */
static bool get_table(Dec *d, Reader *r, const unsigned char *bytes, size_t len, uint32_t n,
                      const char **why)
{
    uint64_t offset = HEADER_BYTES + (uint64_t)n * SECTION_ENTRY_BYTES;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = get_u32(r), crc = get_u32(r);
        uint64_t at = get_le(r, 8), size = get_le(r, 8);
        if (id != i + 1 || at != offset || size > len - offset) {
            *why = arena_printf(d->arena, "section table: entry %u is out of place", i + 1);
            return false;
        }
        d->sec[i] = (Reader){.at = bytes + at, .left = size};
        offset += size;
        if (crc32_bytes(0, bytes + at, size) != crc) {
            *why =
                arena_printf(d->arena, "section %u (%s): checksum mismatch", id, section_names[i]);
            return false;
        }
    }
    if (offset != len)
        *why = "bytes after the last section";
    return offset == len;
}

/* The header's checksum, computed with its own field as 0. */
static uint32_t header_crc(const unsigned char *bytes, size_t table_end)
{
    uint32_t crc = crc32_bytes(0, bytes, HEADER_CRC);
    crc = crc32_bytes(crc, "\0\0\0\0", 4);
    return crc32_bytes(crc, bytes + HEADER_CRC + 4, table_end - HEADER_CRC - 4);
}

static bool get_header(Dec *d, const unsigned char *bytes, size_t len, const char **why)
{
    if (len < 8 || memcmp(bytes, BC_MAGIC, 8) != 0) {
        *why = "not a .pldb file";
        return false;
    }
    Reader r = {.at = bytes + 8, .left = len - 8};
    uint32_t version = get_u32(&r), flags = get_u32(&r), n = get_u32(&r), crc = get_u32(&r);
    uint64_t size = get_le(&r, 8);
    d->hash = get_le(&r, 8);
    if (!r.bad && version != BC_VERSION) {
        *why = arena_printf(d->arena, "format version %u; this program reads version %d", version,
                            BC_VERSION);
        return false;
    }
    if (r.bad || size != len) {
        *why = arena_printf(d->arena, "%s: %zu bytes", size > len ? "truncated file" : "wrong size",
                            len);
        return false;
    }
    d->p->stripped = flags == FLAG_STRIPPED;
    uint32_t expected = d->p->stripped ? SEC_SOURCE : SEC_COUNT;
    size_t table_end = HEADER_BYTES + (size_t)expected * SECTION_ENTRY_BYTES;
    if (flags > FLAG_STRIPPED || n != expected || len < table_end) {
        *why = "malformed header";
        return false;
    }
    if (header_crc(bytes, table_end) != crc) {
        *why = "header: checksum mismatch";
        return false;
    }
    return get_table(d, &r, bytes, len, n, why);
}

BcProgram *bc_decode(Arena *arena, const void *bytes, size_t len, const char **why)
{
    BcProgram *p = arena_new(arena, BcProgram);
    p->arena = arena;
    Dec d = {.p = p, .arena = arena};
    if (!get_header(&d, bytes, len, why) || !get_sections(&d, why) || !bc_verify(p, why))
        return NULL;
    for (uint32_t i = 0; i < p->n_funcs; i++)
        bc_place_tiles((BcFunc *)&p->funcs[i], (BcTile *)p->funcs[i].tiles,
                       platforms[p->platform].row_align);
    bc_hash(p);
    if (p->hash != d.hash) {
        *why = "header: the hash is not that of the contents";
        return NULL;
    }
    return p;
}
