/* Pointers stay where they are in the world; what they point to is saved. Sizes may have grown
 * since: what was not there then is as if it were new. */
#include "sim/machine/world_save.h"

#include "sim/machine/device.h"
#include "sim/machine/job.h"
#include "sim/machine/vm.h"
#include "sim/machine/vm_ops.h"
#include <string.h>

enum { MOST_BYTES = 256 * 1024 }; /* of memory that is saved */

/* ---- lanes ---- */

static void save_lane(Buf *out, const Lane *l)
{
    save_value(out, *l);
    save_vec(out, &l->frames);
    save_vec(out, &l->births);
    save_vec(out, &l->tasks);
    save_vec(out, &l->task_deps);
    save_vec(out, &l->joins);
    save_bytes(out, l->stack, l->stack_len);
    save_bytes(out, l->core_mem, (size_t)l->core_cap);
}

static void load_lane(SaveReader *in, Lane *l)
{
    vm_holes_forget(l);
    Lane old = *l;
    load_value(in, *l);
    int64_t core = l->core_cap;
    memcpy(&l->frames, &old.frames, sizeof l->frames);
    memcpy(&l->births, &old.births, sizeof l->births);
    memcpy(&l->hole_loads, &old.hole_loads, sizeof l->hole_loads);
    memcpy(&l->tasks, &old.tasks, sizeof l->tasks);
    memcpy(&l->task_deps, &old.task_deps, sizeof l->task_deps);
    memcpy(&l->joins, &old.joins, sizeof l->joins);
    l->stack = old.stack;
    l->stack_cap = old.stack_cap;
    l->core_mem = old.core_mem;
    l->core_cap = old.core_cap;
    load_vec(in, &l->frames);
    load_vec(in, &l->births);
    load_vec(in, &l->tasks);
    load_vec(in, &l->task_deps);
    load_vec(in, &l->joins);
    load_bytes(in, l->stack, l->stack_len);
    load_bytes(in, l->core_mem, (size_t)core);
    if (l->core_cap > core)
        memset(l->core_mem + core, 0, (size_t)(l->core_cap - core));
    vm_place_frames(l);
}

static void save_rank(Buf *out, const Rank *r)
{
    save_value(out, r->next);
    save_value(out, r->busy);
    save_value(out, r->ports);
    save_value(out, r->free_ps);
    for (uint32_t i = 0; i < r->n_lanes; i++)
        save_lane(out, &r->lanes[i]);
}

static void load_rank(SaveReader *in, Rank *r)
{
    load_value(in, r->next);
    load_value(in, r->busy);
    load_value(in, r->ports);
    load_value(in, r->free_ps);
    jobs_clear(r);
    for (uint32_t i = 0; i < r->n_lanes; i++)
        load_lane(in, &r->lanes[i]);
}

/* ---- dispatches ---- */

static bool has_own_bytes(const Region *r)
{
    return r->data && !r->shared;
}

static void save_dispatch(Buf *out, const Dispatch *d)
{
    save_value(out, d->state);
    save_value(out, d->lanes_left);
    save_value(out, d->begin_ps);
    save_value(out, d->end_ps);
    for (uint32_t i = 0; i < d->n_regions; i++) {
        const Region *r = &d->regions[i];
        save_value(out, r->data);
        save_value(out, r->shared);
        if (has_own_bytes(r))
            save_bytes(out, r->data, (size_t)r->bytes);
    }
}

static void load_region(SaveReader *in, Region *r)
{
    char *now = has_own_bytes(r) ? r->data : NULL;
    load_value(in, r->data);
    load_value(in, r->shared);
    if (has_own_bytes(r)) {
        r->data = now ? now : xmalloc((size_t)r->bytes + 1);
        load_bytes(in, r->data, (size_t)r->bytes);
    } else {
        xfree(now);
    }
}

static void load_dispatch(SaveReader *in, Dispatch *d)
{
    load_value(in, d->state);
    load_value(in, d->lanes_left);
    load_value(in, d->begin_ps);
    load_value(in, d->end_ps);
    for (uint32_t i = 0; i < d->n_regions; i++)
        load_region(in, &d->regions[i]);
}

/* ---- the world ---- */

static bool is_own(const HostTensor *t)
{
    return t->data != t->initial;
}

/* Memory that a save copies, without windows, of which the fabric knows more. */
static int64_t bytes_of(const World *w)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < w->n_tensors; i++)
        sum += is_own(&w->tensors[i]) ? w->tensors[i].bytes : 0;
    for (uint32_t i = 0; i < w->dispatches.len; i++)
        for (uint32_t k = 0; k < w->dispatches.at[i].n_regions; k++)
            sum += has_own_bytes(&w->dispatches.at[i].regions[k])
                       ? w->dispatches.at[i].regions[k].bytes
                       : 0;
    for (uint32_t i = 0; i < w->windows.len; i++)
        sum += w->windows.at[i].bytes * w->n_ranks;
    for (uint32_t i = 0; i < w->n_ranks; i++)
        for (uint32_t k = 0; k < w->ranks[i].n_lanes; k++)
            sum += w->ranks[i].lanes[k].core_cap;
    return sum;
}

static bool can_save(const World *w)
{
    if (w->failed || w->n_still || w->result->n_reports || !w->fabric->ops->save)
        return false;
    for (uint32_t i = 0; i < w->dispatches.len; i++)
        if (w->dispatches.at[i].n_made)
            return false;
    for (uint32_t i = 0; i < w->n_ranks; i++)
        if (jobs_any(&w->ranks[i]))
            return false;
    for (uint32_t i = 0; i < w->n_ranks; i++)
        for (uint32_t k = 0; k < w->ranks[i].n_lanes; k++)
            if (w->ranks[i].lanes[k].holes)
                return false;
    for (uint32_t i = 0; i < w->probe.observers.len; i++)
        if (!w->probe.observers.at[i]->save)
            return false;
    return bytes_of(w) <= MOST_BYTES;
}

bool world_save(const World *w, Buf *out)
{
    if (!can_save(w) || !probe_save(&w->probe, out))
        return false;
    save_value(out, w->horizon);
    save_value(out, w->steps);
    save_value(out, w->n_tokens);
    save_value(out, w->dispatches_left);
    save_vec(out, &w->choices);
    save_map(out, &w->negative_sites);
    for (uint32_t i = 0; i < w->n_tensors; i++)
        if (is_own(&w->tensors[i]))
            save_bytes(out, w->tensors[i].data, (size_t)w->tensors[i].bytes);
    for (uint32_t i = 0; i < w->dispatches.len; i++)
        save_dispatch(out, &w->dispatches.at[i]);
    for (uint32_t i = 0; i < w->n_ranks; i++)
        save_rank(out, &w->ranks[i]);
    cell_log_save(w, out);
    w->fabric->ops->save(w->fabric, out);
    return true;
}

void world_load(World *w, RunResult *result, SaveReader *in)
{
    w->result = result;
    w->failed = false;
    w->n_still = 0;
    probe_load(&w->probe, in);
    load_value(in, w->horizon);
    load_value(in, w->steps);
    load_value(in, w->n_tokens);
    load_value(in, w->dispatches_left);
    load_vec(in, &w->choices);
    load_map(in, &w->negative_sites);
    for (uint32_t i = 0; i < w->n_tensors; i++)
        if (is_own(&w->tensors[i]))
            load_bytes(in, w->tensors[i].data, (size_t)w->tensors[i].bytes);
    for (uint32_t i = 0; i < w->dispatches.len; i++) {
        device_free_made(&w->dispatches.at[i]);
        load_dispatch(in, &w->dispatches.at[i]);
    }
    for (uint32_t i = 0; i < w->n_ranks; i++)
        load_rank(in, &w->ranks[i]);
    cell_log_load(w, in);
    w->fabric->ops->load(w->fabric, in);
}
