#include "sim/tensor.h"

#include "base/dtype.h"

int64_t tensor_offset(const HostTensor *t, const int64_t *index)
{
    int64_t at = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        at = at * t->shape[i] + index[i];
    return at * dtype_bytes(t->dtype);
}

bool tensor_next(const HostTensor *t, int64_t *index)
{
    for (uint32_t i = t->rank; i-- > 0;) {
        if (++index[i] < t->shape[i])
            return true;
        index[i] = 0;
    }
    return false;
}
