/* Rounds of the search with a growing scope, and several threads on one of them. */
#include "sim/explore/explore.h"

#include "base/heap.h"
#include "sim/explore/parallel.h"
#include <string.h>

/* Turns to the deepest transition with something left. False when there is none, or the search is
 * over. */
static bool backtrack(Search *s, Parallel *p, bool *over)
{
    for (; s->path.len > s->root; s->path.len--) {
        Node *n = &vec_last(&s->path);
        if (n->step)
            vec_push(&n->done, n->step);
        n->step = NULL;
        while (node_next(n, &n->name)) {
            n->next++;
            PartEnd end = parallel_take(p, s, s->path.len - 1);
            *over = end == PART_ENDS_ALL;
            if (*over)
                return false;
            if (end == PART_TAKEN)
                continue;
            s->given = s->path.len;
            return true;
        }
        node_free(n);
    }
    return false;
}

static void search(Search *s, Parallel *p)
{
    uint64_t bound = s->options->bound ? s->options->bound : EXPLORE_BOUND;
    bool over = false;
    search_begin(s);
    while (search_spent(s) < bound && search_execute(s)) {
        if (!s->scope.grown) {
            parallel_offer(p, s);
            if (backtrack(s, p, &over))
                continue;
            s->result->complete = !over;
            if (!over || !s->scope.grown)
                return;
        }
        parallel_cancel(p);
        search_begin(s);
    }
}

/* False when memory does not suffice: the threads are joined before anybody hears of it. */
static bool search_within(Search *s, Parallel *p)
{
    Trap trap;
    trap_enter(&trap, NULL);
    trap.heap = trap.outer ? trap.outer->heap : NULL;
    volatile bool ok = false;
    if (setjmp(trap.at) == 0) {
        search(s, p);
        ok = true;
    }
    trap_leave(&trap);
    return ok;
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
}

int explore(const BcProgram *program, const RunConfig *config, const ExploreOptions *options,
            ExploreResult *result)
{
    Search s;
    if (search_init(&s, program, config, options, result)) {
        Parallel *p = parallel_new(program, config, options);
        bool ok = search_within(&s, p);
        parallel_free(p);
        if (!ok)
            heap_exhausted();
        finish(&s);
    }
    search_free(&s);
    return result->status;
}

void explore_free(ExploreResult *result)
{
    arena_free(&result->arena);
    memset(result, 0, sizeof *result);
}
