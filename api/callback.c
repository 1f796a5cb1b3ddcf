/* Sub-workers of host programs: functions of the caller. */
#include "api/run.h"

#include <string.h>

typedef struct {
    pld_run *run;
    RunCallback new;
} SetCallback;

static bool is_subworker(const BcProgram *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_funcs; i++)
        if (strcmp(p->strings[p->funcs[i].name], name) == 0)
            return bc_is_outside(&p->funcs[i]);
    return false;
}

static int set_callback(void *env)
{
    const SetCallback *call = env;
    pld_run *r = call->run;
    Arena *arena = &r->settings.arena;
    RunCallback new = call->new;
    if (!is_subworker(program_code(r->program), new.name))
        return run_refuse(r, arena_printf(arena, "the program has no sub-worker %s", new.name));
    for (uint32_t i = 0; i < r->callbacks.len; i++)
        if (strcmp(r->callbacks.at[i].name, new.name) == 0) {
            r->callbacks.at[i].f = new.f;
            r->callbacks.at[i].user = new.user;
            return PLD_OK;
        }
    new.name = arena_strndup(arena, new.name, strlen(new.name));
    vec_push(&r->callbacks, new);
    return PLD_OK;
}

int pld_run_callback(pld_run *run, const char *name,
                     int (*f)(void *user, const pld_tensor *args, size_t n), void *user)
{
    SetCallback call = {run, {name, f, user}};
    run->why = "";
    return run->broken ? run->broken : run_finish(run, border(&run->heap, set_callback, &call));
}

static void dense(const OutsideArg *a, int64_t *strides)
{
    int64_t step = dtype_bytes(a->dtype);
    for (uint32_t i = a->rank; i-- > 0; step *= a->shape[i])
        strides[i] = step;
}

/* Nothing may jump over the caller's frames. */
static int call(const RunCallback *c, const pld_tensor *args, uint32_t n)
{
    Trap *trap = trap_suspend();
    int status = c->f(c->user, args, n);
    trap_restore(trap);
    return status;
}

bool run_outside(void *env, const char *name, const OutsideArg *args, uint32_t n)
{
    pld_run *r = env;
    const RunCallback *c = NULL;
    for (uint32_t i = 0; i < r->callbacks.len; i++)
        if (r->callbacks.at[i].f && strcmp(r->callbacks.at[i].name, name) == 0)
            c = &r->callbacks.at[i];
    if (!c)
        return true;
    pld_tensor *tensors = xcalloc(n + 1, sizeof *tensors);
    int64_t(*strides)[BC_MAX_RANK] = xcalloc(n + 1, sizeof *strides);
    for (uint32_t i = 0; i < n; i++) {
        dense(&args[i], strides[i]);
        tensors[i] = (pld_tensor){sizeof *tensors, args[i].dtype, args[i].rank,
                                  args[i].shape,   strides[i],    args[i].data};
    }
    bool goes_on = call(c, tensors, n) == 0;
    xfree(tensors);
    xfree(strides);
    if (!goes_on)
        pld_run_cancel(r);
    return goes_on;
}
