/* Short runs show nothing: the line comes after a while, and is renewed a few times a second. */
#include "cli/progress.h"

#include "sim/machine/world.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double patience = 0.7, interval = 0.2; /* seconds */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void show(void *env, const World *w)
{
    Progress *p = env;
    double at = now();
    uint32_t waiting = 0;
    int64_t time = 0;
    if (at - p->start < patience || at - p->last < interval)
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
    fprintf(stderr, "\r\033[K%llu steps, modelled time %lld.%02lld us, %u of %u ranks wait",
            (unsigned long long)w->steps, (long long)(time / 1000000),
            (long long)(time % 1000000 / 10000), waiting, w->n_ranks);
    fflush(stderr);
    p->last = at;
    p->shown = true;
}

void progress_begin(Progress *p, RunConfig *run)
{
    *p = (Progress){.start = now()};
    if (!isatty(STDERR_FILENO))
        return;
    run->progress = show;
    run->progress_env = p;
}

void progress_end(Progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
