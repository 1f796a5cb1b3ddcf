/* What the reader of scripts keeps. Private to elab/script*.c. */
#ifndef PLD_ELAB_COMPTIME_SCRIPT_STATE_H
#define PLD_ELAB_COMPTIME_SCRIPT_STATE_H

#include "base/map.h"
#include "elab/comptime/script.h"
#include "lexer/lexer.h"

/* A top-level statement: its tokens, and what became of it. */
typedef struct {
    uint32_t begin, end;
    Ast *taken;  /* or NULL */
    Ast *helper; /* an undecorated function that is taken when what is taken names it */
    bool constant;
} Part;

typedef struct {
    Arena *arena;
    Interner *in;
    const Source *src;
    Span file;
    const ScriptImports *imports; /* or NULL */
    Diags *diags;
    TokenList tokens;
    VEC(Part) parts;
    AstModule *m;
    uint32_t at; /* the part at hand */
    Map aliases; /* names of the modules of the language, and names out of them */
    Map known;   /* what taken code may name -> 1 + its part */
    Map used;    /* names that a taken constant reads */
    Map helpers; /* undecorated functions -> 1 + their part */
    Map modules; /* names of imported files -> their import, an Ast */
} Script;

/* Only names that taken code knows below `a`, and nothing that it has no word for (script_names.c).
 */
bool script_is_constant(Script *s, Ast *a);

#endif
