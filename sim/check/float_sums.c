/* Floating sums whose value may depend on the order of their adds. Adding is exact, and so in any
 * order the same, as long as every term is a multiple of some power of two and the sum of all their
 * magnitudes has no more bits above it than the type. Per element of a slice that is added to: that
 * power, and that sum; a store begins anew. */
#include "sim/check/order.h"

#include "sim/machine/rect_overlap.h"
#include <math.h>
#include <string.h>

typedef struct {
    double sum;  /* of magnitudes */
    int16_t low; /* exponent of the lowest bit of any term */
    bool used, varies;
} FloatSum;

typedef struct {
    FloatSum *at; /* per element */
    int64_t n;
    uint8_t dtype;
} FloatSlice;

struct FloatSums {
    Map index; /* window << 32 | rank -> position in `slices` */
    VEC(FloatSlice) slices;
};

static int mantissa_bits(uint8_t dtype)
{
    return dtype == DT_FP32 ? 24 : dtype == DT_FP16 ? 11 : 8;
}

static FloatSlice *slice_find(const OrderCheck *c, FabAddr at)
{
    uint64_t found;
    if (!c->sums || !map_get(&c->sums->index, (uint64_t)at.window << 32 | at.rank, &found))
        return NULL;
    return &c->sums->slices.at[found];
}

static FloatSlice *slice_make(OrderCheck *c, FabAddr at, uint8_t dtype)
{
    FloatSlice *s = slice_find(c, at);
    if (s)
        return s;
    if (!c->sums)
        c->sums = xcalloc(1, sizeof *c->sums);
    FloatSlice made = {.dtype = dtype, .n = c->world->windows.at[at.window].bytes};
    made.n /= dtype_bytes(dtype);
    made.at = xcalloc((size_t)made.n + 1, sizeof *made.at);
    map_set(&c->sums->index, (uint64_t)at.window << 32 | at.rank, c->sums->slices.len);
    vec_push(&c->sums->slices, made);
    return &vec_last(&c->sums->slices);
}

static void term(FloatSum *s, double v, int bits)
{
    if (v == 0)
        return;
    if (!isfinite(v)) {
        s->varies = true;
        return;
    }
    int e;
    double m = frexp(fabs(v), &e); /* in [0.5, 1) */
    int64_t whole = (int64_t)ldexp(m, 53);
    int low = e - 53 + __builtin_ctzll((uint64_t)whole);
    if (!s->used || low < s->low)
        s->low = (int16_t)low;
    s->used = true;
    s->sum += fabs(v);
    s->varies |= s->sum > ldexp(1, s->low + bits);
}

typedef struct {
    FloatSlice *s;
    const char *memory; /* of the slice after the add; NULL: not known */
} Adding;

static void add_run(const Adding *a, int64_t offset, int64_t bytes, const char *from)
{
    int64_t size = dtype_bytes(a->s->dtype), first = offset / size;
    int bits = mantissa_bits(a->s->dtype);
    for (int64_t i = 0; i < bytes / size && first + i < a->s->n; i++) {
        FloatSum *sum = &a->s->at[first + i];
        double v = dtype_load_double(a->s->dtype, from + i * size);
        if (!sum->used && a->memory)
            term(sum, dtype_load_double(a->s->dtype, a->memory + offset + i * size) - v, bits);
        term(sum, v, bits);
    }
}

static void add_rect(const Adding *a, const FabRect *r, int64_t offset, const FabLocal *from,
                     const char *at, int dim)
{
    if (dim >= FAB_MAX_DIMS || dim >= r->n) {
        add_run(a, offset, r->run, at);
        return;
    }
    for (int64_t i = 0; i < r->count[dim]; i++)
        add_rect(a, r, offset + i * r->stride[dim], from, at + i * from->stride[dim], dim + 1);
}

static bool forget_run(void *env, int64_t offset, int64_t bytes)
{
    FloatSlice *s = env;
    int64_t size = dtype_bytes(s->dtype);
    for (int64_t i = offset / size; i < (offset + bytes) / size && i < s->n; i++)
        s->at[i] = (FloatSum){.varies = s->at[i].varies};
    return true;
}

void float_sums_note(OrderCheck *c, const Event *e)
{
    if (e->kind != EV_ATOMIC) {
        FloatSlice *s = slice_find(c, e->rect.at);
        if (s)
            (void)rects_each_run(&e->rect, forget_run, s);
        return;
    }
    if (!e->data || !dtype_is_float(e->dtype))
        return;
    const FabRect *r = e->whole;
    Fabric *f = c->world->fabric;
    Adding a = {slice_make(c, r->at, e->dtype), NULL};
    if (!c->weak)
        a.memory = f->ops->memory(f, r->at.rank, r->at.window);
    add_rect(&a, r, r->at.offset, e->data, e->data->at, 0);
}

bool float_sums_vary(const OrderCheck *c, const Slice *slice, int64_t first, int64_t end)
{
    const FloatSlice *s = slice_find(c, slice->at);
    if (!s)
        return false;
    int64_t size = dtype_bytes(s->dtype);
    for (int64_t i = first / size; i <= (end - 1) / size && i < s->n; i++)
        if (s->at[i].varies)
            return true;
    return false;
}

void float_sums_free(OrderCheck *c)
{
    if (!c->sums)
        return;
    for (uint32_t i = 0; i < c->sums->slices.len; i++)
        xfree(c->sums->slices.at[i].at);
    vec_free(&c->sums->slices);
    map_free(&c->sums->index);
    xfree(c->sums);
    c->sums = NULL;
}
