/* Random elements for the tests of kernels, and what they are compared with. */
#ifndef PLD_TESTS_KERNELTEST_H
#define PLD_TESTS_KERNELTEST_H

#include "sim/machine/kernel_lanes.h"
#include "sim/machine/kernels.h"
#include "tests/support.h"
#include <math.h>

__extension__ typedef __int128 Wide;

enum { KT_N = 203 }; /* no multiple of any vector */

void kt_seed(uint64_t seed);
uint64_t kt_next(void);
/* n elements, many of them special values. */
void kt_random(Dtype t, char *at, int n);
/* Element i as a number. */
double kt_load(Dtype t, const char *at, int i);
Wide kt_load_int(Dtype t, const char *at, int i);
/* KT_N elements must have the same bits. */
void kt_compare(const char *what, TileOp op, Dtype t, const char *got, const char *want);

#endif
