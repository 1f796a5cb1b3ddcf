#include "base/arena.h"
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct ArenaBlock {
    ArenaBlock *prev, *next; /* next: large blocks only */
    alignas(uint64_t) char bytes[];
};

/* Objects above LARGE have a block of their own. */
enum { MIN_BLOCK = 64 * 1024, LARGE = MIN_BLOCK / 4, ALIGN = alignof(uint64_t) };

static size_t block_size(size_t size)
{
    if (size > SIZE_MAX - sizeof(ArenaBlock))
        heap_exhausted();
    return sizeof(ArenaBlock) + size;
}

static size_t rounded(size_t size)
{
    if (size > SIZE_MAX - ALIGN)
        heap_exhausted();
    return size ? (size + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
}

static void link_large(Arena *arena, ArenaBlock *block)
{
    block->prev = NULL;
    block->next = arena->large;
    if (block->next)
        block->next->prev = block;
    arena->large = block;
}

static void unlink_large(Arena *arena, ArenaBlock *block)
{
    *(block->prev ? &block->prev->next : &arena->large) = block->next;
    if (block->next)
        block->next->prev = block->prev;
}

static void *alloc_large(Arena *arena, size_t size)
{
    ArenaBlock *block = xmalloc(block_size(size));
    link_large(arena, block);
    return memset(block->bytes, 0, size);
}

void *arena_alloc(Arena *arena, size_t size)
{
    size = rounded(size);
    if (size > LARGE)
        return alloc_large(arena, size);
    if (size > (size_t)(arena->end - arena->next)) {
        ArenaBlock *block = xmalloc(block_size(MIN_BLOCK));
        block->prev = arena->head;
        arena->head = block;
        arena->next = block->bytes;
        arena->end = block->bytes + MIN_BLOCK;
    }
    void *p = arena->next;
    arena->next += size;
    return memset(p, 0, size);
}

void *arena_regrow(Arena *arena, void *old, size_t old_size, size_t new_size)
{
    if (rounded(old_size) <= LARGE) {
        void *fresh = arena_alloc(arena, new_size);
        if (old_size)
            memcpy(fresh, old, old_size);
        return fresh;
    }
    size_t size = rounded(new_size);
    ArenaBlock *block = (ArenaBlock *)(void *)((char *)old - offsetof(ArenaBlock, bytes));
    unlink_large(arena, block);
    block = xrealloc(block, block_size(size));
    link_large(arena, block);
    memset(block->bytes + rounded(old_size), 0, size - rounded(old_size));
    return block->bytes;
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

ArenaMark arena_mark(const Arena *arena)
{
    return (ArenaMark){arena->head, arena->next};
}

void arena_back(Arena *arena, ArenaMark mark)
{
    while (arena->head != mark.head) {
        ArenaBlock *block = arena->head;
        arena->head = block->prev;
        xfree(block);
    }
    arena->next = mark.next;
    arena->end = mark.head ? mark.head->bytes + MIN_BLOCK : NULL;
}

void arena_free(Arena *arena)
{
    for (ArenaBlock *block = arena->head, *prev; block != NULL; block = prev) {
        prev = block->prev;
        xfree(block);
    }
    for (ArenaBlock *block = arena->large, *next; block != NULL; block = next) {
        next = block->next;
        xfree(block);
    }
    *arena = (Arena){0};
}
