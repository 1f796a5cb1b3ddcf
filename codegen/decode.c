/* .pldb bytes -> program: header, section table, and the sections that layout.c describes. Reads
 * nothing outside the bytes; what the tables mean is checked by verify.c. */
#include "base/crc32.h"
#include "codegen/layout.h"
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

static bool get_sections(Dec *d, const char **why)
{
    for (uint32_t i = 0; i < (d->p->stripped ? SEC_SOURCE : SEC_COUNT); i++) {
        Reader *r = &d->sec[i];
        Layout l = {.in = r, .arena = d->arena};
        layout_section(&l, i, d->p);
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
