/* Python scripts: the kernels and constants in them are taken, all else is skipped. */
#ifndef PLD_ELAB_SCRIPT_H
#define PLD_ELAB_SCRIPT_H

#include "base/diag.h"
#include "parser/ast.h"

/* Reads a script. Top-level statements that no program has are skipped without being parsed, with
 * the names that they bind in `poisoned`; a string or bracket that is never closed, and mistakes in
 * what is taken, go to `diags`. Linear in the text. */
AstModule *script_read(Arena *arena, Interner *in, const Source *src, Diags *diags);

/* "took 6 kernels and 3 constants, skipped 71 lines (import 3-9, def 12-40, ...)", in the arena;
 * `all`: every part, else the longest few. */
const char *script_note(Arena *arena, const AstModule *module, bool all);

#endif
