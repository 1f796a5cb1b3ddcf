/* Every interleaving of a run, and what each synchronisation is for. */
#include "api/run.h"
#include "base/json.h"
#include "sim/explore/certify.h"
#include "sim/explore/explain.h"
#include "sim/host/run.h"
#include "sim/sched/replay.h"

#include <string.h>

static void key_text(JsonWriter *w, const char *key, const char *value)
{
    json_key(w, key);
    if (value)
        json_str(w, value);
    else
        json_number(w, "null");
}

/* ---- exploration */

/* Of all executions only those that are reported print: they are run once more. */
static void print_again(pld_run *r, const char *token)
{
    RunConfig c = run_config(r, &r->result.arena);
    RunResult result = {0};
    if (!bc_prints(program_code(r->program)))
        return;
    c.schedule = token;
    c.progress = NULL;
    (void)sim_run(program_code(r->program), &c, &result);
    run_result_free(&result);
}

/* Rows of a golden mismatch and the like are named by what they are. */
static const char *kind_of(const ExploreFailure *f)
{
    switch (f->status) {
    case EXIT_DEADLOCK: return "deadlock";
    case EXIT_GOLDEN: return "golden";
    case EXIT_FAULT: return "fault";
    case EXIT_STEPS: return "steps";
    default: return f->check;
    }
}

static void failure(JsonWriter *w, const ExploreFailure *f)
{
    json_newline(w);
    json_open(w, '{');
    key_text(w, "kind", kind_of(f));
    json_member_int(w, "status", (uint64_t)f->status);
    json_member_int(w, "count", f->count);
    key_text(w, "token", f->token);
    key_text(w, "text", f->text);
    json_close(w);
}

static void explored(pld_run *r, const ExploreResult *x)
{
    JsonWriter w;
    bool outcomes = r->settings.explore.outcomes;
    json_init(&w, &r->search);
    json_open(&w, '{');
    json_member_int(&w, "executions", x->executions);
    json_member_bool(&w, "complete", x->complete);
    json_member_bool(&w, "verified", x->complete && x->status == EXIT_OK && !outcomes);
    key_text(&w, "decides", x->decides);
    key_text(&w, "stopped", x->stopped);
    json_member_int(&w, "orders", x->orders);
    json_member_open(&w, "failures", '[');
    for (uint32_t i = 0; i < x->n_failures; i++)
        failure(&w, &x->failures[i]);
    json_close(&w);
    json_member_open(&w, "outcomes", '[');
    for (uint32_t i = 0; i < x->n_outcomes; i++)
        json_str(&w, x->outcomes[i]);
    json_close(&w);
    json_close(&w);
}

static void count_execution(void *env, uint64_t executions, uint64_t transitions)
{
    pld_run *r = env;
    (void)transitions;
    run_ask(r, executions);
}

static int explore_all(void *env)
{
    pld_run *r = env;
    ExploreResult x = {0};
    ExploreOptions o = r->settings.explore;
    RunConfig c = run_config(r, &r->result.arena);
    c.progress = NULL; /* of one execution */
    c.print = NULL;
    o.progress = r->progress ? count_execution : NULL;
    o.progress_env = r;
    bool search = o.search || o.brute;
    if (search || !explore_certified(program_code(r->program), &c, &o, &x))
        (void)explore(program_code(r->program), &c, &o, &x);
    Buf text = {0};
    if (x.text)
        buf_str(&text, x.text);
    for (uint32_t i = 0; i < x.n_failures; i++) {
        print_again(r, x.failures[i].token);
        buf_printf(&text, "%s%s\n", x.failures[i].text,
                   replay_line(&x.arena, &c, x.failures[i].token));
    }
    r->text = arena_strndup(&r->result.arena, text.at ? text.at : "", text.len);
    if (x.n_failures)
        r->searched = arena_printf(&r->result.arena, "%s", x.failures[0].token);
    if (x.status == EXIT_USAGE)
        r->why = r->text;
    explored(r, &x);
    int status = x.status;
    bool cancelled = status == EXIT_INCOMPLETE && atomic_load(&r->cancelled);
    explore_free(&x);
    buf_free(&text);
    return cancelled ? PLD_CANCELLED : status;
}

static int search(pld_run *r, int (*work)(void *env))
{
    if (r->callbacks.len && !r->broken)
        return run_refuse(r, "the program has sub-workers: they cannot be called in an order of "
                             "its own for each execution");
    int status = r->broken ? r->broken : run_settle(r);
    if (status != PLD_OK)
        return status;
    run_clock(r);
    r->budget.limit = r->settings.max_memory;
    status = run_finish(r, border(&r->work, work, r));
    atomic_store(&r->cancelled, 0);
    return status;
}

int pld_explore(pld_run *run)
{
    return search(run, explore_all);
}

/* ---- what each synchronisation is for */

static void explain_run(JsonWriter *w, const ExplainRun *run)
{
    json_open(w, '{');
    json_member_bool(w, "tried", run->tried);
    json_member_bool(w, "complete", run->complete);
    key_text(w, "why", run->why);
    key_text(w, "token", run->token);
    json_close(w);
}

static void explain_row(JsonWriter *w, const ExplainRow *row, uint32_t n_devices)
{
    Buf text = {0};
    explain_row_text(row, n_devices, &text);
    json_newline(w);
    json_open(w, '{');
    key_text(w, "text", row->text);
    key_text(w, "verdict", text.at + strlen(row->text) + 2);
    json_member_bool(w, "needed", row->runs[0].why || row->runs[1].why);
    json_member_bool(w, "reads_only", row->reads_only);
    json_member_open(w, "runs", '[');
    explain_run(w, &row->runs[0]);
    explain_run(w, &row->runs[1]);
    json_close(w);
    json_close(w);
    buf_free(&text);
}

static int explain_all(void *env)
{
    pld_run *r = env;
    ExplainResult x = {0};
    RunConfig c = run_config(r, &r->result.arena);
    c.progress = NULL;
    c.print = NULL;
    int status = explain_sync(program_code(r->program), &c, r->settings.explore.bound, &x);
    r->text = arena_printf(&r->result.arena, "%s", x.text ? x.text : "");
    if (status == EXIT_USAGE)
        r->why = r->text;
    JsonWriter w;
    json_init(&w, &r->search);
    json_open(&w, '{');
    key_text(&w, "text", x.text);
    json_member_open(&w, "rows", '[');
    for (uint32_t i = 0; i < x.n_rows; i++)
        explain_row(&w, &x.rows[i], c.n_devices);
    json_close(&w);
    json_close(&w);
    explain_free(&x);
    return status == EXIT_INCOMPLETE && atomic_load(&r->cancelled) ? PLD_CANCELLED : status;
}

int pld_explain(pld_run *run)
{
    return search(run, explain_all);
}

const char *pld_explore_json(const pld_run *run)
{
    return run->broken || !run->search.at ? "" : run->search.at;
}
