/* Atomic adds of elements to windows. */
#include "sim/processes/span_fabric.h"

#include "sim/machine/kernels.h"
#include <string.h>

static uint64_t load_element(const char *at, uint32_t bytes)
{
    switch (bytes) {
    case 1: return __atomic_load_n((const uint8_t *)at, __ATOMIC_RELAXED);
    case 2: return __atomic_load_n((const uint16_t *)(const void *)at, __ATOMIC_RELAXED);
    case 4: return __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_RELAXED);
    default: return __atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_RELAXED);
    }
}

#define SWAP(T)                                                                                    \
    {                                                                                              \
        T old = (T)*expected;                                                                      \
        bool yes = __atomic_compare_exchange_n((T *)(void *)at, &old, (T)value, false,             \
                                               __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);                \
        *expected = old;                                                                           \
        return yes;                                                                                \
    }

static bool swap_element(char *at, uint32_t bytes, uint64_t *expected, uint64_t value)
{
    switch (bytes) {
    case 1: SWAP(uint8_t)
    case 2: SWAP(uint16_t)
    case 4: SWAP(uint32_t)
    default: SWAP(uint64_t)
    }
}

/* One element, of a dtype's size, each time with what is there now. */
static void add_element(Dtype dtype, char *to, const char *from)
{
    uint32_t bytes = dtype_bytes(dtype);
    uint64_t old = load_element(to, bytes), sum;
    do {
        sum = old;
        KernelArgs k = {.to = &sum, .a = &sum, .b = from, .rows = 1, .cols = 1};
        (void)kernel_bin(TOP_ADD, dtype, &k);
    } while (!swap_element(to, bytes, &old, sum));
}

/* A run: the sums of what is there are made at once; where that has changed meanwhile, again. */
static void add_run(Dtype dtype, char *to, const char *from, int64_t run)
{
    enum { BLOCK = 2048 };
    _Alignas(64) char old[BLOCK], sums[BLOCK];
    int64_t bytes = dtype_bytes(dtype);
    for (int64_t at = 0; at < run; at += BLOCK) {
        int64_t len = run - at < BLOCK ? run - at : BLOCK;
        for (int64_t i = 0; i < len; i += bytes) {
            uint64_t v = load_element(to + at + i, (uint32_t)bytes);
            memcpy(old + i, &v, (size_t)bytes);
        }
        KernelArgs k = {.to = sums, .a = old, .b = from + at, .rows = 1, .cols = len / bytes};
        (void)kernel_bin(TOP_ADD, dtype, &k);
        for (int64_t i = 0; i < len; i += bytes) {
            uint64_t was = 0, sum = 0;
            memcpy(&was, old + i, (size_t)bytes);
            memcpy(&sum, sums + i, (size_t)bytes);
            if (!swap_element(to + at + i, (uint32_t)bytes, &was, sum))
                add_element(dtype, to + at + i, from + at + i);
        }
    }
}

static void add_dim(const FabRect *r, Dtype dtype, char *to, FabLocal from, int dim)
{
    if (dim == FAB_MAX_DIMS || dim == r->n) {
        add_run(dtype, to, from.at, r->run);
        return;
    }
    for (int64_t i = 0; i < r->count[dim]; i++) {
        FabLocal part = from;
        part.at = (char *)from.at + i * from.stride[dim];
        add_dim(r, dtype, to + i * r->stride[dim], part, dim + 1);
    }
}

void span_add(const FabRect *to, Dtype dtype, char *at, FabLocal from)
{
    add_dim(to, dtype, at, from, 0);
}

/* Before the packed elements of a TAG_ADD. */
typedef struct {
    FabRect rect;
    uint32_t dtype;
} AddHead;

void span_send_add(SpanFabric *s, const FabRect *to, Dtype dtype, FabLocal from)
{
    AddHead head = {*to, dtype};
    char *packed = span_pack(to, from);
    Buf text = {0};
    buf_bytes(&text, &head, sizeof head);
    buf_bytes(&text, packed, (size_t)rect_bytes(to));
    s->unacknowledged++;
    team_send(s->team, span_home(s, to->at.rank), TAG_ADD, text.at, text.len);
    buf_free(&text);
    xfree(packed);
}

void span_fabric_message(Fabric *f, const PldMessage *m)
{
    SpanFabric *s = (SpanFabric *)f;
    if (m->tag == TAG_ADDED) {
        s->unacknowledged--;
        return;
    }
    AddHead head;
    memcpy(&head, m->bytes, sizeof head);
    FabLocal from = {.at = m->bytes + sizeof head};
    span_dense(&head.rect, from.stride);
    add_dim(&head.rect, (Dtype)head.dtype, span_mapped(s, head.rect.at), from, 0);
    team_send(s->team, m->from, TAG_ADDED, "", 0);
    s->team->woken = true;
}
