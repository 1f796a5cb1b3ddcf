/* The pointer to the newest trap is
 * all that a thread keeps between two functions, and nothing between two calls from outside. */
#include "base/heap.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Found without a call and without memory of its own, also in a library that was loaded late. */
static _Thread_local Trap *newest __attribute__((tls_model("initial-exec")));

enum { HEAD = sizeof(HeapBlock) };

void trap_enter(Trap *trap, Heap *heap)
{
    trap->heap = heap;
    trap->outer = newest;
    trap->cleanups = NULL;
    newest = trap;
}

void trap_leave(Trap *trap)
{
    newest = trap->outer;
}

Trap *trap_suspend(void)
{
    Trap *trap = newest;
    newest = NULL;
    return trap;
}

void trap_restore(Trap *trap)
{
    newest = trap;
}

Heap *trap_heap(void)
{
    return newest ? newest->heap : NULL;
}

void trap_push_cleanup(TrapCleanup *cleanup, void (*clean)(void *env), void *env)
{
    *cleanup = (TrapCleanup){.clean = clean, .env = env};
    if (!newest)
        return;
    cleanup->outer = newest->cleanups;
    newest->cleanups = cleanup;
}

void trap_pop_cleanup(TrapCleanup *cleanup)
{
    if (newest)
        newest->cleanups = cleanup->outer;
}

_Noreturn void heap_exhausted(void)
{
    if (!newest)
        __builtin_trap();
    for (TrapCleanup *c = newest->cleanups; c; c = c->outer)
        c->clean(c->env);
    longjmp(newest->at, 1);
}

static void lock(Heap *heap)
{
    while (atomic_flag_test_and_set_explicit(&heap->lock, memory_order_acquire))
        sched_yield();
}

static void unlock(Heap *heap)
{
    atomic_flag_clear_explicit(&heap->lock, memory_order_release);
}

/* A heap that has held nothing is all zeros. */
static HeapBlock *ring(Heap *heap)
{
    if (!heap->ring.next)
        heap->ring.prev = heap->ring.next = &heap->ring;
    return &heap->ring;
}

static void join(HeapBlock *block, Heap *heap)
{
    block->heap = heap;
    if (!heap)
        return;
    lock(heap);
    block->prev = ring(heap);
    block->next = block->prev->next;
    block->prev->next = block->next->prev = block;
    unlock(heap);
}

/* Takes `size` bytes of what is left to the heap, or jumps. */
static void charge(Heap *heap, size_t size)
{
    HeapBudget *b = heap ? heap->budget : NULL;
    if (!b)
        return;
    size_t before = atomic_fetch_add(&b->used, size);
    if (!b->limit || (before <= b->limit && size <= b->limit - before))
        return;
    atomic_fetch_sub(&b->used, size);
    atomic_store(&b->over, true);
    heap_exhausted();
}

static void refund(Heap *heap, size_t size)
{
    if (heap && heap->budget)
        atomic_fetch_sub(&heap->budget->used, size);
}

static void leave(HeapBlock *block)
{
    if (!block->heap)
        return;
    lock(block->heap);
    block->prev->next = block->next;
    block->next->prev = block->prev;
    unlock(block->heap);
}

void heap_free(Heap *heap)
{
    HeapBlock *first = ring(heap);
    while (first->next != first) {
        HeapBlock *block = first->next;
        leave(block);
        refund(heap, block->size);
        free(block);
    }
}

static size_t with_head(size_t size)
{
    if (size > SIZE_MAX - HEAD)
        heap_exhausted();
    return size + HEAD;
}

void *heap_try(size_t size)
{
    HeapBlock *block = calloc(1, size + HEAD);
    return block ? block + 1 : NULL;
}

static HeapBlock *fresh(size_t size, bool zeroed)
{
    Heap *heap = trap_heap();
    charge(heap, size);
    HeapBlock *block = zeroed ? calloc(1, size) : malloc(size);
    if (!block) {
        refund(heap, size);
        heap_exhausted();
    }
    block->size = size;
    join(block, heap);
    return block;
}

void *xmalloc(size_t size)
{
    return fresh(with_head(size), false) + 1;
}

void *xcalloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        heap_exhausted();
    return fresh(with_head(bytes), true) + 1;
}

/* While it grows, a block counts twice: it may have to move. */
void *xrealloc(void *old, size_t size)
{
    if (!old)
        return xmalloc(size);
    HeapBlock *block = (HeapBlock *)old - 1;
    Heap *heap = block->heap;
    size_t before = block->size, bytes = with_head(size);
    charge(heap, bytes);
    leave(block);
    HeapBlock *now = realloc(block, bytes);
    if (now)
        now->size = bytes;
    refund(heap, now ? before : bytes);
    join(now ? now : block, heap);
    if (!now)
        heap_exhausted();
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
    HeapBlock *b = (HeapBlock *)block - 1;
    leave(b);
    refund(b->heap, b->size);
    free(b);
}
