/* The place where the parts of a run meet: everything above the machine is optional to it. */
#include "sim/check/session.h"

#include "sim/check/checks.h"
#include "sim/fabric/fabrics.h"

World *session_new(const BcProgram *program, const RunConfig *config, RunResult *result)
{
    uint32_t n = config->n_devices;
    Fabric *fabric = config->processes ? config->processes->fabric
                     : config->weak    ? fabric_weak_new(n)
                                       : fabric_local_new(n);
    World *w = world_make(program, config, fabric, result);
    if (!world_build(w)) {
        world_free(w);
        return NULL;
    }
    checks_add(w);
    for (uint32_t i = 0; i < config->n_observers; i++)
        probe_add(&w->probe, config->observers[i]);
    world_reset(w, result);
    if (w->setup_failed) { /* an observer does not find what it was asked for */
        world_free(w);
        return NULL;
    }
    return w;
}

static void keep_choices(World *w)
{
    RunResult *r = w->result;
    r->choices = arena_array(&r->arena, w->choices.len + 1, sizeof *r->choices);
    r->n_choices = w->choices.len;
    for (uint32_t i = 0; i < w->choices.len; i++)
        r->choices[i] = w->choices.at[i];
}

static int ended(World *w, EndKind end)
{
    RunResult *r = w->result;
    r->steps = w->steps;
    r->time_ps = world_time(w);
    if (w->record)
        keep_choices(w);
    if (end == END_DONE && !w->config->no_golden)
        (void)w->config->host->compare(w);
    return r->status;
}

int session_run(World *w, Policy *policy)
{
    return ended(w, sched_run(w, policy));
}

int session_go_on(World *w, Policy *policy)
{
    return ended(w, sched_go_on(w, policy));
}
