#include "base/arena.h"
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct ArenaBlock {
    ArenaBlock *prev;
    alignas(uint64_t) char bytes[];
};

enum { MIN_BLOCK = 64 * 1024, ALIGN = alignof(uint64_t) };

static ArenaBlock *new_block(size_t size)
{
    if (size > SIZE_MAX - sizeof(ArenaBlock))
        heap_exhausted();
    return xmalloc(sizeof(ArenaBlock) + size);
}

/* A large object gets a block of its own, behind the newest: the rest of that one stays in use. */
static void *alloc_large(Arena *arena, size_t size)
{
    ArenaBlock *block = new_block(size);
    block->prev = arena->head->prev;
    arena->head->prev = block;
    return memset(block->bytes, 0, size);
}

void *arena_alloc(Arena *arena, size_t size)
{
    if (size > SIZE_MAX - ALIGN)
        heap_exhausted();
    size = size ? (size + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
    if (size > (size_t)(arena->end - arena->next)) {
        if (size > MIN_BLOCK / 4 && arena->head != NULL)
            return alloc_large(arena, size);
        size_t room = size > MIN_BLOCK ? size : MIN_BLOCK;
        ArenaBlock *block = new_block(room);
        block->prev = arena->head;
        arena->head = block;
        arena->next = block->bytes;
        arena->end = block->bytes + room;
    }
    void *p = arena->next;
    arena->next += size;
    return memset(p, 0, size);
}

void *arena_array(Arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        heap_exhausted();
    return arena_alloc(arena, bytes);
}

char *arena_strndup(Arena *arena, const char *text, size_t len)
{
    char *copy = arena_alloc(arena, len + 1);
    if (len)
        memcpy(copy, text, len);
    return copy;
}

char *arena_vprintf(Arena *arena, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int len = vsnprintf(NULL, 0, fmt, ap);
    size_t size = len < 0 ? 1 : (size_t)len + 1;
    char *text = arena_alloc(arena, size);
    if (len > 0)
        vsnprintf(text, size, fmt, again);
    va_end(again);
    return text;
}

char *arena_printf(Arena *arena, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = arena_vprintf(arena, fmt, ap);
    va_end(ap);
    return text;
}

void arena_free(Arena *arena)
{
    for (ArenaBlock *block = arena->head; block != NULL;) {
        ArenaBlock *prev = block->prev;
        xfree(block);
        block = prev;
    }
    *arena = (Arena){0};
}
