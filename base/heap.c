/* A block stands in the ring of its heap, or in one of its own. The pointer to the newest trap is
 * all that a thread keeps between two functions, and nothing between two calls from outside. */
#include "base/heap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Found without a call and without memory of its own, also in a library that was loaded late. */
static _Thread_local Trap *newest __attribute__((tls_model("initial-exec")));

enum { HEAD = sizeof(HeapBlock) };

void trap_enter(Trap *trap, Heap *heap)
{
    trap->heap = heap;
    trap->outer = newest;
    trap->fd = -1;
    newest = trap;
}

void trap_leave(Trap *trap)
{
    newest = trap->outer;
}

void trap_holds_file(int fd)
{
    if (newest)
        newest->fd = fd;
}

_Noreturn void heap_exhausted(void)
{
    if (!newest)
        __builtin_trap();
    if (newest->fd >= 0)
        close(newest->fd);
    longjmp(newest->at, 1);
}

/* A heap that has held nothing is all zeros. */
static HeapBlock *ring(Heap *heap)
{
    if (!heap->ring.next)
        heap->ring.prev = heap->ring.next = &heap->ring;
    return &heap->ring;
}

static void *join(HeapBlock *block)
{
    block->prev = block->next = block;
    if (newest && newest->heap) {
        HeapBlock *first = ring(newest->heap);
        block->prev = first;
        block->next = first->next;
        block->prev->next = block->next->prev = block;
    }
    return block + 1;
}

static void leave(HeapBlock *block)
{
    block->prev->next = block->next;
    block->next->prev = block->prev;
}

void heap_free(Heap *heap)
{
    HeapBlock *first = ring(heap);
    while (first->next != first) {
        HeapBlock *block = first->next;
        leave(block);
        free(block);
    }
}

void heap_move(Heap *to, Heap *from)
{
    HeapBlock *into = ring(to), *first = ring(from);
    if (first->next == first)
        return;
    first->prev->next = into->next;
    into->next->prev = first->prev;
    into->next = first->next;
    into->next->prev = into;
    first->prev = first->next = first;
}

static size_t with_head(size_t size)
{
    if (size > SIZE_MAX - HEAD)
        heap_exhausted();
    return size + HEAD;
}

void *xmalloc(size_t size)
{
    HeapBlock *block = malloc(with_head(size));
    if (!block)
        heap_exhausted();
    return join(block);
}

void *xcalloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        heap_exhausted();
    HeapBlock *block = calloc(1, with_head(bytes));
    if (!block)
        heap_exhausted();
    return join(block);
}

void *xrealloc(void *old, size_t size)
{
    if (!old)
        return xmalloc(size);
    HeapBlock *block = (HeapBlock *)old - 1;
    bool alone = block->next == block;
    HeapBlock *now = realloc(block, with_head(size));
    if (!now)
        heap_exhausted(); /* the old block is where it was */
    if (alone)
        now->prev = now->next = now;
    else
        now->prev->next = now->next->prev = now;
    return now + 1;
}

char *xstrdup(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(xmalloc(size), text, size);
}

void xfree(void *block)
{
    if (!block)
        return;
    leave((HeapBlock *)block - 1);
    free((HeapBlock *)block - 1);
}
