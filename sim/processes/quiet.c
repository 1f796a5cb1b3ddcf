/* When is a run over? Each process that has nothing to do takes part in a sum over all, a wave:
 * how much it has done, sent and received so far, and how many of its dispatches are left. The next
 * wave starts when the last has ended, after every wait has been tested again. Two waves with equal
 * sums, as much received as sent: at the end of the first one nobody did anything, nothing was on
 * its way, and afterwards no wait held; so nothing will ever happen. (F. Mattern, Algorithms for
 * distributed termination detection, 1987: the four-counter method.) */
#include "sim/machine/element_text.h"
#include "sim/processes/team.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool any_ready(const Team *t, const World *w)
{
    for (uint32_t i = 0; i < w->n_ranks; i++)
        for (uint32_t k = 0; team_is_mine(t, i) && k < w->ranks[i].n_lanes; k++)
            if (w->ranks[i].lanes[k].state == LANE_READY)
                return true;
    return false;
}

/* Tests what the lanes of this process wait for: cells that others have changed, transfers. */
static void recheck(const Team *t, World *w)
{
    for (uint32_t i = 0; i < w->n_ranks; i++)
        if (team_is_mine(t, i))
            world_recheck(w, i);
}

static void tell_failure(Team *t)
{
    t->told = true;
    for (uint32_t i = 0; i < t->base.n; i++)
        if (i != t->base.self)
            team_send(t, i, TAG_FAILED, "", 0);
}

bool quiet_progress(Processes *p, World *w)
{
    Team *t = team_of(p);
    if (team_receive(t))
        world_start_dispatches(w);
    recheck(t, w);
    return w->failed || any_ready(t, w);
}

/* ---- --stall ---- */

/* "cells[1, 0] >= 2, which is 0" */
static void wait_text(World *w, Buf *out, const Pending *p)
{
    FabAddr at = p->rect.at;
    int32_t value = 0;
    (void)w->fabric->ops->cell(w->fabric, at, &value);
    elements_window(w, out, at.window, DT_INT32, at.offset, at.offset + 4);
    buf_printf(out, " %s %d, which is %d,", p->op == WAIT_GE ? ">=" : "==", p->value, value);
}

static void say_stalled(const Team *t, World *w, double seconds)
{
    for (uint32_t i = 0; i < w->n_ranks; i++)
        for (uint32_t k = 0; team_is_mine(t, i) && k < w->ranks[i].n_lanes; k++) {
            const Lane *lane = &w->ranks[i].lanes[k];
            Buf text = {0};
            if (lane->state != LANE_BLOCKED)
                continue;
            place_text(w, &text, lane->pending.at);
            buf_printf(&text, ": rank %u has waited for ", i);
            if (lane->pending.kind == PEND_WAIT)
                wait_text(w, &text, &lane->pending);
            else
                buf_str(&text, "a transfer");
            buf_printf(&text, " for %.0f s", seconds);
            t->say(text.at);
            buf_free(&text);
        }
}

static void look_at_stall(Team *t, World *w)
{
    double now = t->t->clock();
    if (t->stalled != t->activity || t->moved == 0) {
        t->stalled = t->activity;
        t->moved = t->reported = now;
    }
    if (t->stall > 0 && t->say && now - t->reported >= t->stall) {
        say_stalled(t, w, now - t->moved);
        t->reported = now;
    }
}

/* ---- waves ---- */

static void start_wave(Team *t, const World *w)
{
    int64_t mine[WAVE_LEN] = {[WAVE_ACTIVITY] = t->activity,
                              [WAVE_SENT] = t->sent,
                              [WAVE_RECEIVED] = t->received,
                              [WAVE_LEFT] = w->dispatches_left,
                              [WAVE_FAILED] = w->failed};
    memcpy(t->wave, mine, sizeof mine);
    t->t->sum_start(t->wave, t->sum, WAVE_LEN);
    t->waving = true;
}

/* A wave has ended: is that the end of the run? */
static bool decides(Team *t, World *w)
{
    t->waving = false;
    bool same = t->waved && memcmp(t->last, t->sum, sizeof t->sum) == 0 &&
                t->sum[WAVE_SENT] == t->sum[WAVE_RECEIVED];
    memcpy(t->last, t->sum, sizeof t->sum);
    t->waved = true;
    if (t->sum[WAVE_FAILED])
        w->failed = true;
    /* After a fault lanes run on for a while, so that the lowest rank's is told; where somebody has
     * given that up, all must have heard of it. */
    bool over = t->sum[WAVE_FAILED] ? t->sum[WAVE_FAILED] == (int64_t)t->base.n : same;
    if (over)
        w->dispatches_left = (uint32_t)t->sum[WAVE_LEFT];
    return over;
}

static bool stopped(const World *w)
{
    return w->config->stop && w->config->stop(w->config->stop_env);
}

/* How often a process that has nothing to do looks at its cells before it asks the library, lets
 * others have the processor, and takes part in waves: cells are what lanes wait for mostly, and
 * looking at them costs a few loads. Where processes share processors, somebody else has to run for
 * a cell to change. */
enum { LOOKS_A_MESSAGE = 16, LOOKS_A_YIELD = 64, LOOKS_BEFORE_WAVES = 1024 };

bool team_is_crowded(const Team *t)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t here = 0;
    for (uint32_t i = 0; i < t->base.n; i++)
        here += t->t->near(i);
    return processors > 0 && here > (uint32_t)processors;
}

static bool may_go_on(Team *t, World *w, uint32_t looks)
{
    if (looks % LOOKS_A_MESSAGE == 0 && team_receive(t))
        world_start_dispatches(w);
    recheck(t, w);
    return any_ready(t, w);
}

bool quiet_idle(Processes *p, World *w)
{
    Team *t = team_of(p);
    uint32_t yields = t->crowded ? 1 : LOOKS_A_YIELD;
    for (uint32_t looks = 1;; looks++) {
        if ((w->failed || w->n_still) && !t->told)
            tell_failure(t);
        if (may_go_on(t, w, looks) && !w->failed) {
            t->activity++;
            return true;
        }
        if (looks % yields)
            continue;
        sched_yield();
        if (looks < LOOKS_BEFORE_WAVES)
            continue;
        if (!t->waving)
            start_wave(t, w);
        else if (t->t->sum_done() && decides(t, w))
            return false;
        if (!w->failed && stopped(w))
            return true; /* the scheduler asks again, and ends */
        look_at_stall(t, w);
    }
}
