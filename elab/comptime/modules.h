/* Files that a program imports: they and the file at hand become one module. */
#ifndef PLD_ELAB_COMPTIME_MODULES_H
#define PLD_ELAB_COMPTIME_MODULES_H

#include "base/diag.h"
#include "parser/ast.h"

typedef struct {
    Arena *trees;       /* what is parsed; the rest comes from the arena of modules_read */
    bool script;        /* the file at hand is read by the rules of scripts */
    const char *folder; /* of it, "" or with a '/' at the end; NULL: it has none, so that it imports
                           no files */
} ModulesOptions;

/* Reads the file of `src`, and those of the user that it imports, which are added to `src`: by the
 * names of their modules, beside the importing file, else in `folder`; NAME.pld before NAME.py, the
 * second by the rules of scripts. What comes out is one module that imports none of them: what the
 * file at hand needs of the others stands before its own statements, under a name of its own where
 * theirs is taken. Its `scripts` are the modules of scripts, for script_note. At most 64 files;
 * cycles, files outside the folder and names that a module has not are reported. */
AstModule *modules_read(Arena *arena, Interner *in, Source *src, const ModulesOptions *options,
                        Diags *diags);

#endif
