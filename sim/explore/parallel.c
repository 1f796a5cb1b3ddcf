/* What a helper allocates stands in a heap of its own, also what the owner gives it: blocks of one
 * heap are never in two hands at once. A helper whose memory does not suffice says so, and the
 * owner ends as if it had been its own. */
#include "sim/explore/parallel.h"

#include "base/heap.h"
#include "sim/machine/world.h"
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef enum { HELPER_IDLE, HELPER_BUSY, HELPER_DONE, HELPER_QUIT } HelperState;

typedef struct {
    Parallel *of;
    pthread_t thread;
    bool started;
    HelperState state; /* under the lock */
    Heap heap;
    bool exhausted; /* its memory did not suffice */
    /* The part: the owner's while IDLE and DONE, the thread's while BUSY. */
    Search s;
    ExploreResult result;
    uint32_t at;    /* node where it begins */
    uint64_t bound; /* executions */
    bool whole;     /* nothing of it is left */
    bool over;      /* more executions than the bound */
} ExploreHelper;

struct Parallel {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_bool cancelled;
    ExploreOptions options; /* of the parts: they show no progress */
    uint64_t bound;
    uint32_t n;
    ExploreHelper *helpers;
};

/* Runs `fn` with the helper's heap; false when memory does not suffice. */
static bool within(ExploreHelper *h, void (*fn)(ExploreHelper *h, void *env), void *env)
{
    Trap trap;
    trap_enter(&trap, &h->heap);
    volatile bool ok = false;
    if (setjmp(trap.at) == 0) {
        fn(h, env);
        ok = true;
    }
    trap_leave(&trap);
    return ok;
}

/* ---- in a thread ---- */

static bool turn_back(Search *s)
{
    for (; s->path.len > s->root; s->path.len--) {
        Node *n = &vec_last(&s->path);
        if (n->step)
            vec_push(&n->done, n->step);
        n->step = NULL;
        if (node_next(n, &n->name)) {
            n->next++;
            s->given = s->path.len;
            return true;
        }
        node_free(n);
    }
    return false;
}

static void search_part(ExploreHelper *h, void *env)
{
    Search *s = &h->s;
    (void)env;
    while (!atomic_load(&h->of->cancelled)) {
        h->over = search_spent(s) >= h->bound;
        if (h->over || !search_execute(s) || s->scope.grown)
            return;
        if (!turn_back(s)) {
            h->whole = true;
            return;
        }
    }
}

static void *run_helper(void *arg)
{
    ExploreHelper *h = arg;
    Parallel *p = h->of;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (h->state == HELPER_IDLE || h->state == HELPER_DONE)
            pthread_cond_wait(&p->changed, &p->lock);
        if (h->state == HELPER_QUIT)
            break;
        pthread_mutex_unlock(&p->lock);
        h->exhausted = !within(h, search_part, NULL);
        pthread_mutex_lock(&p->lock);
        h->state = HELPER_DONE;
        pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- life ---- */

typedef struct {
    const BcProgram *program;
    const RunConfig *config;
    bool ok;
} Start;

static void start(ExploreHelper *h, void *env)
{
    Start *s = env;
    s->ok = search_init(&h->s, s->program, s->config, &h->of->options, &h->result);
}

Parallel *parallel_new(const BcProgram *program, const RunConfig *config,
                       const ExploreOptions *options)
{
    if (options->jobs < 2)
        return NULL;
    Parallel *p = xcalloc(1, sizeof *p);
    p->n = options->jobs - 1;
    p->options = *options;
    p->options.progress = NULL;
    p->bound = options->bound ? options->bound : EXPLORE_BOUND;
    p->helpers = xcalloc(p->n, sizeof *p->helpers);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    for (uint32_t i = 0; i < p->n; i++) {
        ExploreHelper *h = &p->helpers[i];
        h->of = p;
        h->heap.budget = trap_heap() ? trap_heap()->budget : NULL;
        Start s = {.program = program, .config = config};
        if (within(h, start, &s) && s.ok)
            h->started = pthread_create(&h->thread, NULL, run_helper, h) == 0;
    }
    return p;
}

static void set_state(Parallel *p, ExploreHelper *h, HelperState state)
{
    pthread_mutex_lock(&p->lock);
    h->state = state;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

static HelperState state_of(Parallel *p, const ExploreHelper *h)
{
    pthread_mutex_lock(&p->lock);
    HelperState state = h->state;
    pthread_mutex_unlock(&p->lock);
    return state;
}

static void await(Parallel *p, const ExploreHelper *h)
{
    pthread_mutex_lock(&p->lock);
    while (h->state == HELPER_BUSY)
        pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

/* What a part left, nodes and counts, so that the next one can begin. */
static void clear(ExploreHelper *h)
{
    search_begin(&h->s);
    vec_clear(&h->s.failures);
    vec_clear(&h->s.keys);
    outcomes_free(&h->s.outcomes);
    memset(&h->s.outcomes, 0, sizeof h->s.outcomes);
    arena_free(&h->result.arena);
    memset(&h->result, 0, sizeof h->result);
    h->whole = h->over = false;
}

void parallel_cancel(Parallel *p)
{
    if (!p)
        return;
    atomic_store(&p->cancelled, true);
    for (uint32_t i = 0; i < p->n; i++) {
        ExploreHelper *h = &p->helpers[i];
        await(p, h);
        if (state_of(p, h) == HELPER_DONE) {
            clear(h);
            set_state(p, h, HELPER_IDLE);
        }
    }
    atomic_store(&p->cancelled, false);
}

void parallel_free(Parallel *p)
{
    if (!p)
        return;
    parallel_cancel(p);
    for (uint32_t i = 0; i < p->n; i++) {
        ExploreHelper *h = &p->helpers[i];
        set_state(p, h, HELPER_QUIT);
        if (h->started)
            pthread_join(h->thread, NULL);
        if (h->started) {
            search_free(&h->s);
            arena_free(&h->result.arena);
        }
        heap_free(&h->heap);
    }
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    xfree(p->helpers);
    xfree(p);
}

/* ---- giving a part away ---- */

static void copy_steps(Node *to, const Node *from)
{
    for (uint32_t i = 0; i < from->done.len; i++)
        vec_push(&to->done, step_copy(from->done.at[i]));
    if (from->step)
        vec_push(&to->done, step_copy(from->step));
    /* What sleeps is owned here too: it has been tried as far as this node is concerned. */
    for (uint32_t i = 0; i < from->sleep.len; i++)
        vec_push(&to->done, step_copy(from->sleep.at[i]));
}

typedef struct {
    const Search *s;
    uint32_t at, name;
} Gift;

static void give(ExploreHelper *h, void *env)
{
    const Gift *g = env;
    const Search *s = g->s;
    uint32_t at = g->at, name = g->name;
    Search *part = &h->s;
    scope_copy(&part->scope, &s->scope);
    clear(h);
    for (uint32_t i = 0; i <= at; i++) {
        const Node *n = &s->path.at[i];
        Node copy = {.name = i < at ? n->name : name};
        if (i < at)
            copy.step = step_copy(n->step);
        else
            copy_steps(&copy, n);
        vec_push(&part->path, copy);
    }
    part->given = part->root = at + 1;
    h->at = at;
    h->bound = h->of->bound - search_spent(s);
}

static bool is_given(Parallel *p, uint32_t at)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (state_of(p, &p->helpers[i]) != HELPER_IDLE && p->helpers[i].at == at)
            return true;
    return false;
}

void parallel_offer(Parallel *p, const Search *s)
{
    uint32_t at = 0;
    for (uint32_t i = 0; p && i < p->n && search_spent(s) < p->bound; i++) {
        ExploreHelper *h = &p->helpers[i];
        if (!h->started || state_of(p, h) != HELPER_IDLE)
            continue;
        for (uint32_t name; at < s->path.len; at++)
            if (s->path.at[at].step && node_next(&s->path.at[at], &name) && !is_given(p, at)) {
                Gift g = {s, at, name};
                if (!within(h, give, &g))
                    heap_exhausted();
                set_state(p, h, HELPER_BUSY);
                break;
            }
    }
}

/* ---- taking it over ---- */

static void add_counts(Search *s, const ExploreHelper *h)
{
    ExploreResult *to = s->result;
    const ExploreResult *from = &h->result;
    to->status = status_worse(to->status, from->status);
    to->executions += from->executions;
    to->blocked += from->blocked;
    if (from->most_steps > to->most_steps)
        to->most_steps = from->most_steps;
    to->stopped = from->stopped;
    for (uint32_t i = 0; i < h->s.hashes.len; i++)
        search_note_order(s, h->s.hashes.at[i]);
    for (uint32_t i = 0; i < h->s.failures.len; i++)
        search_note_failure(s, h->s.keys.at[i], &h->s.failures.at[i]);
    outcomes_join(&s->outcomes, &h->s.outcomes);
}

static void add_wants(Search *s, const Search *part)
{
    for (uint32_t i = 0; i < part->wants.len; i += 2 + part->wants.at[i + 1])
        search_want(s, part->wants.at[i], part->wants.at + i + 2, part->wants.at[i + 1]);
}

static PartEnd take(ExploreHelper *h, Search *s, uint32_t at)
{
    PartEnd end = h->whole ? PART_TAKEN : PART_ENDS_ALL;
    add_counts(s, h);
    if (h->s.scope.grown)
        scope_copy(&s->scope, &h->s.scope);
    if (h->whole) {
        Node *n = &s->path.at[at];
        vec_push(&n->done, step_copy(h->s.path.at[at].step));
        add_wants(s, &h->s);
    }
    return end;
}

PartEnd parallel_take(Parallel *p, Search *s, uint32_t at)
{
    for (uint32_t i = 0; p && i < p->n; i++) {
        ExploreHelper *h = &p->helpers[i];
        if (state_of(p, h) == HELPER_IDLE || h->at != at)
            continue;
        await(p, h);
        if (h->exhausted)
            heap_exhausted();
        bool fits = !h->over && search_spent(s) + search_spent(&h->s) <= p->bound;
        PartEnd end = fits ? take(h, s, at) : PART_NONE;
        clear(h);
        set_state(p, h, HELPER_IDLE);
        return end;
    }
    return PART_NONE;
}
