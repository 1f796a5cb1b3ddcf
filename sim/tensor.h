/* Host tensors: what the host function's tensor parameters hold. */
#ifndef PLD_SIM_TENSOR_H
#define PLD_SIM_TENSOR_H

#include "codegen/bytecode.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *name;
    uint8_t dtype, rank;
    uint8_t dir; /* 0 in, 1 out, 2 inout */
    int64_t shape[BC_MAX_RANK];
    int64_t elements, bytes; /* of the whole; no overflow */
    char *data;              /* row-major, dense */
    char *initial; /* its value before the run, what init functions and goldens see; for an
                      Out tensor without init zeros */
} HostTensor;

/* Byte offset of an element; the index is in range. */
int64_t tensor_offset(const HostTensor *t, const int64_t *index);
/* Moves a row-major index on by one; false after the last. */
bool tensor_next(const HostTensor *t, int64_t *index);

#endif
