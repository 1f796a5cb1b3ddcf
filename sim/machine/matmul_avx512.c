/* The matrix product for machines with AVX-512: 24 of its 32 registers are sums. */
#if defined __x86_64__
#define MATMUL_TARGET __attribute__((target("avx512f")))
#define MATMUL_LANES 16
#define MATMUL_ROWS 12
#define MATMUL_TABLE matmul_avx512
#include "sim/machine/kernel_matmul.inc"
#endif
