/* What every stuck rank waits for, and who could still have helped it. Ranks in the same situation
 * share a line, so that the report of a thousand ranks can be read. */
#include "sim/sched/deadlock.h"

#include "sim/machine/element_text.h"
#include "sim/machine/fault.h"
#include "sim/machine/job.h"
#include "sim/machine/report_item.h"
#include "sim/machine/window_names.h"
#include "sim/sched/host_wait.h"
#include "sim/sched/reachability.h"
#include <string.h>

enum { MAX_SHOWN = 16 }; /* blocked lanes shown in full */

typedef struct {
    World *w;
    ReachList *reach; /* per rank, filled when first asked for */
    bool *reach_known;
    Buf out;
} Dead;

static const ReachList *reach_of(Dead *r, uint32_t rank)
{
    if (!r->reach_known[rank])
        reach_rank(r->w, rank, &r->reach[rank]);
    r->reach_known[rank] = true;
    return &r->reach[rank];
}

/* A lane that waits for its jobs stands where they do. */
static bool lane_stands(const Lane *lane)
{
    return lane->state == LANE_BLOCKED && lane->pending.kind != PEND_JOIN;
}

static const Lane *blocked_lane(const World *w, uint32_t rank)
{
    for (uint32_t i = 0; i < w->ranks[rank].n_lanes; i++)
        if (lane_stands(&w->ranks[rank].lanes[i]))
            return &w->ranks[rank].lanes[i];
    return NULL;
}

void deadlock_line(const World *w, Buf *out, CodePlace at)
{
    uint32_t site = call_site_of(w->call_sites, at.func, at.pc);
    if (site != UINT32_MAX)
        at.pc = w->call_sites->at[site].pc;
    const BcLoc *loc = place_loc(w, at);
    if (loc)
        buf_printf(out, "line %u", loc->line);
    else
        place_text(w, out, at);
}

/* A number for the place where a rank is blocked. */
static uint64_t stand_key(const World *w, uint32_t rank)
{
    const Lane *lane = blocked_lane(w, rank);
    return lane ? place_key(w, lane->pending.at) : UINT64_MAX;
}

/* What a rank is doing, for somebody who waits for a cell of it. */
static void state_text(Dead *r, Buf *out, uint32_t rank, FabAddr cell)
{
    World *w = r->w;
    const Lane *lane = blocked_lane(w, rank);
    const Rank *q = &w->ranks[rank];
    if (lane) {
        buf_str(out, "blocked at ");
        deadlock_line(w, out, lane->pending.at);
    } else if (q->next < q->queue.len) {
        buf_str(out, "its next dispatch waits for one of another device");
    } else {
        buf_str(out, "exited");
        return;
    }
    ReachAnswer a = reach_cell(reach_of(r, rank), cell);
    if (a != REACH_YES)
        buf_printf(out, ", no notify of this %s reachable from there",
                   a == REACH_NO_WINDOW ? "window" : "cell");
}

/* "rank 3", "ranks 0-3, 7" */
static void ranks_text(Buf *out, const uint32_t *ranks, uint32_t n)
{
    buf_str(out, n == 1 ? "rank " : "ranks ");
    for (uint32_t i = 0; i < n;) {
        uint32_t end = i;
        while (end + 1 < n && ranks[end + 1] == ranks[end] + 1)
            end++;
        if (end - i >= 2) {
            buf_printf(out, "%s%u-%u", i ? ", " : "", ranks[i], ranks[end]);
            i = end + 1;
        } else {
            buf_printf(out, "%s%u", i ? ", " : "", ranks[i]);
            i++;
        }
    }
}

/* Ranks at the same place with the same text share one line. */
typedef struct {
    uint64_t key; /* of the place */
    char *text;
    VEC(uint32_t) ranks;
} Group;
typedef VEC(Group) GroupList;

static void group_add(GroupList *groups, uint64_t key, const char *text, uint32_t rank)
{
    for (uint32_t i = 0; i < groups->len; i++)
        if (groups->at[i].key == key && strcmp(groups->at[i].text, text) == 0) {
            vec_push(&groups->at[i].ranks, rank);
            return;
        }
    Group g = {.key = key, .text = xstrdup(text)};
    vec_push(&g.ranks, rank);
    vec_push(groups, g);
}

static void group_free(GroupList *groups)
{
    for (uint32_t i = 0; i < groups->len; i++) {
        xfree(groups->at[i].text);
        vec_free(&groups->at[i].ranks);
    }
    vec_free(groups);
}

static void others_text(Dead *r, const Lane *lane)
{
    const FabAddr cell = lane->pending.rect.at;
    const Domain *d = window_domain(r->w, cell.window);
    GroupList groups = {0};
    for (uint32_t i = 0; i < d->n; i++) {
        if (d->members[i] == lane->rank)
            continue;
        Buf text = {0};
        state_text(r, &text, d->members[i], cell);
        group_add(&groups, stand_key(r->w, d->members[i]), text.at, d->members[i]);
        buf_free(&text);
    }
    for (uint32_t i = 0; i < groups.len; i++) {
        buf_str(&r->out, "\n    ");
        ranks_text(&r->out, groups.at[i].ranks.at, groups.at[i].ranks.len);
        buf_printf(&r->out, ": %s", groups.at[i].text);
    }
    group_free(&groups);
}

/* The cell as the wait names it: window[i, j]. */
static void cell_text(Dead *r, const Lane *lane)
{
    const Frame *f = &lane->frames.at[lane->frames.len - 1];
    const BcInsn *in = &f->f->insns[f->pc];
    buf_printf(&r->out, "%s[", r->w->windows.at[lane->pending.rect.at.window].name);
    for (uint32_t i = 0; i < in->c; i++)
        buf_printf(&r->out, "%s%lld", i ? ", " : "", (long long)f->regs[in->b + i]);
    buf_char(&r->out, ']');
}

/* A Set leaves nothing of the notifies before it. */
static void replaced_text(Dead *r, FabAddr cell)
{
    const CellReplaced *set = cell_log_replaced(r->w, cell);
    if (!set)
        return;
    buf_printf(&r->out, "\n    %u Set%s replaced value%s %d here", set->count,
               set->count == 1 ? "" : "s", set->count == 1 ? "" : "s, the last", set->value);
    buf_printf(&r->out, ": rank %u at ", set->last.rank);
    place_text(r->w, &r->out, set->last);
}

static void blocked_text(Dead *r, const Lane *lane)
{
    World *w = r->w;
    const Pending *p = &lane->pending;
    buf_str(&r->out, "\n  ");
    place_text(w, &r->out, p->at);
    buf_str(&r->out, ": ");
    elements_who(w, &r->out, lane_place(lane));
    if (p->kind != PEND_WAIT) {
        buf_str(&r->out, ": a transfer that never completes");
        return;
    }
    int32_t value = 0;
    (void)w->fabric->ops->cell(w->fabric, p->rect.at, &value);
    buf_str(&r->out, job_is_deferred(w, lane) ? ": deferred wait on " : ": wait on ");
    cell_text(r, lane);
    window_param_text(w, &r->out, p->at, p->rect.at.window);
    buf_printf(&r->out, ": value %d, needs %s %d", value, p->op == WAIT_GE ? ">=" : "==", p->value);
    replaced_text(r, p->rect.at);
    others_text(r, lane);
}

/* ---- cycles ---- */

/* Blocked rank a waits for a cell that blocked rank b could change, if b could go on. */
static bool waits_for(Dead *r, uint32_t a, uint32_t b)
{
    const Lane *la = blocked_lane(r->w, a);
    if (a == b || !la || !blocked_lane(r->w, b) || la->pending.kind != PEND_WAIT)
        return false;
    FabAddr cell = la->pending.rect.at;
    return window_rank(r->w, cell.window, b) != UINT32_MAX &&
           reach_cell(reach_of(r, b), cell) == REACH_YES;
}

/* Depth-first search with an explicit path; returns the length of a cycle that starts at
 * path[*start]. */
static uint32_t find_cycle(Dead *r, uint32_t *path, uint32_t *start)
{
    uint32_t n = r->w->n_ranks;
    uint8_t *state = xcalloc(n, 1); /* 0 new, 1 on the path, 2 done */
    uint32_t *next = xcalloc(n, sizeof *next), len = 0, cycle = 0;
    for (uint32_t root = 0; root < n && !cycle; root++) {
        if (state[root] || !blocked_lane(r->w, root))
            continue;
        path[len++] = root;
        state[root] = 1;
        while (len && !cycle) {
            uint32_t a = path[len - 1], b = next[a]++;
            if (b == n) {
                state[a] = 2;
                len--;
            } else if (state[b] == 0 && waits_for(r, a, b)) {
                state[b] = 1;
                path[len++] = b;
            } else if (state[b] == 1 && waits_for(r, a, b)) {
                for (*start = 0; path[*start] != b;)
                    ++*start;
                cycle = len - *start;
            }
        }
    }
    xfree(state);
    xfree(next);
    return cycle;
}

/* ---- roots ---- */

/* Can no rank change the cell that this lane waits for any more? Its own lane cannot: it waits. */
static bool is_root(Dead *r, const Lane *lane)
{
    const World *w = r->w;
    if (lane->pending.kind != PEND_WAIT)
        return false;
    const Domain *d = window_domain(w, lane->pending.rect.at.window);
    for (uint32_t i = 0; i < d->n; i++) {
        uint32_t rank = d->members[i];
        if ((rank != lane->rank || w->ranks[rank].n_lanes > 1) &&
            reach_cell(reach_of(r, rank), lane->pending.rect.at) == REACH_YES)
            return false;
    }
    return true;
}

static void roots_text(Dead *r)
{
    GroupList groups = {0};
    for (uint32_t i = 0; i < r->w->n_ranks; i++)
        for (uint32_t k = 0; k < r->w->ranks[i].n_lanes; k++) {
            const Lane *lane = &r->w->ranks[i].lanes[k];
            if (!lane_stands(lane) || !is_root(r, lane))
                continue;
            Buf text = {0};
            buf_str(&text, " at ");
            deadlock_line(r->w, &text, lane->pending.at);
            group_add(&groups, place_key(r->w, lane->pending.at), text.at, i);
            buf_free(&text);
        }
    for (uint32_t i = 0; i < groups.len; i++) {
        bool one = groups.at[i].ranks.len == 1;
        buf_str(&r->out, "\n  root: ");
        ranks_text(&r->out, groups.at[i].ranks.at, groups.at[i].ranks.len);
        buf_printf(&r->out, " %s%s for %s that nobody can change any more", one ? "waits" : "wait",
                   groups.at[i].text, one ? "a cell" : "cells");
    }
    group_free(&groups);
}

static void cycle_text(Dead *r)
{
    uint32_t *path = xcalloc(r->w->n_ranks + 1, sizeof *path), start = 0;
    uint32_t len = find_cycle(r, path, &start);
    if (len) {
        buf_str(&r->out, "\n  cycle: ");
        for (uint32_t i = 0; i < len; i++) {
            uint32_t rank = path[start + i];
            buf_printf(&r->out, "rank %u (", rank);
            deadlock_line(r->w, &r->out, blocked_lane(r->w, rank)->pending.at);
            buf_str(&r->out, ") waits for ");
        }
        buf_printf(&r->out, "rank %u", path[start]);
    }
    xfree(path);
}

/* ---- divergence ---- */

/* Has the rank left while somebody waits in a window of its? */
static bool left_others(const World *w, uint32_t rank)
{
    if (w->ranks[rank].busy || w->ranks[rank].next < w->ranks[rank].queue.len)
        return false;
    for (uint32_t i = 0; i < w->n_ranks; i++)
        for (uint32_t k = 0; k < w->ranks[i].n_lanes; k++) {
            const Lane *lane = &w->ranks[i].lanes[k];
            if (lane->state == LANE_BLOCKED && lane->pending.kind == PEND_WAIT &&
                window_rank(w, lane->pending.rect.at.window, rank) != UINT32_MAX)
                return true;
        }
    return false;
}

/* Where a rank stands, as the end of "rank 2 is ..."; empty: nowhere in particular. */
static bool stand_text(const World *w, Buf *text, uint32_t rank, bool *builtin)
{
    const Lane *lane = blocked_lane(w, rank);
    if (!lane) {
        if (left_others(w, rank))
            buf_str(text, "at the end");
        return text->len > 0;
    }
    const char *name = place_builtin(w, lane->pending.at);
    *builtin |= name != NULL;
    buf_printf(text, "in %s at ", name ? strrchr(name, '.') + 1 : "a wait");
    deadlock_line(w, text, lane->pending.at);
    return true;
}

/* Small groups come first: it is the odd one out that a reader looks for. */
static void sort_groups(GroupList *groups)
{
    for (uint32_t i = 1; i < groups->len; i++)
        for (uint32_t k = i; k > 0 && groups->at[k].ranks.len < groups->at[k - 1].ranks.len; k--) {
            Group g = groups->at[k];
            groups->at[k] = groups->at[k - 1];
            groups->at[k - 1] = g;
        }
}

/* Ranks that stand in different collectives, or in one at different lines. */
static void divergence_text(Dead *r)
{
    GroupList groups = {0};
    bool builtin = false;
    for (uint32_t i = 0; i < r->w->n_ranks; i++) {
        Buf text = {0};
        if (stand_text(r->w, &text, i, &builtin))
            group_add(&groups, stand_key(r->w, i), text.at, i);
        buf_free(&text);
    }
    sort_groups(&groups);
    for (uint32_t i = 0; i < groups.len && builtin && groups.len > 1; i++) {
        buf_str(&r->out, i ? ", " : "\n  ");
        ranks_text(&r->out, groups.at[i].ranks.at, groups.at[i].ranks.len);
        buf_printf(&r->out, " %s %s", groups.at[i].ranks.len == 1 ? "is" : "are",
                   groups.at[i].text);
    }
    group_free(&groups);
}

/* The builtin that a rank has gone through last, or waits in; NULL: none. */
static const char *collective_of(const World *w, uint32_t rank, bool *waits, CodePlace *at)
{
    const Lane *lane = blocked_lane(w, rank);
    *waits = lane != NULL;
    for (uint32_t i = 0; !lane && i < w->ranks[rank].n_lanes; i++)
        lane = w->ranks[rank].lanes[i].met ? &w->ranks[rank].lanes[i] : NULL;
    if (!lane || (!*waits && !left_others(w, rank)))
        return NULL;
    *at = *waits ? lane->pending.at : lane->last_met;
    return place_region(w, *at) ? place_builtin(w, *at) : NULL;
}

/* Who left through which collective while others wait in one. */
static void left_text(Dead *r)
{
    GroupList groups = {0};
    bool left = false, waiting = false;
    for (uint32_t i = 0; i < r->w->n_ranks; i++) {
        bool waits;
        CodePlace at;
        const char *name = collective_of(r->w, i, &waits, &at);
        if (!name)
            continue;
        const char *dot = strrchr(name, '.');
        Buf text = {0};
        buf_printf(&text, "%s%s at ", waits ? "+" : "-", dot ? dot + 1 : name);
        deadlock_line(r->w, &text, at);
        group_add(&groups, place_key(r->w, at), text.at, i);
        buf_free(&text);
        *(waits ? &waiting : &left) = true;
    }
    const char *comma = "\n  ";
    for (uint32_t i = 0; i < 2 * groups.len && left && waiting; i++) {
        const Group *g = &groups.at[i % groups.len];
        bool waits = g->text[0] == '+';
        if (waits != (i >= groups.len))
            continue; /* those that left come first */
        buf_str(&r->out, comma);
        comma = ", ";
        ranks_text(&r->out, g->ranks.at, g->ranks.len);
        buf_printf(&r->out, " %s %s",
                   !waits              ? "left through"
                   : g->ranks.len == 1 ? "waits in"
                                       : "wait in",
                   g->text + 1);
    }
    group_free(&groups);
}

static uint32_t blocked_ranks(const World *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n_ranks; i++)
        n += blocked_lane(w, i) != NULL;
    return n;
}

static uint32_t count_blocked(const World *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n_ranks; i++)
        for (uint32_t k = 0; k < w->ranks[i].n_lanes; k++)
            n += lane_stands(&w->ranks[i].lanes[k]);
    return n;
}

static void all_blocked(Dead *r, uint32_t total)
{
    uint32_t shown = 0;
    for (uint32_t i = 0; i < r->w->n_ranks; i++)
        for (uint32_t k = 0; k < r->w->ranks[i].n_lanes; k++) {
            const Lane *lane = &r->w->ranks[i].lanes[k];
            if (lane_stands(lane) && shown++ < MAX_SHOWN)
                blocked_text(r, lane);
        }
    if (total > MAX_SHOWN)
        buf_printf(&r->out, "\n  and %u more", total - MAX_SHOWN);
    for (uint32_t i = 0; i < r->w->n_ranks; i++)
        jobs_waiting_text(r->w, i, &r->out);
}

void deadlock_report(World *w)
{
    Dead r = {.w = w};
    r.reach = xcalloc(w->n_ranks, sizeof *r.reach);
    r.reach_known = xcalloc(w->n_ranks, sizeof *r.reach_known);
    uint32_t total = count_blocked(w);
    CodePlace first = {0};
    for (uint32_t i = w->n_ranks; i-- > 0;)
        if (blocked_lane(w, i))
            first = blocked_lane(w, i)->pending.at;
    buf_printf(&r.out, "deadlock: %u of %u devices cannot go on", blocked_ranks(w), w->n_ranks);
    divergence_text(&r);
    left_text(&r);
    all_blocked(&r, total);
    host_waits_text(w, &r.out);
    roots_text(&r);
    cycle_text(&r);
    report_add(w, REP_DEADLOCK, "deadlock", &first, r.out.at);
    for (uint32_t i = 0; i < w->n_ranks; i++)
        for (uint32_t k = 0; k < w->ranks[i].n_lanes; k++)
            if (lane_stands(&w->ranks[i].lanes[k]))
                report_item_lane(w, "blocked", &w->ranks[i].lanes[k]);
    buf_free(&r.out);
    for (uint32_t i = 0; i < w->n_ranks; i++)
        vec_free(&r.reach[i]);
    xfree(r.reach);
    xfree(r.reach_known);
}
