/* From text to AST. */
#ifndef PLD_PARSER_PARSER_H
#define PLD_PARSER_PARSER_H

#include "base/diag.h"
#include "parser/ast.h"

/* Deepest nesting of brackets and blocks together. */
#define PARSER_MAX_DEPTH 200
/* Highest tree, however it comes about: chains of operators, attributes or elif too. What walks the
 * tree may recurse. */
#define PARSER_MAX_HEIGHT 1000

/* Parses a whole file. Tree and names live in `arena` and `in`. Errors go to `diags`; a module is
 * always returned (with AST_ERROR nodes or statements left out), so that later mistakes can be
 * reported too: check diags_failed. */
AstModule *parse_module(Arena *arena, Interner *in, const Source *src, Diags *diags);

/* Reports bytes and line ends of the file at `span` that are no text; false after a mistake. */
bool parser_check_text(const Source *src, Span span, Diags *diags);

/* Parses the whole lines of `src` at `span` as a file of their own, with places in `src`. They may
 * be indented as a whole. */
AstModule *parse_lines(Arena *arena, Interner *in, const Source *src, Span span, Diags *diags);

/* Parses one expression (the value of -D NAME=VALUE); NULL after an error. */
Ast *parse_expression(Arena *arena, Interner *in, const Source *src, Diags *diags);

#endif
