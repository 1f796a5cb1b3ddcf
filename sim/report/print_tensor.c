/* --print NAME[slice]: finds the part that is meant, as NumPy's basic indexing does. */
#include "sim/report/print_tensor.h"
#include "base/format.h"
#include <stdarg.h>
#include <string.h>

typedef struct {
    Arena *arena;
    const char *spec, *at;
    const char **why;
} SliceParse;

__attribute__((format(printf, 2, 3))) static bool fail(SliceParse *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(p->arena, fmt, ap);
    va_end(ap);
    *p->why = arena_printf(p->arena, "--print %s: %s", p->spec, text);
    return false;
}

static bool fail_here(SliceParse *p, const char *expected)
{
    if (*p->at)
        return fail(p, "expected %s at column %d, not '%c'", expected, (int)(p->at - p->spec) + 1,
                    *p->at);
    return fail(p, "expected %s at its end", expected);
}

static bool name_char(char c, bool first)
{
    return c == '_' || (unsigned char)c >= 0x80 || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || (!first && c >= '0' && c <= '9');
}

static bool skip_name(SliceParse *p)
{
    while (name_char(*p->at, p->at == p->spec))
        p->at++;
    return p->at > p->spec || fail_here(p, "the name of a tensor");
}

bool print_spec_name(Arena *arena, const char *spec, const char **name, const char **why)
{
    SliceParse p = {.arena = arena, .spec = spec, .at = spec, .why = why};
    if (!skip_name(&p))
        return false;
    if (*p.at && *p.at != '[')
        return fail_here(&p, "'['");
    *name = arena_strndup(arena, spec, (size_t)(p.at - spec));
    return true;
}

static void skip_blanks(SliceParse *p)
{
    while (*p->at == ' ')
        p->at++;
}

static bool accept(SliceParse *p, char c)
{
    skip_blanks(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

/* An integer, if there is one; numbers beyond 10^18 count as 10^18, past any extent. */
static bool integer(SliceParse *p, int64_t *out)
{
    const int64_t limit = INT64_C(1000000000000000000);
    skip_blanks(p);
    const char *start = p->at;
    bool negative = *p->at == '-';
    if (*p->at == '-' || *p->at == '+')
        p->at++;
    const char *digits = p->at;
    int64_t v = 0;
    for (; *p->at >= '0' && *p->at <= '9'; p->at++)
        v = v > limit / 10 ? limit : v * 10 + (*p->at - '0');
    if (p->at == digits) {
        p->at = start;
        return false;
    }
    *out = negative ? -v : v;
    return true;
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* start:stop:step, each of which may be missing */
typedef struct {
    bool has_start, has_stop, slice;
    int64_t start, stop, step;
} Subscript;

static bool parse_subscript(SliceParse *p, Subscript *s)
{
    *s = (Subscript){.step = 1};
    s->has_start = integer(p, &s->start);
    s->slice = accept(p, ':');
    if (!s->slice)
        return s->has_start || fail_here(p, "an index or a slice");
    s->has_stop = integer(p, &s->stop);
    if (accept(p, ':'))
        integer(p, &s->step);
    return s->step != 0 || fail(p, "a slice with step 0");
}

/* Python's rules for the ends of a slice. */
static void take_slice(const Subscript *s, int64_t extent, int64_t stride, ArrayView *view)
{
    bool down = s->step < 0;
    int64_t low = down ? -1 : 0, high = down ? extent - 1 : extent;
    int64_t start = s->start < 0 ? s->start + extent : s->start;
    int64_t stop = s->stop < 0 ? s->stop + extent : s->stop;
    start = s->has_start ? clamp(start, low, high) : down ? high : low;
    stop = s->has_stop ? clamp(stop, low, high) : down ? low : high;
    int64_t distance = down ? start - stop : stop - start, size = down ? -s->step : s->step;
    view->shape[view->rank] = distance > 0 ? (distance - 1) / size + 1 : 0;
    /* with one element or none, the step, which may be huge, is not taken */
    view->stride[view->rank] = view->shape[view->rank] > 1 ? stride * s->step : 0;
    view->at += distance > 0 ? start * stride : 0;
    view->rank++;
}

static bool take_subscript(SliceParse *p, const Subscript *s, uint32_t axis, int64_t extent,
                           int64_t stride, ArrayView *view)
{
    if (s->slice) {
        take_slice(s, extent, stride, view);
        return true;
    }
    int64_t i = s->start < 0 ? s->start + extent : s->start;
    if (i < 0 || i >= extent)
        return fail(p, "index %lld of dimension %u is outside, which has extent %lld",
                    (long long)s->start, axis, (long long)extent);
    view->at += i * stride;
    return true;
}

/* The part of a tensor after its name. */
static bool select_part(SliceParse *p, const HostTensor *t, ArrayView *view)
{
    int64_t stride[BC_MAX_RANK];
    int64_t bytes = dtype_bytes(t->dtype);
    for (uint32_t i = t->rank; i-- > 0;) {
        stride[i] = bytes;
        bytes *= t->shape[i];
    }
    *view = (ArrayView){.at = t->data, .dtype = (Dtype)t->dtype};
    uint32_t axis = 0;
    bool more = accept(p, '[');
    while (more) {
        Subscript s;
        if (axis == t->rank)
            return fail(p, "more subscripts than the %u dimension%s of %s", t->rank,
                        t->rank == 1 ? "" : "s", t->name);
        if (!parse_subscript(p, &s) ||
            !take_subscript(p, &s, axis, t->shape[axis], stride[axis], view))
            return false;
        axis++;
        more = accept(p, ',');
        if (!more && !accept(p, ']'))
            return fail_here(p, "',' or ']'");
    }
    if (*p->at)
        return fail_here(p, "nothing more");
    for (; axis < t->rank; axis++)
        take_slice(&(Subscript){.step = 1}, t->shape[axis], stride[axis], view);
    return true;
}

bool print_tensor(Arena *arena, Buf *out, const HostTensor *t, const char *spec, const char **why)
{
    SliceParse p = {.arena = arena, .spec = spec, .at = spec, .why = why};
    ArrayView view;
    if (!skip_name(&p) || !select_part(&p, t, &view))
        return false;
    buf_printf(out, "%s =%c", spec, view.rank ? '\n' : ' ');
    format_array(out, &view);
    buf_char(out, '\n');
    return true;
}
