/* Follows views from their buffers to the dispatches that pass them. */
#include "lower/host_domain.h"
#include <string.h>

static VarId buffer_behind(const HostDomains *d, const Expr *e)
{
    return e && e->kind == EX_VAR && e->var < d->n_vars ? d->buffer[e->var] : VAR_NONE;
}

/* The buffer that result `i` of a value is a view of. */
static VarId buffer_of_result(const HostDomains *d, const Expr *e, uint32_t i)
{
    if (e->kind == EX_VAR)
        return buffer_behind(d, e);
    if (e->kind == EX_CALL) {
        int32_t alias = e->callee && i < e->callee->alias.len ? e->callee->alias.at[i] : -1;
        return alias >= 0 && (uint32_t)alias < e->n_args ? buffer_behind(d, e->args[alias])
                                                         : VAR_NONE;
    }
    if (e->kind != EX_OP)
        return VAR_NONE;
    if (e->op == OP_WINDOW)
        return buffer_behind(d, e->args[0]);
    switch (op_info(e->op)->result) {
    case RES_ARG0: return buffer_behind(d, e->args[0]);
    case RES_ARG1: return buffer_behind(d, e->args[1]);
    default: return VAR_NONE;
    }
}

static void note_values(HostDomains *d, Stmt *s)
{
    for (uint32_t i = 0; i < s->n_results; i++) {
        if (s->kind == ST_LET) {
            bool alloc = s->value->kind == EX_OP && s->value->op == OP_ALLOC_WINDOW_BUFFER;
            d->value[s->results[i]] = s->value;
            d->buffer[s->results[i]] = alloc ? s->results[i] : buffer_of_result(d, s->value, i);
        } else if (s->kind == ST_FOR) {
            d->buffer[s->results[i]] = d->buffer[s->iters[i]] = buffer_behind(d, s->values[i]);
        } else if (s->kind == ST_YIELD) {
            d->buffer[s->results[i]] = buffer_behind(d, s->values[i]);
        }
    }
    if (s->kind == ST_FOR)
        d->loop[s->index] = s;
}

static void add_device(DeviceSet *set, int64_t v)
{
    if (v < 0 || v >= HOST_MAX_DEVICES) {
        set->kind = DEVICES_UNKNOWN;
        return;
    }
    set->count += !set->has[v];
    set->has[v] = true;
}

static bool is_world(const HostDomains *d, const Expr *e)
{
    int64_t v;
    if (e->kind == EX_VAR && e->var < d->n_vars && d->value[e->var])
        e = d->value[e->var];
    if (e->kind == EX_OP && e->op == OP_WORLD_SIZE)
        return true;
    return d->p->ranks_bound && expr_is_int(e, &v) && v == d->p->ranks;
}

/* Means the same everywhere in the function. */
static bool is_fixed(const Expr *e)
{
    if (e->kind != EX_INT && e->kind != EX_EXTENT && e->kind != EX_SCALAR)
        return false;
    for (uint32_t i = 0; i < e->n_args; i++)
        if (!is_fixed(e->args[i]))
            return false;
    return true;
}

static bool constant(const HostDomains *d, const Expr *e, int64_t *v)
{
    if (expr_is_int(e, v))
        return true;
    if (!d->p->ranks_bound || !is_world(d, e))
        return false;
    *v = d->p->ranks;
    return true;
}

/* The devices a loop index runs over. */
static DeviceSet loop_devices(const HostDomains *d, const Stmt *s)
{
    DeviceSet set = {.kind = DEVICES_LIST};
    int64_t lo, hi, step = 1;
    bool from_zero = expr_is_int(s->lo, &lo) && lo == 0 &&
                     (!s->step || (expr_is_int(s->step, &step) && step == 1));
    if (from_zero && is_world(d, s->hi)) {
        set.kind = DEVICES_WORLD;
        return set;
    }
    if (!constant(d, s->lo, &lo) || !constant(d, s->hi, &hi) ||
        (s->step && !expr_is_int(s->step, &step)) || step == 0) {
        bool range = is_fixed(s->lo) && is_fixed(s->hi) && step == 1;
        set =
            (DeviceSet){.kind = range ? DEVICES_RANGE : DEVICES_UNKNOWN, .lo = s->lo, .hi = s->hi};
        return set;
    }
    for (int64_t v = lo; set.kind == DEVICES_LIST && (step > 0 ? v < hi : v > hi); v += step)
        add_device(&set, v);
    return set;
}

static DeviceSet call_devices(const HostDomains *d, const Expr *device)
{
    DeviceSet set = {.kind = DEVICES_UNKNOWN};
    int64_t v;
    if (expr_is_int(device, &v)) {
        set.kind = DEVICES_LIST;
        add_device(&set, v);
    } else if (device->kind == EX_VAR && device->var < d->n_vars && d->loop[device->var]) {
        set = loop_devices(d, d->loop[device->var]);
    }
    return set;
}

static bool same_devices(const DeviceSet *a, const DeviceSet *b)
{
    if (a->kind != b->kind || a->kind == DEVICES_UNKNOWN)
        return false;
    if (a->kind == DEVICES_RANGE)
        return expr_equal(a->lo, b->lo) && expr_equal(a->hi, b->hi);
    return a->kind == DEVICES_WORLD || memcmp(a->has, b->has, sizeof a->has) == 0;
}

static void unite(DeviceSet *into, const DeviceSet *more)
{
    if (into->kind == DEVICES_NONE) {
        *into = *more;
    } else if (into->kind == DEVICES_LIST && more->kind == DEVICES_LIST) {
        for (uint32_t i = 0; i < HOST_MAX_DEVICES; i++)
            if (more->has[i])
                add_device(into, i);
    } else if (into->kind <= DEVICES_WORLD && more->kind <= DEVICES_WORLD) {
        into->kind = DEVICES_WORLD;
    } else if (!same_devices(into, more)) {
        into->kind = DEVICES_UNKNOWN;
    }
}

static void note_call(void *env, Expr **at)
{
    HostDomains *d = env;
    const Expr *e = *at;
    if (e->kind != EX_CALL || !e->device)
        return;
    DeviceSet set = call_devices(d, e->device);
    for (uint32_t i = 0; i < e->n_args; i++) {
        VarId b = buffer_behind(d, e->args[i]);
        if (b == VAR_NONE)
            continue;
        if (!d->devices[b])
            d->devices[b] = arena_new(d->p->arena, DeviceSet);
        unite(d->devices[b], &set);
    }
}

static void note_stmt(void *env, Stmt *s)
{
    note_values(env, s);
    stmt_exprs(s, note_call, env);
}

void host_domains(HostDomains *d, Program *p, Func *f)
{
    uint32_t n = f->vars.len;
    *d = (HostDomains){.p = p,
                       .f = f,
                       .n_vars = n,
                       .buffer = arena_new_n(p->arena, VarId, n + 1),
                       .value = arena_new_n(p->arena, const Expr *, n + 1),
                       .loop = arena_new_n(p->arena, const Stmt *, n + 1),
                       .devices = arena_new_n(p->arena, DeviceSet *, n + 1)};
    for (uint32_t i = 0; i < n; i++)
        d->buffer[i] = VAR_NONE;
    block_walk(&f->body, note_stmt, d);
}

DeviceSet host_domain_of(const HostDomains *d, VarId view)
{
    DeviceSet all = {.kind = DEVICES_WORLD};
    VarId b = view < d->n_vars ? d->buffer[view] : VAR_NONE;
    DeviceSet *set = b == VAR_NONE ? NULL : d->devices[b];
    return set && set->kind != DEVICES_NONE && (set->kind != DEVICES_LIST || set->count) ? *set
                                                                                         : all;
}

bool host_single_domain(Program *p)
{
    const DeviceSet *first = NULL;
    for (uint32_t i = 0; i < p->funcs.len; i++) {
        HostDomains d;
        if (p->funcs.at[i]->kind != FN_HOST)
            continue;
        host_domains(&d, p, p->funcs.at[i]);
        for (uint32_t v = 0; v < d.n_vars; v++) {
            if (!d.devices[v])
                continue;
            if (first && !same_devices(first, d.devices[v]))
                return false;
            first = d.devices[v];
        }
    }
    return first != NULL;
}
