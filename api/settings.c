#include "api/settings.h"

#include "base/file.h"
#include "sim/host/run.h"
#include "sim/sched/replay.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEVICES 4096
#define MAX_SETTINGS_BYTES ((size_t)1 << 20)

enum {
#define PLD_SETTING(ENUM, name) S_##ENUM,
#include "api/run_settings.def"
};

/* ---- texts ---- */

bool defines_add(Arena *arena, Defines *defines, const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    if (!equals || equals == assignment)
        return false;
    const char *name = arena_strndup(arena, assignment, (size_t)(equals - assignment));
    avec_push(arena, defines, ((Define){.name = name, .value = equals + 1}));
    return true;
}

bool parse_int(const char *text, int64_t lo, int64_t hi, int64_t *out)
{
    char *end;
    errno = 0;
    if (!(*text == '-' || (*text >= '0' && *text <= '9')))
        return false;
    long long v = strtoll(text, &end, 10);
    if (errno || *end || end == text || v < lo || v > hi)
        return false;
    *out = v;
    return true;
}

/* A finite non-negative number. */
static bool parse_number(const char *text, double *out)
{
    char *end;
    if (!(*text == '.' || (*text >= '0' && *text <= '9')))
        return false;
    *out = strtod(text, &end);
    return !*end && end != text && isfinite(*out);
}

static bool device_number(const char **at, const char *end, uint32_t *out)
{
    uint64_t v = 0;
    const char *start = *at;
    while (*at < end && **at >= '0' && **at <= '9' && v < 1000000000u)
        v = v * 10 + (uint64_t)(*(*at)++ - '0');
    *out = (uint32_t)v;
    return *at > start && v <= INT32_MAX;
}

static const char *add_device(Arena *arena, Devices *out, uint32_t id)
{
    for (uint32_t i = 0; i < out->len; i++)
        if (out->at[i] == id)
            return arena_printf(arena, "device %u is named twice", id);
    if (out->len == MAX_DEVICES)
        return arena_printf(arena, "more than %d devices", MAX_DEVICES);
    avec_push(arena, out, id);
    return NULL;
}

static const char *device_item(Arena *arena, const char *at, const char *end, Devices *out)
{
    uint32_t first, last;
    const char *item = at;
    if (at == end)
        return "an empty item";
    if (!device_number(&at, end, &first))
        return arena_printf(arena, "'%.*s' is not a device number", (int)(end - item), item);
    last = first;
    if (at < end && *at == '-') {
        at++;
        if (!device_number(&at, end, &last))
            return arena_printf(arena, "'%.*s' is not a range", (int)(end - item), item);
    }
    if (at != end)
        return arena_printf(arena, "'%.*s' is not a device number or range", (int)(end - item),
                            item);
    if (last < first)
        return arena_printf(arena, "the range %u-%u runs backwards", first, last);
    for (uint32_t id = first;; id++) {
        const char *why = add_device(arena, out, id);
        if (why || id == last)
            return why;
    }
}

bool devices_parse(Arena *arena, const char *text, Devices *out, const char **why)
{
    if (!*text) {
        *why = "no devices";
        return false;
    }
    for (const char *at = text;; at++) {
        const char *end = at + strcspn(at, ",");
        *why = device_item(arena, at, end, out);
        if (*why)
            return false;
        if (!*end)
            return true;
        at = end;
    }
}

/* ---- of a run ---- */

static bool refuse(RunSettings *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(RunSettings *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    s->why = arena_vprintf(&s->arena, fmt, ap);
    va_end(ap);
    return false;
}

static bool fail(RunSettings *s, const char *option, const char *wants, const char *value)
{
    return refuse(s, "%s takes %s, not '%s'", option, wants, value);
}

static bool named(RunSettings *s, const char *option, const char *value, NamedTexts *list)
{
    const char *equals = strchr(value, '=');
    if (!equals || equals == value || !equals[1])
        return fail(s, option, "NAME=FILE", value);
    const char *name = arena_strndup(&s->arena, value, (size_t)(equals - value));
    for (uint32_t i = 0; i < list->len; i++)
        if (strcmp(list->at[i].name, name) == 0) {
            return refuse(s, "%s names %s twice", option, name);
        }
    avec_push(&s->arena, list, (NamedText){name, equals + 1});
    return true;
}

static bool devices_option(RunSettings *s, const char *value)
{
    const char *why;
    s->devices.len = 0;
    if (devices_parse(&s->arena, value, &s->devices, &why))
        return true;
    return refuse(s, "-d %s: %s", value, why);
}

static bool platform_option(RunSettings *s, const char *value)
{
    const char *why;
    s->platform = platform_from_name(value, &why);
    return s->platform || refuse(s, "%s", why);
}

/* A list of words of `--check`; false at one that is none. */
static bool checks_parse(const char *value, unsigned *bits)
{
    static const struct {
        const char *word;
        unsigned bits;
    } words[] = {
#define PLD_CHECK(ENUM, word, reports) {word, CHECK_##ENUM},
#include "sim/machine/checks.def"
        {"all", CHECK_ALL},
        {"none", 0},
    };
    enum { N = sizeof words / sizeof *words };
    *bits = 0;
    for (const char *at = value;; at++) {
        size_t len = strcspn(at, ","), i = 0;
        while (i < N && (strlen(words[i].word) != len || memcmp(at, words[i].word, len) != 0))
            i++;
        if (i == N)
            return false;
        *bits |= words[i].bits;
        at += len;
        if (!*at)
            return true;
    }
}

static bool check_option(RunSettings *s, const char *value)
{
    static const char form[] = "a list of "
#define PLD_CHECK(ENUM, word, reports) word ", "
#include "sim/machine/checks.def"
                               "or none";
    return checks_parse(value, &s->run.checks) || fail(s, "--check", form, value);
}

static bool mem_option(RunSettings *s, const char *value)
{
    s->run.weak = strcmp(value, "weak") == 0;
    return s->run.weak || strcmp(value, "sc") == 0 || fail(s, "--mem", "sc or weak", value);
}

static bool integer(RunSettings *s, const char *option, const char *value, uint64_t *out)
{
    int64_t v;
    if (!parse_int(value, 0, INT64_MAX, &v))
        return fail(s, option, "a number from 0", value);
    *out = (uint64_t)v;
    return true;
}

static bool tolerance(RunSettings *s, const char *option, const char *value, double *out)
{
    return parse_number(value, out) || fail(s, option, "a number from 0", value);
}

/* Of an exploration, and of a run: one thread decides, another one moves bytes. */
static bool jobs_option(RunSettings *s, const char *value)
{
    int64_t n;
    if (!parse_int(value, 1, 256, &n))
        return fail(s, "-j", "a number from 1 to 256", value);
    s->explore.jobs = (uint32_t)n;
    s->run.threads = (unsigned)n;
    return true;
}

static bool define_option(RunSettings *s, const char *value)
{
    return defines_add(&s->arena, &s->defines, value) || fail(s, "-D", "NAME=VALUE", value);
}

static bool explore_option(RunSettings *s, const char *value)
{
    int64_t bound;
    if (strcmp(value, "outcomes") == 0)
        return s->explore.outcomes = true;
    if (strcmp(value, "search") == 0)
        return s->explore.search = true;
    if (!parse_int(value, 1, INT64_MAX, &bound))
        return fail(s, "--explore", "a number of executions from 1, outcomes or search", value);
    s->explore.bound = (uint64_t)bound;
    return true;
}

bool size_parse(const char *text, size_t *bytes)
{
    static const char units[] = "KMGT";
    size_t digits = strspn(text, "0123456789");
    const char *unit = text[digits] ? strchr(units, text[digits]) : NULL;
    uint32_t shift = unit ? 10 * (uint32_t)(unit - units + 1) : 0;
    char number[24];
    int64_t n;
    snprintf(number, sizeof number, "%.*s", (int)digits, text);
    if (!digits || digits >= sizeof number || text[digits + (unit != NULL)] ||
        !parse_int(number, 1, INT64_MAX >> shift, &n))
        return false;
    *bytes = (size_t)n << shift;
    return true;
}

static bool memory_option(RunSettings *s, const char *value)
{
    return size_parse(value, &s->max_memory) || fail(s, "--max-memory", SIZE_FORM, value);
}

static bool time_option(RunSettings *s, const char *value)
{
    char *end;
    s->time_limit = strtod(value, &end);
    if (*value >= '0' && *value <= '9' && !*end && s->time_limit > 0 && s->time_limit < 1e9)
        return true;
    return fail(s, "--time-limit", "a number of seconds", value);
}

static bool set(RunSettings *s, int id, const char *value)
{
    RunConfig *run = &s->run;
    switch (id) {
    case S_PLATFORM: return platform_option(s, value);
    case S_DEVICES: return devices_option(s, value);
    case S_JOBS: return jobs_option(s, value);
    case S_DEFINE: return define_option(s, value);
    case S_INPUT: return named(s, "--input", value, &s->inputs);
    case S_GOLDEN: return named(s, "--golden", value, &s->goldens);
    case S_OUTPUT: return named(s, "--output", value, &s->outputs);
    case S_RTOL: return tolerance(s, "--rtol", value, &run->rtol);
    case S_ATOL: return tolerance(s, "--atol", value, &run->atol);
    case S_SEED: return integer(s, "--seed", value, &run->seed);
    case S_CHECK: return check_option(s, value);
    case S_MEM: return mem_option(s, value);
    case S_MAX_STEPS: return integer(s, "--max-steps", value, &run->max_steps);
    case S_TIME_LIMIT: return time_option(s, value);
    case S_MAX_MEMORY: return memory_option(s, value);
    case S_EXPLORE: return explore_option(s, value);
    case S_SCHEDULE: run->schedule = value; return true;
    case S_PLATFORM_SET: avec_push(&s->arena, &s->platform_sets, value); return true;
    }
    return false;
}

SettingResult run_setting(RunSettings *s, const char *name, const char *value)
{
    static const char *const names[] = {
#define PLD_SETTING(ENUM, name) name,
#include "api/run_settings.def"
    };
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        if (strcmp(names[i], name) == 0)
            return set(s, i, value) ? SETTING_OK : SETTING_BAD;
    return SETTING_UNKNOWN;
}

static bool is_extent(const BcProgram *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_extents; i++)
        if (strcmp(p->strings[p->extents[i]], name) == 0)
            return true;
    return false;
}

/* The value of a binding that the program was compiled with, or NULL. */
static const char *compiled_as(const BcProgram *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_bindings; i++)
        if (strcmp(p->strings[p->bindings[i][0]], name) == 0)
            return p->strings[p->bindings[i][1]];
    return NULL;
}

/* Dynamic extents are bound at start; what else -D names is a parameter of the compiler. */
static bool take_extents(RunSettings *s, const BcProgram *p, const char *path, bool from_text)
{
    for (uint32_t i = 0; i < s->defines.len; i++) {
        const Define *d = &s->defines.at[i];
        if (strncmp(d->name, "tensor:", 7) == 0) {
            const char *had = from_text ? NULL : compiled_as(p, d->name);
            if (had && strcmp(had, d->value) != 0)
                return refuse(s,
                              "%s is compiled for %s=%s, not %s: compile it again with pldc "
                              "--tensor %s=%s",
                              path, d->name + 7, had, d->value, d->name + 7, d->value);
            continue;
        }
        if (is_extent(p, d->name))
            avec_push(&s->arena, &s->extents, (NamedText){d->name, d->value});
        else if (!from_text)
            return refuse(s,
                          "%s is compiled: parameter %s cannot be set any more; compile "
                          "it again with pldc -D %s=%s",
                          path, d->name, d->name, d->value);
    }
    s->run.extents = s->extents.at;
    s->run.n_extents = s->extents.len;
    return true;
}

/* NAME=NUMBER; `where` is for messages. */
static bool set_field(RunSettings *s, const char *where, const char *text)
{
    const char *equals = strchr(text, '='), *why;
    int64_t value;
    if (!equals || !parse_int(equals + 1, 0, INT64_MAX, &value))
        return refuse(s, "%s takes NAME=NUMBER, not '%s'", where, text);
    const char *name = arena_strndup(&s->arena, text, (size_t)(equals - text));
    if (!platform_set(&s->changed, name, value, &why))
        return refuse(s, "%s %s: %s", where, text, why);
    return true;
}

/* A line NAME=NUMBER without its spaces and comment, or NULL when nothing is left. */
static const char *settings_line(Arena *arena, const char *at, size_t len)
{
    char *out = arena_alloc(arena, len + 1);
    size_t n = 0;
    for (size_t i = 0; i < len && at[i] != '#'; i++)
        if (at[i] != ' ' && at[i] != '\t' && at[i] != '\r')
            out[n++] = at[i];
    out[n] = '\0';
    return n ? out : NULL;
}

static bool set_from_file(RunSettings *s, const char *path)
{
    Buf text = {0};
    char *why = NULL;
    bool ok = true;
    if (!file_read(path, &text, MAX_SETTINGS_BYTES, &why)) {
        ok = refuse(s, "%s", why);
        xfree(why);
    }
    for (size_t at = 0; at < text.len && ok;) {
        const char *end = memchr(text.at + at, '\n', text.len - at);
        size_t len = end ? (size_t)(end - text.at) - at : text.len - at;
        const char *line = settings_line(&s->arena, text.at + at, len);
        if (line)
            ok = set_field(s, path, line);
        at += len + 1;
    }
    buf_free(&text);
    return ok;
}

static bool set_platform(RunSettings *s, const BcProgram *p, const char *path)
{
    const Platform *compiled = &platforms[p->platform];
    if (s->platform && s->platform != compiled)
        return refuse(s, "%s is compiled for %s, not %s; compile it again with pldc -p %s", path,
                      compiled->name, s->platform->name, s->platform->name);
    s->changed = *compiled;
    s->run.platform = &s->changed;
    for (uint32_t i = 0; i < s->platform_sets.len; i++) {
        const char *text = s->platform_sets.at[i];
        if (!(text[0] == '@' ? set_from_file(s, text + 1) : set_field(s, "--platform-set", text)))
            return false;
    }
    return true;
}

void run_settings_init(RunSettings *s)
{
    *s = (RunSettings){.run = {.host = &host_files, .rtol = -1, .atol = -1, .checks = CHECK_ALL}};
}

void run_settings_finish(RunSettings *s)
{
    RunConfig *run = &s->run;
    run->inputs = s->inputs.at;
    run->n_inputs = s->inputs.len;
    run->goldens = s->goldens.at;
    run->n_goldens = s->goldens.len;
    run->outputs = s->outputs.at;
    run->n_outputs = s->outputs.len;
}

/* A program without a host function of its own runs on one device. */
static void leave_idle(RunSettings *s)
{
    Buf list = {0};
    for (uint32_t i = 1; i < s->devices.len; i++)
        buf_printf(&list, "%s%u", i > 1 ? ", " : "", s->devices.at[i]);
    if (list.len)
        s->idle = arena_strndup(&s->arena, list.at, list.len);
    buf_free(&list);
    s->devices.len = 1;
}

/* The devices of -d, else as many as the token, the dump or the bytecode is for. */
static void choose_devices(RunSettings *s, const BcProgram *p)
{
    uint32_t token = replay_devices(s->run.schedule ? s->run.schedule : "");
    uint32_t n = token ? token : p->compiled_ranks ? p->compiled_ranks : DEFAULT_RANKS;
    bool single = p->funcs[p->entry].generated;
    if (!s->devices.len)
        for (uint32_t i = 0; i < (single ? 1 : n); i++)
            avec_push(&s->arena, &s->devices, i);
    else if (single)
        leave_idle(s);
    s->run.devices = s->devices.at;
    s->run.n_devices = s->devices.len;
}

bool run_settings_bind(RunSettings *s, const BcProgram *program, const char *path, bool from_text)
{
    choose_devices(s, program);
    return take_extents(s, program, path, from_text) && set_platform(s, program, path);
}
