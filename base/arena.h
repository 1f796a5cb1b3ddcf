/* Arena allocation: many small objects with one lifetime, freed at once. */
#ifndef PLD_BASE_ARENA_H
#define PLD_BASE_ARENA_H

#include "base/heap.h"

#include <stdarg.h>
#include <stddef.h>

typedef struct ArenaBlock ArenaBlock;

typedef struct {
    ArenaBlock *head;  /* newest block; blocks are chained for arena_free */
    char *next;        /* first free byte of the newest block */
    char *end;         /* one past its last byte */
    ArenaBlock *large; /* blocks of one object */
} Arena;

/* An arena is valid when zeroed: `Arena a = {0};`. */

/* Returns `size` zeroed bytes, aligned for pointers and 64-bit numbers, owned by the arena.
 * Never NULL: memory that does not suffice ends in heap_exhausted. */
void *arena_alloc(Arena *arena, size_t size);

/* Returns `count` zeroed elements of `size` bytes; the product is checked for overflow. */
void *arena_array(Arena *arena, size_t count, size_t size);

/* `old`, of `old_size` bytes from this arena, with room for `new_size`, which is more; what is new
 * is zero. Nobody may use `old` any more: a large object moves without leaving its memory behind.
 */
void *arena_regrow(Arena *arena, void *old, size_t old_size, size_t new_size);

/* Copies `len` bytes and appends a NUL. */
char *arena_strndup(Arena *arena, const char *text, size_t len);

/* printf into the arena. */
char *arena_printf(Arena *arena, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(Arena *arena, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));

/* What an arena holds at a moment; going back frees the small objects made since then, the large
 * ones stay until the end. */
typedef struct {
    ArenaBlock *head;
    char *next;
} ArenaMark;
ArenaMark arena_mark(const Arena *arena);
void arena_back(Arena *arena, ArenaMark mark);

/* Frees every block; the arena is empty and valid again. */
void arena_free(Arena *arena);

#define arena_new(arena, T) ((T *)arena_alloc((arena), sizeof(T)))
#define arena_new_n(arena, T, n) ((T *)arena_array((arena), (n), sizeof(T)))

#endif
