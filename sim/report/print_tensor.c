/* --print NAME[slice]: finds the part that is meant, as NumPy's basic indexing does. */
#include "sim/report/print_tensor.h"

#include "base/format.h"
#include "sim/machine/window_names.h"
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
    view->first += distance > 0 ? start * stride : 0;
    view->rank++;
}

/* Takes axis `axis` of `from` into the view. */
static bool take_subscript(SliceParse *p, const Subscript *s, const ArrayView *from, uint32_t axis,
                           ArrayView *view)
{
    int64_t extent = from->shape[axis], stride = from->stride[axis];
    if (s->slice) {
        take_slice(s, extent, stride, view);
        return true;
    }
    int64_t i = s->start < 0 ? s->start + extent : s->start;
    if (i < 0 || i >= extent)
        return fail(p, "index %lld of dimension %u is outside, which has extent %lld",
                    (long long)s->start, axis, (long long)extent);
    view->first += i * stride;
    return true;
}

/* The subscripts up to the `]`, of what the view shows so far. */
static bool take_group(SliceParse *p, ArrayView *view, const char *name)
{
    ArrayView from = *view;
    uint32_t axis = 0;
    view->rank = 0;
    for (bool more = true; more; axis++) {
        Subscript s;
        if (axis == from.rank)
            return fail(p, "more subscripts than the %u dimension%s of %s", from.rank,
                        from.rank == 1 ? "" : "s", name);
        if (!parse_subscript(p, &s) || !take_subscript(p, &s, &from, axis, view))
            return false;
        more = accept(p, ',');
        if (!more && !accept(p, ']'))
            return fail_here(p, "',' or ']'");
    }
    for (; axis < from.rank; axis++)
        take_slice(&(Subscript){.step = 1}, from.shape[axis], from.stride[axis], view);
    return true;
}

/* x[2][0, :8]: each group of subscripts applies to what the ones before it leave. */
static bool take_groups(SliceParse *p, ArrayView *view, const char *name)
{
    while (accept(p, '['))
        if (!take_group(p, view, name))
            return false;
    return !*p->at || fail_here(p, "nothing more");
}

/* Row-major, without holes. */
static void dense(ArrayView *view, Dtype dtype, uint32_t rank, const int64_t *shape)
{
    int64_t bytes = dtype_bytes(dtype);
    view->dtype = dtype;
    view->rank = rank;
    for (uint32_t i = rank; i-- > 0;) {
        view->shape[i] = shape[i];
        view->stride[i] = bytes;
        bytes *= shape[i];
    }
}

static void show(const SliceParse *p, Buf *out, const ArrayView *view)
{
    buf_printf(out, "%s =%c", p->spec, view->rank ? '\n' : ' ');
    format_array(out, view);
    buf_char(out, '\n');
}

/* Over processes one prints and has what is shown; the others find the same mistakes. */
static const char elsewhere[8];

static const char *look_tensor(void *env, int64_t at)
{
    const HostTensor *t = env;
    const char *here = tensor_at(t, t->data, at);
    return here ? here : elsewhere;
}

static bool tensor_view(SliceParse *p, HostTensor *t, ArrayView *view)
{
    *view = (ArrayView){.look = look_tensor, .env = t};
    dense(view, (Dtype)t->dtype, t->rank, t->shape);
    return skip_name(p) && take_groups(p, view, t->name);
}

bool print_tensor(Arena *arena, Buf *out, HostTensor *t, const char *spec, const char **why)
{
    SliceParse p = {.arena = arena, .spec = spec, .at = spec, .why = why};
    ArrayView view;
    if (!tensor_view(&p, t, &view))
        return false;
    show(&p, out, &view);
    return true;
}

/* ---- windows ---- */

typedef struct {
    const World *w;
    uint32_t window, rank;
} WindowOf;

static const char *look_window(void *env, int64_t at)
{
    const WindowOf *of = env;
    const World *w = of->w;
    const char *bytes = w->fabric->ops->memory(w->fabric, of->rank, of->window);
    if (!bytes && w->processes)
        bytes = w->processes->look(w->processes, of->window, of->rank, at);
    else if (bytes)
        bytes += at;
    return bytes ? bytes : elsewhere;
}

/* The slice of one rank in the shape of the window's view; false with *why. */
static bool window_slice(SliceParse *p, const WindowOf *of, int64_t rank, ArrayView *view)
{
    const Window *win = &of->w->windows.at[of->window];
    if (win->domain == UINT32_MAX || !win->view_rank)
        return fail(p, "window %s is given to no device", win->name);
    if (rank < 0 || rank >= of->w->n_ranks || !win->users[rank])
        return fail(p, "window %s is on no rank %lld", win->name, (long long)rank);
    WindowOf *kept = arena_new(p->arena, WindowOf);
    *kept = (WindowOf){of->w, of->window, (uint32_t)rank};
    *view = (ArrayView){.look = look_window, .env = kept};
    dense(view, (Dtype)win->view_dtype, win->view_rank, win->view_shape);
    return true;
}

/* name[rank], then subscripts: in further brackets, or in the same. */
static bool window_view(SliceParse *p, const WindowOf *of, int64_t rank, ArrayView *view)
{
    const char *name = of->w->windows.at[of->window].name;
    if (!window_slice(p, of, rank, view))
        return false;
    bool more = accept(p, ',');
    if (!more && !accept(p, ']'))
        return fail_here(p, "',' or ']'");
    return (!more || take_group(p, view, name)) && take_groups(p, view, name);
}

static bool unknown_name(SliceParse *p, const World *w, bool several, const char *name)
{
    Buf list = {0};
    for (uint32_t i = 0; i < w->n_tensors && !several; i++)
        buf_printf(&list, "%s%s", list.len ? ", " : "", w->tensors[i].name);
    for (uint32_t i = 0; i < w->windows.len; i++)
        buf_printf(&list, "%s%s", list.len ? ", " : "", w->windows.at[i].name);
    const char *known =
        arena_strndup(p->arena, list.len ? list.at : "none", list.len ? list.len : strlen("none"));
    buf_free(&list);
    if (several)
        return fail(p, "%s is several windows, name the buffer: there are %s", name, known);
    return fail(p, "no such host tensor or window; there are %s", known);
}

/* ---- what a name means ---- */

/* The view, and the tensor or the window of a rank that it is of. */
static bool named_view(SliceParse *p, const World *w, ArrayView *view, PrintedElement *of)
{
    const char *name;
    int64_t rank;
    bool several;
    if (!print_spec_name(p->arena, p->spec, &name, p->why))
        return false;
    for (of->object = 0; of->object < w->n_tensors; of->object++)
        if (strcmp(w->tensors[of->object].name, name) == 0) {
            of->tensor = true;
            return tensor_view(p, &w->tensors[of->object], view);
        }
    p->at += strlen(name);
    bool one = accept(p, '[') && integer(p, &rank);
    if (!window_find(w, name, one ? rank : -1, &of->object, &several))
        return unknown_name(p, w, several, name);
    if (!one)
        return fail(p, "%s is a window: say of which rank, %s[0]", name, name);
    of->rank = (uint32_t)rank;
    return window_view(p, &(WindowOf){w, of->object, 0}, rank, view);
}

bool print_named(Arena *arena, Buf *out, const World *w, const char *spec, const char **why)
{
    SliceParse p = {.arena = arena, .spec = spec, .at = spec, .why = why};
    PrintedElement of = {0};
    ArrayView view;
    if (!named_view(&p, w, &view, &of))
        return false;
    show(&p, out, &view);
    return true;
}

typedef struct {
    PrintedElement of;
    PrintedEach *each;
    void *env;
} Shown;

static void show_element(void *env, int64_t at)
{
    Shown *s = env;
    s->of.at = at;
    s->each(s->env, &s->of);
}

void print_shown(const World *w, const char *spec, PrintedEach *each, void *env)
{
    const char *why;
    Arena arena = {0};
    SliceParse p = {.arena = &arena, .spec = spec, .at = spec, .why = &why};
    Shown s = {.each = each, .env = env};
    ArrayView view;
    if (named_view(&p, w, &view, &s.of)) {
        s.of.bytes = dtype_bytes(view.dtype);
        format_array_shown(&view, show_element, &s);
    }
    arena_free(&arena);
}
