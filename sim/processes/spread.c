#include "sim/processes/spread.h"

#include "sim/check/session.h"
#include "sim/processes/conclude.h"
#include "sim/processes/files.h"
#include "sim/processes/judge.h"
#include "sim/report/cost.h"
#include "sim/sched/deadlock.h"

/* Waits for ever: nobody failed, and dispatches are left. */
static bool is_stuck(const World *w)
{
    return !w->failed && !w->n_still && w->dispatches_left > 0;
}

static void conclude(Team *t, World *w, RunResult *result)
{
    bool stuck = is_stuck(w);
    if (stuck || t->log || w->config->cost)
        gather_lanes(t, w);
    if (stuck && t->base.self == 0)
        deadlock_report(w);
    if (t->log)
        judge_run(t, w, !w->failed && !w->n_still && !stuck);
    gather_prints(t);
    gather_costs(t, w);
    gather_printed(t, w);
    if (w->config->cost && !w->failed && !w->n_still && !stuck && t->base.self == 0)
        cost_check(w);
    gather_reports(t, w, result);
    result->status = team_status(t, result->status);
    result->steps = w->steps;
    result->time_ps = -1;
    bool ended = result->status == EXIT_OK || result->status == EXIT_GOLDEN;
    if (ended && !files_write(t, w))
        result->status = EXIT_USAGE;
    result->status = team_status(t, result->status);
}

int spread_run(const BcProgram *program, const RunConfig *config, RunResult *result, Team *t,
               World **keep)
{
    RunConfig *own = arena_new(&result->arena, RunConfig);
    *own = *config;
    own->processes = &t->base;
    t->judge = (config->checks & (CHECK_RACES | CHECK_SIGNALS)) != 0;
    judge_checks(t, own);
    collect_prints(t, own);
    *keep = NULL;
    World *w = session_new(program, own, result);
    if (!w) {
        gather_reports(t, NULL, result);
        return result->status = team_status(t, result->status);
    }
    Policy *policy = policy_clock();
    policy->stand_still = true; /* until other ranks have met their faults */
    (void)session_run(w, policy);
    policy_free(policy);
    conclude(t, w, result);
    *keep = w;
    return result->status;
}
