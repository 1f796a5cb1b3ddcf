/* Short runs show nothing: the line comes after a while, and is renewed a few times a second. */
#include "cli/progress.h"

#include "sim/machine/world.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double patience = 0.7, interval = 0.2, lines = 1.0; /* seconds */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Is it time for a new line? */
static bool is_due(Progress *p)
{
    double at = now();
    if (at - p->start < patience || at - p->last < (p->terminal ? interval : lines))
        return false;
    p->last = at;
    return p->shown = true;
}

static void show_executions(void *env, uint64_t executions, uint64_t transitions)
{
    Progress *p = env;
    if (!is_due(p))
        return;
    fprintf(stderr, "%s%llu executions, the last of %llu transitions%s",
            p->terminal ? "\r\033[K" : "", (unsigned long long)executions,
            (unsigned long long)transitions, p->terminal ? "" : "\n");
    fflush(stderr);
}

static void show(void *env, const World *w)
{
    Progress *p = env;
    uint32_t waiting = 0;
    int64_t time = 0;
    if (!is_due(p))
        return;
    for (uint32_t i = 0; i < w->n_ranks; i++) {
        const Rank *r = &w->ranks[i];
        bool blocked = false;
        for (uint32_t k = 0; k < r->n_lanes; k++) {
            blocked |= r->lanes[k].state == LANE_BLOCKED;
            time = r->lanes[k].now > time ? r->lanes[k].now : time;
        }
        waiting += blocked;
    }
    fprintf(stderr, "%s%llu steps, modelled time %lld.%02lld us, %u of %u ranks wait%s",
            p->terminal ? "\r\033[K" : "", (unsigned long long)w->steps,
            (long long)(time / 1000000), (long long)(time % 1000000 / 10000), waiting, w->n_ranks,
            p->terminal ? "" : "\n");
    fflush(stderr);
}

void progress_begin(Progress *p, RunConfig *run, ExploreOptions *explore, bool always)
{
    *p = (Progress){.start = now(), .terminal = isatty(STDERR_FILENO)};
    if (!p->terminal && !always)
        return;
    explore->progress = show_executions;
    explore->progress_env = p;
    run->progress = show;
    run->progress_env = p;
}

void progress_end(Progress *p)
{
    if (p->shown && p->terminal)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
