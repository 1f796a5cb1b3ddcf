/* What the body of a kernel says about its parameters. */
#ifndef PLD_API_SKELETON_GUESS_H
#define PLD_API_SKELETON_GUESS_H

#include "base/buf.h"
#include "parser/ast.h"
#include <stdbool.h>

#define GUESS_MAX_RANK 5

typedef struct {
    Sym name;
    const Ast *annotation; /* as given, or NULL: guessed */
    bool window, signal, scalar;
    bool read, written;
    uint32_t rank;                     /* of the guessed shape; 0: nothing known */
    const Ast *extent[GUESS_MAX_RANK]; /* of one access */
    bool by_rank[GUESS_MAX_RANK];      /* offset varies: nr (times the extent, unless that is 1) */
} ParamGuess;

typedef struct {
    Arena *arena;
    const Ast *def;
    VEC(ParamGuess) params; /* without self */
} KernelGuess;

/* Looks through the body of a def. */
void kernel_guess(Arena *arena, const Ast *def, KernelGuess *out);

/* "[nr, SIZE]": the dims of a parameter; `lead` is put before them ("nr") when not NULL. */
void guess_print_dims(Buf *out, const ParamGuess *p, const char *lead);
/* The dtype of a parameter: its annotation's, INT32 for a signal, else FP32. */
void guess_print_dtype(Buf *out, const ParamGuess *p);

#endif
