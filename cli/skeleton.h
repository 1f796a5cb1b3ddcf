/* --skeleton: a typed host function for kernels that have none. */
#ifndef PLD_CLI_SKELETON_H
#define PLD_CLI_SKELETON_H

#include "base/buf.h"
#include "cli/compile.h"

/* Appends a complete program text: the kernels of a parsed file with types filled in, an orchestration
 * function where there is none, and a host function that allocates the windows and dispatches to every
 * device. Returns an exit status; reports on standard error when the file has no kernel or already has a
 * host function. */
int skeleton_print(Compilation *c, Buf *out);

#endif
