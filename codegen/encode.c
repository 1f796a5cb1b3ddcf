/* Program -> .pldb bytes: header, section table, and the sections that layout.c describes. See
 * man/pldb.5. */
#include "base/crc32.h"
#include "codegen/layout.h"
#include <string.h>

typedef struct {
    bool strip;
    Buf sec[SEC_COUNT];
} Enc;

/* Strings last: they are numbered as the other sections name them. */
static void put_sections(Enc *e, BcProgram *p)
{
    Layout l = {.writing = true, .strings = p->strings};
    l.number = xmalloc((p->n_strings + (size_t)1) * sizeof *l.number);
    memset(l.number, 0xff, p->n_strings * sizeof *l.number);
    for (uint32_t i = 0; i < (e->strip ? SEC_SOURCE : SEC_COUNT); i++) {
        l.out = &e->sec[i];
        if (i != SEC_STRINGS)
            layout_section(&l, i, p);
    }
    l.out = &e->sec[SEC_STRINGS];
    layout_section(&l, SEC_STRINGS, p);
    xfree(l.number);
    buf_free(&l.texts);
}

static Enc enc_new(BcProgram *p, bool strip)
{
    Enc e = {.strip = strip};
    put_sections(&e, p);
    return e;
}

static void enc_free(Enc *e)
{
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
