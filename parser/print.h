/* What the parts of the printer share. Internal to parser/. */
#ifndef PLD_PARSER_PRINT_H
#define PLD_PARSER_PRINT_H

#include "parser/ast.h"

typedef struct {
    Buf *out;
    bool inside;     /* in an expression of an f-string */
    uint32_t levels; /* strings within strings printed so far, there */
} Printer;

/* How tightly an expression binds; parentheses go around what binds less than its place asks. */
typedef enum {
    BIND_NAMED,
    BIND_EXPR,
    BIND_OR,
    BIND_AND,
    BIND_NOT,
    BIND_COMPARE,
    BIND_BITOR,
    BIND_BITXOR,
    BIND_BITAND,
    BIND_SHIFT,
    BIND_SUM,
    BIND_PRODUCT,
    BIND_UNARY,
    BIND_POWER,
    BIND_POSTFIX
} Precedence;

void ast_put_expr(Printer *p, const Ast *expr, Precedence least);
/* Items with ", " between. */
void ast_put_items(Printer *p, AstList items);
/* A tuple of two or more without its parentheses, anything else as an expression. */
void ast_put_bare(Printer *p, const Ast *expr);
/* Parameters of a def (with annotations) or a lambda. */
void ast_put_params(Printer *p, AstParams params);

/* --- print_string.c --- */
void ast_put_str(Printer *p, const Ast *str);
void ast_put_fstring(Printer *p, const Ast *fstring);

#endif
