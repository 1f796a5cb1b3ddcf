/* The observer: a run is written down, and judged when it ends. */
#include "sim/check/order.h"

#include "sim/check/checks.h"
#include "sim/machine/fault.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A run with more events, or accesses, than this is judged piece by piece: each piece as a run that
 * starts where the one before it ended. */
#define MOST_EVENTS (UINT32_C(1) << 25)
#define MOST_ACCESSES (UINT64_C(1) << 24)

void order_fails(OrderCheck *c, const char *fmt, ...)
{
    if (c->failed)
        return;
    c->failed = true;
    va_list args;
    char text[512];
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    buf_clear(&c->why);
    buf_str(&c->why, text);
}

static void slices_ready(OrderCheck *c)
{
    ranges_clear(&c->pool);
    for (uint32_t i = 0; i < c->slices.len; i++) {
        Slice *s = &c->slices.at[i];
        ranges_init(&s->reads);
        ranges_init(&s->writes);
        ranges_init(&s->adds);
        s->limit[0] = s->limit[1] = s->limit[2] = 64;
    }
}

/* Lanes that the run left in the middle. */
static bool stands_still(const World *w)
{
    for (uint32_t r = 0; r < w->n_ranks; r++)
        for (uint32_t i = 0; i < w->ranks[r].n_lanes; i++) {
            const Lane *lane = &w->ranks[r].lanes[i];
            if (lane->state == LANE_READY || lane->state == LANE_FAULTED ||
                (lane->state == LANE_BLOCKED && lane->pending.kind != PEND_WAIT &&
                 lane->pending.kind != PEND_JOIN))
                return false;
        }
    return true;
}

/* Of a run that came to its end what every schedule comes to is judged, of a piece all. */
static void judge(OrderCheck *c, bool whole)
{
    c->failed = false;
    order_solve(c);
    while (whole && !c->cut && order_cut(c)) {
        c->part = true;
        order_solve(c);
    }
    slices_ready(c);
    order_replay(c);
    sources_judge(c);
    if (c->shared_cores)
        order_fails(c, "blocks that follow each other on a core use signals");
    if (c->unsolved)
        order_fails(c, "its order was not found in the time given");
}

static void empty(OrderCheck *c)
{
    for (uint32_t u = 0; u < c->n_threads; u++) {
        OrderThread *t = &c->threads[u];
        vec_clear(&t->accesses);
        t->first = t->last = t->n_events = 0;
        memset(t->merge, 0, sizeof t->merge);
    }
    c->n_events = 0;
    c->n_accesses = 0;
    order_cells_clear(c);
    vec_clear(&c->slices);
    map_clear(&c->slice_index);
    vec_clear(&c->grids);
    ranges_clear(&c->pool);
}

/* The log is full: what it holds is judged, and a new one begins. */
static void cut(OrderCheck *c)
{
    rounds_expand(c);
    judge(c, false);
    memcpy(c->left_at_cut, c->lanes_left, c->n_dispatches * sizeof *c->lanes_left);
    memcpy(c->state_at_cut, c->state, c->n_dispatches);
    c->cut = true;
    for (uint32_t i = 0; i < c->tokens.len; i++)
        c->tokens.at[i].before += c->tokens.at[i].posts;
    order_rewind(c);
    order_waits_free(c);
    order_snaps_free(c);
    empty(c);
}

static void on_event(Observer *o, World *w, const Event *e)
{
    OrderCheck *c = (OrderCheck *)o;
    c->world = w;
    if (!c->n_events)
        rounds_begin(c);
    order_log_event(c, e);
    if (c->n_events >= MOST_EVENTS || c->n_accesses >= MOST_ACCESSES)
        cut(c);
}

/* One lane, and nothing that arrives later than it was sent: no other schedule exists. */
static bool one_schedule(const OrderCheck *c)
{
    return c->n_threads == 1 && !c->weak;
}

static void tell(OrderCheck *c)
{
    RunResult *r = c->world->result;
    if (c->cut)
        order_fails(c, "the run is too long to be judged as a whole");
    bool open = c->failed && !one_schedule(c);
    r->certified = !open;
    r->uncertain = open ? arena_strndup(&r->arena, c->why.at, c->why.len) : NULL;
}

static void finish(Observer *o, World *w, bool ok)
{
    OrderCheck *c = (OrderCheck *)o;
    c->world = w;
    c->done = ok;
    bool whole = ok || (!w->failed && stands_still(w));
    rounds_end(c, ok);
    if (whole)
        order_log_end(c);
    judge(c, whole);
    if (whole)
        cells_judge(c);
    if (c->part)
        order_fails(c, "what a wait sees depends on the order of updates");
    if (!whole)
        order_fails(c, "it did not come to its end");
    tell(c);
}

static void forget(OrderCheck *c)
{
    c->cut = c->part = c->failed = false;
    order_rewind(c);
    order_waits_free(c);
    for (uint32_t u = 0; u < c->n_threads; u++) {
        vec_clear(&c->threads[u].sources);
        c->threads[u].puts = c->threads[u].started = 0;
        c->threads[u].last_sync = (SyncPoint){.kind = EV_LANE_BEGIN};
    }
    order_snaps_free(c);
    rounds_free(c);
    empty(c);
    float_sums_free(c);
    map_clear(&c->reported);
    map_clear(&c->raced);
    vec_clear(&c->source_races);
    vec_clear(&c->lost);
    vec_clear(&c->tokens);
    c->shared_cores = false;
}

static void reset(Observer *o, World *w)
{
    OrderCheck *c = (OrderCheck *)o;
    c->world = w;
    forget(c);
}

static bool save(const Observer *o, Buf *out)
{
    return order_save((const OrderCheck *)o, out);
}

static void load(Observer *o, World *w, SaveReader *in)
{
    reset(o, w);
    order_load((OrderCheck *)o, in);
}

static void destroy(Observer *o)
{
    OrderCheck *c = (OrderCheck *)o;
    forget(c);
    for (uint32_t u = 0; u < c->n_threads; u++) {
        vec_free(&c->threads[u].accesses);
        vec_free(&c->threads[u].sources);
    }
    for (uint32_t i = 0; i < c->blocks.len; i++)
        xfree(c->blocks.at[i]);
    vec_free(&c->blocks);
    vec_free(&c->cells);
    vec_free(&c->slices);
    vec_free(&c->grids);
    vec_free(&c->tokens);
    vec_free(&c->waits);
    vec_free(&c->found);
    cell_pages_free(&c->cell_index);
    map_free(&c->slice_index);
    map_free(&c->reported);
    map_free(&c->raced);
    vec_free(&c->source_races);
    vec_free(&c->lost);
    ranges_free(&c->pool);
    buf_free(&c->why);
    xfree(c->first_thread);
    xfree(c->threads);
    xfree(c->rank_end);
    xfree(c->starts);
    xfree(c->ends);
    xfree(c->cores);
    xfree(c->lanes_left);
    xfree(c->state);
    xfree(c->left_at_cut);
    xfree(c->state_at_cut);
    xfree(c);
}

static void make_tables(OrderCheck *c, const World *w)
{
    c->n_ranks = w->n_ranks;
    c->cell_index = (CellPages){.size = sizeof(uint32_t), .n_ranks = w->n_ranks};
    c->n_dispatches = w->dispatches.len;
    c->first_thread = xcalloc(w->n_ranks + 2, sizeof *c->first_thread);
    for (uint32_t r = 0; r < w->n_ranks; r++) {
        c->first_thread[r] = c->n_threads;
        bool jobs = w->job_slots && w->ranks[r].n_lanes > w->host_cores;
        c->n_threads += jobs ? w->host_cores + w->job_slots : w->ranks[r].n_lanes;
    }
    c->first_thread[w->n_ranks] = c->n_threads;
    c->threads = xcalloc(c->n_threads + 1, sizeof *c->threads);
    for (uint32_t r = 0; r < w->n_ranks; r++)
        for (uint32_t u = c->first_thread[r]; u < c->first_thread[r + 1]; u++)
            c->threads[u].rank = r;
    c->rank_end = xcalloc(w->n_ranks + 1, sizeof *c->rank_end);
    c->starts = xcalloc(w->dispatches.len + 1, sizeof *c->starts);
    c->ends = xcalloc(w->dispatches.len + 1, sizeof *c->ends);
    c->cores = xcalloc(w->dispatches.len + 1, sizeof *c->cores);
    for (uint32_t i = 0; i < w->dispatches.len; i++)
        c->cores[i] = w->dispatches.at[i].cores;
    c->lanes_left = xcalloc(w->dispatches.len + 1, sizeof *c->lanes_left);
    c->state = xcalloc(w->dispatches.len + 1, 1);
    c->left_at_cut = xcalloc(w->dispatches.len + 1, sizeof *c->left_at_cut);
    c->state_at_cut = xcalloc(w->dispatches.len + 1, 1);
}

bool check_order_raced(const Observer *o, CodePlace at)
{
    const OrderCheck *c = (const OrderCheck *)o;
    return map_get(&c->raced, (uint64_t)at.func << 32 | at.pc, NULL);
}

uint32_t check_order_mark(const Observer *o, CodePlace at)
{
    const OrderCheck *c = (const OrderCheck *)o;
    return c->threads[order_thread(c, at)].n_events;
}

bool order_comes_to(const OrderCheck *c, uint32_t thread, uint32_t pos)
{
    const OrderThread *t = &c->threads[thread];
    bool stuck = t->last && order_event(c, t->last)->kind == OE_STUCK;
    return !c->part || pos + stuck <= t->n_events;
}

bool check_order_certain(const Observer *o, CodePlace at, uint32_t mark)
{
    const OrderCheck *c = (const OrderCheck *)o;
    return order_comes_to(c, order_thread(c, at), mark);
}

Observer *check_order_new(World *w)
{
    OrderCheck *c = xcalloc(1, sizeof *c);
    c->base = (Observer){.name = "race",
                         .event = on_event,
                         .finish = finish,
                         .reset = reset,
                         .save = save,
                         .load = load,
                         .destroy = destroy};
    c->base.mask = EV_BIT(EV_LANE_BEGIN) | EV_BIT(EV_LANE_END) | EV_BIT(EV_READ) |
                   EV_BIT(EV_WRITE) | EV_BIT(EV_REMOTE_READ) | EV_BIT(EV_REMOTE_WRITE) |
                   EV_BIT(EV_ATOMIC) | EV_BIT(EV_PUT_SOURCE) | EV_BIT(EV_TENSOR_WRITE) |
                   EV_BIT(EV_NOTIFY) | EV_BIT(EV_ARRIVE) | EV_BIT(EV_WAIT) | EV_BIT(EV_FENCE) |
                   EV_BIT(EV_POST) | EV_BIT(EV_TAKE);
    for (uint32_t i = 0; i < w->dispatches.len; i++)
        if (w->dispatches.at[i].shared)
            c->base.mask |= EV_BIT(EV_TENSOR_READ);
    c->world = w;
    c->weak = w->config->weak;
    make_tables(c, w);
    return &c->base;
}
