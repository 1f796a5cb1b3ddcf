/* Reading the little-endian numbers of a file. */
#ifndef PLD_CODEGEN_READER_H
#define PLD_CODEGEN_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes still to be read. Reading past the end gives 0 and sets `bad`. */
typedef struct {
    const unsigned char *at;
    size_t left;
    bool bad;
} Reader;

static inline uint64_t get_le(Reader *r, size_t bytes)
{
    if (r->left < bytes) {
        r->bad = true;
        r->left = 0;
        return 0;
    }
    uint64_t v = 0;
    for (size_t i = 0; i < bytes; i++)
        v |= (uint64_t)r->at[i] << 8 * i;
    r->at += bytes;
    r->left -= bytes;
    return v;
}

static inline uint8_t get_u8(Reader *r)
{
    return (uint8_t)get_le(r, 1);
}
static inline uint16_t get_u16(Reader *r)
{
    return (uint16_t)get_le(r, 2);
}
static inline uint32_t get_u32(Reader *r)
{
    return (uint32_t)get_le(r, 4);
}
static inline int64_t get_i64(Reader *r)
{
    return (int64_t)get_le(r, 8);
}

static inline bool get_bool(Reader *r)
{
    uint8_t v = get_u8(r);
    r->bad |= v > 1;
    return v == 1;
}

/* A count of things that take at least `bytes` each. */
static inline uint32_t get_count(Reader *r, size_t bytes)
{
    uint32_t n = get_u32(r);
    if (n > r->left / bytes) {
        r->bad = true;
        return 0;
    }
    return n;
}

#endif
