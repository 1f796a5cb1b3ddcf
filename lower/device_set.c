/* Follows views to the dispatches that pass them: a dispatch of a view that is of one buffer or of
 * another, depending on the path, counts for both. */
#include "lower/device_set.h"
#include <string.h>

static void note_names(DeviceSets *d, const Stmt *s)
{
    for (uint32_t i = 0; s->kind == ST_LET && i < s->n_results; i++)
        d->value[s->results[i]] = s->value;
    if (s->kind == ST_FOR)
        d->loop[s->nest->index] = s;
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

static bool is_world(const DeviceSets *d, const Expr *e)
{
    int64_t v;
    if (e->kind == EX_VAR && e->var < d->n_vars && d->value[e->var])
        e = d->value[e->var];
    if ((e->kind == EX_OP && e->op == OP_WORLD_SIZE) ||
        (e->kind == EX_EXTENT && extent_is_world(e->sym)))
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

static bool constant(const DeviceSets *d, const Expr *e, int64_t *v)
{
    if (expr_is_int(e, v))
        return true;
    if (!d->p->ranks_bound || !is_world(d, e))
        return false;
    *v = d->p->ranks;
    return true;
}

/* The devices a loop index runs over. */
static DeviceSet loop_devices(const DeviceSets *d, const Stmt *s)
{
    DeviceSet set = {.kind = DEVICES_LIST};
    int64_t lo, hi, step = 1;
    bool from_zero = expr_is_int(s->nest->lo, &lo) && lo == 0 &&
                     (!s->nest->step || (expr_is_int(s->nest->step, &step) && step == 1));
    if (from_zero && is_world(d, s->nest->hi)) {
        set.kind = DEVICES_WORLD;
        return set;
    }
    if (!constant(d, s->nest->lo, &lo) || !constant(d, s->nest->hi, &hi) ||
        (s->nest->step && !expr_is_int(s->nest->step, &step)) || step == 0) {
        bool range = is_fixed(s->nest->lo) && is_fixed(s->nest->hi) && step == 1;
        set = (DeviceSet){
            .kind = range ? DEVICES_RANGE : DEVICES_UNKNOWN, .lo = s->nest->lo, .hi = s->nest->hi};
        return set;
    }
    for (int64_t v = lo; set.kind == DEVICES_LIST && (step > 0 ? v < hi : v > hi); v += step)
        add_device(&set, v);
    return set;
}

static DeviceSet call_devices(const DeviceSets *d, const Expr *device)
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
    DeviceSets *d = env;
    const Expr *e = *at;
    if (e->kind != EX_CALL || !e->device)
        return;
    DeviceSet set = call_devices(d, e->device);
    for (uint32_t i = 0; i < e->n_args; i++) {
        const Expr *arg = e->args[i];
        if (arg->kind != EX_VAR || !alias_node(d->memory, arg->var))
            continue;
        vec_clear(&d->sources);
        alias_sources(&d->memory->graph, alias_node(d->memory, arg->var), &d->sources);
        for (uint32_t k = 0; k < d->sources.len; k++) {
            DeviceSet **devices = &d->devices[d->sources.at[k]];
            if (!*devices)
                *devices = arena_new(d->p->arena, DeviceSet);
            unite(*devices, &set);
        }
    }
}

static void note_stmt(void *env, Stmt *s)
{
    note_names(env, s);
    stmt_roots(s, note_call, env);
}

void device_sets(DeviceSets *d, Program *p, Func *f)
{
    uint32_t n = f->vars.len;
    Aliases aliases = {.p = p};
    *d = (DeviceSets){.p = p,
                      .f = f,
                      .n_vars = n,
                      .memory = alias_of(&aliases, f),
                      .value = arena_new_n(p->arena, const Expr *, n + 1),
                      .loop = arena_new_n(p->arena, const Stmt *, n + 1)};
    d->devices = arena_new_n(p->arena, DeviceSet *, d->memory->graph.nodes.len);
    block_walk(&f->body, note_stmt, d);
    alias_free(&aliases);
}

static bool is_dispatched(const DeviceSet *set)
{
    return set && set->kind != DEVICES_NONE && (set->kind != DEVICES_LIST || set->count);
}

DeviceSet device_set_of(DeviceSets *d, VarId view)
{
    DeviceSet all = {.kind = DEVICES_WORLD}, *found = &all;
    vec_clear(&d->sources);
    alias_sources(&d->memory->graph, alias_node(d->memory, view), &d->sources);
    for (uint32_t i = 0; i < d->sources.len; i++) {
        DeviceSet *set = d->devices[d->sources.at[i]];
        if (is_dispatched(set) && found != &all && !same_devices(found, set))
            return (DeviceSet){.kind = DEVICES_UNKNOWN};
        found = is_dispatched(set) ? set : found;
    }
    return *found;
}

void device_sets_free(DeviceSets *d)
{
    vec_free(&d->sources);
}

static bool adds_domain(DeviceSets *d, const DeviceSet **first)
{
    for (AliasNode i = 0; i < d->memory->graph.nodes.len; i++) {
        const DeviceSet *set = d->devices[i];
        if (!set)
            continue;
        if (*first && !same_devices(*first, set))
            return false;
        *first = set;
    }
    return true;
}

bool device_sets_agree(Program *p)
{
    const DeviceSet *first = NULL;
    bool agree = true;
    for (uint32_t i = 0; agree && i < p->funcs.len; i++) {
        DeviceSets d;
        if (p->funcs.at[i]->kind != FN_HOST)
            continue;
        device_sets(&d, p, p->funcs.at[i]);
        agree = adds_domain(&d, &first);
        device_sets_free(&d);
    }
    return agree && first;
}
