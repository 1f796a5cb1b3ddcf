/* The matrix product for any machine. */
#define MATMUL_TARGET
#define MATMUL_LANES 4
#define MATMUL_ROWS 4
#define MATMUL_TABLE matmul_portable
#include "sim/machine/kernel_matmul.inc"
