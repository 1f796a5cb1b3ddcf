/* An element is compared with what it was after every event that may have changed it; so one line
 * is one change, whoever made it and however. */
#include "sim/report/watch.h"

#include "base/format.h"
#include "sim/machine/element_text.h"
#include "sim/machine/fault.h"
#include "sim/machine/window_names.h"
#include "sim/report/print_tensor.h"

#include <stdio.h>
#include <string.h>

/* ---- which elements ---- */

/* "[1, 0]" and "[2][1, 0]": the numbers of each pair of brackets. */
typedef struct {
    int64_t at[2][BC_MAX_RANK];
    uint32_t n[2], groups;
} Cells;

static bool read_cells(const char *at, Cells *c)
{
    *c = (Cells){0};
    while (*at == '[') {
        int64_t *to = c->groups < 2 ? c->at[c->groups] : NULL;
        uint32_t n = 0;
        int used = 0;
        long long v;
        do {
            if (!to || n == BC_MAX_RANK || sscanf(at + 1, " %lld %n", &v, &used) != 1 || v < 0)
                return false;
            to[n++] = v;
            at += 1 + used;
        } while (*at == ',');
        if (*at++ != ']')
            return false;
        c->n[c->groups++] = n;
    }
    return !*at && c->groups > 0;
}

static bool refuse(World *w, const char *spec, const char *why)
{
    return world_error(w, EXIT_USAGE, "--watch %s: %s", spec, why);
}

/* Position of an element in an array, or -1. */
static int64_t position(uint32_t rank, const int64_t *shape, const int64_t *index, uint32_t n)
{
    int64_t at = 0;
    if (n != rank)
        return -1;
    for (uint32_t i = 0; i < rank; i++) {
        if (index[i] >= shape[i])
            return -1;
        at = at * shape[i] + index[i];
    }
    return at;
}

static bool watch_tensor(Watch *watch, World *w, uint32_t tensor, const char *spec, const Cells *c)
{
    const HostTensor *t = &w->tensors[tensor];
    int64_t at = position(t->rank, t->shape, c->at[0], c->n[0]);
    if (at < 0 || c->groups > 1)
        return refuse(w, spec, "it names no element of this tensor");
    Buf name = {0};
    buf_str(&name, t->name);
    tensor_index_text(&name, t->rank, c->at[0]);
    WatchedElement e = {.name = arena_strndup(&watch->arena, name.at, name.len),
                        .tensor = true,
                        .object = tensor,
                        .dtype = t->dtype,
                        .offset = at * dtype_bytes(t->dtype)};
    memcpy(e.last, t->data + e.offset, dtype_bytes(t->dtype));
    vec_push(&watch->at, e);
    buf_free(&name);
    return true;
}

static bool watch_window(Watch *watch, World *w, uint32_t window, const char *spec, const Cells *c)
{
    const Window *win = &w->windows.at[window];
    uint32_t last = c->groups - 1;
    int64_t at = position(win->view_rank, win->view_shape, c->at[last], c->n[last]);
    int64_t only = c->groups == 2 ? c->at[0][0] : -1;
    bool on_rank = only < 0 || (only < w->n_ranks && c->n[0] == 1 && win->users[only]);
    if (at < 0 || !on_rank)
        return refuse(w, spec,
                      on_rank ? "it names no cell of this window"
                              : "the window is not on this rank");
    WatchedElement e = {.object = window, .dtype = win->view_dtype};
    e.offset = at * dtype_bytes(e.dtype);
    Buf name = {0};
    elements_window(w, &name, window, e.dtype, e.offset, e.offset + dtype_bytes(e.dtype));
    e.name = arena_strndup(&watch->arena, name.at, name.len);
    buf_free(&name);
    for (e.rank = 0; e.rank < w->n_ranks; e.rank++)
        if (win->users[e.rank] && (only < 0 || only == e.rank))
            vec_push(&watch->at, e);
    return true;
}

static bool find(Watch *watch, World *w, const char *spec)
{
    const char *name, *why;
    uint32_t window;
    bool several;
    Cells c;
    if (!print_spec_name(&watch->arena, spec, &name, &why))
        return refuse(w, spec, "it begins with no name");
    if (!read_cells(spec + strlen(name), &c))
        return refuse(w, spec, "write NAME[CELL], or NAME[RANK][CELL] for one rank");
    for (uint32_t i = 0; i < w->n_tensors; i++)
        if (strcmp(w->tensors[i].name, name) == 0)
            return watch_tensor(watch, w, i, spec, &c);
    int64_t rank = c.groups == 2 ? c.at[0][0] : -1;
    if (!window_find(w, name, rank, &window, &several))
        return refuse(w, spec,
                      several ? "these are several windows, name the buffer"
                              : "there is no window and no host tensor of this name");
    return watch_window(watch, w, window, spec, &c);
}

/* ---- what becomes of them ---- */

static void value_text(Buf *out, uint8_t dtype, const char *bytes)
{
    if (dtype_is_float(dtype))
        format_float(out, (Dtype)dtype, dtype_load_double((Dtype)dtype, bytes));
    else
        buf_printf(out, "%lld", (long long)dtype_load_int((Dtype)dtype, bytes));
}

/* Under weak memory bytes change when a write lands: by itself, or at the latest at a fence. */
static bool lands(const Event *e)
{
    return e->kind == EV_LAND || e->kind == EV_FENCE;
}

/* Bytes of a watched element now; NULL: the event has nothing to do with it. */
static const char *bytes_now(const World *w, const WatchedElement *x, const Event *e)
{
    static const char zero[8];
    if (x->tensor != e->tensor)
        return NULL;
    if (x->tensor) {
        const Region *r = &w->dispatches.at[e->at.dispatch].regions[e->rect.at.window];
        bool in = !r->own && r->tensor == x->object && r->data && x->offset >= r->offset &&
                  x->offset < r->offset + r->bytes;
        return in ? r->data + (x->offset - r->offset) : NULL;
    }
    if (!lands(e) && (e->rect.at.window != x->object || e->target != x->rank))
        return NULL;
    const char *all = w->fabric->ops->memory(w->fabric, x->rank, x->object);
    return all ? all + x->offset : zero;
}

/* A write that lands at a fence was made before it by the rank of the fence. */
static void who_text(const World *w, const Event *e, CodePlace by, Buf *out)
{
    int64_t at = e->arrive > e->end ? e->arrive : e->end;
    const BcFunc *f = &w->program->funcs[by.func];
    buf_str(out, " by ");
    elements_who(w, out, by);
    buf_printf(out, ", %s at ", elements_op(f->insns[by.pc].op));
    place_text(w, out, by);
    if (e->kind == EV_LAND)
        buf_str(out, ", when it landed\n");
    else
        buf_printf(out, ", %lld.%06lld us\n", (long long)(at / 1000000), (long long)(at % 1000000));
}

static void tell(Watch *watch, const World *w, const WatchedElement *x, const char *now,
                 const Event *e)
{
    Buf out = {0};
    CodePlace by = lands(e) ? watch->writers.at[e->at.rank] : e->at;
    buf_str(&out, "watch: ");
    if (!x->tensor)
        buf_printf(&out, "rank %u: ", x->rank);
    buf_printf(&out, "%s: ", x->name);
    value_text(&out, x->dtype, x->last);
    buf_str(&out, " -> ");
    value_text(&out, x->dtype, now);
    who_text(w, e, by, &out);
    watch->print(watch->env, out.at, out.len);
    buf_free(&out);
}

static void event(Observer *o, World *w, const Event *e)
{
    Watch *watch = (Watch *)o;
    if (!e->tensor && !lands(e) && e->kind != EV_ARRIVE)
        watch->writers.at[e->at.rank] = e->at;
    for (uint32_t i = 0; i < watch->at.len; i++) {
        WatchedElement *x = &watch->at.at[i];
        const char *now = bytes_now(w, x, e);
        size_t size = dtype_bytes(x->dtype);
        if (!now || memcmp(now, x->last, size) == 0)
            continue;
        tell(watch, w, x, now, e);
        memcpy(x->last, now, size);
    }
}

static void reset(Observer *o, World *w)
{
    Watch *watch = (Watch *)o;
    vec_clear(&watch->at);
    vec_clear(&watch->writers);
    for (uint32_t i = 0; i < w->n_ranks; i++)
        vec_push(&watch->writers, (CodePlace){.rank = i});
    for (uint32_t i = 0; i < watch->n_specs; i++)
        if (!find(watch, w, watch->specs[i]))
            return;
}

void watch_init(Watch *watch, const char *const *specs, uint32_t n_specs)
{
    *watch = (Watch){.observer = {.name = "watch", .event = event, .reset = reset},
                     .specs = specs,
                     .n_specs = n_specs};
    static const EventKind kinds[] = {EV_WRITE,  EV_REMOTE_WRITE, EV_ATOMIC, EV_TENSOR_WRITE,
                                      EV_ARRIVE, EV_LAND,         EV_FENCE};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        watch->observer.mask |= EV_BIT(kinds[i]);
}

void watch_free(Watch *watch)
{
    vec_free(&watch->at);
    vec_free(&watch->writers);
    arena_free(&watch->arena);
}
