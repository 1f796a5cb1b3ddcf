/* The search keeps the path of the current execution: per transition what was enabled, what has
 * been tried there, what sleeps and what is still to be tried. Each execution starts anew, follows
 * the path to the deepest transition with something left, takes that and goes on by itself. */
#include "sim/explore/explore.h"

#include "base/crc32.h"
#include "sim/explore/explore_order.h"
#include "sim/explore/outcome.h"
#include "sim/explore/sync_rows.h"
#include "sim/machine/world.h"
#include "sim/sched/replay.h"
#include <string.h>

typedef struct {
    VEC(uint32_t) enabled;   /* names */
    VEC(uint32_t) todo;      /* names to be tried */
    VEC(Step *) done;        /* tried; owned */
    VEC(const Step *) sleep; /* of nodes above: equivalent to what has been seen */
    Step *step;              /* taken; owned */
    uint32_t name;           /* of it */
} Node;

typedef struct {
    Policy policy;
    Observer watch;
    const ExploreOptions *options;
    ExploreResult *result;
    World *world;
    VEC(Node) path;
    uint32_t at;    /* transitions taken in this execution */
    uint32_t given; /* of them: the path to follow */
    Step *now;      /* the transition under way */
    bool fresh;     /* `now` is new: what it does is recorded */
    Scope scope;
    VEC(uint32_t) taken; /* per lane id: transitions in this execution */
    VEC(LocalAccess) local;
    enum { RUN_WHOLE, RUN_BLOCKED, RUN_CUT, RUN_LOST } end;
    Outcomes outcomes;
    VEC(ExploreFailure) failures;
    VEC(uint64_t) keys; /* of the failures */
    Map orders;         /* hashes of happens-before orders seen */
} Search;

/* ---- watching an execution ---- */

static AccessKind access_kind(const Event *e)
{
    if (e->kind == EV_READ || e->kind == EV_REMOTE_READ)
        return ACC_READ;
    if (e->kind != EV_ATOMIC)
        return ACC_WRITE;
    return dtype_is_float(e->dtype) ? ACC_ADD : ACC_SUM;
}

/* Is the access (part of) the transition under way, not work behind it? */
static bool is_transition(const Search *s, const Event *e)
{
    return s->now && e->lane->id == s->now->name &&
           (s->scope.data || e->kind == EV_ATOMIC || e->insn == BC_READ);
}

static void note_access(Search *s, const World *w, const Event *e)
{
    if (e->tensor)
        return;
    AccessKind kind = access_kind(e);
    if (kind != ACC_READ && w->windows.at[e->rect.at.window].signal)
        scope_add_stored(&s->scope, &e->rect, w->n_ranks);
    if (is_transition(s, e)) {
        if (s->fresh)
            step_access(s->now, kind, &e->rect);
        return;
    }
    if (s->scope.judges)
        vec_push(&s->local, (LocalAccess){e->lane->id,
                                          e->lane->rank,
                                          s->taken.at[e->lane->id] + 1,
                                          {(uint8_t)kind, e->rect}});
}

static void watch(Observer *o, World *w, const Event *e)
{
    Search *s = (Search *)((char *)o - offsetof(Search, watch));
    if (e->lane && e->kind != EV_DISPATCH_BEGIN && e->kind != EV_DISPATCH_END) {
        note_access(s, w, e);
        return;
    }
    if (!s->now || !s->fresh)
        return;
    switch (e->kind) {
    case EV_DISPATCH_BEGIN: step_begin(s->now, e->at.dispatch); return;
    case EV_DISPATCH_END: s->now->ends = true; return;
    default: break;
    }
    bool add = e->op == NOTIFY_ATOMIC_ADD;
    s->now->before = e->before;
    s->now->wraps = add && (int64_t)e->before + e->value != e->after;
    s->now->monotone = add && e->value >= 0 && !s->now->wraps;
}

/* ---- taking transitions ---- */

static bool sleeps(const Node *n, uint32_t name)
{
    for (uint32_t i = 0; i < n->sleep.len; i++)
        if (n->sleep.at[i]->name == name)
            return true;
    return false;
}

static bool tried(const Node *n, uint32_t name)
{
    for (uint32_t i = 0; i < n->done.len; i++)
        if (n->done.at[i]->name == name)
            return true;
    return n->step && n->name == name;
}

static bool listed(const uint32_t *names, uint32_t n, uint32_t name)
{
    for (uint32_t i = 0; i < n; i++)
        if (names[i] == name)
            return true;
    return false;
}

static void free_node(Node *n)
{
    for (uint32_t i = 0; i < n->done.len; i++)
        step_free(n->done.at[i]);
    step_free(n->step);
    vec_free(&n->enabled);
    vec_free(&n->todo);
    vec_free(&n->done);
    vec_free(&n->sleep);
}

static void put_to_sleep(const Search *s, Node *n, const Node *above, const Step *x)
{
    if (x->name != above->name && !step_dependent(&s->scope, x, above->step))
        vec_push(&n->sleep, x);
}

/* Could anything be different because of it? A refresh that nothing follows stands for those that
 * could have come before. */
static bool matters(const Search *s, const Choice *c)
{
    const World *w = s->world;
    if (c->lane || s->options->brute)
        return true;
    uint32_t reader = c->landing->reader;
    if (c->landing->from < w->n_ranks)
        return scope_lands_on(&s->scope, reader);
    return scope_views_of(&s->scope, reader);
}

static void new_node(Search *s, const Choice *enabled, uint32_t n_enabled)
{
    Node n = {0};
    for (uint32_t i = 0; i < n_enabled; i++)
        if (matters(s, &enabled[i]))
            vec_push(&n.enabled, choice_name(s->world, &enabled[i]));
    if (s->path.len && !s->options->brute) {
        const Node *above = &vec_last(&s->path);
        for (uint32_t i = 0; i < above->sleep.len; i++)
            put_to_sleep(s, &n, above, above->sleep.at[i]);
        for (uint32_t i = 0; i < above->done.len; i++)
            put_to_sleep(s, &n, above, above->done.at[i]);
    }
    for (uint32_t i = 0; i < n.enabled.len && s->options->brute; i++)
        vec_push(&n.todo, n.enabled.at[i]);
    vec_push(&s->path, n);
}

static uint32_t take(Search *s, Node *n, const Choice *enabled, uint32_t i)
{
    s->fresh = !n->step;
    if (s->fresh) {
        n->name = choice_name(s->world, &enabled[i]);
        n->step = step_new(s->world, &enabled[i]);
    }
    s->now = n->step;
    if (enabled[i].lane)
        s->taken.at[n->name]++;
    s->at++;
    return i;
}

static uint32_t stop(Search *s, int why)
{
    s->end = why;
    return UINT32_MAX;
}

/* Follows the path; its last transition is new. */
static uint32_t follow(Search *s, const Choice *enabled, uint32_t n)
{
    Node *node = &s->path.at[s->at];
    for (uint32_t i = 0; i < n; i++)
        if (choice_name(s->world, &enabled[i]) == node->name)
            return take(s, node, enabled, i);
    return stop(s, RUN_LOST);
}

static uint32_t choose(Policy *p, World *w, const Choice *enabled, uint32_t n)
{
    Search *s = (Search *)p;
    s->now = NULL;
    if (s->at < s->given)
        return follow(s, enabled, n);
    if (s->at >= EXPLORE_DEPTH)
        return stop(s, RUN_CUT);
    new_node(s, enabled, n);
    Node *node = &vec_last(&s->path);
    if (node->enabled.len == 0) { /* only what shows nowhere is left */
        s->path.len--;
        free_node(node);
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t name = choice_name(w, &enabled[i]);
        if (listed(node->enabled.at, node->enabled.len, name) && !sleeps(node, name))
            return take(s, node, enabled, i);
    }
    return stop(s, RUN_BLOCKED);
}

/* ---- what else to try ---- */

static void want(void *env, uint32_t at, const uint32_t *names, uint32_t n)
{
    Search *s = env;
    if (at >= s->path.len)
        return;
    Node *node = &s->path.at[at];
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        if (tried(node, names[i]) || sleeps(node, names[i]) ||
            listed(node->todo.at, node->todo.len, names[i]))
            return;
        bool better = first == UINT32_MAX || (first & LANDING_BIT && !(names[i] & LANDING_BIT));
        if (better && listed(node->enabled.at, node->enabled.len, names[i]))
            first = names[i];
    }
    if (first != UINT32_MAX) {
        vec_push(&node->todo, first);
        return;
    }
    for (uint32_t i = 0; i < node->enabled.len; i++)
        if (!listed(node->todo.at, node->todo.len, node->enabled.at[i]))
            vec_push(&node->todo, node->enabled.at[i]);
}

/* Turns to the deepest transition with something left. False when there is none. */
static bool backtrack(Search *s)
{
    for (; s->path.len; s->path.len--) {
        Node *n = &vec_last(&s->path);
        if (n->step)
            vec_push(&n->done, n->step);
        n->step = NULL;
        while (n->todo.len) {
            uint32_t name = vec_pop(&n->todo);
            if (tried(n, name) || sleeps(n, name))
                continue;
            n->name = name;
            s->given = s->path.len;
            return true;
        }
        free_node(n);
    }
    return false;
}

static void find_races(Search *s)
{
    Step **steps = xcalloc(s->path.len + 1, sizeof *steps);
    uint32_t n = 0;
    while (n < s->path.len && s->path.at[n].step) {
        steps[n] = s->path.at[n].step;
        n++;
    }
    uint64_t order = order_races(s->world, &s->scope, steps, n, s->local.at, s->local.len,
                                 s->options->brute ? NULL : want, s);
    xfree(steps);
    if (s->end == RUN_WHOLE && !s->scope.grown && !map_get(&s->orders, order, NULL)) {
        map_set(&s->orders, order, 1);
        s->result->orders++;
        s->result->orders_hash += order;
    }
}

/* ---- verdicts ---- */

static bool is_minor(const Report *r)
{
    return r->kind == REP_WARNING || r->kind == REP_NOTE;
}

/* Failures of one status at one place are of one kind. */
static uint64_t failure_key(const RunResult *r, const char **check)
{
    uint64_t key = (uint64_t)r->status;
    *check = "";
    for (uint32_t i = 0; i < r->n_reports; i++) {
        const Report *p = &r->reports[i];
        if (is_minor(p))
            continue;
        if (!**check || strcmp(p->check, "race") == 0)
            *check = p->check;
        key = hash64(key, p->check, strlen(p->check));
        key = hash64(key, &p->key, sizeof p->key);
        if (p->rank == UINT32_MAX)
            key = hash64(key, p->text, strlen(p->text));
    }
    return key;
}

static void note_failure(Search *s, const RunResult *r)
{
    const char *check;
    uint64_t key = failure_key(r, &check);
    Arena *arena = &s->result->arena;
    for (uint32_t i = 0; i < s->keys.len; i++)
        if (s->keys.at[i] == key) {
            s->failures.at[i].count++;
            return;
        }
    uint32_t *names = xcalloc(s->path.len + 1, sizeof *names);
    for (uint32_t i = 0; i < s->path.len; i++)
        names[i] = s->path.at[i].name;
    ExploreFailure f = {.status = r->status, .check = arena_printf(arena, "%s", check), .count = 1};
    f.text = run_result_text(arena, r);
    f.token = replay_token(arena, s->world, NULL, names, s->path.len);
    xfree(names);
    vec_push(&s->failures, f);
    vec_push(&s->keys, key);
}

static void judge(Search *s, RunResult *r)
{
    ExploreResult *out = s->result;
    out->executions++;
    if (s->path.len > out->most_steps)
        out->most_steps = s->path.len;
    bool ended = r->status != EXIT_FAULT && r->status != EXIT_STEPS && r->status != EXIT_DEADLOCK;
    if (s->options->outcomes)
        outcomes_add(&s->outcomes, s->world, r);
    if (s->options->outcomes ? !ended : r->status != EXIT_OK) {
        out->status = status_worse(out->status, r->status);
        note_failure(s, r);
    }
}

/* One execution. False: the search is over, and not complete. */
static bool execute(Search *s)
{
    RunResult r = {0};
    s->at = 0;
    s->now = NULL;
    s->end = RUN_WHOLE;
    vec_clear(&s->local);
    memset(s->taken.at, 0, s->taken.len * sizeof *s->taken.at);
    world_reset(s->world, &r);
    (void)session_run(s->world, &s->policy);
    s->now = NULL;
    const RunConfig *c = s->world->config;
    s->result->stopped = c->stop ? c->stop(c->stop_env) : NULL;
    if (s->result->stopped) {
        s->world->result = NULL;
        run_result_free(&r);
        return false;
    }
    bool go_on = s->end != RUN_LOST && s->end != RUN_CUT;
    if (s->end == RUN_WHOLE || s->end == RUN_CUT)
        judge(s, &r);
    else
        s->result->blocked++;
    if (go_on)
        find_races(s);
    if (s->options->progress)
        s->options->progress(s->options->progress_env, s->result->executions, s->path.len);
    s->world->result = NULL;
    run_result_free(&r);
    return go_on && !(s->options->first_failure && s->failures.len);
}

/* What was seen until now was seen with too small a scope: begins again. Failures stay. */
static void begin(Search *s)
{
    const ExploreOptions *o = s->options;
    while (s->path.len)
        free_node(&vec_pop(&s->path));
    for (uint32_t i = 0; i < s->failures.len; i++)
        s->failures.at[i].count = 0;
    map_clear(&s->orders);
    s->result->executions = s->result->blocked = s->result->orders = s->result->orders_hash = 0;
    s->result->most_steps = 0;
    s->given = 0;
    s->scope.grown = false;
    bool plain = scope_is_plain(&s->scope) && !o->brute;
    s->policy.stop_at_data = s->scope.data;
    s->policy.landings = s->scope.weak && !plain;
}

static void search(Search *s)
{
    uint64_t bound = s->options->bound ? s->options->bound : EXPLORE_BOUND;
    begin(s);
    for (;;) {
        if (s->result->executions + s->result->blocked >= bound || !execute(s))
            return;
        if (s->scope.grown) {
            begin(s);
        } else if (!backtrack(s)) {
            s->result->complete = true;
            return;
        }
    }
}

/* ---- around it ---- */

static bool build(Search *s, const BcProgram *program, const RunConfig *config)
{
    RunResult r = {0};
    s->world = session_without(program, config, &r);
    if (!s->world) {
        s->result->status = r.status;
        s->result->text = run_result_text(&s->result->arena, &r);
    }
    run_result_free(&r);
    for (uint32_t i = 0; s->world && i < s->world->n_ranks * s->world->max_cores; i++)
        vec_push(&s->taken, 0);
    return s->world != NULL;
}

static void finish(Search *s)
{
    ExploreResult *r = s->result;
    r->n_failures = s->failures.len;
    r->failures = arena_array(&r->arena, s->failures.len + 1, sizeof *r->failures);
    for (uint32_t i = 0; i < s->failures.len; i++) {
        r->failures[i] = s->failures.at[i];
        r->failures[i].count += !r->failures[i].count;
    }
    r->outcomes = outcomes_list(&s->outcomes, &r->arena, &r->n_outcomes);
    if (r->status == EXIT_OK && !r->complete)
        r->status = EXIT_INCOMPLETE;
    for (uint32_t i = 0; i < s->path.len; i++)
        free_node(&s->path.at[i]);
    vec_free(&s->path);
    vec_free(&s->failures);
    vec_free(&s->keys);
    vec_free(&s->taken);
    vec_free(&s->local);
    scope_free(&s->scope);
    map_free(&s->orders);
    outcomes_free(&s->outcomes);
}

int explore(const BcProgram *program, const RunConfig *config, const ExploreOptions *options,
            ExploreResult *result)
{
    Search s = {.options = options, .result = result, .scope = {.weak = config->weak}};
    /* Without the race check nobody else sees what accesses do to each other. */
    s.scope.judges = config->weak || options->outcomes || !(config->checks & CHECK_RACES);
    s.scope.data = options->brute && (config->weak || options->outcomes);
    s.policy = (Policy){.choose = choose, .stop_at_reads = true, .stand_still = true};
    s.watch = (Observer){.name = "explore", .event = watch};
    s.watch.mask = EV_BIT(EV_READ) | EV_BIT(EV_WRITE) | EV_BIT(EV_REMOTE_READ) |
                   EV_BIT(EV_REMOTE_WRITE) | EV_BIT(EV_ATOMIC) | EV_BIT(EV_ARRIVE) |
                   EV_BIT(EV_DISPATCH_BEGIN) | EV_BIT(EV_DISPATCH_END);
    Observer *observers[] = {&s.watch};
    RunConfig own = *config;
    own.observers = observers;
    own.n_observers = 1;
    own.no_golden = config->no_golden || options->outcomes;
    if (build(&s, program, &own)) {
        search(&s);
        finish(&s);
        world_free(s.world);
    }
    return result->status;
}

void explore_free(ExploreResult *result)
{
    arena_free(&result->arena);
    memset(result, 0, sizeof *result);
}
