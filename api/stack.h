/* Calls from threads whose stack is small. */
#ifndef PLD_API_STACK_H
#define PLD_API_STACK_H

#include <stdbool.h>

/* Calls `work` on a stack that suffices for the deepest program: that of the thread, or, where less
 * than two megabytes of it are left, one of its own, which is gone afterwards. False, and nothing
 * was called, when memory does not suffice. */
bool stack_call(void (*work)(void *env), void *env);

#endif
