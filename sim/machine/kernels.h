/* Tile arithmetic. Results do not depend on vector width or machine: FP16 and BF16 round to the
 * format after each op (nearest even), integers wrap, NaN results are the canonical quiet NaN of
 * the dtype, max and min are IEEE 754-2019 maximum and minimum (NaN wins, -0 < +0), BOOL and INDEX
 * as integers. */
#ifndef PLD_SIM_MACHINE_KERNELS_H
#define PLD_SIM_MACHINE_KERNELS_H

#include "codegen/bytecode.h"
#include <stddef.h>

/* Operands of `rows` rows of `cols` contiguous elements each; row starts are `..._step` bytes
 * apart. A kernel may merge rows that follow each other without a hole. `to` may be the same memory
 * as `a` or `b` (exactly the same layout), otherwise they do not overlap. rows or cols may be 0. */
typedef struct {
    void *to;
    const void *a, *b; /* b NULL for unary and constant forms */
    int64_t rows, cols;
    ptrdiff_t to_step, a_step, b_step;
} KernelArgs;

/* A scalar operand, already converted to the tile's dtype: `f` for float dtypes (rounded to the
 * dtype), `i` for the others. */
typedef struct {
    double f;
    int64_t i;
} KernelScalar;

/* to = a OP b, to = a OP scalar, to = OP a, in dtype `t`. False: an integer division by zero, or a
 * count of places outside 0 to bits - 1 (the result is then unspecified). op has
 * the arity that the function name says; RSUB and RDIV are b -
 * a and b / a. */
bool kernel_bin(TileOp op, Dtype t, const KernelArgs *k);
bool kernel_bink(TileOp op, Dtype t, const KernelArgs *k, KernelScalar s);
bool kernel_un(TileOp op, Dtype t, const KernelArgs *k);
/* Rows of dtype `t`, one element or more each, to one element each; or all rows, one or more, to
 * one row. The result has dtype reduce_result(r, t). */
void kernel_reduce(TileReduce r, Dtype t, const KernelArgs *k);
/* to (dtype `to`) = a (dtype `from`), rounded once by CastMode `mode` wherever the target
 * cannot hold a value; integers saturate, NaN becomes 0 in them; BOOL is value != 0. */
void kernel_cast(Dtype from, Dtype to, int mode, const KernelArgs *k);
/* Every element of `to` = s; k->a is not looked at. */
void kernel_fill(Dtype t, const KernelArgs *k, KernelScalar s);
/* A scalar as the bytecode holds it (bits of a double when `from` is a float dtype, else an
 * integer), converted to dtype `to`: rounded once, saturating. */
KernelScalar kernel_scalar(Dtype from, int64_t bits, Dtype to);

/* Instruction sets, each wider than those before it. */
typedef enum { KERNELS_PORTABLE, KERNELS_AVX2, KERNELS_AVX512, KERNELS_COUNT } KernelPath;
bool kernels_has(KernelPath path);
/* The one in use: the best that this machine has (kernel_path.c). */
KernelPath kernels_path(void);

#endif
