/* pldrun: the simulator. */
#include "base/file.h"
#include "base/terminal.h"
#include "cli/claims.h"
#include "cli/over.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/run_options.h"
#include "cli/show.h"
#include "cli/stop.h"
#include "cli/tool.h"
#include "sim/explore/certify.h"
#include "sim/machine/world.h"
#include "sim/report/cost.h"
#include "sim/report/print_tensor.h"
#include "sim/sched/replay.h"

#include <stdlib.h>
#include <string.h>

#define TOOL "pldrun"
#define MAX_PROGRAM_BYTES ((size_t)1 << 30)

/* A program to run: compiled from text, or read. */
typedef struct {
    Compilation compiled;
    bool from_text;
    Arena arena; /* of a decoded file */
    Buf file;
    const BcProgram *bytecode;
} Loaded;

static int usage_text(const char *text)
{
    terminal_line(stderr, TOOL ": error: %s", text);
    return STATUS_USAGE;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool is_text(const RunOptions *o)
{
    return o->compile.script || strcmp(o->path, "-") == 0 || ends_with(o->path, ".pld") ||
           ends_with(o->path, ".ir") || ends_with(o->path, ".py");
}

static int compile_program(RunOptions *o, Loaded *l)
{
    l->from_text = true;
    o->compile.specialize.defines = o->set.defines.at;
    o->compile.specialize.n_defines = o->set.defines.len;
    CompileStatus status = tool_compile(TOOL, &l->compiled, &o->compile);
    if (l->compiled.bytecode)
        bc_hash(l->compiled.bytecode);
    l->bytecode = l->compiled.bytecode;
    /* A program that does not compile is bad input to pldrun. */
    return (int)(status == STATUS_ERRORS ? STATUS_USAGE : status);
}

static int read_program(RunOptions *o, Loaded *l)
{
    char *why_file = NULL;
    const char *why = NULL;
    if (!file_read(o->path, &l->file, MAX_PROGRAM_BYTES, &why_file)) {
        int status = usage_text(why_file);
        xfree(why_file);
        return status;
    }
    l->bytecode = bc_decode(&l->arena, l->file.at, l->file.len, &why);
    if (!l->bytecode)
        return usage_error(TOOL, "%s: %s", o->path, why);
    return STATUS_OK;
}

static bool warns_idle(const RunOptions *o)
{
    bool on = !o->quiet;
    for (uint32_t i = 0; i < o->warnings.len; i++) {
        const char *w = o->warnings.at[i];
        if (strcmp(w, "no-idle-device") == 0 || strcmp(w, "no-all") == 0)
            on = false;
        else if (!o->quiet && (strcmp(w, "idle-device") == 0 || strcmp(w, "all") == 0))
            on = true;
    }
    return on;
}

/* A program without a host function of its own runs on one device. */
static void say_idle(const RunOptions *o)
{
    if (o->set.idle && warns_idle(o))
        say_note(o, REP_WARNING, "idle-device",
                 TOOL ": warning: idle: device%s %s: a program without a host function runs "
                      "on one device, %u here [-Widle-device]",
                 strchr(o->set.idle, ',') ? "s" : "", o->set.idle, o->set.devices.at[0]);
}

static int load(RunOptions *o, Loaded *l)
{
    int status = is_text(o) ? compile_program(o, l) : read_program(o, l);
    if (status == STATUS_OK && !run_settings_bind(&o->set, l->bytecode, o->path, l->from_text))
        status = usage_error(TOOL, "%s", o->set.why);
    say_idle(o);
    return status;
}

static void print_reports(const RunOptions *o, const RunResult *r)
{
    Arena arena = {0};
    const char *replay = r->token ? replay_command(&arena, &o->set.run, r->token) : NULL;
    for (uint32_t i = 0; i < r->n_reports; i++)
        say_report(o, &r->reports[i], replay);
    for (uint32_t i = 0; i < r->n_unchecked && !o->quiet; i++)
        say_note(o, REP_NOTE, "unchecked", "note: nobody checked output %s: it has no golden",
                 r->unchecked[i]);
    if (o->verbose && !o->json)
        terminal_line(stderr,
                      r->time_ps < 0 ? "steps %llu, modelled time -"
                                     : "steps %llu, modelled time %lld.%06lld us",
                      (unsigned long long)r->steps, (long long)(r->time_ps / 1000000),
                      (long long)(r->time_ps % 1000000));
    arena_free(&arena);
}

static int print_tensors(RunOptions *o, const World *w)
{
    for (uint32_t i = 0; i < o->prints.len; i++) {
        const char *why;
        Buf text = {0};
        bool ok = print_named(&o->arena, &text, w, o->prints.at[i], &why);
        if (ok)
            terminal_text(o->cost_json ? stderr : stdout, text.at, text.len);
        buf_free(&text);
        if (!ok && o->json)
            say_note(o, REP_USAGE, "usage", TOOL ": error: %s", why);
        if (!ok)
            return o->json ? STATUS_USAGE : usage_error(TOOL, "%s", why);
    }
    return STATUS_OK;
}

static void print_cost(const RunOptions *o, World *w, const RunResult *r)
{
    Buf text = {0};
    if (o->cost_json)
        cost_print_json(w, r, &text);
    else if (w)
        cost_print(w, &text);
    terminal_text(stdout, text.at, text.len);
    buf_free(&text);
}

/* ---- what the program prints ---- */

typedef struct {
    Progress *progress;
    FILE *out;
} PrintSink;

static void show_print(void *env, const char *text, size_t len)
{
    const PrintSink *sink = env;
    progress_end(sink->progress);
    terminal_text(sink->out, text, len);
}

static void take_prints(RunOptions *o, PrintSink *sink, Progress *progress)
{
    *sink = (PrintSink){progress, o->cost_json ? stderr : stdout};
    if (o->no_print)
        return;
    o->set.run.print = show_print;
    o->set.run.print_env = sink;
}

static int run(RunOptions *o, const Loaded *l, Over *over)
{
    RunResult result = {0};
    World *w = NULL;
    Show show;
    Progress progress = {0};
    PrintSink sink;
    show_begin(&show, o);
    take_prints(o, &sink, &progress);
    show.watch.print = show_print;
    show.watch.env = &sink;
    if (!o->quiet)
        progress_begin(&progress, &o->set.run, &o->set.explore, o->progress);
    int status = over->transport ? over_run(over, o, l->bytecode, &result, &w)
                                 : sim_run_keep(l->bytecode, &o->set.run, &result, &w);
    progress_end(&progress);
    print_reports(o, &result);
    if (w) {
        int printed = print_tensors(o, w);
        if (printed != STATUS_OK && status == STATUS_OK)
            status = printed;
    }
    if (o->set.run.cost)
        print_cost(o, w, &result);
    if (over_speaks(over) && !show_write(&show, o, w) && status == STATUS_OK)
        status = STATUS_USAGE;
    world_free(w);
    show_free(&show);
    if (over_speaks(over) && !show_run_report(o, &result, status) && status == STATUS_OK)
        status = STATUS_USAGE;
    say_run_verdict(o, &result, status);
    if (status == STATUS_OK && !o->cost_json)
        puts(result.n_checked ? "OK" : "done (nothing checked)");
    run_result_free(&result);
    return status;
}

/* Of all executions only those that are reported print: they are run once more. */
static void print_again(const RunOptions *o, const Loaded *l, const char *token)
{
    Progress none = {0};
    PrintSink sink;
    RunOptions again = *o;
    RunResult result = {0};
    if (!bc_prints(l->bytecode))
        return;
    take_prints(&again, &sink, &none);
    again.set.run.schedule = token;
    again.set.run.progress = NULL;
    (void)sim_run(l->bytecode, &again.set.run, &result);
    run_result_free(&result);
}

static void print_failures(const RunOptions *o, const Loaded *l, ExploreResult *r)
{
    for (uint32_t i = 0; i < r->n_failures; i++) {
        const ExploreFailure *f = &r->failures[i];
        print_again(o, l, f->token);
        say_failure(o, f);
    }
}

/* `yes`, `no`, `no: interrupted`, or what one run decided. */
static void print_counts(const RunOptions *o, const ExploreResult *r)
{
    const char *what = r->decides ? r->decides : r->stopped;
    terminal_line(stdout, "executions=%llu complete=%s%s%s", (unsigned long long)r->executions,
                  r->complete ? "yes" : "no",
                  !what        ? ""
                  : r->decides ? " "
                               : ": ",
                  what ? what : "");
    if (!r->decides && r->complete && r->status == STATUS_OK && !o->set.explore.outcomes)
        puts("verified");
}

/* Why nothing could be tried. */
static void say_untried(const RunOptions *o, int status, const char *text)
{
    size_t n = strlen(text);
    Report r = {.kind = REP_USAGE};
    if (status != STATUS_USAGE) {
        terminal_text(stderr, text, n);
        return;
    }
    Arena arena = {0};
    while (n && text[n - 1] == '\n')
        n--;
    r.text = arena_strndup(&arena, text, n);
    say_report(o, &r, NULL);
    arena_free(&arena);
}

static int run_explore(RunOptions *o, const Loaded *l)
{
    Progress progress = {0};
    if (o->set.run.cost || o->trace || o->timeline || o->watches.len || o->prints.len)
        return usage_error(
            TOOL, "--cost, --trace, --timeline, --print and --watch show one run, not --explore");
    ExploreResult r = {0};
    bool search = o->set.explore.search || o->set.explore.brute;
    stop_on_signals();
    if (!o->quiet)
        progress_begin(&progress, &o->set.run, &o->set.explore, o->progress);
    o->set.run.progress = NULL; /* of one execution */
    if (search || !explore_certified(l->bytecode, &o->set.run, &o->set.explore, &r))
        (void)explore(l->bytecode, &o->set.run, &o->set.explore, &r);
    progress_end(&progress);
    int status = r.status;
    if (r.text) {
        say_untried(o, status, r.text);
    } else {
        print_failures(o, l, &r);
        for (uint32_t i = 0; i < r.n_outcomes; i++)
            terminal_line(stdout, "outcome: %s", r.outcomes[i]);
        if (o->verbose) {
            terminal_line(
                stderr,
                "%llu executions given up as equivalent to others, %llu transitions at most",
                (unsigned long long)r.blocked, (unsigned long long)r.most_steps);
            terminal_line(stderr, "%llu orders, %016llx", (unsigned long long)r.orders,
                          (unsigned long long)r.orders_hash);
        }
        print_counts(o, &r);
    }
    if (!show_explore_report(o, &r) && status == STATUS_OK)
        status = STATUS_USAGE;
    say_explore_verdict(o, &r);
    explore_free(&r);
    return status;
}

static void print_row(const RunOptions *o, const ExplainRow *row)
{
    Buf line = {0};
    explain_row_text(row, o->set.run.n_devices, &line);
    terminal_line(stdout, "%s", line.at);
    for (int i = 0; i < 2; i++)
        if (row->runs[i].token)
            terminal_line(stdout, "    replay: %s --schedule=%s", o->set.run.command,
                          row->runs[i].token);
    buf_free(&line);
}

static int run_explain(const RunOptions *o, const Loaded *l)
{
    ExplainResult r = {0};
    int status = explain_sync(l->bytecode, &o->set.run, o->set.explore.bound, &r);
    if (r.text)
        say_untried(o, status, r.text);
    for (uint32_t i = 0; i < r.n_rows; i++)
        print_row(o, &r.rows[i]);
    explain_free(&r);
    return status;
}

static void claim_inputs(RunOptions *o, Claims *claims, const char *option, const NamedTexts *list)
{
    for (uint32_t i = 0; i < list->len; i++)
        claims_input(claims, arena_printf(&o->arena, "%s %s", option, list->at[i].name),
                     list->at[i].value);
}

/* Is every file that will be written another one than those read, and than each other? */
static bool claim_files(RunOptions *o)
{
    Claims claims = {.arena = &o->arena, .tool = TOOL};
    claims_input(&claims, "the program", o->path);
    claim_inputs(o, &claims, "--input", &o->set.inputs);
    claim_inputs(o, &claims, "--golden", &o->set.goldens);
    for (uint32_t i = 0; i < o->set.platform_sets.len; i++)
        if (o->set.platform_sets.at[i][0] == '@')
            claims_input(&claims, "--platform-set", o->set.platform_sets.at[i] + 1);
    for (uint32_t i = 0; i < o->set.outputs.len; i++)
        if (!claims_output(&claims,
                           arena_printf(&o->arena, "--output %s", o->set.outputs.at[i].name),
                           o->set.outputs.at[i].value))
            return false;
    return (!o->trace || claims_output(&claims, "--trace", o->trace)) &&
           (!o->junit || claims_output(&claims, "--report", o->junit)) &&
           (!o->timeline || claims_output(&claims, "--timeline", o->timeline));
}

static int disassemble(const BcProgram *p)
{
    Buf text = {0};
    bc_disassemble(p, &text);
    terminal_text(stdout, text.at, text.len);
    buf_free(&text);
    return STATUS_OK;
}

static int tool(int argc, char **argv)
{
    RunOptions o;
    Loaded l = {0};
    Over over = {0};
    char *why = NULL;
    int status = run_options_parse(&o, argc, argv);
    if (status < 0 && !claim_files(&o))
        status = STATUS_USAGE;
    if (status < 0) {
        tool_limit_memory(o.set.max_memory);
        stop_after(o.set.time_limit);
        o.set.run.stop = stop_reason;
        status = o.spread ? over_begin(&over, &o) : STATUS_OK;
        if (status == STATUS_OK)
            status = load(&o, &l);
        if (over.transport)
            status = over_loaded(&over, &o, l.bytecode, status);
        if (status != STATUS_OK)
            say_run_verdict(&o, NULL, status);
        if (status == STATUS_OK)
            status = o.disasm     ? disassemble(l.bytecode)
                     : o.explains ? run_explain(&o, &l)
                     : o.explores ? run_explore(&o, &l)
                                  : run(&o, &l, &over);
        over_end(&over);
    }
    if (!stdout_finish(&why)) {
        usage_text(why);
        xfree(why);
        status = STATUS_USAGE;
    }
    if (l.from_text)
        compile_free(&l.compiled);
    buf_free(&l.file);
    arena_free(&l.arena);
    arena_free(&o.set.arena);
    arena_free(&o.arena);
    return status;
}

int main(int argc, char **argv)
{
    int status = tool_run(TOOL, argc, argv, tool);
    if (status == STATUS_MEMORY)
        over_abort(status); /* the others wait for this one */
    return status;
}
