/* The logs are put together lane by lane: the earliest event comes first, but a wait not before the
 * updates that satisfy it, so that clocks of several hosts need not agree. The checks see an order
 * in which the run could have gone; what they find does not depend on which (pld-memory(7)). */
#include "sim/processes/judge.h"

#include "sim/check/checks.h"
#include "sim/fabric/fabrics.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WINDOW_EVENTS                                                                              \
    (EV_BIT(EV_READ) | EV_BIT(EV_WRITE) | EV_BIT(EV_REMOTE_READ) | EV_BIT(EV_REMOTE_WRITE) |       \
     EV_BIT(EV_ATOMIC))
#define OWN_EVENTS                                                                                 \
    (EV_BIT(EV_TILE_UNINIT) | EV_BIT(EV_TENSOR_READ) | EV_BIT(EV_TENSOR_WRITE) |                   \
     EV_BIT(EV_KERNEL_BEGIN) | EV_BIT(EV_KERNEL_END))

/* One event, then `extra` bytes: of an atomic add its rectangle and elements, of another write
 * into signal cells what they are afterwards. */
typedef struct {
    Event event; /* without its pointers */
    double time;
    uint32_t extra;
} LogHead;

typedef struct {
    Observer base;
    Team *team;
    Buf text;
} Log;

/* One clock where all processes are on one host; else each one's time since the start. */
static double log_time(const Team *t)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9 - t->epoch;
}

static void put_elements(Buf *out, const Event *e)
{
    const FabRect *r = e->whole;
    int64_t stride[FAB_MAX_DIMS], size = r->run;
    for (int i = r->n; i-- > 0;) {
        stride[i] = size;
        size *= r->count[i];
    }
    char *packed = xmalloc((size_t)size + 1);
    rect_copy(r, packed, stride, e->data->at, e->data->stride);
    buf_bytes(out, r, sizeof *r);
    buf_bytes(out, packed, (size_t)size);
    xfree(packed);
}

static void put_cells(Buf *out, const World *w, const Event *e)
{
    FabAddr at = e->rect.at;
    at.offset -= at.offset % 4;
    for (int64_t end = rect_end(&e->rect); at.offset < end; at.offset += 4) {
        int32_t value = 0;
        (void)w->fabric->ops->cell(w->fabric, at, &value);
        buf_bytes(out, &value, sizeof value);
    }
}

static void log_event(Observer *o, World *w, const Event *e)
{
    Log *log = (Log *)o;
    LogHead h;
    memset(&h, 0, sizeof h);
    h.event = *e;
    h.event.lane = NULL;
    h.event.payload = (FabPayload){0};
    h.event.whole = NULL;
    h.event.data = NULL;
    h.time = log_time(log->team);
    size_t at = log->text.len;
    buf_bytes(&log->text, &h, sizeof h);
    bool writes = e->kind == EV_WRITE || e->kind == EV_REMOTE_WRITE;
    if (e->kind == EV_ATOMIC && e->data)
        put_elements(&log->text, e);
    else if (writes && !e->tensor && w->windows.at[e->rect.at.window].signal)
        put_cells(&log->text, w, e);
    h.extra = (uint32_t)(log->text.len - at - sizeof h);
    memcpy(log->text.at + at, &h, sizeof h);
}

static void log_destroy(Observer *o)
{
    Log *log = (Log *)o;
    log->team->log = NULL;
    buf_free(&log->text);
    xfree(log);
}

static Observer *log_new(Team *t)
{
    Log *log = xcalloc(1, sizeof *log);
    log->base = (Observer){.name = "log", .event = log_event, .destroy = log_destroy};
    log->base.mask = WINDOW_EVENTS | EV_BIT(EV_LANE_BEGIN) | EV_BIT(EV_LANE_END) |
                     EV_BIT(EV_PUT_SOURCE) | EV_BIT(EV_TENSOR_WRITE) | EV_BIT(EV_TENSOR_READ) |
                     EV_BIT(EV_NOTIFY) | EV_BIT(EV_WAIT) | EV_BIT(EV_FENCE) | EV_BIT(EV_POST) |
                     EV_BIT(EV_TAKE);
    for (uint32_t i = 0; i < t->n_shown; i++)
        log->base.mask |= t->shown[i]->mask & ~EV_BIT(EV_ARRIVE);
    log->team = t;
    t->log = &log->base;
    t->epoch = 0;
    for (uint32_t i = 0; i < t->base.n; i++)
        if (!t->t->near(i)) {
            t->t->barrier();
            t->epoch = log_time(t);
            break;
        }
    return &log->base;
}

void judge_checks(Team *t, RunConfig *config)
{
    VEC(Observer *) list = {0};
    t->shown = config->observers;
    t->n_shown = config->n_observers;
    if (config->checks & CHECK_UNINIT) {
        Observer *own = check_uninit_new(NULL, NULL);
        own->mask &= OWN_EVENTS;
        vec_push(&list, own);
    }
    if (config->checks & CHECK_RACES)
        vec_push(&list, check_parallel_new());
    if (config->checks & CHECK_TASKS)
        vec_push(&list, check_tasks_new()); /* of one device each */
    if (t->judge || t->n_shown)
        vec_push(&list, log_new(t));
    t->asked = config->checks;
    t->config = config;
    config->checks = 0;
    t->observers = (Observer **)list.at;
    config->observers = (Observer *const *)list.at;
    config->n_observers = list.len;
}

/* ---- at process 0 ---- */

typedef struct {
    VEC(size_t) at; /* of its events in `text` */
    uint32_t next;
    int64_t now; /* ps: end of its last event */
} LaneLog;

typedef struct {
    Team *t;
    World *w;
    Buf text;
    LaneLog *lanes; /* rank * max_cores + core */
    uint32_t n_lanes;
    Fabric *shadow; /* the cells as they were */
    VEC(Observer *) observers;
    uint64_t seq;
    double epoch; /* of the first event */
} Judge;

static void add_log(void *env, uint32_t process, const char *bytes, size_t len)
{
    (void)process;
    Judge *j = env;
    size_t first = j->text.len;
    buf_bytes(&j->text, bytes, len);
    for (size_t at = first; at < j->text.len;) {
        LogHead h;
        memcpy(&h, j->text.at + at, sizeof h);
        LaneLog *lane = &j->lanes[h.event.at.rank * j->w->max_cores + h.event.at.core];
        vec_push(&lane->at, at);
        at += sizeof h + h.extra;
    }
}

static LogHead head_of(const Judge *j, const LaneLog *lane)
{
    LogHead h;
    memcpy(&h, j->text.at + lane->at.at[lane->next], sizeof h);
    return h;
}

static void tell(Judge *j, Event *e)
{
    e->seq = ++j->seq;
    if (e->kind != EV_ARRIVE)
        e->lane = &j->w->ranks[e->at.rank].lanes[e->at.core];
    for (uint32_t i = 0; i < j->observers.len; i++)
        if (j->observers.at[i]->mask & EV_BIT(e->kind))
            j->observers.at[i]->event(j->observers.at[i], j->w, e);
}

/* Memory that a dispatch of another process has made is not known here. */
static bool is_known(const Judge *j, const Event *e)
{
    return !e->tensor || e->rect.at.window < j->w->dispatches.at[e->at.dispatch].n_regions;
}

static void arrive(Judge *j, const Event *notify)
{
    FabToken token;
    Event a = {.kind = EV_ARRIVE,
               .at = notify->at,
               .rect = notify->rect,
               .target = notify->rect.at.rank,
               .dtype = DT_INT32,
               .op = notify->op,
               .value = notify->value,
               .link = notify->seq,
               .begin = notify->end,
               .end = notify->end,
               .arrive = notify->end,
               .insn = BC_NOTIFY,
               .n_chunks = 1};
    FabNotify n = {.cell = notify->rect.at, .op = notify->op, .value = notify->value};
    (void)j->shadow->ops->cell(j->shadow, n.cell, &a.before);
    (void)j->shadow->ops->notify(j->shadow, notify->at.rank, &n, &token);
    (void)j->shadow->ops->cell(j->shadow, n.cell, &a.after);
    tell(j, &a);
}

static void replay_atomic(Judge *j, Event *e, const char *extra, uint32_t len)
{
    FabRect whole;
    if (len < sizeof whole) {
        tell(j, e);
        return;
    }
    memcpy(&whole, extra, sizeof whole);
    char *elements = xmalloc(len);
    memcpy(elements, extra + sizeof whole, len - sizeof whole);
    FabLocal data = {.at = elements};
    int64_t size = whole.run;
    for (int i = whole.n; i-- > 0;) {
        data.stride[i] = size;
        size *= whole.count[i];
    }
    e->whole = &whole;
    e->data = &data;
    tell(j, e);
    xfree(elements);
}

/* Real time: from the end of what the lane did before. */
static void set_times(const Judge *j, LaneLog *lane, LogHead *h)
{
    int64_t now = (int64_t)((h->time - j->epoch) * 1e12);
    bool point = h->event.begin == h->event.end && h->event.kind != EV_WAIT;
    h->event.begin = point ? now : lane->now;
    h->event.end = h->event.arrive = now;
    lane->now = now;
}

static void replay(Judge *j, LaneLog *lane)
{
    size_t at = lane->at.at[lane->next++];
    LogHead h;
    memcpy(&h, j->text.at + at, sizeof h);
    const char *extra = j->text.at + at + sizeof h;
    Event *e = &h.event;
    set_times(j, lane, &h);
    if (!is_known(j, e))
        return;
    if (e->kind == EV_ATOMIC) {
        replay_atomic(j, e, extra, h.extra);
        return;
    }
    FabAddr cell = e->rect.at;
    cell.offset -= cell.offset % 4;
    for (uint32_t i = 0; i + 4 <= h.extra; i += 4, cell.offset += 4) {
        FabRect r = {.at = cell, .run = 4};
        FabToken token;
        (void)j->shadow->ops->write(j->shadow, e->at.rank, &r,
                                    (FabLocal){.at = (char *)(uintptr_t)extra + i}, &token);
    }
    if (e->kind == EV_WAIT)
        (void)j->shadow->ops->cell(j->shadow, e->rect.at, &e->after);
    tell(j, e);
    if (e->kind == EV_NOTIFY)
        arrive(j, e);
}

static bool may_go(const Judge *j, const Event *e)
{
    bool yes = true;
    if (e->kind == EV_WAIT)
        (void)j->shadow->ops->test(j->shadow, e->at.rank, e->rect.at, e->op, e->value, &yes);
    return yes;
}

/* The lane whose next event is the earliest of those that may go, or of all; NULL: none is left. */
static LaneLog *next_lane(Judge *j)
{
    LaneLog *best = NULL, *any = NULL;
    double best_time = 0, any_time = 0;
    for (uint32_t i = 0; i < j->n_lanes; i++) {
        LaneLog *l = &j->lanes[i];
        if (l->next == l->at.len)
            continue;
        LogHead h = head_of(j, l);
        if (!any || h.time < any_time) {
            any = l;
            any_time = h.time;
        }
        if ((!best || h.time < best_time) && may_go(j, &h.event)) {
            best = l;
            best_time = h.time;
        }
    }
    return best ? best : any;
}

static void find_epoch(Judge *j)
{
    bool any = false;
    for (uint32_t i = 0; i < j->n_lanes; i++) {
        LaneLog *l = &j->lanes[i];
        if (l->at.len == 0)
            continue;
        LogHead h = head_of(j, l);
        j->epoch = any && j->epoch < h.time ? j->epoch : h.time;
        any = true;
    }
}

static void add_observers(Judge *j, unsigned checks)
{
    World *w = j->w;
    if (checks & (CHECK_RACES | CHECK_SIGNALS)) {
        Observer *order = check_order_new(w);
        vec_push(&j->observers, order);
        if (checks & CHECK_UNINIT) {
            vec_push(&j->observers, check_uninit_new(w, order));
            vec_last(&j->observers)->mask &= WINDOW_EVENTS;
        }
    }
    if (checks & CHECK_SIGNALS)
        vec_push(&j->observers, check_signal_new(w));
}

static void judge(Judge *j, bool ok)
{
    World *w = j->w;
    Fabric *live = w->fabric;
    j->shadow = fabric_local_new(w->n_ranks);
    for (uint32_t i = 0; i < w->windows.len; i++)
        (void)j->shadow->ops->window_create(j->shadow, i, w->windows.at[i].bytes);
    add_observers(j, j->t->asked);
    uint32_t own = j->observers.len;
    for (uint32_t i = 0; i < j->t->n_shown; i++)
        vec_push(&j->observers, j->t->shown[i]);
    find_epoch(j);
    w->fabric = j->shadow;
    for (LaneLog *l; (l = next_lane(j)) != NULL;)
        replay(j, l);
    for (uint32_t i = 0; i < j->observers.len; i++)
        if (j->observers.at[i]->finish)
            j->observers.at[i]->finish(j->observers.at[i], w, ok);
    w->fabric = live;
    for (uint32_t i = 0; i < own; i++)
        j->observers.at[i]->destroy(j->observers.at[i]);
    vec_free(&j->observers);
    j->shadow->ops->destroy(j->shadow);
}

void judge_run(Team *t, World *w, bool ok)
{
    Judge j = {.t = t, .w = w, .n_lanes = w->n_ranks * w->max_cores};
    j.lanes = xcalloc(j.n_lanes + 1u, sizeof *j.lanes);
    team_gather(t, &((Log *)t->log)->text, add_log, &j);
    t->config->checks = t->asked;
    if (t->base.self == 0)
        judge(&j, ok);
    for (uint32_t i = 0; i < j.n_lanes; i++)
        vec_free(&j.lanes[i].at);
    xfree(j.lanes);
    buf_free(&j.text);
}
