#include "sim/explore/certify.h"

#include "sim/explore/outcome.h"
#include "sim/explore/sync_rows.h"
#include "sim/sched/replay.h"

static const char *verdict(const RunResult *r)
{
    switch (r->status) {
    case EXIT_OK: return "verified: one run decides";
    case EXIT_DEADLOCK: return "one run decides: deadlock";
    case EXIT_GOLDEN: return "one run decides: golden mismatch";
    default: return "one run decides: a check fired";
    }
}

static void add_failure(ExploreResult *out, World *w, const RunResult *r)
{
    ExploreFailure f = {.status = r->status, .check = "", .count = 1};
    for (uint32_t i = 0; i < r->n_reports && !*f.check; i++)
        if (!report_is_minor(&r->reports[i]))
            f.check = arena_printf(&out->arena, "%s", r->reports[i].check);
    f.text = run_result_text(&out->arena, r);
    f.token = replay_token(&out->arena, w, "clock", NULL, 0);
    out->failures = arena_new(&out->arena, ExploreFailure);
    *out->failures = f;
    out->n_failures = 1;
    out->status = r->status;
}

static void take_outcome(ExploreResult *out, World *w, const RunResult *r)
{
    Outcomes o = {0};
    outcomes_add(&o, w, r);
    out->outcomes = outcomes_list(&o, &out->arena, &out->n_outcomes);
    outcomes_free(&o);
}

static void run(World *w, const ExploreOptions *options, ExploreResult *out)
{
    RunResult *r = w->result;
    Policy *clock = policy_clock();
    (void)session_run(w, clock);
    policy_free(clock);
    if (!r->certified || r->status == EXIT_STEPS)
        return;
    out->decides =
        arena_printf(&out->arena, "%s", options->outcomes ? "one run decides" : verdict(r));
    out->executions = 1;
    out->complete = true;
    if (options->outcomes)
        take_outcome(out, w, r);
    else if (r->status != EXIT_OK)
        add_failure(out, w, r);
}

bool explore_certified(const BcProgram *program, const RunConfig *config,
                       const ExploreOptions *options, ExploreResult *result)
{
    RunResult r = {0};
    RunConfig own = *config;
    own.certify = true;
    own.no_golden = config->no_golden || options->outcomes;
    World *w = session_without(program, &own, &r);
    if (w) {
        run(w, options, result);
        world_free(w);
    } else {
        result->status = r.status;
        result->text = run_result_text(&result->arena, &r);
    }
    run_result_free(&r);
    return result->decides || result->text;
}
