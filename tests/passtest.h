/* Programs as text through the front end and some passes, for tests of passes. */
#ifndef PLD_TESTS_PASSTEST_H
#define PLD_TESTS_PASSTEST_H

#include "elab/specialize.h"
#include "lower/pass.h"

typedef struct {
    Arena arena;
    Interner names;
    Diags diags;
    Program *p; /* NULL after errors */
} PassTest;

/* A program around a kernel body (lines indented by nothing). The kernel is
 *     step(x, y, z, data, signal, n, m)
 * with plain tensors x and y (Out), [4, 64] FP32, and z (InOut), [128, 64] INT32, windows data, [4,
 * 64] FP32, and signal, [4, 1] INT32, and scalars n INDEX and m INT32. `helpers` are further
 * functions of the class, or ""; R is a dynamic extent. */
const char *passtest_program(Arena *arena, const char *helpers, const char *body);

/* Compiles `text` up to a pass; p is NULL after errors. Every pass is verified. */
void passtest_open(PassTest *t, const char *text, PassId until);
void passtest_close(PassTest *t);
/* First message, "" when there is none. */
const char *passtest_message(const PassTest *t);
/* The statements of a function, printed without indentation. */
const char *passtest_body(PassTest *t, const char *func);

/* Every dump of the program, read again, gives the same dumps of all later passes. */
void ck_rereadable(const char *text);

#endif
