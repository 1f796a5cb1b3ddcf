/* Integer arithmetic that says when it cannot: true, and the result in *out, if it fits 64 bits. */
#ifndef PLD_BASE_CHECKED_H
#define PLD_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

static inline bool checked_add(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool checked_sub(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_sub_overflow(a, b, out);
}

static inline bool checked_mul(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* unit * the product of `n` extents. False also for a negative extent, and where those that are not
 * 0 leave 64 bits together, so that every stride of such a shape fits. */
bool checked_size(int64_t unit, uint32_t n, const int64_t *extents, int64_t *out);
/* The x >= 0 with mul * x + add == value, for mul != 0; false when there is none. */
bool checked_solve(int64_t mul, int64_t add, int64_t value, int64_t *x);

#endif
