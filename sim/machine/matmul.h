/* The matrix product of the simulator, in its one order on every machine. */
#ifndef PLD_SIM_MACHINE_MATMUL_H
#define PLD_SIM_MACHINE_MATMUL_H

#include "base/dtype.h"
#include <stdbool.h>
#include <stdint.h>

/* c [m, n] += a [m, k] @ b [k, n]; rows are `step` bytes apart. a and b are FP32, FP16, BF16 with c
 * in FP32, or INT8 with c in INT32. */
typedef struct {
    void *c;
    const void *a, *b;
    int64_t c_step, a_step, b_step;
    int64_t m, n, k;
} Matmul;

/* For each element of c, k ascending: c = c + a * b, product and sum rounded to FP32 each; integers
 * wrap. A NaN in c is the canonical one afterwards. */
void matmul_run(Dtype operands, const Matmul *x);

#endif
