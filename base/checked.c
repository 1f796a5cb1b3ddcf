#include "base/checked.h"

bool checked_size(int64_t unit, uint32_t n, const int64_t *extents, int64_t *out)
{
    bool zero = false;
    int64_t size = unit;
    for (uint32_t i = 0; i < n; i++) {
        if (extents[i] < 0 || (extents[i] > 0 && !checked_mul(size, extents[i], &size)))
            return false;
        zero |= extents[i] == 0;
    }
    *out = zero ? 0 : size;
    return true;
}

bool checked_solve(int64_t mul, int64_t add, int64_t value, int64_t *x)
{
    int64_t rest;
    if (!checked_sub(value, add, &rest) || (rest < 0) != (mul < 0 && rest != 0))
        return false; /* the quotient is negative */
    if (mul == -1 ? rest == INT64_MIN : rest % mul != 0)
        return false;
    *x = rest / mul;
    return true;
}
