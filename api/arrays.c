#include "api/arrays.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

static bool same_address(const pld_tensor *t)
{
    bool empty = false, same = false;
    for (uint32_t i = 0; i < t->rank; i++) {
        empty |= t->shape[i] == 0;
        same |= t->shape[i] > 1 && t->strides[i] == 0;
    }
    return same && !empty;
}

typedef struct {
    int64_t stride, count;
} Axis;

static int by_stride(const void *a, const void *b)
{
    const Axis *x = a, *y = b;
    return x->stride < y->stride ? -1 : x->stride > y->stride;
}

/* Each axis steps over all that the axes inside it reach: what slices and transpositions give. */
static bool distinct(const pld_tensor *t)
{
    Axis axes[BC_MAX_RANK];
    uint32_t n = 0;
    int64_t reach = dtype_bytes((Dtype)t->dtype);
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->shape[i] == 0)
            return true;
        else if (t->shape[i] > 1)
            axes[n++] = (Axis){t->strides[i] < 0 ? -t->strides[i] : t->strides[i], t->shape[i]};
    qsort(axes, n, sizeof *axes, by_stride);
    for (uint32_t i = 0; i < n; i++) {
        if (axes[i].stride < reach)
            return false;
        reach = axes[i].stride * (axes[i].count - 1) + reach;
    }
    return true;
}

const char *arrays_check(Arena *arena, const char *name, const pld_tensor *t, const BcParam *param)
{
    int64_t bytes;
    if (t->size < sizeof *t || t->dtype < 0 || t->dtype >= DT_COUNT)
        return arena_printf(arena, "%s: no pld_tensor", name);
    if (t->rank != param->rank)
        return arena_printf(arena, "%s has %u dimensions, the array has %u", name, param->rank,
                            t->rank);
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->shape[i] < 0)
            return arena_printf(arena, "%s: a negative extent", name);
    if (!checked_size(dtype_bytes((Dtype)t->dtype), t->rank, t->shape, &bytes))
        return arena_printf(arena, "%s: more bytes than there are", name);
    if (!t->data && bytes > 0)
        return arena_printf(arena, "%s: no memory is given", name);
    if (param->dir != 0 && t->strides && (same_address(t) || !distinct(t)))
        return arena_printf(arena, "%s is written, but elements of the array share memory", name);
    return NULL;
}

void arrays_layout(const pld_tensor *t, int64_t *shape, int64_t *strides)
{
    int64_t size = dtype_bytes((Dtype)t->dtype);
    for (uint32_t i = t->rank; i-- > 0;) {
        shape[i] = t->shape[i];
        strides[i] = t->strides ? t->strides[i] : size;
        size *= t->shape[i];
    }
}

static bool dense(const pld_tensor *t, int64_t *bytes)
{
    int64_t size = dtype_bytes((Dtype)t->dtype);
    bool is = true;
    for (uint32_t i = t->rank; i-- > 0;) {
        is &= t->shape[i] <= 1 || t->strides[i] == size;
        size *= t->shape[i];
    }
    *bytes = size;
    return is || size == 0;
}

typedef struct {
    const pld_tensor *t;
    size_t elem;
    bool gather;
} ArrayWalk;

/* Moves the elements from axis `axis` on between the dense side and the strided one. */
static char *move(const ArrayWalk *w, uint32_t axis, char *packed, char *at)
{
    if (axis == w->t->rank) {
        if (w->gather)
            memcpy(packed, at, w->elem);
        else
            memcpy(at, packed, w->elem);
        return packed + w->elem;
    }
    for (int64_t i = 0; i < w->t->shape[axis]; i++)
        packed = move(w, axis + 1, packed, at + i * w->t->strides[axis]);
    return packed;
}

HostArray arrays_dense(Arena *arena, const char *name, const pld_tensor *t, bool copy)
{
    HostArray a = {.name = name, .dtype = (uint8_t)t->dtype, .rank = (uint8_t)t->rank};
    bool in_place = dense(t, &a.bytes) && !copy;
    memcpy(a.shape, t->shape, t->rank * sizeof *a.shape);
    a.data = t->data ? t->data : "";
    if (in_place)
        return a;
    char *packed = arena_alloc(arena, (size_t)a.bytes + 1);
    a.data = packed;
    if (a.bytes)
        move(&(ArrayWalk){.t = t, .elem = dtype_bytes((Dtype)t->dtype), .gather = true}, 0, packed,
             t->data);
    return a;
}

void arrays_scatter(const pld_tensor *t, const char *packed)
{
    int64_t bytes;
    bool flat = dense(t, &bytes);
    if (flat && bytes)
        memcpy(t->data, packed, (size_t)bytes);
    else if (bytes)
        move(&(ArrayWalk){.t = t, .elem = dtype_bytes((Dtype)t->dtype)}, 0,
             (char *)(uintptr_t)packed, t->data);
}
