/* What a run shows of itself besides its arrays: records, prints, watched elements, reports in
 * other forms. */
#include "api/run.h"
#include "sim/report/cost.h"
#include "sim/report/dispatches.h"
#include "sim/report/junit.h"
#include "sim/report/print_tensor.h"
#include "sim/report/report_json.h"
#include "sim/report/timeline.h"
#include "sim/report/trace.h"
#include "sim/sched/replay.h"

#include <string.h>

static bool is(const char *value, const char *word)
{
    return value && strcmp(value, word) == 0;
}

static SettingResult refuse(pld_run *r, const char *what)
{
    r->why = what;
    return SETTING_BAD;
}

static SettingResult flag(pld_run *r, const char *name)
{
    struct {
        const char *name;
        bool *is;
    } flags[] = {{"cost", &r->cost},         {"trace", &r->trace}, {"timeline", &r->timeline},
                 {"no-print", &r->no_print}, {"quiet", &r->quiet}, {"dispatches", &r->dispatches}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (strcmp(name, flags[i].name) == 0) {
            *flags[i].is = true;
            r->settings.run.cost = r->cost;
            return SETTING_OK;
        }
    return SETTING_UNKNOWN;
}

SettingResult run_shows(pld_run *r, const char *name, const char *value)
{
    Texts *list = strcmp(name, "print") == 0   ? &r->prints
                  : strcmp(name, "watch") == 0 ? &r->watches
                                               : NULL;
    if (list && (!value || !*value))
        return refuse(r, "print and watch take a name");
    if (list) {
        vec_push(list, value);
        return SETTING_OK;
    }
    if (strcmp(name, "diagnostics") == 0) {
        r->json = is(value, "json");
        return r->json || is(value, "text") ? SETTING_OK : refuse(r, "diagnostics is text or json");
    }
    if (strcmp(name, "report") == 0) {
        r->junit = true;
        return is(value, "junit") ? SETTING_OK : refuse(r, "report is junit");
    }
    return flag(r, name);
}

/* ---- after a run ---- */

static void print_records(pld_run *r)
{
    if (r->trace)
        trace_print(r->world, &r->recorder, &r->outputs[OUT_TRACE]);
    if (!r->timeline)
        return;
    timeline_print(r->world, &r->recorder, false, &r->outputs[OUT_SVG]);
    timeline_print(r->world, &r->recorder, true, &r->outputs[OUT_HTML]);
}

static bool print_tensors(pld_run *r)
{
    for (uint32_t i = 0; i < r->prints.len; i++) {
        const char *why;
        if (print_named(&r->result.arena, &r->outputs[OUT_PRINTS], r->world, r->prints.at[i], &why))
            continue;
        r->why = why;
        return false;
    }
    return true;
}

/* The lines of --diagnostics=json. */
static void print_json(pld_run *r, int status)
{
    const RunResult *x = &r->result;
    Buf *out = &r->outputs[OUT_REPORTS];
    Arena *arena = &r->result.arena;
    const char *replay = x->token ? replay_command(arena, &r->settings.run, x->token) : NULL;
    for (uint32_t i = 0; i < x->n_reports; i++) {
        if (r->quiet && report_is_minor(&x->reports[i]))
            continue;
        report_json(out, &x->reports[i], replay);
        buf_char(out, '\n');
    }
    for (uint32_t i = 0; i < x->n_unchecked && !r->quiet; i++) {
        report_json_note(out, REP_NOTE, "unchecked",
                         arena_printf(arena, "note: nobody checked output %s: it has no golden",
                                      x->unchecked[i]));
        buf_char(out, '\n');
    }
    report_json_run(out, x, status);
    buf_char(out, '\n');
}

/* Without notes and warnings where nobody wants them. */
static const char *quiet_text(pld_run *r)
{
    RunResult some = r->result;
    some.reports = arena_array(&r->result.arena, some.n_reports + 1, sizeof *some.reports);
    some.n_reports = 0;
    for (uint32_t i = 0; i < r->result.n_reports; i++)
        if (!report_is_minor(&r->result.reports[i]))
            some.reports[some.n_reports++] = r->result.reports[i];
    return run_result_text(&r->result.arena, &some);
}

int run_show(pld_run *r, int status)
{
    if (r->cost)
        cost_print_json(r->world, &r->result, &r->outputs[OUT_COST]);
    if (r->world)
        print_records(r);
    if (r->world && r->dispatches)
        dispatches_print(r->world, &r->outputs[OUT_DISPATCHES]);
    if (r->world && !print_tensors(r) && status == PLD_OK)
        status = PLD_USAGE;
    r->text = r->quiet ? quiet_text(r) : run_result_text(&r->result.arena, &r->result);
    if (r->json)
        print_json(r, status);
    const BcProgram *p = program_code(r->program);
    if (r->junit)
        junit_run(&r->outputs[OUT_JUNIT], p->strings[p->program_name], r->settings.run.checks,
                  &r->result, status);
    return status;
}
