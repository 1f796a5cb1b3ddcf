/* Policies other than the clock: they see the list of what can happen and choose. Random numbers
 * are splitmix64 (Steele, Lea, Flood, 2014), so that a seed means the same everywhere. */
#include "sim/sched/sched.h"

#include "sim/machine/fault.h"

#include <errno.h>
#include <string.h>

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint32_t below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((next_random(state) >> 32) * n >> 32);
}

uint32_t choice_name(const World *w, const Choice *c)
{
    if (c->lane)
        return c->lane->id;
    return LANDING_BIT | (c->landing->from * w->n_ranks + c->landing->reader);
}

static void plain_destroy(Policy *p)
{
    xfree(p);
}

void policy_free(Policy *p)
{
    if (p)
        p->destroy(p);
}

/* ---- random ---- */

typedef struct {
    Policy base;
    uint64_t state;
} Random;

static uint32_t random_choose(Policy *p, World *w, const Choice *enabled, uint32_t n)
{
    (void)w, (void)enabled;
    return below(&((Random *)p)->state, n);
}

static Policy *policy_random(uint64_t seed)
{
    Random *r = xcalloc(1, sizeof *r);
    r->base = (Policy){
        .choose = random_choose, .stop_at_reads = true, .landings = true, .destroy = plain_destroy};
    r->state = seed;
    return &r->base;
}

/* ---- probabilistic concurrency testing ---- */

enum { PCT_LENGTH = 1000 }; /* assumed number of transitions, among which the change points lie */

typedef struct {
    Policy base;
    uint64_t seed, state;
    uint32_t depth;
    uint32_t *change; /* transitions before which the running one drops, depth - 1 of them */
    Map lowered;      /* name of a choice -> its low priority, 1 .. depth - 1 */
    Map polled;       /* lane and place of a read -> what it saw there last, plus 1 */
    uint32_t step;
} Pct;

/* Initial priorities lie above all lowered ones: a hash of the name, so that no table of lanes is
 * needed. */
static uint64_t priority(const Pct *p, uint32_t name)
{
    uint64_t low, mix = p->seed ^ (uint64_t)name << 20;
    if (map_get(&p->lowered, name, &low))
        return low;
    return next_random(&mix) | UINT64_C(1) << 63;
}

/* A read that is about to happen, and what it will see. */
static bool next_read(const World *w, const Choice *c, uint64_t *key, uint64_t *value)
{
    if (!c->lane || c->lane->pending.kind != PEND_READ)
        return false;
    FabAddr at = c->lane->pending.rect.at;
    int32_t now = 0;
    at.offset -= at.offset % 4;
    (void)w->fabric->ops->cell(w->fabric, at, &now);
    *key = ((uint64_t)c->lane->id << 16 | at.window) << 32 | (uint32_t)at.offset;
    *value = (uint64_t)(uint32_t)now + 1;
    return true;
}

/* Would the lane see there what it saw when it read it last? It polls: priorities alone would let
 * it poll for ever. */
static bool polls(const Pct *p, const World *w, const Choice *c)
{
    uint64_t key, value, last;
    return next_read(w, c, &key, &value) && map_get(&p->polled, key, &last) && last == value;
}

static uint32_t pct_best(const Pct *p, const World *w, const Choice *enabled, uint32_t n)
{
    uint32_t best = 0;
    bool best_polls = polls(p, w, &enabled[0]);
    for (uint32_t i = 1; i < n; i++) {
        bool idle = polls(p, w, &enabled[i]);
        bool more =
            priority(p, choice_name(w, &enabled[i])) > priority(p, choice_name(w, &enabled[best]));
        if (idle != best_polls ? best_polls : more) {
            best = i;
            best_polls = idle;
        }
    }
    return best;
}

static uint32_t pct_choose(Policy *base, World *w, const Choice *enabled, uint32_t n)
{
    Pct *p = (Pct *)base;
    uint32_t best = pct_best(p, w, enabled, n);
    for (uint32_t i = 0; i + 1 < p->depth; i++)
        if (p->change[i] == p->step) {
            map_set(&p->lowered, choice_name(w, &enabled[best]), p->depth - 1 - i);
            best = pct_best(p, w, enabled, n);
        }
    p->step++;
    uint64_t key, value;
    if (next_read(w, &enabled[best], &key, &value))
        map_set(&p->polled, key, value);
    return best;
}

static void pct_destroy(Policy *base)
{
    Pct *p = (Pct *)base;
    xfree(p->change);
    map_free(&p->lowered);
    map_free(&p->polled);
    xfree(p);
}

/* Probabilistic concurrency testing (Burckhardt et al., 2010): random priorities, DEPTH - 1 change
 * points. */
static Policy *policy_pct(uint64_t seed, uint32_t depth)
{
    Pct *p = xcalloc(1, sizeof *p);
    p->base = (Policy){
        .choose = pct_choose, .stop_at_reads = true, .landings = true, .destroy = pct_destroy};
    p->seed = p->state = seed;
    p->depth = depth ? depth : 1;
    p->change = xcalloc(p->depth, sizeof *p->change);
    for (uint32_t i = 0; i + 1 < p->depth; i++)
        p->change[i] = below(&p->state, PCT_LENGTH);
    return &p->base;
}

/* ---- scripts ---- */

typedef struct {
    Policy base;
    uint32_t *names;
    uint32_t n, at;
    Policy *then;
} ScriptPolicy;

static uint32_t script_choose(Policy *p, World *w, const Choice *enabled, uint32_t n)
{
    ScriptPolicy *s = (ScriptPolicy *)p;
    if (s->at >= s->n)
        return s->then ? s->then->choose(s->then, w, enabled, n) : 0;
    uint32_t name = s->names[s->at++];
    for (uint32_t i = 0; i < n; i++)
        if (choice_name(w, &enabled[i]) == name)
            return i;
    (void)world_error(w, EXIT_USAGE, "choice %u of the token is %s %u, which cannot move", s->at,
                      name & LANDING_BIT ? "landing" : "lane", name & ~LANDING_BIT);
    return UINT32_MAX;
}

static void script_destroy(Policy *p)
{
    ScriptPolicy *s = (ScriptPolicy *)p;
    policy_free(s->then);
    xfree(s->names);
    xfree(s);
}

Policy *policy_script(const uint32_t *names, uint32_t n, bool data, Policy *then)
{
    ScriptPolicy *s = xcalloc(1, sizeof *s);
    s->base = (Policy){.choose = script_choose,
                       .stop_at_reads = true,
                       .stop_at_data = data,
                       .landings = true,
                       .stand_still = true,
                       .destroy = script_destroy};
    s->names = xcalloc(n + 1, sizeof *s->names);
    for (uint32_t i = 0; i < n; i++)
        s->names[i] = names[i];
    s->n = n;
    s->then = then;
    return &s->base;
}

/* ---- by name ---- */

/* A number after a colon; *at moves behind it. */
static bool number(const char **at, uint64_t *out)
{
    if (**at != ':' || (*at)[1] < '0' || (*at)[1] > '9')
        return false;
    char *end;
    errno = 0;
    *out = strtoull(*at + 1, &end, 10);
    *at = end;
    return errno == 0;
}

Policy *policy_parse(const char *text, const char **why)
{
    uint64_t seed, depth;
    const char *at;
    if (strcmp(text, "clock") == 0)
        return policy_clock();
    if (strncmp(text, "random", 6) == 0) {
        at = text + 6;
        if (number(&at, &seed) && !*at)
            return policy_random(seed);
    }
    if (strncmp(text, "pct", 3) == 0) {
        at = text + 3;
        if (number(&at, &seed) && number(&at, &depth) && !*at && depth >= 1 && depth <= 1000)
            return policy_pct(seed, (uint32_t)depth);
    }
    *why = "a schedule is clock, random:SEED or pct:SEED:DEPTH, or a replay token";
    return NULL;
}
