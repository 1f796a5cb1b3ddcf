/* Values from outside as trees: what a name that a definition leaves free is put for. */
#ifndef PLD_ELAB_COMPTIME_GIVEN_H
#define PLD_ELAB_COMPTIME_GIVEN_H

#include "elab/comptime/taken.h"

Ast *given_node(Arena *arena, AstKind kind, Span span);

/* The expression of a value at a place, its text in the arena. Definitions and what is opaque have
 * none. */
Ast *given_ast(Arena *arena, Interner *in, const Given *v, Span span);

/* The expression that a text says, at a place; NULL when it is none. */
Ast *given_expression(Arena *arena, Interner *in, const char *text, Span span);

/* Is it the text of an extent: a name, or arithmetic on names, numbers and pld.world_size()? */
bool given_is_extent(const char *text);

#endif
