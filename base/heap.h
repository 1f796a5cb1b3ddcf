/* Memory that is not an arena's, and where the lack of it ends. Every block belongs to the heap of
 * the trap that stands when it is made, so that whoever set the trap can free all that is left. */
#ifndef PLD_BASE_HEAP_H
#define PLD_BASE_HEAP_H

#include <setjmp.h>
#include <stdatomic.h>
#include <stddef.h>

/* What a thread makes and another one frees is safe; everything else about a heap is one thread's.
 */
typedef struct HeapBlock HeapBlock;
typedef struct Heap Heap;
struct HeapBlock {
    HeapBlock *prev, *next; /* a ring */
    Heap *heap;             /* NULL: nobody's */
    size_t size;            /* with this head; what follows is aligned for any type */
};

/* What the blocks of several heaps may take together. Zeroed: no limit. */
typedef struct {
    atomic_size_t used;
    size_t limit;     /* bytes; 0: none */
    atomic_bool over; /* it was once too much */
} HeapBudget;

/* All blocks that are still there. Zeroed: empty and valid. Neither moves nor is copied. */
struct Heap {
    HeapBlock ring;
    atomic_flag lock;   /* of the ring */
    HeapBudget *budget; /* set before the first block; NULL: none. Its owner outlives the heap */
};

/* What must happen before a jump past the code that would have done it. */
typedef struct TrapCleanup TrapCleanup;
struct TrapCleanup {
    void (*clean)(void *env); /* allocates nothing */
    void *env;
    TrapCleanup *outer;
};

/* Where a call from outside comes in. One thread's traps are a stack; memory that does not suffice
 * jumps to the newest one. */
typedef struct Trap Trap;
struct Trap {
    jmp_buf at;
    Heap *heap;            /* of what is made meanwhile; NULL: nobody's */
    Trap *outer;           /* the one before, in force again after trap_leave */
    TrapCleanup *cleanups; /* the newest first */
};

/* Puts a trap up. The caller's next step is `if (setjmp(trap->at) == 0)`, in the same function;
 * the other branch is reached when memory ran out. */
void trap_enter(Trap *trap, Heap *heap);
/* Takes it down: after the work, and after a jump. */
void trap_leave(Trap *trap);
/* No trap while foreign code runs (nothing of ours allocates then): returns what trap_restore wants
 * back. */
Trap *trap_suspend(void);
void trap_restore(Trap *trap);
/* The heap of the newest trap, or NULL: for what shares its budget. */
Heap *trap_heap(void);
/* Between the two, `clean` is called before a jump. The newest one is taken away first. */
void trap_push_cleanup(TrapCleanup *cleanup, void (*clean)(void *env), void *env);
void trap_pop_cleanup(TrapCleanup *cleanup);
/* Cleans up and jumps to the newest trap. Without one the program has no business to go on. */
_Noreturn void heap_exhausted(void);

/* Frees every block that is left. */
void heap_free(Heap *heap);

/* Zeroed memory that is nobody's, or NULL; freed with xfree. */
void *heap_try(size_t size);

/* Never NULL: see heap_exhausted. Blocks are freed with xfree alone, which takes NULL. */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *text);
void xfree(void *block);

#endif
