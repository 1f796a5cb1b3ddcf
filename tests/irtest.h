/* A small program to build IR in, for tests of IR code. */
#ifndef PLD_TESTS_IRTEST_H
#define PLD_TESTS_IRTEST_H

#include "ir/build.h"
#include "ir/print.h"

typedef struct {
    Arena arena;
    Interner names;
    Diags diags;
    Program *p;
    Func *f;   /* an InCore function named "step" */
    Builder b; /* at the end of its body */
} IrTest;

void irtest_setup(IrTest *t);
void irtest_teardown(IrTest *t);
/* [dims] with -1 for the dynamic extent NR. */
const Type *irtest_type(IrTest *t, TypeKind kind, Dtype dtype, uint32_t rank, const int64_t *dims);
const Type *irtest_matrix(IrTest *t, TypeKind kind, Dtype dtype, int64_t rows, int64_t cols);
/* Adds a parameter (InOut where it is memory). */
VarId irtest_param(IrTest *t, const char *name, const Type *type);
/* A use of it. */
Expr *irtest_use(IrTest *t, VarId v);
/* [a, b] of INDEX constants. */
Expr *irtest_pair(IrTest *t, int64_t a, int64_t b);
/* Message of the first diagnostic, "" when there is none. */
const char *irtest_message(const IrTest *t);

/* The statements of a function's body as dumps have them, at no depth. */
const char *irtest_body(Arena *arena, Program *p, const Func *f, bool ssa);

#endif
