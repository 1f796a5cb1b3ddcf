/* Inner loops of the kernels: rows of contiguous elements. Each table has all of them, compiled for
 * one instruction set; the results of all tables have the same bits. */
#ifndef PLD_SIM_MACHINE_KERNEL_TABLE_H
#define PLD_SIM_MACHINE_KERNEL_TABLE_H

#include "sim/machine/kernels.h"

typedef void KernelVV(void *to, const void *a, const void *b, int64_t n);
typedef void KernelVS(void *to, const void *a, KernelScalar s, int64_t n);
typedef void KernelV(void *to, const void *a, int64_t n);

typedef void KernelReduceRow(void *to, const void *a, int64_t n);
typedef void KernelReduceCols(void *to, const void *a, int64_t rows, ptrdiff_t step, int64_t cols);

/* By [TileOp][Dtype]; NULL where the row of ir/tileop.def has no kernel. Divisions of integers
 * expect that no divisor is zero. */
typedef struct {
    KernelVV *vv[TOP_COUNT][DT_COUNT];
    KernelVS *vs[TOP_COUNT][DT_COUNT];
    KernelV *un[TOP_COUNT][DT_COUNT];
    /* by [ReduceHow][Dtype]: a row of n > 0 elements to one; rows > 0 rows to one */
    KernelReduceRow *reduce_rows[REDUCE_HOW_COUNT][DT_COUNT];
    KernelReduceCols *reduce_cols[REDUCE_HOW_COUNT][DT_COUNT];
    KernelV *widen[DT_COUNT];       /* a float dtype to float */
    KernelV *narrow[DT_COUNT];      /* float to a float dtype, nearest even */
    KernelV *narrow_away[DT_COUNT]; /* nearest, ties away from zero */
} KernelTable;

extern const KernelTable kernels_portable;
#if defined __x86_64__
#define KERNELS_HAVE_AVX2 1
extern const KernelTable kernels_avx2; /* needs AVX2 and F16C */
/* Puts what is faster with AVX-512 (F, DQ and BW) into a table. */
void kernels_avx512_put(KernelTable *table);
#endif

/* Of the instruction set in use. */
const KernelTable *kernel_table(void);

#endif
