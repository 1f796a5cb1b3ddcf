/* Dynamic extents bind in a fixed order: the shape of a file, -D NAME=VALUE, the number of devices
 * for a leading dimension. Then every tensor has a shape, and init functions can run: those whose
 * value another one reads come first. */
#include "sim/host/input.h"

#include "base/checked.h"

#include "sim/host/npy.h"
#include "sim/machine/bind.h"
#include "sim/machine/fault.h"
#include <errno.h>
#include <string.h>

typedef struct Input {
    World *w;
    const BcFunc *host;
    NpyArray *input; /* per tensor; rank 0 and data NULL: none */
    NpyArray *golden;
    Parts *parts;
    uint8_t *state; /* per parameter: 0 not yet, 1 under way, 2 done */
} Input;

static const char *text(const World *w, uint32_t string)
{
    return world_string(w, string);
}

static const NamedText *find_named(const NamedText *list, uint32_t n, const char *name)
{
    for (uint32_t i = n; i-- > 0;)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

const BcElementFunc *input_func(const World *w, bool golden, uint32_t param)
{
    for (uint32_t i = 0; i < w->program->n_element_funcs; i++) {
        const BcElementFunc *f = &w->program->element_funcs[i];
        if (f->golden == golden && f->param == param)
            return f;
    }
    return NULL;
}

Parts *input_parts(const World *w)
{
    return w->input->parts;
}

/* ---- names that the command line gives ---- */

/* Is every name of a list a parameter? `tensors`: of tensors only. */
static bool check_names(Input *x, const char *option, const NamedText *list, uint32_t n,
                        bool tensors)
{
    for (uint32_t i = 0; i < n; i++) {
        bool found = false;
        Buf known = {0};
        for (uint32_t k = 0; k < x->host->n_params; k++) {
            const BcParam *p = &x->host->params[k];
            if (tensors && p->kind != BCP_TENSOR)
                continue;
            found |= strcmp(text(x->w, p->name), list[i].name) == 0;
            buf_printf(&known, "%s%s", known.len ? ", " : "", text(x->w, p->name));
        }
        if (!found)
            world_error(x->w, EXIT_USAGE, "%s %s: no such parameter: there are %s", option,
                        list[i].name, known.len ? known.at : "none");
        buf_free(&known);
        if (!found)
            return false;
    }
    return true;
}

static bool load_file(Input *x, const NamedText *named, NpyArray *out)
{
    const char *why;
    if (!named)
        return true;
    bool part = x->w->processes != NULL;
    return (part ? npy_open : npy_read)(&x->w->arena, named->value, out, &why) ||
           world_error(x->w, EXIT_USAGE, "%s", why);
}

/* The caller's array, when there is one. */
static bool take_array(Input *x, const char *name, bool golden, NpyArray *out)
{
    const RunConfig *c = x->w->config;
    for (uint32_t i = 0; i < c->n_arrays; i++) {
        const HostArray *a = &c->arrays[i];
        if (a->golden != golden || strcmp(a->name, name) != 0)
            continue;
        *out = (NpyArray){.descr = dtype_name(a->dtype), .memory = true, .known = true};
        out->dtype = a->dtype;
        out->rank = a->rank;
        memcpy(out->shape, a->shape, sizeof out->shape);
        out->bytes = a->bytes;
        out->data = a->data;
        return true;
    }
    return false;
}

static bool load_files(Input *x)
{
    const RunConfig *c = x->w->config;
    for (uint32_t i = 0; i < x->w->n_tensors; i++) {
        const char *name = text(x->w, x->host->params[i].name);
        if (!take_array(x, name, false, &x->input[i]) &&
            !load_file(x, find_named(c->inputs, c->n_inputs, name), &x->input[i]))
            return false;
        if (!take_array(x, name, true, &x->golden[i]) &&
            !load_file(x, find_named(c->goldens, c->n_goldens, name), &x->golden[i]))
            return false;
    }
    return true;
}

/* ---- extents ---- */

/* Solves the axes of a file for names that are not known yet; true when one was found. */
static bool solve_file(Input *x, uint32_t param, const NpyArray *file)
{
    const BcParam *p = &x->host->params[param];
    bool found = false;
    for (uint32_t axis = 0; file->descr && file->rank == p->rank && axis < p->rank; axis++) {
        uint32_t extent;
        int64_t mul, add;
        if (!dim_linear(x->w->program, p->dims[axis], x->w->extents, &extent, &mul, &add))
            continue;
        /* npy_fits says what is wrong with a shape that no extent gives. */
        found |= checked_solve(mul, add, file->shape[axis], &x->w->extents[extent]);
    }
    return found;
}

static bool set_extent(Input *x, const NamedText *d)
{
    const BcProgram *p = x->w->program;
    char *end;
    errno = 0;
    long long v = strtoll(d->value, &end, 0);
    if (errno || *end || end == d->value || v < 0)
        return world_error(x->w, EXIT_USAGE, "-D %s=%s: an extent is a number, not negative",
                           d->name, d->value);
    for (uint32_t i = 0; i < p->n_extents; i++) {
        if (strcmp(text(x->w, p->extents[i]), d->name) != 0)
            continue;
        if (x->w->extents[i] >= 0 && x->w->extents[i] != v)
            return world_error(x->w, EXIT_USAGE, "-D %s=%s, but the shape of a file makes it %lld",
                               d->name, d->value, (long long)x->w->extents[i]);
        x->w->extents[i] = v;
        return true;
    }
    return world_error(x->w, EXIT_USAGE, "-D %s: the program has no dynamic extent of this name",
                       d->name);
}

/* A leading dimension that is one name is the number of devices: of host tensors first, then of
 * what the kernels take. */
static void bind_leading(World *w, const BcFunc *f)
{
    for (uint32_t i = 0; i < f->n_params; i++) {
        uint32_t extent;
        if (f->params[i].kind != BCP_SCALAR && f->params[i].rank > 0 &&
            dim_is_name(w->program, f->params[i].dims[0], &extent) && w->extents[extent] < 0)
            w->extents[extent] = w->n_ranks;
    }
}

static bool need_extents(Input *x)
{
    World *w = x->w;
    for (uint32_t i = 0; i < x->host->n_binds; i++) {
        uint32_t e = x->host->binds[i].extent;
        if (w->extents[e] < 0)
            return world_error(w, EXIT_USAGE, "the extent %s is not known: say -D %s=VALUE",
                               text(w, w->program->extents[e]), text(w, w->program->extents[e]));
    }
    return true;
}

static bool find_extents(Input *x)
{
    World *w = x->w;
    for (uint32_t i = 0; i < w->program->n_extents; i++)
        w->extents[i] = strcmp(text(w, w->program->extents[i]), BC_WORLD_EXTENT) == 0
                            ? (int64_t)w->n_ranks
                            : -1;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < w->n_tensors; i++)
            again |= solve_file(x, i, &x->input[i]) || solve_file(x, i, &x->golden[i]);
    }
    for (uint32_t i = 0; i < w->config->n_extents; i++)
        if (!set_extent(x, &w->config->extents[i]))
            return false;
    bind_leading(w, x->host);
    for (uint32_t i = 0; i < w->program->n_funcs; i++)
        bind_leading(w, &w->program->funcs[i]);
    return need_extents(x);
}

/* ---- tensors ---- */

static bool shape_tensor(Input *x, uint32_t i)
{
    World *w = x->w;
    const BcParam *p = &x->host->params[i];
    HostTensor *t = &w->tensors[i];
    *t = (HostTensor){.name = text(w, p->name), .dtype = p->dtype, .rank = p->rank, .dir = p->dir};
    for (uint32_t k = 0; k < p->rank; k++) {
        DimResult r = dim_value(w->program, p->dims[k], w->extents, &t->shape[k]);
        if (r == DIM_UNKNOWN)
            return world_error(w, EXIT_USAGE, "axis %u of %s is not known: say -D NAME=VALUE", k,
                               t->name);
        if (r == DIM_OVERFLOW || t->shape[k] < 0)
            return world_error(w, EXIT_USAGE, "axis %u of %s is negative or leaves 64 bits", k,
                               t->name);
    }
    const char *why;
    if (!tensor_measure(&w->arena, t, &why))
        return world_error(w, EXIT_USAGE, "%s", why);
    t->borrowed = x->input[i].memory;
    if (t->borrowed)
        t->initial = (char *)(uintptr_t)x->input[i].data; /* nobody writes it */
    else if (w->processes)
        tensor_hold(t, NULL, 0); /* what is needed here is known after the host function */
    else
        t->initial = xcalloc((size_t)t->bytes + 1, 1);
    return true;
}

static bool take_file(Input *x, uint32_t i)
{
    World *w = x->w;
    HostTensor *t = &w->tensors[i];
    const NpyArray *a = &x->input[i];
    const NamedText *file = find_named(w->config->inputs, w->config->n_inputs, t->name);
    const char *why, *path = a->memory ? "the array" : file->value;
    if (!npy_fits(&w->arena, path, a, t, &why))
        return world_error(w, EXIT_USAGE, "%s", why);
    parts_from_file(x->parts, i, a, path);
    return true;
}

static bool fill(Input *x, uint32_t param);

/* Parameters whose initial value an init function reads. */
static bool fill_needed(Input *x, uint32_t param, const BcElementFunc *init)
{
    for (uint32_t i = 0; i < init->func.n_params - init->n_index; i++) {
        uint32_t read = evaluate_host_param(x->w->program, init, i);
        if (read != param && !fill(x, read))
            return false;
    }
    return true;
}

static bool fill_scalar_text(Input *x, uint32_t param, const char *value)
{
    const BcParam *p = &x->host->params[param];
    Number *v = &x->w->scalars[param];
    char *end;
    errno = 0;
    v->tag = dtype_is_float(p->dtype) ? NUM_FLOAT : NUM_INT;
    if (v->tag == NUM_FLOAT)
        v->f = strtod(value, &end);
    else if (strcmp(value, "True") == 0 || strcmp(value, "False") == 0)
        v->i = value[0] == 'T', end = (char *)(uintptr_t) "";
    else
        v->i = strtoll(value, &end, 0);
    if (*end || end == value || errno)
        return world_error(x->w, EXIT_USAGE, "--input %s=%s: not a %s", text(x->w, p->name), value,
                           dtype_name(p->dtype));
    return true;
}

/* The value as a register holds it, checked against its dtype. */
static bool settle_scalar(Input *x, uint32_t param)
{
    const BcParam *p = &x->host->params[param];
    Number *v = &x->w->scalars[param];
    int64_t *reg = &x->w->scalar_regs[param];
    if (dtype_is_float(p->dtype)) {
        char bytes[8] = {0};
        dtype_store_double((Dtype)p->dtype, bytes, num_double(*v));
        *v = num_float(dtype_load_double((Dtype)p->dtype, bytes));
        memcpy(reg, &v->f, sizeof *reg);
        return true;
    }
    if (v->tag == NUM_FLOAT || v->i < dtype_min(p->dtype) || v->i > dtype_max(p->dtype))
        return world_error(x->w, EXIT_USAGE, "the value of scalar %s is no %s", text(x->w, p->name),
                           dtype_name(p->dtype));
    *reg = v->i;
    return true;
}

/* An init function may also have been told to stop. */
static bool made(World *w, bool ok, const char *why)
{
    bool stopped = !ok && w->config->stop && w->config->stop(w->config->stop_env);
    return ok || world_error(w, stopped ? EXIT_STEPS : EXIT_USAGE, "%s", why);
}

/* Every element of what is held. */
static bool make_held(Input *x, uint32_t tensor)
{
    HostTensor *t = &x->w->tensors[tensor];
    const char *why = "";
    bool ok = true;
    if (t->borrowed)
        return true;
    if (!t->initial)
        t->initial = xcalloc((size_t)t->held + 1, 1);
    if (parts_are_zero(x->parts, tensor))
        return true;
    if (!t->partial)
        ok = parts_make(x->parts, tensor, (TensorSpan){.bytes = t->bytes}, t->initial, &why);
    for (uint32_t i = 0; i < t->n_spans && ok; i++)
        ok = parts_make(x->parts, tensor, t->spans[i], t->initial + t->spans[i].at, &why);
    return made(x->w, ok, why);
}

static bool init_scalar(Input *x, uint32_t param, const BcElementFunc *init)
{
    EvaluateEnv env = parts_env(x->parts);
    const char *why = "";
    bool ok =
        evaluate_at(evaluator_new(&x->w->arena, &env, init), NULL, &x->w->scalars[param], &why);
    return made(x->w, ok, why);
}

static bool fill_scalar(Input *x, uint32_t param, const BcElementFunc *init)
{
    const RunConfig *c = x->w->config;
    const char *name = text(x->w, x->host->params[param].name);
    const NamedText *given = find_named(c->inputs, c->n_inputs, name);
    if (!given && !init)
        return world_error(
            x->w, EXIT_USAGE,
            "scalar %s has no value: say --input %s=VALUE, or write an init function", name, name);
    return (given ? fill_scalar_text(x, param, given->value) : init_scalar(x, param, init)) &&
           settle_scalar(x, param);
}

static bool reads(const World *w, const BcElementFunc *f, uint32_t tensor)
{
    for (uint32_t i = 0; i < f->func.n_params - f->n_index; i++)
        if (f->func.params[i].kind != BCP_SCALAR && evaluate_host_param(w->program, f, i) == tensor)
            return true;
    return false;
}

/* Where an init function looks at elements of the tensor that it makes, each needs those before it,
 * so that all are held. */
static void hold_all(World *w, HostTensor *t)
{
    TensorSpan *all = arena_new(&w->arena, TensorSpan);
    all->bytes = t->bytes;
    tensor_hold(t, all, t->bytes > 0);
}

static bool take_init(Input *x, uint32_t tensor, const BcElementFunc *init)
{
    World *w = x->w;
    parts_from_init(x->parts, tensor, init);
    if (w->processes && reads(w, init, tensor)) {
        hold_all(w, &w->tensors[tensor]);
        return make_held(x, tensor);
    }
    return true;
}

/* Where the values come from, and in one process the values. */
static bool fill_tensor(Input *x, uint32_t param, const BcElementFunc *init)
{
    World *w = x->w;
    const char *name = w->tensors[param].name;
    bool ok = true;
    if (x->input[param].descr)
        ok = take_file(x, param);
    else if (init)
        ok = take_init(x, param, init);
    else if (w->tensors[param].dir != 1)
        ok =
            world_error(w, EXIT_USAGE,
                        "input %s has no value: say --input %s=FILE.npy, or write an init function",
                        name, name);
    return ok && (w->processes || make_held(x, param));
}

static bool fill(Input *x, uint32_t param)
{
    World *w = x->w;
    const BcElementFunc *init = input_func(w, false, param);
    const char *name = text(w, x->host->params[param].name);
    if (x->state[param] == 2)
        return true;
    if (x->state[param] == 1)
        return world_error(w, EXIT_USAGE, "the init function of %s needs its own value", name);
    x->state[param] = 1;
    if (init && !fill_needed(x, param, init))
        return false;
    bool ok = param < w->n_tensors ? fill_tensor(x, param, init) : fill_scalar(x, param, init);
    x->state[param] = 2;
    return ok;
}

static bool prepare(Input *x)
{
    const RunConfig *c = x->w->config;
    if (!check_names(x, "--input", c->inputs, c->n_inputs, false) ||
        !check_names(x, "--golden", c->goldens, c->n_goldens, true) ||
        !check_names(x, "--output", c->outputs, c->n_outputs, true) || !load_files(x) ||
        !find_extents(x))
        return false;
    for (uint32_t i = 0; i < x->w->n_tensors; i++)
        if (!shape_tensor(x, i))
            return false;
    for (uint32_t i = 0; i < x->host->n_params; i++)
        if (!fill(x, i))
            return false;
    return true;
}

bool input_prepare(World *w)
{
    Input *x = arena_new(&w->arena, Input);
    *x = (Input){.w = w, .host = &w->program->funcs[w->program->entry]};
    x->input = arena_array(&w->arena, w->n_tensors + 1, sizeof *x->input);
    x->golden = arena_array(&w->arena, w->n_tensors + 1, sizeof *x->golden);
    x->state = arena_array(&w->arena, x->host->n_params + 1, 1);
    x->parts = parts_new(w);
    w->golden_files = x->golden;
    w->input = x;
    return prepare(x);
}

bool input_fill(World *w)
{
    for (uint32_t i = 0; i < w->n_tensors; i++)
        if (!w->tensors[i].initial && !make_held(w->input, i))
            return false;
    return true;
}

bool input_bytes(World *w, uint32_t tensor, TensorSpan part, char *to)
{
    const HostTensor *t = &w->tensors[tensor];
    int64_t len, end = part.offset + part.bytes;
    for (int64_t at = part.offset; at < end; at += len, to += len) {
        const char *why, *held = tensor_at(t, t->data, at);
        int64_t next = tensor_next_bound(t, at);
        len = (next < end ? next : end) - at;
        if (held)
            memcpy(to, held, (size_t)len);
        else if (!parts_make(w->input->parts, tensor, (TensorSpan){at, len, 0}, to, &why))
            return world_error(w, EXIT_USAGE, "%s", why);
    }
    return true;
}

static const HostArray *array_of(const RunConfig *c, const char *name)
{
    for (uint32_t i = 0; i < c->n_arrays; i++)
        if (!c->arrays[i].golden && strcmp(c->arrays[i].name, name) == 0)
            return &c->arrays[i];
    return NULL;
}

static bool same_kind(const World *w, uint32_t i, const HostArray *a)
{
    const HostTensor *t = &w->tensors[i];
    if (!a)
        return !t->borrowed && !input_func(w, false, i);
    return t->borrowed && a->dtype == t->dtype && a->rank == t->rank &&
           memcmp(a->shape, t->shape, a->rank * sizeof *a->shape) == 0;
}

bool input_again(World *w, const RunConfig *config)
{
    for (uint32_t i = 0; i < w->n_tensors; i++)
        if (!same_kind(w, i, array_of(config, w->tensors[i].name)))
            return false;
    for (uint32_t i = 0; i < w->n_tensors; i++) {
        HostTensor *t = &w->tensors[i];
        bool shared = t->data == t->initial;
        if (t->borrowed)
            t->initial = (char *)(uintptr_t)array_of(config, t->name)->data; /* nobody writes it */
        if (shared)
            t->data = t->initial;
    }
    return true;
}
