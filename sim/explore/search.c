/* The search keeps the path of the current execution: per transition what was enabled, what has
 * been tried there, what sleeps and what is still to be tried. Each execution begins at a snapshot
 * or at the start, follows the path to the deepest transition with something left, takes that and
 * goes on by itself. */
#include "sim/explore/search.h"

#include "sim/explore/sync_rows.h"
#include "sim/machine/world.h"
#include <string.h>

/* ---- watching an execution ---- */

static AccessKind access_kind(const Event *e)
{
    if (e->kind == EV_READ || e->kind == EV_REMOTE_READ || e->kind == EV_TENSOR_READ)
        return ACC_READ;
    if (e->kind != EV_ATOMIC)
        return ACC_WRITE;
    return dtype_is_float(e->dtype) ? ACC_ADD : ACC_SUM;
}

/* Is the access (part of) the transition under way, not work behind it? */
static bool is_transition(const Search *s, const Event *e)
{
    return s->now && e->lane->id == s->now->name &&
           (s->scope.data || e->kind == EV_ATOMIC || (e->insn == BC_READ && !e->tensor));
}

static void note_access(Search *s, const World *w, const Event *e)
{
    AccessKind kind = access_kind(e);
    FabRect rect = e->rect;
    if (e->tensor && !w->dispatches.at[e->at.dispatch].shared)
        return;
    if (e->tensor) {
        rect.at.rank = e->at.rank;
        rect.at.window |= DEVICE_BIT | e->at.dispatch << 8;
    } else if (kind != ACC_READ && w->windows.at[e->rect.at.window].signal)
        scope_add_stored(&s->scope, &e->rect, w->n_ranks);
    if (is_transition(s, e)) {
        if (s->fresh)
            step_access(s->now, kind, &rect);
        return;
    }
    if (s->scope.judges)
        vec_push(&s->local, (LocalAccess){e->lane->id,
                                          e->lane->rank,
                                          s->taken.at[e->lane->id] + 1,
                                          {(uint8_t)kind, rect}});
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

/* What is to be known of an execution stands in the search. */
static bool save(const Observer *o, Buf *out)
{
    (void)o, (void)out;
    return true;
}

static void load(Observer *o, World *w, SaveReader *in)
{
    (void)o, (void)w, (void)in;
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

void node_free(Node *n)
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
    snapshots_pass(s, s->at);
    if (s->at < s->given)
        return follow(s, enabled, n);
    if (s->at >= EXPLORE_DEPTH)
        return stop(s, RUN_CUT);
    new_node(s, enabled, n);
    Node *node = &vec_last(&s->path);
    if (node->enabled.len == 0) { /* only what shows nowhere is left */
        s->path.len--;
        node_free(node);
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

static void note_want(Search *s, uint32_t at, const uint32_t *names, uint32_t n)
{
    vec_push(&s->wants, at);
    vec_push(&s->wants, n);
    for (uint32_t i = 0; i < n; i++)
        vec_push(&s->wants, names[i]);
}

void search_want(Search *s, uint32_t at, const uint32_t *names, uint32_t n)
{
    if (at >= s->path.len)
        return;
    if (at < s->root) {
        note_want(s, at, names, n);
        return;
    }
    Node *node = &s->path.at[at];
    uint32_t first = UINT32_MAX;
    for (uint32_t i = n; i-- > 0;) {
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

static void want(void *env, uint32_t at, const uint32_t *names, uint32_t n)
{
    search_want(env, at, names, n);
}

bool node_next(Node *n, uint32_t *name)
{
    for (; n->next < n->todo.len; n->next++) {
        *name = n->todo.at[n->next];
        if (!tried(n, *name) && !sleeps(n, *name))
            return true;
    }
    return false;
}

void search_note_order(Search *s, uint64_t hash)
{
    if (map_get(&s->orders, hash, NULL))
        return;
    map_set(&s->orders, hash, 1);
    vec_push(&s->hashes, hash);
    s->result->orders++;
    s->result->orders_hash += hash;
}

static void find_races(Search *s)
{
    Step **steps = xcalloc(s->path.len + 1, sizeof *steps);
    uint32_t n = 0;
    while (n < s->path.len && s->path.at[n].step) {
        steps[n] = s->path.at[n].step;
        n++;
    }
    Execution x = {s->world, steps, n, s->local.at, s->local.len};
    uint64_t order = order_races(&x, &s->scope, s->options->brute ? NULL : want, s);
    xfree(steps);
    if (s->end == RUN_WHOLE && !s->scope.grown)
        search_note_order(s, order);
}

/* ---- executions ---- */

bool search_execute(Search *s)
{
    RunResult r = {0};
    s->now = NULL;
    s->end = RUN_WHOLE;
    if (snapshots_go_back(s, &r))
        (void)session_go_on(s->world, &s->policy);
    else
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
        search_judge(s, &r);
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

void search_begin(Search *s)
{
    while (s->path.len)
        node_free(&vec_pop(&s->path));
    for (uint32_t i = 0; i < s->failures.len; i++)
        s->failures.at[i].count = 0;
    map_clear(&s->orders);
    vec_clear(&s->hashes);
    vec_clear(&s->wants);
    s->result->executions = s->result->blocked = s->result->orders = s->result->orders_hash = 0;
    s->result->most_steps = 0;
    s->given = 0;
    snapshots_drop(s);
    s->scope.grown = false;
    bool plain = scope_is_plain(&s->scope) && !s->options->brute;
    s->policy.stop_at_data = s->scope.data;
    s->policy.landings = s->scope.weak && !plain;
}

/* ---- around it ---- */

static bool build(Search *s, const BcProgram *program)
{
    RunResult r = {0};
    s->world = session_without(program, &s->config, &r);
    if (!s->world) {
        s->result->status = r.status;
        s->result->text = run_result_text(&s->result->arena, &r);
    }
    run_result_free(&r);
    for (uint32_t i = 0; s->world && i < s->world->n_ranks * s->world->max_cores; i++)
        vec_push(&s->taken, 0);
    return s->world != NULL;
}

bool search_init(Search *s, const BcProgram *program, const RunConfig *config,
                 const ExploreOptions *options, ExploreResult *result)
{
    *s = (Search){.options = options, .result = result, .scope = {.weak = config->weak}};
    /* Without the race check nobody else sees what accesses do to each other. */
    s->scope.judges = config->weak || options->outcomes || !(config->checks & CHECK_RACES);
    s->scope.data = options->brute && (config->weak || options->outcomes);
    s->policy = (Policy){.choose = choose, .stop_at_reads = true, .stand_still = true};
    s->watch = (Observer){.name = "explore", .event = watch, .save = save, .load = load};
    s->watch.mask = EV_BIT(EV_READ) | EV_BIT(EV_WRITE) | EV_BIT(EV_REMOTE_READ) |
                    EV_BIT(EV_TENSOR_READ) | EV_BIT(EV_TENSOR_WRITE) | EV_BIT(EV_REMOTE_WRITE) |
                    EV_BIT(EV_ATOMIC) | EV_BIT(EV_ARRIVE) | EV_BIT(EV_DISPATCH_BEGIN) |
                    EV_BIT(EV_DISPATCH_END);
    s->observers[0] = &s->watch;
    s->config = *config;
    s->config.observers = s->observers;
    s->config.n_observers = 1;
    s->config.no_golden = config->no_golden || options->outcomes;
    return build(s, program);
}

void search_free(Search *s)
{
    for (uint32_t i = 0; i < s->path.len; i++)
        node_free(&s->path.at[i]);
    vec_free(&s->path);
    vec_free(&s->failures);
    vec_free(&s->keys);
    vec_free(&s->hashes);
    vec_free(&s->wants);
    snapshots_free(s);
    vec_free(&s->taken);
    vec_free(&s->local);
    scope_free(&s->scope);
    map_free(&s->orders);
    outcomes_free(&s->outcomes);
    world_free(s->world);
}
