/* The table behind interned types and dims; only ir/type.c and ir/dim.c include it.
 *
 * An object is found by a key of bytes that begins with a letter for the kind of object. Keys hold
 * addresses of interned parts: they decide what is equal, and never what is printed or in what
 * order. */
#ifndef PLD_IR_TYPE_TABLE_H
#define PLD_IR_TYPE_TABLE_H

#include "ir/type.h"

typedef struct {
    uint64_t hash;
    const char *key; /* NULL: free */
    size_t len;
    const void *object;
} TableSlot;

enum { SMALL_DIMS = 64 };

struct TypeTable {
    Arena *arena;
    TableSlot *slots; /* open addressing */
    uint32_t cap;     /* power of two, or 0 */
    uint32_t len;
    const Type *none, *scalars[DT_COUNT];
    const Dim *small[SMALL_DIMS]; /* constants from 0, as they are asked for most; NULL: not yet */
};

/* The object stored under the key, or NULL. */
const void *table_find(const TypeTable *tt, const void *key, size_t len);
/* Stores an object under a key that is not there yet; returns the key's copy in the arena. */
const char *table_add(TypeTable *tt, const void *key, size_t len, const void *object);

#endif
