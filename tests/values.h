/* Tensors and narrow floats for tests, by the functions that the product has for them. */
#ifndef PLD_TESTS_VALUES_H
#define PLD_TESTS_VALUES_H

#include "base/dtype.h"
#include "sim/machine/tensor.h"

/* Measures the tensor and gives it zeroed memory for data and initial in the arena. */
static inline bool tensor_alloc(Arena *arena, HostTensor *t, const char **why)
{
    if (!tensor_measure(arena, t, why))
        return false;
    t->data = arena_alloc(arena, (size_t)t->bytes);
    t->initial = arena_alloc(arena, (size_t)t->bytes);
    return true;
}

static inline uint16_t half_from_double(double v)
{
    uint16_t bits;
    dtype_store_double(DT_FP16, &bits, v);
    return bits;
}

static inline uint16_t bf16_from_double(double v)
{
    uint16_t bits;
    dtype_store_double(DT_BF16, &bits, v);
    return bits;
}

static inline float half_to_float(uint16_t bits)
{
    return (float)dtype_load_double(DT_FP16, &bits);
}

static inline float bf16_to_float(uint16_t bits)
{
    return (float)dtype_load_double(DT_BF16, &bits);
}

#endif
