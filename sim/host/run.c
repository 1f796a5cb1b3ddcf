/* From a program to a verdict. */
#include "sim/host/run.h"

#include "sim/explore/sync_rows.h"
#include "sim/host/input.h"
#include "sim/host/npy.h"
#include "sim/host/outputs.h"
#include "sim/machine/fault.h"
#include "sim/report/cost.h"
#include "sim/sched/replay.h"
#include "sim/sched/sched.h"
#include <string.h>

const HostData host_files = {.load = input_prepare, .fill = input_fill, .compare = outputs_compare};

static const HostTensor *find_tensor(const World *w, const char *name)
{
    for (uint32_t i = 0; i < w->n_tensors; i++)
        if (strcmp(w->tensors[i].name, name) == 0)
            return &w->tensors[i];
    return NULL;
}

static void write_outputs(World *w)
{
    const RunConfig *c = w->config;
    for (uint32_t i = 0; i < c->n_outputs; i++) {
        const HostTensor *t = find_tensor(w, c->outputs[i].name);
        const char *why;
        if (t && !npy_write(&w->arena, c->outputs[i].value, t, &why))
            world_error(w, EXIT_USAGE, "%s", why);
    }
}

/* A token that is for something else is told from other mistakes: a script may have more calls than
 * the one that it replays. */
static int refuse_schedule(RunResult *result, const char *schedule, const char *why)
{
    World w = {.result = result};
    report_add(&w, REP_USAGE, replay_is_token(schedule) ? "token" : "usage", NULL, why);
    return result->status = EXIT_USAGE;
}

static Policy *make_policy(const RunConfig *c, RunResult *result, const World *w, const char **why)
{
    if (!c->schedule)
        return policy_clock();
    if (replay_is_token(c->schedule))
        return replay_policy(&result->arena, c->schedule, w, why);
    return policy_parse(c->schedule, why);
}

/* A failure says how to see it again. */
static void note_replay(World *w)
{
    RunResult *r = w->result;
    const char *given = w->config->schedule;
    if (r->status == EXIT_OK || r->status == EXIT_USAGE)
        return;
    const char *token = given && replay_is_token(given)
                            ? given
                            : replay_token(&r->arena, w, given ? given : "clock", NULL, 0);
    r->token = token;
    report_add(w, REP_NOTE, "replay", NULL, replay_line(&r->arena, w->config, token));
}

/* What was found may hold for this schedule only. */
static void note_uncertain(World *w)
{
    RunResult *r = w->result;
    if (r->uncertain && r->status != EXIT_USAGE)
        report_add(w, REP_NOTE, "schedule", NULL,
                   arena_printf(&r->arena,
                                "note: this verdict is for this schedule: %s; try --explore",
                                r->uncertain));
}

static void run_built(World *w, RunResult *result)
{
    const char *why = "";
    Policy *policy = make_policy(w->config, result, w, &why);
    if (!policy) {
        (void)refuse_schedule(result, w->config->schedule, why);
        return;
    }
    (void)session_run(w, policy);
    policy_free(policy);
    if (w->config->cost && w->dispatches_left == 0 && !w->failed)
        cost_check(w);
    note_uncertain(w);
    note_replay(w);
    if (result->status == EXIT_OK || result->status == EXIT_GOLDEN)
        write_outputs(w);
}

/* Does the host function do the same whatever the tensors hold? */
static bool host_is_static(const BcProgram *p)
{
    const BcFunc *f = &p->funcs[p->entry];
    for (uint32_t i = 0; i < f->n_insns; i++) {
        uint16_t op = f->insns[i].op;
        if (op == BC_READ || op == BC_SHOW || op == BC_SHOWM)
            return false;
    }
    return true;
}

bool sim_run_again(World *w, const RunConfig *config, RunResult *result, bool keep_windows)
{
    bool token = config->schedule && replay_is_token(config->schedule);
    if (token || !host_is_static(w->program) || !input_again(w, config))
        return false;
    RunConfig *own = arena_new(&result->arena, RunConfig);
    *own = *config;
    w->config = own;
    w->keep_windows = keep_windows;
    world_reset(w, result);
    run_built(w, result);
    return true;
}

int sim_run_keep(const BcProgram *program, const RunConfig *config, RunResult *result, World **keep)
{
    const char *why = "";
    RunConfig *own = arena_new(&result->arena, RunConfig);
    *own = *config;
    if (keep)
        *keep = NULL;
    if (own->schedule && replay_is_token(own->schedule) &&
        !replay_adopt(&result->arena, own->schedule, program, own, &why))
        return refuse_schedule(result, own->schedule, why);
    World *w = session_without(program, own, result);
    if (!w)
        return result->status;
    run_built(w, result);
    if (keep)
        *keep = w;
    else
        world_free(w);
    return result->status;
}

int sim_run(const BcProgram *program, const RunConfig *config, RunResult *result)
{
    return sim_run_keep(program, config, result, NULL);
}
