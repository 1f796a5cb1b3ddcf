/* Translation of init and golden functions: expressions (emit_pure.c) and statements
 * (emit_pure_stmt.c). */
#ifndef PLD_CODEGEN_EMIT_PURE_H
#define PLD_CODEGEN_EMIT_PURE_H

#include "codegen/emitter.h"

#define NO_SLOT UINT32_MAX

typedef struct {
    Emit *em;
    const Func *f;
    VEC(BcPureNode) nodes;
    VEC(uint32_t) kids;
    Map slots;          /* name -> slot */
    VEC(bool) assigned; /* per slot: has a value at the place at hand */
    uint32_t depth;
    bool failed;
} PureCode;

/* Children of a list node. */
typedef VEC(uint32_t) Kids;

/* Reports the first mistake; the node that it returns is never run. */
uint32_t pure_error(PureCode *pc, const Ast *a, const char *code, const char *text);
/* printf with one name, into the arena. */
const char *pure_text(PureCode *pc, const char *fmt, const char *name);
uint32_t pure_op(PureCode *pc, const Ast *at, PureKind kind, uint32_t a, uint32_t b, uint32_t c);
uint32_t pure_node(PureCode *pc, const Ast *at, BcPureNode n);
/* A node with a list of children; frees the list. */
uint32_t pure_list(PureCode *pc, const Ast *at, PureKind kind, uint32_t slot, Kids *kids);
uint32_t pure_new_slot(PureCode *pc, const Ast *at, Sym name);
uint32_t pure_find_slot(const PureCode *pc, Sym name);
/* A parameter of the host function by name, or NULL. */
const Param *pure_host_param(const PureCode *pc, Sym name, uint32_t *index);
uint32_t pure_expr(PureCode *pc, const Ast *a);
uint32_t pure_code_binary(PureCode *pc, const Ast *at, BinaryOp op, uint32_t a, uint32_t b);

#endif
