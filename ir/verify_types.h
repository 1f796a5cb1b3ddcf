/* The part of the verifier that looks at one expression or statement: types and properties. */
#ifndef PLD_IR_VERIFY_TYPES_H
#define PLD_IR_VERIFY_TYPES_H

#include "ir/verify.h"

typedef struct {
    Program *p;
    Func *f;
    FuncKind level; /* of the code at hand: that of f, or InCore in a scope */
    uint32_t properties;
    const char *blame;         /* pass to name in messages */
    bool clean;                /* set to false by verify_fail */
    uint32_t holds;            /* bits of holds.def met so far */
    Diags caught;              /* what the type rules say */
    uint8_t met[OPCODE_COUNT]; /* by op: not yet 0, else 2 + the operand that cuts a region, or 1 */
} IrVerify;

/* Reports a violation in the function at hand; `s` may be NULL. */
void verify_fail(IrVerify *v, const Stmt *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Equal but for the place of a tile on the core. */
bool verify_same_type(const Type *a, const Type *b);
/* Types and properties of `e` (its operands are checked by the caller); `top`: directly below `s`.
 */
void verify_expr(IrVerify *v, const Stmt *s, Expr *e, bool top);
/* Properties of the statement itself. */
void verify_stmt(IrVerify *v, const Stmt *s);

#endif
