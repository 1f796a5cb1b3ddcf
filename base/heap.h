/* Memory that is not an arena's, and where the lack of it ends. Every block belongs to the heap of
 * the trap that stands when it is made, so that whoever set the trap can free all that is left. */
#ifndef PLD_BASE_HEAP_H
#define PLD_BASE_HEAP_H

#include <setjmp.h>
#include <stddef.h>

typedef struct HeapBlock HeapBlock;
struct HeapBlock {
    HeapBlock *prev, *next; /* a ring: a block can leave without knowing its heap */
};

/* All blocks that are still there. Zeroed: empty and valid. Neither moves nor is copied. */
typedef struct {
    HeapBlock ring;
} Heap;

/* Where a call from outside comes in. One thread's traps are a stack; memory that does not suffice
 * jumps to the newest one. */
typedef struct Trap Trap;
struct Trap {
    jmp_buf at;
    Heap *heap;  /* of what is made meanwhile; NULL: nobody's */
    Trap *outer; /* the one before, in force again after trap_leave */
    int fd;      /* a file that is open just now: closed before the jump; -1: none */
};

/* Puts a trap up. The caller's next step is `if (setjmp(trap->at) == 0)`, in the same function;
 * the other branch is reached when memory ran out. */
void trap_enter(Trap *trap, Heap *heap);
/* Takes it down: after the work, and after a jump. */
void trap_leave(Trap *trap);
/* Tells the trap about the file that is open; -1: it is closed. */
void trap_holds_file(int fd);
/* Jumps to the newest trap. Without one the program has no business to go on. */
_Noreturn void heap_exhausted(void);

/* Frees every block that is left. */
void heap_free(Heap *heap);
/* Hands all blocks of `from` over to `to`. */
void heap_move(Heap *to, Heap *from);

/* Never NULL: see heap_exhausted. Blocks are freed with xfree alone, which takes NULL. */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *text);
void xfree(void *block);

#endif
