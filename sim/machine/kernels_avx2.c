/* The kernels for machines with AVX2 and F16C. */
#include "sim/machine/kernel_table.h"

#if KERNELS_HAVE_AVX2
#define KERNEL_TARGET __attribute__((target("avx2,f16c")))
#define KERNEL_F16C 1
#define KERNEL_TRUNC 1
#define KERNEL_TABLE kernels_avx2
#include "sim/machine/kernel_loops.inc"
#endif
