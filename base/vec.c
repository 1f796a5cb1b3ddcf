#include "base/vec.h"
#include <string.h>

static size_t more(uint32_t len, uint32_t *cap, uint32_t first, size_t elem_size)
{
    size_t bytes;
    uint32_t new_cap = *cap > UINT32_MAX / 2 ? UINT32_MAX : *cap < first ? first : *cap * 2;
    if (len == UINT32_MAX || __builtin_mul_overflow((size_t)new_cap, elem_size, &bytes))
        heap_exhausted(); /* more than a table can hold */
    *cap = new_cap;
    return bytes;
}

/* Most lists in a tree are short, and arenas never shrink. */
enum { FIRST_HEAP = 8, FIRST_ARENA = 2 };

void *vec_grow(Arena *arena, void *old, uint32_t len, uint32_t *cap, size_t elem_size)
{
    size_t bytes = more(len, cap, arena ? FIRST_ARENA : FIRST_HEAP, elem_size);
    if (arena == NULL)
        return xrealloc(old, bytes);
    void *copy = arena_alloc(arena, bytes);
    if (len)
        memcpy(copy, old, len * elem_size);
    return copy;
}

void *vec_regrow(Arena *arena, void *old, uint32_t len, uint32_t *cap, size_t elem_size)
{
    size_t had = *cap * elem_size, bytes = more(len, cap, FIRST_ARENA, elem_size);
    return arena_regrow(arena, old, had, bytes);
}
