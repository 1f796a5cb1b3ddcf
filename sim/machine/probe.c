/* Order within an access: the fabric moves the bytes, the clock is asked, counters are added to,
 * then the observers hear of it. Deliveries arrive in the middle of a notify and are told after it.
 */
#include "sim/machine/probe.h"

#include "sim/machine/call_sites.h"
#include "sim/machine/world.h"
#include <string.h>

void probe_free(Probe *p)
{
    for (uint32_t i = 0; i < p->observers.len; i++)
        if (p->observers.at[i]->destroy)
            p->observers.at[i]->destroy(p->observers.at[i]);
    vec_free(&p->observers);
    xfree(p->cost);
    xfree(p->expected);
    xfree(p->site_calls);
    buf_free(&p->payload);
}

static size_t cost_len(const Probe *p)
{
    return (size_t)p->world->n_ranks * p->n_slots;
}

static size_t expected_len(const Probe *p)
{
    return (size_t)p->world->n_ranks * p->world->call_sites->n;
}

void probe_reset(Probe *p)
{
    p->seq = 0;
    memset(p->cost, 0, cost_len(p) * sizeof *p->cost);
    memset(p->expected, 0, expected_len(p) * sizeof *p->expected);
    memset(p->site_calls, 0, p->world->call_sites->n * sizeof *p->site_calls);
    for (uint32_t i = 0; i < p->observers.len; i++)
        if (p->observers.at[i]->reset)
            p->observers.at[i]->reset(p->observers.at[i], p->world);
}

bool probe_save(const Probe *p, Buf *out)
{
    save_value(out, p->seq);
    save_bytes(out, p->cost, cost_len(p) * sizeof *p->cost);
    save_bytes(out, p->expected, expected_len(p) * sizeof *p->expected);
    save_bytes(out, p->site_calls, p->world->call_sites->n * sizeof *p->site_calls);
    for (uint32_t i = 0; i < p->observers.len; i++)
        if (!p->observers.at[i]->save(p->observers.at[i], out))
            return false;
    return true;
}

void probe_load(Probe *p, SaveReader *in)
{
    load_value(in, p->seq);
    load_bytes(in, p->cost, cost_len(p) * sizeof *p->cost);
    load_bytes(in, p->expected, expected_len(p) * sizeof *p->expected);
    load_bytes(in, p->site_calls, p->world->call_sites->n * sizeof *p->site_calls);
    for (uint32_t i = 0; i < p->observers.len; i++)
        p->observers.at[i]->load(p->observers.at[i], p->world, in);
}

void probe_add(Probe *p, Observer *o)
{
    vec_push(&p->observers, o);
    p->mask |= o->mask;
}

static void tell(Probe *p, Event *e)
{
    if (!probe_wants(p, e->kind))
        return;
    for (uint32_t i = 0; i < p->observers.len; i++)
        if (p->observers.at[i]->mask & EV_BIT(e->kind))
            p->observers.at[i]->event(p->observers.at[i], p->world, e);
}

/* Fills what every event of a lane has. */
static void stamp(Probe *p, Event *e)
{
    e->seq = ++p->seq;
    if (!e->lane)
        return;
    e->at = lane_place(e->lane);
    e->n_chunks = e->lane->n_chunks ? e->lane->n_chunks : 1;
    e->chunk = e->lane->chunk;
    if (e->lane->frames.len) {
        const Frame *f = &vec_last(&e->lane->frames);
        e->insn = f->f->insns[f->pc].op;
    }
}

void probe_emit(Probe *p, Event *e)
{
    stamp(p, e);
    tell(p, e);
}

CostCount *probe_cost(Probe *p, uint32_t rank, uint32_t func)
{
    return &p->cost[(size_t)rank * p->n_slots + func];
}

CostCount *probe_site_cost(Probe *p, uint32_t rank, uint32_t site)
{
    return probe_cost(p, rank, p->world->program->n_funcs + site);
}

CostCount *probe_expected(Probe *p, uint32_t rank, uint32_t site)
{
    return &p->expected[(size_t)rank * p->world->call_sites->n + site];
}

/* Counters of the code at a place, on any rank. */
static CostCount *slot(Probe *p, uint32_t rank, CodePlace at)
{
    uint32_t site = call_site_of(p->world->call_sites, at.func, at.pc);
    return site == UINT32_MAX ? probe_cost(p, rank, at.func) : probe_site_cost(p, rank, site);
}

void probe_compute(Probe *p, const Lane *lane, int64_t time)
{
    slot(p, lane->rank, lane_place(lane))->compute_ps += time;
}

static void count_time(CostCount *c, const Event *e)
{
    int64_t time = e->end - e->begin;
    switch (e->kind) {
    case EV_WAIT: c->waiting_ps += time; break;
    case EV_REMOTE_READ:
    case EV_REMOTE_WRITE:
    case EV_ATOMIC:
    case EV_NOTIFY: c->link_ps += time; break;
    default: c->memory_ps += time; break;
    }
}

/* Bytes leave the memory of the rank that has them, whoever asked. */
static void count_transfer(Probe *p, const Event *e)
{
    if (e->target == e->at.rank)
        return;
    CostCount *self = slot(p, e->at.rank, e->at), *peer = slot(p, e->target, e->at);
    uint64_t bytes = (uint64_t)rect_bytes(&e->rect);
    bool pull = e->kind == EV_REMOTE_READ;
    (pull ? self : peer)->bytes_received += bytes;
    (pull ? peer : self)->bytes_sent += bytes;
    if (e->chunk == 0)
        self->data_steps++;
}

/* A barrier of a builtin begins with the first of its notifies: those that follow belong to it
 * until something else is done. */
static void count_barrier(const Probe *p, const Event *e, CostCount *c, uint8_t flags)
{
    bool barrier = flags & CALL_BARRIER;
    Phase phase = barrier ? (Phase)p->world->call_sites->phase[e->at.func][e->at.pc] : PHASE_NONE;
    if (barrier && e->lane->barrier_phase != phase)
        c->barriers++;
    e->lane->barrier_phase = phase;
}

static int64_t stand(Probe *p, Event *e, Lane *lane)
{
    const Platform *pf = &p->world->platform;
    Rank *ranks = p->world->ranks;
    int64_t bytes = rect_bytes(&e->rect);
    if (e->tensor || e->target == lane->rank)
        return e->arrive = clock_memory(pf, e->begin, bytes);
    Ports *self = &ranks[lane->rank].ports, *peer = &ranks[e->target].ports;
    ClockStep s = e->kind == EV_REMOTE_READ ? clock_remote_read(pf, self, peer, e->begin, bytes)
                                            : clock_remote_write(pf, self, peer, e->begin, bytes);
    e->arrive = s.arrive;
    return s.issue;
}

/* The source of a put is told apart from the read that fetches it: it costs nothing by itself. */
static void access(Probe *p, Event *e)
{
    Lane *lane = e->lane;
    e->target = e->rect.at.rank;
    e->begin = e->end = lane->now;
    stamp(p, e);
    if (e->kind != EV_PUT_SOURCE) {
        lane->now = e->end = stand(p, e, lane);
        count_time(slot(p, e->at.rank, e->at), e);
        if (!e->tensor &&
            (e->kind == EV_REMOTE_READ || e->kind == EV_REMOTE_WRITE || e->kind == EV_ATOMIC))
            count_transfer(p, e);
    }
    if (!probe_wants(p, e->kind))
        return;
    rect_compact(&e->rect);
    tell(p, e);
}

FabStatus probe_read(Probe *p, Lane *lane, EventKind kind, const FabRect *from, FabLocal to,
                     uint8_t dtype)
{
    Fabric *f = p->world->fabric;
    FabStatus status = f->ops->read(f, lane->rank, from, to, &lane->pending.token);
    if (status == FAB_OK)
        access(p, &(Event){.kind = kind, .lane = lane, .rect = *from, .dtype = dtype});
    return status;
}

FabStatus probe_write(Probe *p, Lane *lane, EventKind kind, const FabRect *to, FabLocal from,
                      uint8_t dtype)
{
    Fabric *f = p->world->fabric;
    FabToken *token = &lane->pending.token;
    bool add = kind == EV_ATOMIC;
    FabStatus status = add ? f->ops->add(f, lane->rank, to, dtype, from, token)
                           : f->ops->write(f, lane->rank, to, from, token);
    if (status == FAB_OK)
        access(p, &(Event){.kind = kind,
                           .lane = lane,
                           .rect = *to,
                           .dtype = dtype,
                           .op = add ? ATOMIC_ADD : ATOMIC_NONE,
                           .whole = add ? to : NULL,
                           .data = add ? &from : NULL});
    return status;
}

void probe_touch(Probe *p, Lane *lane, EventKind kind, const FabRect *rect, uint8_t dtype,
                 bool tensor)
{
    access(p,
           &(Event){.kind = kind, .lane = lane, .rect = *rect, .dtype = dtype, .tensor = tensor});
}

/* ---- signals ---- */

/* What an implementation carries with a notify: its event's number, when it arrives, and the
 * observers' own bytes, each with a length before it. */
typedef struct {
    uint64_t seq;
    int64_t arrive;
    CodePlace at;
} Envelope;

static void pack(Probe *p, Event *e)
{
    Envelope env = {.seq = e->seq, .arrive = e->arrive, .at = e->at};
    buf_clear(&p->payload);
    buf_bytes(&p->payload, &env, sizeof env);
    for (uint32_t i = 0; i < p->observers.len; i++) {
        Observer *o = p->observers.at[i];
        if (!o->payload)
            continue;
        size_t at = p->payload.len;
        buf_u32(&p->payload, 0);
        o->payload(o, p->world, e, &p->payload);
        uint32_t len = (uint32_t)(p->payload.len - at - 4);
        memcpy(p->payload.at + at, &len, 4);
    }
}

static void deliver(void *env_, const FabArrival *a)
{
    Probe *p = env_;
    Envelope env = {0};
    if (a->payload.len >= sizeof env)
        memcpy(&env, a->payload.bytes, sizeof env);
    Event e = {.kind = EV_ARRIVE,
               .at = env.at,
               .rect = {.at = a->cell, .run = 4},
               .target = a->cell.rank,
               .dtype = DT_INT32,
               .op = a->op,
               .value = a->value,
               .before = a->before,
               .after = a->after,
               .begin = env.arrive,
               .end = env.arrive,
               .arrive = env.arrive,
               .link = env.seq,
               .insn = BC_NOTIFY,
               .n_chunks = 1};
    cell_log_arrive(p->world, a->cell, (CellStep){a->after, env.arrive, env.seq});
    if (a->op == NOTIFY_SET)
        cell_log_set(p->world, a->cell, a->before, env.at);
    e.seq = ++p->seq;
    const char *rest = (const char *)a->payload.bytes + sizeof env;
    for (uint32_t i = 0; i < p->observers.len; i++) {
        Observer *o = p->observers.at[i];
        e.payload = (FabPayload){0};
        if (o->payload && a->payload.len >= sizeof env) {
            memcpy(&e.payload.len, rest, 4);
            e.payload.bytes = rest + 4;
            rest += 4 + e.payload.len;
        }
        if (o->mask & EV_BIT(EV_ARRIVE))
            o->event(o, p->world, &e);
    }
}

void probe_init(Probe *p, World *w)
{
    *p = (Probe){.world = w};
    p->n_slots = w->program->n_funcs + w->call_sites->n;
    p->cost = xcalloc(cost_len(p) + 1, sizeof *p->cost);
    p->site_calls = xcalloc(w->call_sites->n + 1u, sizeof *p->site_calls);
    p->expected = xcalloc(expected_len(p) + 1, sizeof *p->expected);
    w->fabric->deliver = deliver;
    w->fabric->deliver_env = p;
}

FabStatus probe_notify(Probe *p, Lane *lane, FabAddr cell, int op, int32_t value)
{
    World *w = p->world;
    Event e = {.kind = EV_NOTIFY,
               .lane = lane,
               .rect = {.at = cell, .run = 4},
               .target = cell.rank,
               .dtype = DT_INT32,
               .op = (uint8_t)op,
               .value = value,
               .begin = lane->now};
    stamp(p, &e);
    Ports saved[2] = {w->ranks[lane->rank].ports, w->ranks[cell.rank].ports};
    ClockStep s = clock_notify(&w->platform, &w->ranks[lane->rank].ports,
                               &w->ranks[cell.rank].ports, lane->now);
    e.end = s.issue;
    e.arrive = s.arrive;
    pack(p, &e);
    tell(p, &e);
    FabNotify n = {.cell = cell,
                   .op = op,
                   .value = value,
                   .payload = {p->payload.at, (uint32_t)p->payload.len}};
    FabStatus status = w->fabric->ops->notify(w->fabric, lane->rank, &n, &lane->pending.token);
    if (status != FAB_OK) {
        w->ranks[lane->rank].ports = saved[0];
        w->ranks[cell.rank].ports = saved[1];
        return status;
    }
    lane->now = s.issue;
    CostCount *c = slot(p, e.at.rank, e.at);
    count_time(c, &e);
    if (cell.rank == lane->rank)
        c->self_notifies++;
    else
        c->notifies++;
    uint8_t flags = call_flags(w->call_sites, e.at.func, e.at.pc);
    count_barrier(p, &e, c, flags);
    if (flags & CALL_ROWS)
        probe_rows(p, &e);
    return FAB_OK;
}

FabStatus probe_wait(Probe *p, Lane *lane, FabAddr cell, int cmp, int32_t expected)
{
    World *w = p->world;
    Event e = {.kind = EV_WAIT,
               .lane = lane,
               .rect = {.at = cell, .run = 4},
               .target = cell.rank,
               .dtype = DT_INT32,
               .op = (uint8_t)cmp,
               .value = expected,
               .begin = lane->now};
    FabStatus status = w->fabric->ops->cell(w->fabric, cell, &e.after);
    if (status != FAB_OK)
        return status;
    CellStep step = cell_log_satisfied(w, cell, cmp, expected);
    stamp(p, &e);
    e.arrive = step.at;
    e.link = step.seq;
    e.end = clock_add(step.at > lane->now ? step.at : lane->now, w->platform.wait_overhead);
    lane->now = e.end;
    lane->barrier_phase = PHASE_NONE;
    CostCount *c = slot(p, e.at.rank, e.at);
    count_time(c, &e);
    c->waits++;
    tell(p, &e);
    return FAB_OK;
}

FabStatus probe_fence(Probe *p, Lane *lane, int kind)
{
    World *w = p->world;
    FabStatus status = w->fabric->ops->fence(w->fabric, lane->rank, kind);
    if (status != FAB_OK)
        return status;
    Event e = {.kind = EV_FENCE,
               .lane = lane,
               .op = (uint8_t)kind,
               .begin = lane->now,
               .end = lane->now,
               .target = lane->rank};
    probe_emit(p, &e);
    return FAB_OK;
}

FabStatus probe_land(Probe *p, const FabLanding *landing)
{
    Fabric *f = p->world->fabric;
    FabStatus status = f->ops->land(f, landing->id, landing->from, landing->reader);
    if (status != FAB_OK)
        return status;
    Event e = {.kind = EV_LAND,
               .rect = landing->rect,
               .target = landing->reader,
               .at = {.rank = landing->from},
               .n_chunks = 1};
    probe_emit(p, &e);
    return FAB_OK;
}

void probe_finish(Probe *p, bool ok)
{
    for (uint32_t i = 0; i < p->observers.len; i++)
        if (p->observers.at[i]->finish)
            p->observers.at[i]->finish(p->observers.at[i], p->world, ok);
}
