/* Init and golden functions; shared by element.c, element_stmt.c, element_expr.c and
 * element_call.c. */
#ifndef PLD_ELAB_ELEMENT_H
#define PLD_ELAB_ELEMENT_H

#include "elab/typed/typed.h"

/* A helper with loops whose statements are written out. */
typedef struct {
    VarId result; /* what it returned */
    VarId done;   /* not 0: it returned inside of a loop; VAR_NONE if it returns at its end only */
    uint32_t returns_in_loops; /* so far */
} ElementFrame;

/* The function at hand. */
typedef struct {
    Elab *e;
    Func *host, *f;
    const Type *number;
    Map locals;         /* name -> 1 + its variable: indices, assigned names, names of generators */
    VEC(bool) assigned; /* per variable: has a value on every path to here */
    VarId *host_vars;   /* per parameter of the host function: the one of f that it is, VAR_NONE */
    Block *block;       /* the statements at hand */
    uint32_t loops;     /* around them */
    uint32_t nodes;     /* expressions so far */
    uint32_t inlined;   /* calls of helpers at hand */
    uint32_t written;   /* helpers with loops so far */
    uint32_t fresh;     /* names made for them */
    uint32_t guarded;   /* parts of expressions around that are evaluated not at all or often */
    ElementFrame *call; /* helper with loops at hand, or NULL */
    Loc far;            /* that the dump at hand gave last */
    Span at;            /* of the function's name */
} Element;

/* A new variable that has a value from here on. */
VarId element_new_var(Element *p, Sym name, Span span);
/* The same of a name like `name` that nothing else in the function has. */
VarId element_own_var(Element *p, Sym name, Span span);
bool element_find_local(const Element *p, Sym name, VarId *v);
Expr *element_use(Element *p, VarId v, Span span);
/* The expression with compile-time names replaced and what is known folded; something of type
 * number also after a reported mistake. */
Expr *element_expr(Element *p, const Ast *a);
Expr *element_binary(Element *p, BinaryOp op, Expr *l, Expr *r, Span span);
/* range(...) as three numbers: start, stop, step; false after a reported mistake. */
bool element_range(Element *p, const Ast *iter, Expr *bounds[3]);
Expr *element_call(Element *p, const Ast *a);
/* A call of a compile-time function with numbers that only the run knows: its expression. */
Expr *element_helper(Element *p, const Helper *h, const Ast *call);
/* Nodes: bare, of a scalar operator, of an operator of element.def. */
Expr *element_node(Element *p, ExprKind kind, Span span);
Expr *element_operation(Element *p, ScalarOp op, Span span, uint32_t n, Expr *const *args);
Expr *element_op(Element *p, ElementOp op, Span span, uint32_t n, Expr *const *args);
/* The literal of a value, or NULL for what is no number. */
Expr *element_literal(Element *p, Val v, Span span);
/* The literal of a folded value; `x` itself when it has none (after a mistake, which was reported).
 */
Expr *element_settle(Element *p, Val v, Expr *x);
/* A compile-time value as a number; what has no such form is a mistake. */
Expr *element_value(Element *p, Val v, const Ast *a);
/* Nothing but compile-time names below: no local, no tensor, no dynamic extent. */
bool element_is_static(const Element *p, const Ast *a);
/* What stands for `a` after a mistake. */
Expr *element_nothing(Element *p, const Ast *a);
/* The number that a literal stands for. */
bool element_known(const Expr *x, Val *v);

/* element_stmt.c: a statement that gives a variable a value. */
void element_set(Element *p, const Ast *at, VarId v, Expr *value);
/* The statements of a helper before the one at hand; what they return. */
Expr *element_written_out(Element *p, const AstList *body, const Ast *call);
/* The body into f->body; reports a path without a value. */
void element_body(Element *p, const AstList *body);

#endif
