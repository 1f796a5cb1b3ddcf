#include "cli/run_options.h"
#include "api/outside.h"
#include "sim/sched/replay.h"

#include "base/buf.h"
#include "cli/version.h"
#include "sim/host/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOOL "pldrun"

typedef enum {
#define PLD_OPTION(ENUM, name, letter, arg, metavar, help) O_##ENUM,
#include "cli/pldrun_options.def"
    O_COUNT
} RunnerOption;

static const OptSpec specs[] = {
#define PLD_OPTION(ENUM, name, letter, arg, metavar, help) {name, letter, arg, metavar, help},
#include "cli/pldrun_options.def"
};

static const char usage[] =
    "Usage: pldrun [options] [PROGRAM] [--PARAM VALUE ...]\n"
    "Run a program on simulated devices. PROGRAM: .pldb (default a.pldb), .pld, .ir.\n\n";
static const char tail[] =
    "\nExit status: 0 OK, 1 golden mismatch, 2 usage or compile error, 3 deadlock,\n"
    "4 check, 5 fault, 6 step limit, 7 incomplete, 70, 71: see pldrun(1).\n";

static bool fail(const char *option, const char *wants, const char *value)
{
    usage_error(TOOL, "%s takes %s, not '%s'", option, wants, value);
    return false;
}

static bool cost_option(RunOptions *o, const char *value)
{
    o->set.run.cost = true;
    o->cost_json = value && strcmp(value, "json") == 0;
    return !value || o->cost_json || fail("--cost", "json or nothing", value);
}

static bool diagnostics_option(RunOptions *o, const char *value)
{
    o->json = strcmp(value, "json") == 0;
    o->compile.diag_format = o->json ? DIAG_JSON : DIAG_TEXT;
    return o->json || strcmp(value, "text") == 0 || fail("--diagnostics", "text or json", value);
}

static bool report_option(RunOptions *o, const char *value)
{
    static const char form[] = "junit:";
    size_t n = sizeof form - 1;
    o->junit = value + n;
    return (strncmp(value, form, n) == 0 && value[n]) || fail("--report", "junit:FILE", value);
}

static bool timeline_option(RunOptions *o, const char *value)
{
    size_t n = strlen(value);
    o->timeline = value;
    return (n > 4 && strcmp(value + n - 4, ".svg") == 0) ||
           (n > 5 && strcmp(value + n - 5, ".html") == 0) ||
           fail("--timeline", "a FILE.svg or FILE.html", value);
}

/* What the library takes too. */
static bool setting(RunOptions *o, RunnerOption id, const char *value)
{
    if (run_setting(&o->set, specs[id].name, value) == SETTING_OK)
        return true;
    usage_error(TOOL, "%s", o->set.why);
    return false;
}

static bool explore_option(RunOptions *o, const char *value)
{
    o->explores = true;
    return !value || setting(o, O_EXPLORE, value);
}

static bool list_option(RunnerOption id)
{
    if (id == O_VERSION)
        puts("pldrun " PLD_VERSION);
    else if (id == O_HELP)
        opt_print_help(stdout, usage, specs, O_COUNT, tail);
    return id == O_VERSION || id == O_HELP;
}

static bool fabric_option(RunOptions *o, const char *value)
{
    bool path = strncmp(value, "mpi:", 4) == 0 && value[4];
    o->spread = path || strcmp(value, "mpi") == 0;
    o->plugin = path ? value + 4 : NULL;
    return o->spread || fail("--fabric", "mpi or mpi:PATH", value);
}

static bool map_option(RunOptions *o, const char *value)
{
    o->cyclic = strcmp(value, "cyclic") == 0;
    return o->cyclic || strcmp(value, "block") == 0 || fail("--map", "block or cyclic", value);
}

static bool stall_option(RunOptions *o, const char *value)
{
    char *end;
    o->stall = strtod(value, &end);
    return (end != value && !*end && o->stall >= 0 && o->stall < 1e9) ||
           fail("--stall", "a number of seconds", value);
}

/* What is about a model of memory or schedules says nothing of a machine. */
static const char *not_over_processes(const RunOptions *o)
{
    return o->explores           ? "--explore"
           : o->explains         ? "--explain-sync"
           : o->set.run.weak     ? "--mem=weak"
           : o->set.run.schedule ? "--schedule"
           : o->disasm           ? "--disasm"
                                 : NULL;
}

static int check_spread(const RunOptions *o)
{
    const char *refused = not_over_processes(o);
    if (o->spread && refused)
        return usage_error(
            TOOL, "%s is about one simulated run, and --fabric=mpi runs on a machine", refused);
    if (!o->spread && (o->cyclic || o->no_shared))
        return usage_error(TOOL, "%s goes with --fabric=mpi", o->cyclic ? "--map" : "--no-shared");
    return -1;
}

/* Every row of the table has its case here: a missing one does not compile. */
static bool set_option(RunOptions *o, RunnerOption id, const char *value)
{
    switch (id) {
    case O_TENSOR:
        return outside_tensor(&o->arena, &o->set.defines, value) ||
               fail("--tensor", "NAME=DTYPE[EXTENTS]", value);
    case O_PLATFORM:
    case O_DEVICES:
    case O_JOBS:
    case O_DEFINE:
    case O_INPUT:
    case O_GOLDEN:
    case O_OUTPUT:
    case O_RTOL:
    case O_ATOL:
    case O_SEED:
    case O_MEM:
    case O_MAX_STEPS:
    case O_MAX_MEMORY:
    case O_TIME_LIMIT:
    case O_SCHEDULE:
    case O_PLATFORM_SET: return setting(o, id, value);
    case O_TRACE: o->trace = value; return true;
    case O_TIMELINE: return timeline_option(o, value);
    case O_COST: return cost_option(o, value);
    case O_EXPLORE: return explore_option(o, value);
    case O_PROGRAM: o->compile.specialize.program = value; return true;
    case O_ENTRY: o->compile.specialize.entry = value; return true;
    case O_SCRIPT: return o->compile.script = true;
    case O_PRINT: avec_push(&o->arena, &o->prints, value); return true;
    case O_WATCH: avec_push(&o->arena, &o->watches, value); return true;
    case O_WARNING: avec_push(&o->arena, &o->warnings, value); return true;
    case O_EXPLAIN_SYNC: return o->explains = true;
    case O_EXPLORE_BRUTE: return o->explores = o->set.explore.brute = true;
    case O_NO_PRINT: return o->no_print = true;
    case O_CHECK: return o->checks_said = setting(o, id, value);
    case O_FABRIC: return fabric_option(o, value);
    case O_MAP: return map_option(o, value);
    case O_NO_SHARED: return o->no_shared = true;
    case O_STALL: return stall_option(o, value);
    case O_DIAGNOSTICS: return diagnostics_option(o, value);
    case O_REPORT: return report_option(o, value);
    case O_DISASM: return o->disasm = true;
    case O_QUIET: return o->quiet = true;
    case O_PROGRESS: return o->progress = true;
    case O_VERBOSE: return o->verbose = o->compile.verbose = true;
    case O_VERSION:
    case O_HELP: /* list_option */
    case O_COUNT: break;
    }
    return false;
}

static bool positional(RunOptions *o, const char *word)
{
    if (o->path) {
        usage_error(TOOL, "one program at a time: '%s' and '%s'", o->path, word);
        return false;
    }
    o->path = word;
    return true;
}

static bool one_option(RunOptions *o, OptScan *scan, int id)
{
    if (id == OPT_BAD || id == OPT_UNKNOWN_LETTER)
        return opt_usage_error(TOOL, scan, id) == STATUS_OK;
    if (id == OPT_POSITIONAL)
        return positional(o, scan->value);
    if (id >= 0)
        return set_option(o, (RunnerOption)id, scan->value);
    return id == OPT_SEPARATOR || defines_take(TOOL, &o->arena, &o->set.defines, scan, o->path);
}

/* What pldc has made, where nothing is named. */
static int default_path(RunOptions *o)
{
    if (o->path)
        return -1;
    o->path = "a.pldb";
    if (access(o->path, F_OK) == 0)
        return -1;
    (void)fputs(usage, stderr);
    return usage_error(TOOL, "no program is named, and there is no a.pldb: pldrun PROGRAM.pld");
}

static unsigned processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

static void finish(RunOptions *o)
{
    if (o->spread && !o->checks_said)
        o->set.run.checks = CHECK_UNINIT;
    run_settings_finish(&o->set);
    if (!o->set.run.threads)
        o->set.run.threads = processors();
    o->compile.path = o->path;
    o->compile.warnings = o->warnings.at;
    o->compile.n_warnings = o->warnings.len;
    o->compile.quiet = o->quiet;
    o->compile.specialize.platform = o->set.platform;
    RunSettings *s = &o->set;
    o->compile.specialize.ranks =
        s->devices.len ? s->devices.len : replay_devices(s->run.schedule ? s->run.schedule : "");
    for (uint32_t i = 0; i < s->inputs.len; i++)
        outside_file(&o->arena, &s->defines, s->inputs.at[i].name, s->inputs.at[i].value);
    for (uint32_t i = 0; i < s->goldens.len; i++)
        outside_file(&o->arena, &s->defines, s->goldens.at[i].name, s->goldens.at[i].value);
}

/* ---- the command, to be pasted ---- */

static bool plain_word(const char *word)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_./=,:@%+-";
    return *word && strspn(word, safe) == strlen(word);
}

static void quote_word(Buf *out, const char *word)
{
    if (out->len)
        buf_char(out, ' ');
    if (plain_word(word)) {
        buf_str(out, word);
        return;
    }
    buf_char(out, '\'');
    for (; *word; word++)
        if (*word == '\'')
            buf_str(out, "'\\''");
        else
            buf_char(out, *word);
    buf_char(out, '\'');
}

/* What asks for many runs, or for another schedule, is no part of it. */
static bool of_many_runs(int id)
{
    return id == O_EXPLORE || id == O_EXPLORE_BRUTE || id == O_EXPLAIN_SYNC || id == O_SCHEDULE ||
           id == O_JOBS || id == O_TIME_LIMIT || id == O_MAX_MEMORY || id == O_PROGRESS;
}

int run_options_parse(RunOptions *o, int argc, char **argv)
{
    OptScan scan;
    *o = (RunOptions){.compile = {.stop_after = PASS_FINAL, .verify_each = true}, .stall = 60};
    run_settings_init(&o->set);
    opt_init(&scan, specs, O_COUNT, argc, argv);
    Buf command = {0};
    quote_word(&command, argv[0]);
    int status = -1, from = scan.at;
    for (int id; status < 0 && (id = opt_next(&scan)) != OPT_END; from = scan.at) {
        if (id >= 0 && list_option((RunnerOption)id))
            status = STATUS_OK;
        else if (!one_option(o, &scan, id))
            status = STATUS_USAGE;
        for (int i = from; i < scan.at && !of_many_runs(id); i++)
            quote_word(&command, argv[i]);
    }
    o->set.run.command = arena_strndup(&o->arena, command.at, command.len);
    buf_free(&command);
    if (status < 0)
        status = default_path(o);
    if (status < 0)
        finish(o);
    return status < 0 ? check_spread(o) : status;
}
