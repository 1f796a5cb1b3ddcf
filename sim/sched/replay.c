#include "sim/sched/replay.h"

#include "base/crc32.h"
#include "base/vec.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "r2."
#define MAX_CHOICES (UINT32_C(1) << 24)

typedef struct {
    uint64_t program, platform, inputs;
    uint32_t n_ranks;
    unsigned checks;
    bool weak;
    const char *schedule;
} ReplayToken;

bool replay_is_token(const char *text)
{
    return strncmp(text, PREFIX, strlen(PREFIX)) == 0;
}

static bool hex_field(const char **at, uint64_t *out)
{
    char *end;
    if (!strchr("0123456789abcdef", **at) || !**at)
        return false;
    *out = strtoull(*at, &end, 16);
    if (*end != '.' || end - *at > 16)
        return false;
    *at = end + 1;
    return true;
}

static bool count_field(const char **at, uint32_t *out)
{
    char *end;
    if (**at < '1' || **at > '9')
        return false;
    unsigned long v = strtoul(*at, &end, 10);
    if (*end != '.' || v > 1000000)
        return false;
    *out = (uint32_t)v;
    *at = end + 1;
    return true;
}

/* The check of the part of a token behind it. */
static uint32_t seal_of(const char *rest)
{
    return crc32_bytes(0, rest, strlen(rest));
}

static bool parse(const char *text, ReplayToken *t)
{
    uint64_t checks, seal;
    if (!replay_is_token(text))
        return false;
    const char *at = text + strlen(PREFIX);
    if (!hex_field(&at, &seal) || at != text + strlen(PREFIX) + 9 || seal != seal_of(at) ||
        !hex_field(&at, &t->program) || !count_field(&at, &t->n_ranks))
        return false;
    if ((at[0] != 's' && at[0] != 'w') || at[1] != '.')
        return false;
    t->weak = at[0] == 'w';
    at += 2;
    if (!hex_field(&at, &checks) || checks > CHECK_ALL || !hex_field(&at, &t->platform) ||
        !hex_field(&at, &t->inputs))
        return false;
    t->checks = (unsigned)checks ^ CHECK_TASKS; /* younger than the form: 0 is on */
    t->schedule = at;
    return *at != '\0';
}

static uint64_t hash_int(uint64_t hash, int64_t v)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)((uint64_t)v >> (8 * i));
    return hash64(hash, bytes, sizeof bytes);
}

static uint64_t platform_hash(const Platform *p)
{
    uint64_t hash = HASH64_INIT;
#define PLD_PLATFORM_FIELD(field, a2a3sim, a5sim, unit, doc) hash = hash_int(hash, p->field);
#include "base/platform.def"
    return hash;
}

static uint64_t scalar_hash(uint64_t hash, const Number *v)
{
    uint64_t bits = 0;
    memcpy(&bits, &v->f, sizeof v->f);
    hash = hash_int(hash, v->tag == NUM_FLOAT);
    return hash_int(hash, v->tag == NUM_FLOAT ? (int64_t)bits : v->i);
}

static uint64_t inputs_hash(const World *w)
{
    uint64_t hash = HASH64_INIT;
    for (uint32_t i = 0; i < w->program->n_extents; i++)
        hash = hash_int(hash, w->extents[i]);
    for (uint32_t i = 0; i < w->n_tensors; i++) {
        const HostTensor *t = &w->tensors[i];
        hash = hash_int(hash, t->bytes);
        if (t->initial)
            hash = hash64(hash, t->initial, (size_t)t->bytes);
    }
    const BcFunc *host = &w->program->funcs[w->program->entry];
    for (uint32_t i = 0; i < host->n_params; i++)
        if (host->params[i].kind == BCP_SCALAR)
            hash = scalar_hash(hash, &w->scalars[i]);
    return hash;
}

static const Platform *platform_of(const BcProgram *p, const RunConfig *config)
{
    return config->platform ? config->platform : &platforms[p->platform];
}

/* `kROW/`; `kROWh/` with the queue doubled, `kROWn/` and no golden compared. */
static bool adopt_row(const char *at, RunConfig *config, const char **why)
{
    char *end;
    if (*at != 'k')
        return true;
    unsigned long row = strtoul(at + 1, &end, 10);
    *why = "a broken replay token";
    if (row < 1 || row > 1000000 || at[1] < '1' || at[1] > '9')
        return false;
    config->without = (uint32_t)row;
    bool twice = *end == 'h' || *end == 'n';
    if (twice) {
        config->repeat = 2;
        config->no_golden = *end == 'n';
    }
    return end[twice] == '/';
}

uint32_t replay_devices(const char *text)
{
    ReplayToken t;
    return parse(text, &t) ? t.n_ranks : 0;
}

uint64_t replay_program(const char *text)
{
    ReplayToken t;
    return parse(text, &t) ? t.program : 0;
}

bool replay_adopt(Arena *arena, const char *token, const BcProgram *program, RunConfig *config,
                  const char **why)
{
    ReplayToken t;
    if (!parse(token, &t))
        *why = "a broken replay token";
    else if (t.program != program->hash)
        *why = arena_printf(arena, "the token is for bytecode %016" PRIx64 ", this is %016" PRIx64,
                            t.program, program->hash);
    else if (t.n_ranks != config->n_devices)
        *why = arena_printf(arena, "the token is for %u devices, -d names %u", t.n_ranks,
                            config->n_devices);
    else if (t.platform != platform_hash(platform_of(program, config)))
        *why = "the token is for a platform with other numbers (-p, --platform-set)";
    else {
        config->weak = t.weak;
        config->checks = t.checks;
        return adopt_row(t.schedule, config, why);
    }
    return false;
}

/* ---- choices ---- */

typedef VEC(uint32_t) Choices;

static bool parse_number(const char **at, uint64_t max, uint64_t *out)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    *out = strtoull(*at, &end, 10);
    *at = end;
    return *out <= max;
}

static bool parse_choice(const char **at, Choices *out)
{
    uint64_t n = 1, name;
    uint32_t bit = 0;
    if (**at != 'w') {
        if (!parse_number(at, LANDING_BIT - 1, &name))
            return false;
        if (**at != ':') {
            vec_push(out, (uint32_t)name);
            return out->len < MAX_CHOICES;
        }
        n = name;
        ++*at;
    }
    if (**at == 'w') {
        bit = LANDING_BIT;
        ++*at;
    }
    if (!parse_number(at, LANDING_BIT - 1, &name) || n > MAX_CHOICES - out->len)
        return false;
    for (uint64_t i = 0; i < n; i++)
        vec_push(out, (uint32_t)name | bit);
    return true;
}

static Policy *choices_policy(const char *at)
{
    Choices list = {0};
    Policy *p = NULL;
    bool data = *at == 'd', ok = !at[1];
    while (!ok && parse_choice((at++, &at), &list) && (*at == '-' || !*at))
        ok = !*at;
    if (ok)
        p = policy_script(list.at, list.len, data, NULL);
    vec_free(&list);
    return p;
}

static void print_choices(Buf *out, const uint32_t *choices, uint32_t n, bool data)
{
    buf_char(out, data ? 'd' : 'x');
    for (uint32_t i = 0, run; i < n; i += run) {
        for (run = 1; i + run < n && choices[i + run] == choices[i];)
            run++;
        if (i)
            buf_char(out, '-');
        if (run > 1)
            buf_printf(out, "%u:", run);
        buf_printf(out, "%s%u", choices[i] & LANDING_BIT ? "w" : "", choices[i] & ~LANDING_BIT);
    }
}

Policy *replay_policy(Arena *arena, const char *token, const World *w, const char **why)
{
    ReplayToken t;
    if (!parse(token, &t)) {
        *why = "a broken replay token";
        return NULL;
    }
    uint64_t inputs = inputs_hash(w);
    if (t.inputs != inputs) {
        *why = arena_printf(arena,
                            "the token is for inputs %016" PRIx64 ", these are %016" PRIx64
                            " (--input, --seed, -D)",
                            t.inputs, inputs);
        return NULL;
    }
    if (*t.schedule == 'k' && strchr(t.schedule, '/'))
        t.schedule = strchr(t.schedule, '/') + 1;
    bool choices = *t.schedule == 'x' || *t.schedule == 'd';
    Policy *p = choices ? choices_policy(t.schedule) : policy_parse(t.schedule, why);
    if (!p)
        *why = "a broken replay token";
    return p;
}

const char *replay_token(Arena *arena, const World *w, const char *schedule,
                         const uint32_t *choices, uint32_t n)
{
    Buf out = {0};
    const RunConfig *c = w->config;
    buf_printf(&out, "%016" PRIx64 ".%u.%c.%x.%016" PRIx64 ".%016" PRIx64 ".", w->program->hash,
               w->n_ranks, c->weak ? 'w' : 's', c->checks ^ CHECK_TASKS,
               platform_hash(&w->platform), inputs_hash(w));
    if (c->without)
        buf_printf(&out, "k%u%s/", c->without, !c->repeat ? "" : c->no_golden ? "n" : "h");
    if (schedule)
        buf_str(&out, schedule);
    else
        print_choices(&out, choices, n, w->stop_at_data);
    const char *text = arena_printf(arena, PREFIX "%08" PRIx32 ".%s", seal_of(out.at), out.at);
    buf_free(&out);
    return text;
}

const char *replay_command(Arena *arena, const RunConfig *config, const char *token)
{
    if (config->command && *config->command)
        return arena_printf(arena, "%s --schedule=%s", config->command, token);
    return arena_printf(arena, "schedule=%s", token);
}

const char *replay_line(Arena *arena, const RunConfig *config, const char *token)
{
    return arena_printf(arena, "replay: %s", replay_command(arena, config, token));
}
