#include "sim/machine/tensor.h"
#include "base/checked.h"

#include <string.h>

bool tensor_measure(Arena *arena, HostTensor *t, const char **why)
{
    int64_t bytes;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (t->shape[i] < 0) {
            *why = arena_printf(arena, "%s: negative extent %lld", t->name, (long long)t->shape[i]);
            return false;
        }
    }
    if (!checked_size(dtype_bytes(t->dtype), t->rank, t->shape, &bytes) ||
        bytes > TENSOR_MAX_BYTES) {
        Buf shape = {0};
        tensor_index_text(&shape, t->rank, t->shape);
        *why = arena_printf(arena, "%s: %s of shape %s is larger than %lld GiB", t->name,
                            dtype_name(t->dtype), shape.at, (long long)(TENSOR_MAX_BYTES >> 30));
        buf_free(&shape);
        return false;
    }
    t->bytes = bytes;
    t->elements = bytes / dtype_bytes(t->dtype);
    return true;
}

void tensor_reset(HostTensor *t)
{
    if (t->data == t->initial)
        return;
    if (!t->partial)
        memcpy(t->data, t->initial, (size_t)t->bytes);
    for (uint32_t i = 0; i < t->n_spans; i++)
        memcpy(t->data + t->spans[i].offset, t->initial + t->spans[i].offset,
               (size_t)t->spans[i].bytes);
}

int64_t tensor_offset(const HostTensor *t, const int64_t *index)
{
    int64_t position = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        position = position * t->shape[i] + index[i];
    return position * dtype_bytes(t->dtype);
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

void tensor_unravel(const HostTensor *t, int64_t position, int64_t *index)
{
    for (uint32_t i = t->rank; i-- > 0;) {
        index[i] = position % t->shape[i];
        position /= t->shape[i];
    }
}

void tensor_index_text(Buf *out, uint32_t rank, const int64_t *index)
{
    buf_char(out, '[');
    for (uint32_t i = 0; i < rank; i++) {
        buf_str(out, i ? ", " : "");
        if (index[i] == -1)
            buf_char(out, '?');
        else
            buf_printf(out, "%lld", (long long)index[i]);
    }
    buf_char(out, ']');
}
