/* Printing a program as .pld text; the form of every dump. */
#ifndef PLD_IR_PRINT_H
#define PLD_IR_PRINT_H

#include "ir/ir.h"

typedef struct {
    bool ssa;  /* number names by version */
    bool locs; /* --dump-loc: a statement `pld.loc("file.pld", line, col)` before each
                  statement whose place differs from the one before it, and as a decorator above
                  each function */
    const char
        *pass; /* name for the first line, e.g. "09_lower_composite_ops"; NULL: no first line */
} PrintOptions;

/* Appends the whole program. Layout (a parameter bound to pld.world_size() is written NAME=ranks):
 *     # pld-ir 09_lower_composite_ops ranks=4 nr=ranks mode="builtin" platform=a2a3sim program=P
 * entry=host_orch NR = pl.dynamic("NR")
 *
 *     @pl.program
 *     class P:
 *         @pl.function(type=pl.FunctionType.InCore)
 *         def step(self, x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]]) ->
 * pl.Tensor[[1, 64], pl.FP32]: local: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])
 *             ...
 * A function that a pass made has builtin=True in its decorator. A function with expanded builtins
 * has a decorator above that for each: @pld.expansion("NAME", ("PHASE", FIRST, LAST), ...) with the
 * names of base/builtin.def and base/phase.def, and the numbers of the first and last statement of
 * each run of its statements: statements count from 1 as they stand in the text, `pass` and those
 * of bodies included, pld.loc not.
 * Every binding is annotated with its type, operands are positional unless keyword-only, every
 * attribute is printed, defaults included, left-out optional operands are not. Constants print bare
 * where reading them back gives the same type (next to a non-constant operand of the same dtype, in
 * typed slots), else as pl.const(v, dtype). */
void ir_print(Buf *out, Program *p, const PrintOptions *options);
void ir_print_expr(Buf *out, Program *p, Func *f, const Expr *e);

#endif
