/* Executions share beginnings: the path up to the transition that is tried next. Snapshots stand at
 * some nodes of it, so that an execution goes on from the nearest one below. What a program does
 * between two is done again; that costs less than saving the world at every choice. */
#include "sim/explore/search.h"
#include "sim/machine/world_save.h"

#include <string.h>

enum {
    STRIDE = 6, /* transitions between snapshots */
    MOST = 64   /* at once; then every second one is given up */
};

static void thin_out(Search *s)
{
    for (uint32_t i = 1; 2 * i < s->n_saved; i++) {
        Snapshot x = s->saved.at[i];
        s->saved.at[i] = s->saved.at[2 * i];
        s->saved.at[2 * i] = x;
    }
    s->n_saved = (s->n_saved + 1) / 2;
}

void snapshots_pass(Search *s, uint32_t at)
{
    uint32_t last = s->n_saved ? s->saved.at[s->n_saved - 1].at : 0;
    if (s->options->anew || at < last + STRIDE)
        return;
    if (s->n_saved == MOST)
        thin_out(s);
    if (s->n_saved == s->saved.len)
        vec_push(&s->saved, (Snapshot){0});
    Snapshot *x = &s->saved.at[s->n_saved];
    buf_clear(&x->state);
    x->at = at;
    x->n_local = s->local.len;
    save_vec(&x->state, &s->taken);
    s->n_saved += world_save(s->world, &x->state);
}

bool snapshots_go_back(Search *s, RunResult *result)
{
    while (s->n_saved && s->saved.at[s->n_saved - 1].at >= s->given)
        s->n_saved--;
    if (!s->n_saved) {
        s->at = 0;
        vec_clear(&s->local);
        memset(s->taken.at, 0, s->taken.len * sizeof *s->taken.at);
        world_reset(s->world, result);
        return false;
    }
    const Snapshot *x = &s->saved.at[s->n_saved - 1];
    SaveReader in = {x->state.at};
    s->at = x->at;
    s->local.len = x->n_local;
    load_vec(&in, &s->taken);
    world_load(s->world, result, &in);
    return true;
}

void snapshots_drop(Search *s)
{
    s->n_saved = 0;
}

void snapshots_free(Search *s)
{
    for (uint32_t i = 0; i < s->saved.len; i++)
        buf_free(&s->saved.at[i].state);
    vec_free(&s->saved);
}
