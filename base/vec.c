#include "base/vec.h"
#include <string.h>

void *vec_grow(Arena *arena, void *old, uint32_t len, uint32_t *cap, size_t elem_size)
{
    size_t bytes;
    uint32_t first = arena ? 2 : 8; /* most lists in a tree are short, and arenas never shrink */
    uint32_t new_cap = *cap > UINT32_MAX / 2 ? UINT32_MAX : *cap < first ? first : *cap * 2;
    if (len == UINT32_MAX || __builtin_mul_overflow((size_t)new_cap, elem_size, &bytes))
        heap_exhausted(); /* more than a table can hold */
    *cap = new_cap;
    if (arena == NULL)
        return xrealloc(old, bytes);
    void *copy = arena_alloc(arena, bytes);
    if (len)
        memcpy(copy, old, len * elem_size);
    return copy;
}
