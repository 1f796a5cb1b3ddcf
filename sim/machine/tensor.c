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
    t->bytes = t->held = bytes;
    t->elements = bytes / dtype_bytes(t->dtype);
    return true;
}

void tensor_hold(HostTensor *t, TensorSpan *spans, uint32_t n)
{
    t->partial = true;
    t->spans = spans;
    t->n_spans = n;
    t->held = 0;
    for (uint32_t i = 0; i < n; i++) {
        spans[i].at = t->held;
        t->held += spans[i].bytes;
    }
}

/* The first range that does not end before `offset`; n_spans: none. */
static uint32_t span_from(const HostTensor *t, int64_t offset)
{
    uint32_t low = 0, high = t->n_spans;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (offset - t->spans[middle].offset >= t->spans[middle].bytes)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

char *tensor_at(const HostTensor *t, char *memory, int64_t offset)
{
    if (!t->partial)
        return memory + offset;
    uint32_t i = span_from(t, offset);
    if (i == t->n_spans || offset < t->spans[i].offset)
        return NULL;
    return memory + t->spans[i].at + (offset - t->spans[i].offset);
}

int64_t tensor_next_bound(const HostTensor *t, int64_t offset)
{
    uint32_t i = t->partial ? span_from(t, offset) : t->n_spans;
    if (i == t->n_spans)
        return t->bytes;
    bool before = offset < t->spans[i].offset;
    return t->spans[i].offset + (before ? 0 : t->spans[i].bytes);
}

void tensor_reset(HostTensor *t)
{
    if (t->data != t->initial)
        memcpy(t->data, t->initial, (size_t)t->held);
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
