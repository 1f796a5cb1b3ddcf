/* --skeleton: a complete program around kernels that have no host function. */
#ifndef PLD_API_SKELETON_H
#define PLD_API_SKELETON_H

#include "base/buf.h"
#include "parser/ast.h"
#include <stdbool.h>

/* Appends a program text: constants for names that the kernels use and nothing defines, the kernels
 * with the types of their parameters filled in, an orchestration function where there is none, and
 * a host function that allocates the windows and dispatches to every device. Types of parameters
 * without annotation are guessed from their uses: a window where peers or signals are involved, Out
 * where it is only stored to, extents from the offsets and shapes of loads and stores. Returns
 * NULL, or why there is nothing to print (static text). */
const char *skeleton_print(Arena *arena, const AstModule *module, Buf *out);

#endif
