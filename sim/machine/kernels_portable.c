/* The kernels for any machine. */
#define KERNEL_TARGET
#define KERNEL_F16C 0
#define KERNEL_TABLE kernels_portable
#include "sim/machine/kernel_loops.inc"
