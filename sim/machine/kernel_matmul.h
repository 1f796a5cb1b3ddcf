/* The inner loops of the matrix product, one table for an instruction set; all give the same bits.
 */
#ifndef PLD_SIM_MACHINE_KERNEL_MATMUL_H
#define PLD_SIM_MACHINE_KERNEL_MATMUL_H

#include <stdint.h>

/* Adds the product of a panel of a (`rows` elements for each k) and one of b (`cols` elements for
 * each k, aligned to a vector) to the micro-tile at `c`, rows of it `step` elements apart. */
typedef void MatmulMicro(void *c, int64_t step, const void *a, const void *b, int64_t depth);

typedef struct {
    int rows, cols;
    MatmulMicro *floats, *ints;
} MatmulTable;

#define MATMUL_MAX_ROWS 12
#define MATMUL_MAX_COLS 32

extern const MatmulTable matmul_portable;
#if defined __x86_64__
extern const MatmulTable matmul_avx2, matmul_avx512;
#endif

#endif
