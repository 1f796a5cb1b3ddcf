/* Building a world runs the host function once; from then on a run of the devices can be repeated
 * as often as somebody wants, at the price of resetting what devices own. */
#include "sim/machine/world.h"

#include "sim/machine/comm_domain.h"
#include "sim/machine/device.h"
#include "sim/machine/fault.h"
#include "sim/machine/vm.h"
#include <string.h>

/* The largest instruction takes some milliseconds: this many stay well below 100. */
enum { LOOK_OPS = 16 };

static bool check_devices(World *w)
{
    const BcProgram *p = w->program;
    if (w->n_ranks == 0)
        return world_error(w, EXIT_USAGE, "no devices");
    if (p->ranks == 0 || p->ranks == w->n_ranks)
        return true;
    return world_error(w, EXIT_USAGE,
                       "the program was compiled for %u devices and is started on %u: compile it "
                       "with pldc --ranks %u",
                       p->ranks, w->n_ranks, w->n_ranks);
}

static uint32_t count_tensors(const BcFunc *f)
{
    uint32_t n = 0;
    while (n < f->n_params && f->params[n].kind == BCP_TENSOR)
        n++;
    return n;
}

static void make_tables(World *w)
{
    const BcFunc *host = &w->program->funcs[w->program->entry];
    w->ranks = arena_array(&w->arena, w->n_ranks + 1, sizeof *w->ranks);
    for (uint32_t i = 0; i < w->n_ranks; i++)
        w->ranks[i].device = w->config->devices ? w->config->devices[i] : i;
    w->extents = arena_array(&w->arena, w->program->n_extents + 1, sizeof *w->extents);
    w->bind_extents = arena_array(&w->arena, w->program->n_extents + 1, sizeof *w->bind_extents);
    for (uint32_t i = 0; i < w->program->n_extents; i++)
        w->bind_extents[i] = -1;
    w->n_tensors = count_tensors(host);
    w->tensors = arena_array(&w->arena, w->n_tensors + 1, sizeof *w->tensors);
    w->scalars = arena_array(&w->arena, host->n_params + 1, sizeof *w->scalars);
    w->scalar_regs = arena_array(&w->arena, host->n_params + 1, sizeof *w->scalar_regs);
    w->host_lane = arena_new(&w->arena, Lane);
    w->host_lane->host = true;
}

/* A tensor that no dispatch writes needs no second copy. */
static void copy_tensors(World *w)
{
    for (uint32_t i = 0; i < w->dispatches.len; i++) {
        const Dispatch *d = &w->dispatches.at[i];
        for (uint32_t k = 0; k < d->n_regions; k++) {
            HostTensor *t = &w->tensors[d->regions[k].tensor];
            if (!d->regions[k].writes || t->data)
                continue;
            t->data = xcalloc((size_t)t->held + 1, 1);
        }
    }
    for (uint32_t i = 0; i < w->n_tensors; i++)
        if (!w->tensors[i].data)
            w->tensors[i].data = w->tensors[i].initial;
}

/* What one process cannot do, none does. */
static bool agreed(World *w, bool ok)
{
    return w->processes ? w->processes->agree(w->processes, ok) : ok;
}

/* The tensors' values, where they waited for the host function. */
static bool fill_tensors(World *w)
{
    if (!w->processes)
        return true;
    w->processes->prepare(w->processes, w);
    return w->config->host->fill(w);
}

bool world_build(World *w)
{
    if (!agreed(w, check_devices(w) && w->config->host->load(w)) ||
        (w->processes && !w->processes->same(w->processes, w)) ||
        !agreed(w, vm_run_host(w) && domain_finish(w)) || !agreed(w, fill_tensors(w)))
        return false;
    copy_tensors(w);
    device_prepare(w);
    w->host_steps = w->steps;
    return true;
}

World *world_make(const BcProgram *program, const RunConfig *config, Fabric *fabric,
                  RunResult *result)
{
    World *w = xcalloc(1, sizeof *w);
    w->program = program;
    w->config = config;
    w->platform = config->platform ? *config->platform : platforms[program->platform];
    w->n_ranks = config->n_devices;
    w->host_cores = w->max_cores = 1;
    w->horizon = INT64_MAX;
    w->result = result;
    w->fabric = fabric;
    w->processes = config->processes;
    w->call_sites = call_sites_find(&w->arena, program);
    w->quick = arena_array(&w->arena, program->n_funcs + (size_t)1, sizeof *w->quick);
    probe_init(&w->probe, w);
    make_tables(w);
    return w;
}

bool world_look(World *w)
{
    const RunConfig *c = w->config;
    w->patience = LOOK_OPS;
    if (c->progress)
        c->progress(c->progress_env, w);
    if (!w->stopped && c->stop)
        w->stopped = c->stop(c->stop_env);
    return !w->stopped;
}

void world_reset(World *w, RunResult *result)
{
    w->result = result;
    w->patience = LOOK_OPS;
    w->stopped = NULL;
    w->failed = false;
    w->n_still = 0;
    w->steps = w->host_steps;
    w->n_tokens = 0;
    w->horizon = INT64_MAX;
    vec_clear(&w->choices);
    map_clear(&w->negative_sites);
    cell_log_reset(w);
    w->fabric->ops->reset(w->fabric, w->keep_windows);
    for (uint32_t i = 0; i < w->n_tensors; i++)
        tensor_reset(&w->tensors[i]);
    device_reset(w);
    probe_reset(&w->probe);
}

static void free_lane(Lane *l)
{
    vec_free(&l->frames);
    vec_free(&l->births);
    vec_free(&l->hole_loads);
    xfree(l->holes);
    vec_free(&l->tasks);
    vec_free(&l->task_deps);
    vec_free(&l->joins);
    xfree(l->stack);
    xfree(l->core_mem);
}

void world_free(World *w)
{
    if (!w)
        return;
    device_reset(w);
    cell_log_reset(w);
    for (uint32_t i = 0; i < w->n_ranks; i++) {
        for (uint32_t k = 0; k < w->ranks[i].n_lanes; k++)
            free_lane(&w->ranks[i].lanes[k]);
        xfree(w->ranks[i].lanes);
        vec_free(&w->ranks[i].queue);
        vec_free(&w->ranks[i].jobs);
    }
    free_lane(w->host_lane);
    for (uint32_t i = 0; i < w->n_tensors; i++) {
        if (w->tensors[i].data != w->tensors[i].initial)
            xfree(w->tensors[i].data);
        if (!w->tensors[i].borrowed)
            xfree(w->tensors[i].initial);
    }
    vec_free(&w->windows);
    vec_free(&w->domains);
    vec_free(&w->dispatches);
    vec_free(&w->choices);
    map_free(&w->negative_sites);
    omission_free(w->omission);
    probe_free(&w->probe);
    w->fabric->ops->destroy(w->fabric);
    arena_free(&w->arena);
    xfree(w);
}

int64_t rank_time(const Rank *r)
{
    int64_t time = r->free_ps;
    for (uint32_t i = 0; i < r->n_lanes; i++)
        if (r->busy && r->lanes[i].now > time)
            time = r->lanes[i].now;
    return time;
}

int64_t world_time(const World *w)
{
    int64_t time = 0;
    for (uint32_t i = 0; i < w->n_ranks; i++) {
        int64_t of_rank = rank_time(&w->ranks[i]);
        time = of_rank > time ? of_rank : time;
    }
    return time;
}
