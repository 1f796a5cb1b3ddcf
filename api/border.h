/* Where calls from outside come in: memory, the locale, handles. */
#ifndef PLD_API_BORDER_H
#define PLD_API_BORDER_H

#include "api/compile.h"
#include "api/pld.h"
#include "base/heap.h"

/* Runs `work` with its memory in `heap`, numbers as in C whatever the caller's locale is. Returns
 * its status, or PLD_NO_MEMORY. */
int border(Heap *heap, int (*work)(void *env), void *env);

/* Copies a struct of ours out to a caller's that may be older: `size`, its first member, tells.
 * False when that is too small to be one. */
int border_copy_out(void *to, const void *from, size_t size);

/* A program from its bytes, which are copied. PLD_USAGE: they are none, see `why`. */
int program_from_bytes(const void *bytes, size_t len, pld_program **out, char *why, size_t size);
const BcProgram *program_code(const pld_program *program);

#endif
