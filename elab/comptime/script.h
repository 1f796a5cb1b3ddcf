/* Python scripts: the kernels and constants in them are taken, all else is skipped. */
#ifndef PLD_ELAB_SCRIPT_H
#define PLD_ELAB_SCRIPT_H

#include "base/diag.h"
#include "ir/type.h"
#include "parser/ast.h"

/* Files that a script imports: what they have for it. */
typedef struct {
    void *env;
    bool imported; /* the script itself is imported: its helper functions are taken */
    /* Is the import of such a file? Then `names` gets what it binds that taken code may use. */
    bool (*names)(void *env, const Ast *import, SymList *names);
    /* Has the module of `import module` something of this name? */
    bool (*has)(void *env, const Ast *import, Sym member);
} ScriptImports;

/* Reads the file of `src` at `file` as a script. Top-level statements that no program has are
 * skipped without being parsed, with the names that they bind in `poisoned`; a string or bracket
 * that is never closed, and mistakes in what is taken, go to `diags`.  Linear in the text.
 * `imports` NULL: it imports no files. */
AstModule *script_read(Arena *arena, Interner *in, const Source *src, Span file,
                       const ScriptImports *imports, Diags *diags);

/* A line "FILE: note: took 6 kernels and 3 constants, skipped 71 lines (import 3-9, ...)" for the
 * module, if it is a script, and for each script that it imports, in the arena; NULL: none. `all`:
 * every part, else the first few. */
const char *script_note(Arena *arena, const AstModule *module, bool all);

#endif
