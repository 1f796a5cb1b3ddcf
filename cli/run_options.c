#include "cli/run_options.h"
#include "cli/outside.h"
#include "sim/sched/replay.h"

#include "base/buf.h"
#include "cli/version.h"
#include "sim/host/run.h"

#include <string.h>

#define TOOL "pldrun"

typedef enum {
#define PLD_OPTION(ENUM, name, letter, arg, metavar, help) O_##ENUM,
#include "cli/pldrun_options.def"
    O_COUNT
} OptionId;

static const OptSpec specs[] = {
#define PLD_OPTION(ENUM, name, letter, arg, metavar, help) {name, letter, arg, metavar, help},
#include "cli/pldrun_options.def"
};

static const char usage[] =
    "Usage: pldrun [options] [PROGRAM] [--PARAM VALUE ...]\n"
    "Run a program on simulated devices. PROGRAM: .pldb (default a.pldb), .pld, .ir.\n\n";
static const char tail[] =
    "\nExit status: 0 OK, 1 golden mismatch, 2 usage, input or compile error,\n"
    "3 deadlock, 4 a check fired, 5 run-time fault, 6 step limit,\n"
    "7 exploration incomplete, 70 internal error, 71 out of memory.\n"
    "Manual: pldrun(1).\n";

static bool fail(const char *option, const char *wants, const char *value)
{
    usage_error(TOOL, "%s takes %s, not '%s'", option, wants, value);
    return false;
}

static bool named(RunOptions *o, const char *option, const char *value, NamedTexts *list)
{
    const char *equals = strchr(value, '=');
    if (!equals || equals == value || !equals[1])
        return fail(option, "NAME=FILE", value);
    const char *name = arena_strndup(&o->arena, value, (size_t)(equals - value));
    for (uint32_t i = 0; i < list->len; i++)
        if (strcmp(list->at[i].name, name) == 0) {
            usage_error(TOOL, "%s names %s twice", option, name);
            return false;
        }
    avec_push(&o->arena, list, (NamedText){name, equals + 1});
    return true;
}

static bool devices_option(RunOptions *o, const char *value)
{
    const char *why;
    o->devices.len = 0;
    if (devices_parse(&o->arena, value, &o->devices, &why))
        return true;
    usage_error(TOOL, "-d %s: %s", value, why);
    return false;
}

static bool platform_option(RunOptions *o, const char *value)
{
    const char *why;
    o->platform = platform_from_name(value, &why);
    if (!o->platform)
        usage_error(TOOL, "%s", why);
    return o->platform != NULL;
}

static bool check_option(RunOptions *o, const char *value)
{
    static const struct {
        const char *name;
        unsigned bit;
    } checks[] = {{"races", CHECK_RACES},   {"uninit", CHECK_UNINIT}, {"signals", CHECK_SIGNALS},
                  {"fences", CHECK_FENCES}, {"all", CHECK_ALL},       {"none", 0}};
    o->run.checks = 0;
    for (const char *at = value;; at++) {
        size_t len = strcspn(at, ","), i = 0;
        while (i < 6 && (strlen(checks[i].name) != len || memcmp(at, checks[i].name, len)))
            i++;
        if (i == 6)
            return fail("--check", "a list of races, uninit, signals, fences, or none", value);
        o->run.checks |= checks[i].bit;
        at += len;
        if (!*at)
            return true;
    }
}

static bool mem_option(RunOptions *o, const char *value)
{
    o->run.weak = strcmp(value, "weak") == 0;
    return o->run.weak || strcmp(value, "sc") == 0 || fail("--mem", "sc or weak", value);
}

static bool cost_option(RunOptions *o, const char *value)
{
    o->run.cost = true;
    o->cost_json = value && strcmp(value, "json") == 0;
    return !value || o->cost_json || fail("--cost", "json or nothing", value);
}

static bool timeline_option(RunOptions *o, const char *value)
{
    size_t n = strlen(value);
    o->timeline = value;
    return (n > 4 && strcmp(value + n - 4, ".svg") == 0) ||
           (n > 5 && strcmp(value + n - 5, ".html") == 0) ||
           fail("--timeline", "a FILE.svg or FILE.html", value);
}

static bool integer(const char *option, const char *value, uint64_t *out)
{
    int64_t v;
    if (!parse_int(value, 0, INT64_MAX, &v))
        return fail(option, "a number from 0", value);
    *out = (uint64_t)v;
    return true;
}

static bool tolerance(const char *option, const char *value, double *out)
{
    return parse_number(value, out) || fail(option, "a number from 0", value);
}

/* Devices run one after another: the order is what makes a run the same everywhere. */
static bool jobs_option(RunOptions *o, const char *value)
{
    int64_t n;
    if (!parse_int(value, 1, 256, &n))
        return fail("-j", "a number from 1 to 256", value);
    o->explore.jobs = (uint32_t)n;
    return true;
}

static bool define_option(RunOptions *o, const char *value)
{
    return defines_add(&o->arena, &o->defines, value) || fail("-D", "NAME=VALUE", value);
}

static bool explore_option(RunOptions *o, const char *value)
{
    int64_t bound;
    o->explores = true;
    if (!value)
        return true;
    if (strcmp(value, "outcomes") == 0)
        return o->explore.outcomes = true;
    if (strcmp(value, "search") == 0)
        return o->explore.search = true;
    if (!parse_int(value, 1, INT64_MAX, &bound))
        return fail("--explore", "a number of executions from 1, outcomes or search", value);
    o->explore.bound = (uint64_t)bound;
    return true;
}

static bool time_option(RunOptions *o, const char *value)
{
    char *end;
    o->time_limit = strtod(value, &end);
    if (*value >= '0' && *value <= '9' && !*end && o->time_limit > 0 && o->time_limit < 1e9)
        return true;
    return fail("--time-limit", "a number of seconds", value);
}

static bool list_option(OptionId id)
{
    if (id == O_VERSION)
        puts("pldrun " PLD_VERSION);
    else if (id == O_HELP)
        opt_print_help(stdout, usage, specs, O_COUNT, tail);
    return id == O_VERSION || id == O_HELP;
}

/* Every row of the table has its case here: a missing one does not compile. */
static bool set_option(RunOptions *o, OptionId id, const char *value)
{
    switch (id) {
    case O_PLATFORM: return platform_option(o, value);
    case O_DEVICES: return devices_option(o, value);
    case O_JOBS: return jobs_option(o, value);
    case O_DEFINE: return define_option(o, value);
    case O_INPUT: return named(o, "--input", value, &o->inputs);
    case O_GOLDEN: return named(o, "--golden", value, &o->goldens);
    case O_TENSOR:
        return outside_tensor(&o->arena, &o->defines, value) ||
               fail("--tensor", "NAME=DTYPE[EXTENTS]", value);
    case O_OUTPUT: return named(o, "--output", value, &o->outputs);
    case O_RTOL: return tolerance("--rtol", value, &o->run.rtol);
    case O_ATOL: return tolerance("--atol", value, &o->run.atol);
    case O_SEED: return integer("--seed", value, &o->run.seed);
    case O_CHECK: return check_option(o, value);
    case O_MEM: return mem_option(o, value);
    case O_MAX_STEPS: return integer("--max-steps", value, &o->run.max_steps);
    case O_TIME_LIMIT: return time_option(o, value);
    case O_TRACE: o->trace = value; return true;
    case O_TIMELINE: return timeline_option(o, value);
    case O_COST: return cost_option(o, value);
    case O_EXPLORE: return explore_option(o, value);
    case O_SCHEDULE: o->run.schedule = value; return true;
    case O_PROGRAM: o->compile.specialize.program = value; return true;
    case O_ENTRY: o->compile.specialize.entry = value; return true;
    case O_SCRIPT: return o->compile.script = true;
    case O_PRINT: avec_push(&o->arena, &o->prints, value); return true;
    case O_PLATFORM_SET: avec_push(&o->arena, &o->platform_sets, value); return true;
    case O_WARNING: avec_push(&o->arena, &o->warnings, value); return true;
    case O_EXPLAIN_SYNC: return o->explains = true;
    case O_EXPLORE_BRUTE: return o->explores = o->explore.brute = true;
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
        return set_option(o, (OptionId)id, scan->value);
    return id == OPT_SEPARATOR || defines_take(TOOL, &o->arena, &o->defines, scan, o->path);
}

static void finish(RunOptions *o)
{
    RunConfig *run = &o->run;
    if (!o->path)
        o->path = "a.pldb";
    run->inputs = o->inputs.at;
    run->n_inputs = o->inputs.len;
    run->goldens = o->goldens.at;
    run->n_goldens = o->goldens.len;
    run->outputs = o->outputs.at;
    run->n_outputs = o->outputs.len;
    o->compile.path = o->path;
    o->compile.warnings = o->warnings.at;
    o->compile.n_warnings = o->warnings.len;
    o->compile.quiet = o->quiet;
    o->compile.specialize.platform = o->platform;
    o->compile.specialize.ranks =
        o->devices.len ? o->devices.len : replay_devices(run->schedule ? run->schedule : "");
    for (uint32_t i = 0; i < o->inputs.len; i++)
        outside_file(&o->arena, &o->defines, o->inputs.at[i].name, o->inputs.at[i].value);
    for (uint32_t i = 0; i < o->goldens.len; i++)
        outside_file(&o->arena, &o->defines, o->goldens.at[i].name, o->goldens.at[i].value);
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
           id == O_JOBS || id == O_TIME_LIMIT || id == O_PROGRESS;
}

int run_options_parse(RunOptions *o, int argc, char **argv)
{
    OptScan scan;
    *o = (RunOptions){.compile = {.tool = TOOL, .stop_after = PASS_FINAL, .verify_each = true},
                      .run = {.host = &host_files, .rtol = -1, .atol = -1, .checks = CHECK_ALL}};
    opt_init(&scan, specs, O_COUNT, argc, argv);
    Buf command = {0};
    quote_word(&command, argv[0]);
    int status = -1, from = scan.at;
    for (int id; status < 0 && (id = opt_next(&scan)) != OPT_END; from = scan.at) {
        if (id >= 0 && list_option((OptionId)id))
            status = STATUS_OK;
        else if (!one_option(o, &scan, id))
            status = STATUS_USAGE;
        for (int i = from; i < scan.at && !of_many_runs(id); i++)
            quote_word(&command, argv[i]);
    }
    o->run.command = arena_strndup(&o->arena, command.at, command.len);
    buf_free(&command);
    if (status < 0)
        finish(o);
    if (status < 0 && o->explore.jobs > 1 && !o->explores)
        status = usage_error(TOOL, "-j %u: devices run on one thread; leave -j out, or --explore",
                             o->explore.jobs);
    return status;
}
