/* In place of sim/machine/kernel_path.c: the instruction set that a test or a bench wants. */
#ifndef PLD_TESTS_KERNELPATH_H
#define PLD_TESTS_KERNELPATH_H

#include "sim/machine/kernels.h"

/* False, and the best one runs, where this machine has it not. KERNELS_COUNT: the best one. */
bool kernels_use(KernelPath path);

#endif
