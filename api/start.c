/* Starting a run. A start that follows another one, with nothing set between them but arrays, runs
 * the same world again. */
#include "api/arrays.h"
#include "api/run.h"
#include "sim/host/run.h"

#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void pld_run_cancel(pld_run *run)
{
    atomic_store(&run->cancelled, 1);
}

static const char *stop(void *env)
{
    pld_run *r = env;
    if (atomic_load_explicit(&r->cancelled, memory_order_relaxed))
        return "cancelled";
    return r->end > 0 && now() >= r->end ? "time limit" : NULL;
}

/* Asks the caller, at most 20 times a second. */
static void ask(pld_run *r, uint64_t steps, int64_t time)
{
    Trap *trap = trap_suspend();
    if (r->progress(r->user, steps, time))
        pld_run_cancel(r);
    trap_restore(trap);
}

static bool is_time(pld_run *r)
{
    double at = now();
    if (at - r->last_progress < 0.05)
        return false;
    r->last_progress = at;
    return true;
}

static void progress(void *env, const World *w)
{
    pld_run *r = env;
    int64_t time = 0;
    if (!is_time(r))
        return;
    for (uint32_t i = 0; i < w->n_ranks; i++)
        for (uint32_t k = 0; k < w->ranks[i].n_lanes; k++)
            time = w->ranks[i].lanes[k].now > time ? w->ranks[i].lanes[k].now : time;
    ask(r, w->steps, time);
}

static void print(void *env, const char *text, size_t len)
{
    pld_run *r = env;
    buf_bytes(&r->outputs[OUT_PRINTS], text, len);
}

void run_ask(pld_run *r, uint64_t done)
{
    if (is_time(r))
        ask(r, done, 0);
}

void run_clock(pld_run *r)
{
    r->last_progress = now();
    r->end = r->settings.time_limit > 0 ? r->last_progress + r->settings.time_limit : 0;
}

/* ---- arrays */

static pld_tensor array_of(const RunArray *a)
{
    pld_tensor t = a->tensor;
    t.shape = a->shape;
    t.strides = a->strides;
    return t;
}

static void write_back(const pld_run *r, const World *w)
{
    for (uint32_t i = 0; i < w->n_tensors; i++)
        for (uint32_t k = 0; k < r->tensors.len && w->tensors[i].dir != 0; k++) {
            pld_tensor to = array_of(&r->tensors.at[k]);
            if (strcmp(r->tensors.at[k].name, w->tensors[i].name) == 0)
                arrays_scatter(&to, w->tensors[i].data);
        }
}

RunConfig run_config(pld_run *r, Arena *arena)
{
    RunConfig c = r->settings.run;
    HostArray *all = arena_array(arena, r->tensors.len + r->goldens.len + 1, sizeof *all);
    for (uint32_t i = 0; i < r->tensors.len; i++) {
        pld_tensor t = array_of(&r->tensors.at[i]);
        all[c.n_arrays++] = arrays_dense(arena, r->tensors.at[i].name, &t, false);
    }
    for (uint32_t i = 0; i < r->goldens.len; i++)
        all[c.n_arrays++] = r->goldens.at[i];
    c.arrays = all;
    c.progress = r->progress ? progress : NULL;
    c.progress_env = c.stop_env = c.print_env = r;
    c.stop = stop;
    c.outside = r->callbacks.len ? run_outside : NULL;
    c.outside_env = r;
    c.print = r->no_print ? NULL : print;
    return c;
}

/* ---- one start */

static bool records(const pld_run *r)
{
    return r->trace || r->timeline || r->watches.len;
}

static int finish_start(pld_run *r)
{
    int status = r->result.status;
    if (status == EXIT_STEPS && atomic_load(&r->cancelled))
        status = PLD_CANCELLED;
    int shown = run_show(r, status);
    if (r->world && (status == EXIT_OK || status == EXIT_GOLDEN || status == EXIT_CHECK))
        write_back(r, r->world);
    return shown;
}

static int start_new(void *env)
{
    pld_run *r = env;
    RunConfig c = run_config(r, &r->result.arena);
    Observer *observers[2];
    record_init(&r->recorder);
    watch_init(&r->watch, r->watches.at, r->watches.len);
    r->watch.print = print;
    r->watch.env = r;
    if (r->trace || r->timeline)
        observers[c.n_observers++] = &r->recorder.observer;
    if (r->watches.len)
        observers[c.n_observers++] = &r->watch.observer;
    c.observers = observers;
    (void)sim_run_keep(program_code(r->program), &c, &r->result, &r->world);
    return finish_start(r);
}

typedef struct {
    pld_run *run;
    bool keep, done;
} Again;

static int start_again(void *env)
{
    Again *a = env;
    pld_run *r = a->run;
    run_result_free(&r->result);
    for (int i = 0; i < OUT_COUNT; i++)
        buf_free(&r->outputs[i]);
    r->text = r->why = "";
    RunConfig c = run_config(r, &r->result.arena);
    a->done = sim_run_again(r->world, &c, &r->result, a->keep);
    return a->done ? finish_start(r) : PLD_OK;
}

/* What comes of a start, when it was one. */
static int started(pld_run *r, int status)
{
    atomic_store(&r->cancelled, 0);
    if (status == PLD_NO_MEMORY && r->budget.over)
        r->why = "it takes more memory than max-memory";
    if (status == PLD_USAGE && !*r->why && r->result.n_reports)
        r->why = r->result.reports[0].text;
    return status;
}

static bool is_repeatable(const pld_run *r)
{
    return r->settled && r->world && !records(r);
}

static int start(pld_run *r, bool keep)
{
    Again again = {.run = r, .keep = keep};
    if (r->broken)
        return r->broken;
    if (is_repeatable(r)) {
        run_clock(r);
        int status = run_finish(r, border(&r->work, start_again, &again));
        if (again.done || r->broken)
            return started(r, status);
    }
    if (keep)
        return run_refuse(r, "there is no run of before whose windows could be kept");
    int status = run_settle(r);
    if (status != PLD_OK)
        return status;
    r->budget.limit = r->settings.max_memory;
    run_clock(r);
    return started(r, run_finish(r, border(&r->work, start_new, r)));
}

int pld_run_start(pld_run *run)
{
    return start(run, false);
}

int pld_run_again(pld_run *run, int keep_windows)
{
    return start(run, keep_windows != 0);
}
