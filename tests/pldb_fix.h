/* For tests that change a .pldb file and want the change looked at, not the checksum. */
#ifndef PLD_TESTS_PLDB_FIX_H
#define PLD_TESTS_PLDB_FIX_H

#include "base/buf.h"
#include "base/crc32.h"

static inline uint64_t pldb_get(const char *at, int n)
{
    uint64_t v = 0;
    for (int i = n; i-- > 0;)
        v = v << 8 | (unsigned char)at[i];
    return v;
}

static inline void pldb_set(char *at, uint64_t v, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = (char)(v >> 8 * i & 0xff);
}

/* Puts the right checksums, and for a stripped file the right hash, into a file whose bytes were
 * changed. */
static inline void pldb_fix_header(Buf *b)
{
    uint64_t hash = HASH64_INIT;
    uint32_t n = b->len < 40 ? 0 : (uint32_t)pldb_get(b->at + 16, 4);
    if (n == 0 || n > 64 || b->len < 40 + 24 * n)
        return;
    for (uint32_t i = 0; i < n; i++) {
        char *entry = b->at + 40 + 24 * i, head[12];
        uint64_t at = pldb_get(entry + 8, 8), size = pldb_get(entry + 16, 8);
        if (at > b->len || size > b->len - at)
            return;
        pldb_set(entry + 4, crc32_bytes(0, b->at + at, size), 4);
        pldb_set(head, i + 1, 4);
        pldb_set(head + 4, size, 8);
        hash = hash64(hash64(hash, head, sizeof head), b->at + at, size);
    }
    if (b->at[12] == 1)
        pldb_set(b->at + 32, hash, 8);
    pldb_set(b->at + 20, 0, 4);
    pldb_set(b->at + 20, crc32_bytes(0, b->at, 40 + 24 * n), 4);
}

#endif
