/* The loop that moves the world. A turn executes a lane's pending operation and runs it to just
 * before its next one; lanes whose wait does not hold leave the set until something lands in their
 * cell.
 *
 * The clock policy keeps the lanes that can run in a heap by (time, id) and never builds a list:
 * with a thousand ranks every notify is one heap operation. The others see a list in order of id.
 */
#include "sim/sched/sched.h"

#include "base/heap.h"
#include "sim/machine/fault.h"
#include "sim/machine/mover.h"
#include "sim/machine/report_item.h"
#include "sim/machine/vm.h"
#include "sim/sched/deadlock.h"
#include "sim/sched/stand.h"
#include <string.h>

#define DEFAULT_BUDGET 10000u
#define MAX_LANDINGS 4096u
#define PROGRESS_TURNS 63u /* a mask */
#define GRACE_TURNS 1000u  /* over processes: after a fault, for other ranks to meet theirs */
#define OTHERS_TURNS 15u   /* another: between looks at what other processes did */

/* A lane's place in the heap, beside it: comparing looks at no lane. */
typedef struct {
    int64_t now;
    uint32_t id;
    Lane *lane;
} Entry;

typedef struct {
    World *w;
    Policy *p;
    bool clock;
    VEC(Entry) heap;      /* clock: READY lanes */
    VEC(Choice) list;     /* others: READY lanes by id, then landings */
    FabLanding *landings; /* MAX_LANDINGS of them, allocated when first needed */
    bool local;           /* a lane in the list has to run on before it stands at a choice */
    uint64_t budget;
    uint32_t turns, grace;
} Sched;

/* ---- the clock's heap ---- */

static bool earlier(const Lane *a, const Lane *b)
{
    return a->now != b->now ? a->now < b->now : a->id < b->id;
}

static bool before(const Entry *a, const Entry *b)
{
    return a->now != b->now ? a->now < b->now : a->id < b->id;
}

static void heap_push(Sched *s, Lane *lane)
{
    Entry e = {lane->now, lane->id, lane};
    vec_push(&s->heap, e);
    Entry *h = s->heap.at;
    uint32_t i = s->heap.len - 1;
    for (; i > 0 && before(&e, &h[(i - 1) / 2]); i = (i - 1) / 2)
        h[i] = h[(i - 1) / 2];
    h[i] = e;
}

static Lane *heap_pop(Sched *s)
{
    Entry *h = s->heap.at, last = vec_pop(&s->heap);
    Lane *top = s->heap.len ? h[0].lane : last.lane;
    uint32_t i = 0, n = s->heap.len;
    if (n == 0)
        return top;
    for (uint32_t kid; (kid = 2 * i + 1) < n; i = kid) {
        if (kid + 1 < n && before(&h[kid + 1], &h[kid]))
            kid++;
        if (!before(&h[kid], &last))
            break;
        h[i] = h[kid];
    }
    h[i] = last;
    return top;
}

/* Rare, so plain: the others are pushed again. */
static void heap_remove(Sched *s, const Lane *lane)
{
    uint32_t n = s->heap.len;
    s->heap.len = 0;
    for (uint32_t i = 0; i < n; i++)
        if (s->heap.at[i].lane != lane)
            heap_push(s, s->heap.at[i].lane);
}

/* ---- the list ---- */

static uint32_t list_place(const Sched *s, uint32_t id)
{
    uint32_t lo = 0, hi = s->list.len;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (s->list.at[mid].lane->id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void list_insert(Sched *s, Lane *lane)
{
    uint32_t at = list_place(s, lane->id);
    vec_push(&s->list, (Choice){0});
    memmove(s->list.at + at + 1, s->list.at + at, (s->list.len - 1 - at) * sizeof(Choice));
    s->list.at[at] = (Choice){.lane = lane};
    s->local |= lane->pending.kind == PEND_NONE;
}

static void list_remove(Sched *s, const Lane *lane)
{
    uint32_t at = list_place(s, lane->id);
    s->list.len--;
    memmove(s->list.at + at, s->list.at + at + 1, (s->list.len - at) * sizeof(Choice));
}

static void add_ready(void *env, Lane *lane)
{
    Sched *s = env;
    if (!s->clock) {
        list_insert(s, lane);
        return;
    }
    heap_push(s, lane);
    if (lane->now < s->w->horizon)
        s->w->horizon = lane->now;
}

static void remove_blocked(void *env, Lane *lane)
{
    Sched *s = env;
    if (s->clock)
        heap_remove(s, lane);
    else
        list_remove(s, lane);
}

/* ---- turns ---- */

/* Does --max-steps count each lane by itself? */
static bool each_lane(const Sched *s)
{
    return s->w->stand_still && !s->w->processes;
}

/* Instructions the next vm_run may take; 0 when the step limit is reached. */
static uint64_t allowance(const Sched *s, const Lane *lane)
{
    uint64_t max = s->w->config->max_steps;
    if (!max)
        return s->budget;
    uint64_t steps = each_lane(s) ? lane->insns : s->w->steps;
    uint64_t left = steps < max ? max - steps : 0;
    return left < s->budget ? left : s->budget;
}

typedef enum { TURN_LIMIT, TURN_OUT, TURN_READY } Turn;

static Turn lane_limit(Sched *s, Lane *lane)
{
    Buf text = {0};
    buf_printf(&text, "step limit: rank %u executed %llu instructions (--max-steps)", lane->rank,
               (unsigned long long)lane->insns);
    stand_lane_text(s->w, lane, &text);
    report_add(s->w, REP_STEPS, "steps", NULL, text.at);
    report_item_lane(s->w, "stopped", lane);
    buf_free(&text);
    lane->state = LANE_FAULTED;
    s->w->n_still++;
    return TURN_OUT;
}

/* Executes what the lane stands before and runs it on. TURN_READY: it can move again and is to be
 * put back; a lane whose dispatch ended has been added anew by the next one's start, if there was
 * one. */
static Turn turn(Sched *s, Lane *lane)
{
    if (allowance(s, lane) == 0)
        return each_lane(s) ? lane_limit(s, lane) : TURN_LIMIT;
    if ((++s->turns & PROGRESS_TURNS) == 0 && !world_look(s->w))
        return TURN_LIMIT;
    bool exits = lane->pending.kind == PEND_EXIT;
    vm_commit(s->w, lane);
    if (exits || lane->state != LANE_READY || s->w->failed)
        return TURN_OUT;
    uint64_t budget = allowance(s, lane);
    if (budget == 0)
        return TURN_READY;
    VmStatus status = vm_run(s->w, lane, budget);
    if (s->w->stopped)
        return TURN_LIMIT;
    if (status == VM_FAULT)
        return TURN_OUT;
    if (!lane->pending.enabled)
        lane->state = LANE_BLOCKED;
    return lane->state == LANE_READY ? TURN_READY : TURN_OUT;
}

/* The run has failed here: until the other processes know it. */
static void wait_for_others(Sched *s)
{
    while (s->w->processes && s->w->processes->idle(s->w->processes, s->w)) {
    }
}

static EndKind step_limit(Sched *s)
{
    Buf text = {0};
    buf_printf(&text, "%s: %llu instructions were executed%s",
               s->w->stopped ? s->w->stopped : "step limit", (unsigned long long)s->w->steps,
               s->w->stopped ? "" : " (--max-steps)");
    stand_text(s->w, &text);
    report_add(s->w, REP_STEPS, "steps", NULL, text.at);
    stand_items(s->w);
    buf_free(&text);
    if (s->w->processes)
        s->w->failed = true;
    wait_for_others(s);
    return END_STEPS;
}

/* ---- landings ---- */

static uint32_t find_landings(Sched *s)
{
    Fabric *f = s->w->fabric;
    if (!s->landings)
        s->landings = xmalloc(MAX_LANDINGS * sizeof *s->landings);
    uint32_t n = f->ops->landings(f, s->landings, MAX_LANDINGS);
    return n < MAX_LANDINGS ? n : MAX_LANDINGS;
}

static void land(Sched *s, const FabLanding *l)
{
    FabLanding copy = *l;
    (void)probe_land(&s->w->probe, &copy);
    world_recheck(s->w, copy.reader);
}

static void recheck_all(World *w)
{
    for (uint32_t i = 0; i < w->n_ranks; i++)
        world_recheck(w, i);
}

/* Nothing can run: a write lands, or a transport moves on. False: that is the end. */
static bool idle(Sched *s)
{
    if (s->w->processes)
        return s->w->processes->idle(s->w->processes, s->w);
    if (find_landings(s)) {
        land(s, &s->landings[0]);
        return true;
    }
    bool moved = s->w->fabric->ops->progress(s->w->fabric);
    if (moved)
        recheck_all(s->w);
    return moved;
}

/* ---- the two loops ---- */

static EndKind finished(Sched *s)
{
    if (s->w->failed || s->w->n_still)
        return END_FAULT;
    if (s->w->dispatches_left == 0)
        return END_DONE;
    if (!s->w->processes) /* else whoever knows all lanes says it */
        deadlock_report(s->w);
    return END_DEADLOCK;
}

static EndKind run_clock(Sched *s)
{
    World *w = s->w;
    for (;;) {
        if (w->processes && (s->turns & OTHERS_TURNS) == 0)
            (void)w->processes->progress(w->processes, w);
        if (w->processes && w->n_still && s->grace++ >= GRACE_TURNS)
            w->failed = true;
        if (w->failed)
            wait_for_others(s);
        if (w->failed || (s->heap.len == 0 && !idle(s)))
            return finished(s);
        if (s->heap.len == 0) {
            if (w->processes && !world_look(w))
                return step_limit(s);
            continue;
        }
        Lane *lane = heap_pop(s);
        w->horizon = s->heap.len ? s->heap.at[0].now : INT64_MAX;
        if (w->record)
            vec_push(&w->choices, lane->id);
        Turn t = turn(s, lane);
        if (t == TURN_LIMIT)
            return step_limit(s);
        if (t == TURN_READY)
            heap_push(s, lane);
    }
}

/* Local work is no choice: lanes that have to run on do so first, in order of id. */
static bool run_local(Sched *s)
{
    if (!s->local)
        return true;
    for (uint32_t i = 0; i < s->list.len && !s->w->failed;) {
        Lane *lane = s->list.at[i].lane;
        if (lane->pending.kind != PEND_NONE) {
            i++;
            continue;
        }
        Turn t = turn(s, lane);
        if (t == TURN_LIMIT)
            return false;
        if (t == TURN_OUT)
            list_remove(s, lane);
    }
    s->local = false;
    return true;
}

static uint32_t add_landings(Sched *s)
{
    uint32_t lanes = s->list.len;
    if (s->p->landings)
        for (uint32_t i = 0, n = find_landings(s); i < n; i++)
            vec_push(&s->list, (Choice){.landing = &s->landings[i]});
    return lanes;
}

static bool take(Sched *s, Choice c)
{
    if (!c.lane) {
        land(s, c.landing);
        return true;
    }
    list_remove(s, c.lane);
    Turn t = turn(s, c.lane);
    if (t == TURN_READY)
        list_insert(s, c.lane);
    return t != TURN_LIMIT;
}

static EndKind run_list(Sched *s)
{
    World *w = s->w;
    for (;;) {
        if (!run_local(s))
            return step_limit(s);
        if (w->failed)
            return END_FAULT;
        uint32_t lanes = add_landings(s);
        if (s->list.len == 0) {
            if (!idle(s))
                return finished(s);
            continue;
        }
        uint32_t i = s->p->choose(s->p, w, s->list.at, s->list.len);
        if (i >= s->list.len)
            return END_STOPPED;
        Choice c = s->list.at[i];
        if (w->record)
            vec_push(&w->choices, choice_name(w, &c));
        s->list.len = lanes;
        if (!take(s, c))
            return step_limit(s);
    }
}

/* ---- clock policy ---- */

static uint32_t clock_choose(Policy *p, World *w, const Choice *enabled, uint32_t n)
{
    (void)p, (void)w;
    uint32_t best = 0;
    for (uint32_t i = 1; i < n; i++)
        if (enabled[i].lane &&
            (!enabled[best].lane || earlier(enabled[i].lane, enabled[best].lane)))
            best = i;
    return best;
}

static void clock_destroy(Policy *p)
{
    xfree(p);
}

Policy *policy_clock(void)
{
    Policy *p = xcalloc(1, sizeof *p);
    *p = (Policy){.choose = clock_choose, .stop_at_reads = true, .destroy = clock_destroy};
    return p;
}

static void add_all_ready(Sched *s)
{
    World *w = s->w;
    for (uint32_t r = 0; r < w->n_ranks; r++)
        for (uint32_t i = 0; i < w->ranks[r].n_lanes; i++)
            if (w->ranks[r].lanes[i].state == LANE_READY)
                add_ready(s, &w->ranks[r].lanes[i]);
}

/* Bytes may move later where nobody but the machine looks at memory while it runs. */
static Mover *make_mover(const World *w)
{
    const RunConfig *c = w->config;
    if (!w->in_one || c->weak || w->processes || c->n_observers || w->job_slots)
        return NULL;
    return mover_new(c->threads);
}

static void stop_mover(void *mover)
{
    mover_stop(mover);
}

static EndKind loop(Sched *s)
{
    TrapCleanup cleanup;
    World *w = s->w;
    w->mover = make_mover(w);
    if (w->mover)
        trap_push_cleanup(&cleanup, stop_mover, w->mover);
    EndKind end = s->clock ? run_clock(s) : run_list(s);
    if (w->mover)
        trap_pop_cleanup(&cleanup);
    mover_free(w->mover);
    w->mover = NULL;
    return end;
}

static EndKind run_from(World *w, Policy *p, bool start)
{
    Sched s = {.w = w, .p = p, .clock = p->choose == clock_choose};
    s.budget = p->budget ? p->budget : DEFAULT_BUDGET;
    w->stop_at_reads = p->stop_at_reads;
    w->stop_at_data = p->stop_at_data;
    w->stand_still = p->stand_still;
    w->in_one = s.clock && start;
    w->on_unblock = add_ready;
    w->on_block = remove_blocked;
    w->sched_env = &s;
    if (start)
        world_start_dispatches(w);
    else
        add_all_ready(&s);
    EndKind end = loop(&s);
    w->on_unblock = NULL;
    w->on_block = NULL;
    w->sched_env = NULL;
    w->horizon = INT64_MAX;
    if (end != END_STOPPED)
        probe_finish(&w->probe, end == END_DONE);
    vec_free(&s.heap);
    vec_free(&s.list);
    xfree(s.landings);
    return end;
}

EndKind sched_run(World *w, Policy *p)
{
    return run_from(w, p, true);
}

EndKind sched_go_on(World *w, Policy *p)
{
    return run_from(w, p, false);
}
