/* The parts of the printer; only ir/print*.c include it. */
#ifndef PLD_IR_PRINT_EXPR_H
#define PLD_IR_PRINT_EXPR_H

#include "ir/ir.h"

/* What a bare literal means at a place. Besides these, a Dtype: a literal
 * reads back as that dtype. */
enum {
    BARE_NEVER = DT_COUNT, /* nothing gives it a type: print pl.const(v, dtype) */
    BARE_INT,              /* an integer operand, where INT32 and INDEX constants mean the same */
    BARE_ANY,              /* the literal itself is what counts */
};

/* Appends an expression whose parent binds with precedence `prec` (0: no parent). */
void irp_expr(Buf *out, const Func *f, const Expr *e, int prec, int bare);
/* The same for what init and golden functions compute. */
void irp_number(Buf *out, const Func *f, const Expr *e, int prec);
/* A floating value as an expression that reads back as it; NaN is the difference of two infinities,
 * in parentheses. */
void irp_real(Buf *out, double v);
/* A double-quoted string with escapes. */
void irp_string(Buf *out, const char *text);
/* The name a variable has in the text. */
const char *irp_var(const Func *f, VarId v);
/* A yield of nothing binds nothing: it is not part of the text. */
bool irp_is_silent(const Stmt *s);
/* A block of nothing else prints as `pass`. */
bool irp_is_empty(const Block *block);
/* Appends a decorator for each builtin call that was expanded in the function (ir/print_sites.c).
 */
void irp_sites(Buf *out, const Func *f);
/* What a literal that takes this type reads back as. */
int irp_bare_of(const Type *t);

#endif
