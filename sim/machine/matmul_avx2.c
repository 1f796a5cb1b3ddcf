/* The matrix product for machines with AVX2: 12 of its 16 registers are sums. */
#if defined __x86_64__
#define MATMUL_TARGET __attribute__((target("avx2")))
#define MATMUL_LANES 8
#define MATMUL_ROWS 6
#define MATMUL_TABLE matmul_avx2
#include "sim/machine/kernel_matmul.inc"
#endif
