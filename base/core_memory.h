/* The memories of a core, and how tiles lie in them. */
#ifndef PLD_BASE_CORE_MEMORY_H
#define PLD_BASE_CORE_MEMORY_H

#include "base/enums.h"
#include "base/platform.h"

/* MEM_VEC to MEM_BIAS of base/enums.def, or MEM_UNSET: not said yet, and then it is Vec. */
typedef uint8_t MemSpace;
enum { MEM_UNSET = 0, MEM_KINDS = MEM_BIAS + 1 };

/* "Vec" */
const char *mem_kind_name(MemSpace kind);
int64_t mem_kind_bytes(const Platform *platform, MemSpace kind);
/* Does pl.move take a tile from one to the other? */
bool mem_can_move(MemSpace from, MemSpace to);
/* The kind to move to first on the shortest way; MEM_UNSET when there is none. */
MemSpace mem_next(MemSpace from, MemSpace to);

typedef struct {
    int64_t pitch; /* bytes from a row (the last dimension) to the next */
    int64_t bytes; /* of the whole tile */
} CoreLayout;

/* How a tile of `rank` extents, each from 1 up, and elements of `size` bytes lies in a memory. Rows
 * of Vec are padded to `align`; where they have one element they follow each other. Mat, Left and
 * Right have boxes of 16 rows, Acc of 16 rows and 16 columns. False when it takes 2^63 bytes. */
bool core_layout(MemSpace kind, int64_t size, uint32_t rank, const int64_t *shape, int64_t align,
                 CoreLayout *out);

#endif
