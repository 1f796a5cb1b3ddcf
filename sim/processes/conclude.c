/* What processes make out together: whether all agree, what their outputs' goldens say, and what
 * process 0 tells of the run. */
#include "sim/processes/conclude.h"

#include "base/crc32.h"
#include "sim/machine/fault.h"
#include <stdlib.h>
#include <string.h>

bool team_agree(Processes *p, bool ok)
{
    return team_max(team_of(p), !ok) == 0;
}

bool team_same(Processes *p, World *w)
{
    Team *t = team_of(p);
    const BcFunc *host = &w->program->funcs[w->program->entry];
    uint64_t hash = hash64(0, w->extents, w->program->n_extents * sizeof *w->extents);
    hash = hash64(hash, w->scalar_regs, host->n_params * sizeof *w->scalar_regs);
    for (uint32_t i = 0; i < w->n_tensors; i++)
        hash = hash64(hash, w->tensors[i].shape, w->tensors[i].rank * sizeof(int64_t));
    uint32_t other = team_differs(t, hash);
    return other == UINT32_MAX ||
           world_error(w, EXIT_USAGE,
                       "process %u has other inputs than process 0: extents, scalars or shapes",
                       other);
}

static TensorSpan *keep_spans(Arena *arena, Spans *s, uint32_t *n)
{
    TensorSpan *out = arena_new_n(arena, TensorSpan, s->len + (size_t)1);
    if (s->len)
        memcpy(out, s->at, s->len * sizeof *out);
    *n = s->len;
    vec_free(s);
    return out;
}

static bool program_sets(const BcProgram *p)
{
    for (uint32_t f = 0; f < p->n_funcs; f++)
        for (uint32_t i = 0; i < p->funcs[f].n_insns; i++)
            if (p->funcs[f].insns[i].op == BC_NOTIFY && p->funcs[f].insns[i].imm == NOTIFY_SET)
                return true;
    return false;
}

void team_prepare(Processes *p, World *w)
{
    Team *t = team_of(p);
    t->world = w;
    if (t->running)
        *t->running = w;
    span_fabric_sets(p->fabric, program_sets(w->program));
    dispatches_audience(t, w);
    for (uint32_t i = 0; i < w->n_tensors; i++) {
        HostTensor *h = &w->tensors[i];
        Spans needed = {0}, owned = {0};
        if (p->self == 0)
            spans_printed(t, w, i, &needed);
        spans_needed(t, w, i, &needed);
        spans_settle(&needed);
        if (h->dir != 0)
            spans_owned(t, w, i, &owned);
        if (h->held < h->bytes) { /* else all of it is held already */
            uint32_t n;
            TensorSpan *spans = keep_spans(&w->arena, &needed, &n);
            tensor_hold(h, spans, n);
        }
        h->owned = keep_spans(&w->arena, &owned, &h->n_owned);
        vec_free(&needed);
    }
}

bool team_combine(Processes *p, Mismatch *found, bool ok)
{
    Team *t = team_of(p);
    Mismatch *all = xcalloc(p->n, sizeof *all);
    Mismatch sum = {0};
    t->t->gather(found, sizeof *found, all);
    for (uint32_t i = 0; i < p->n; i++) {
        if (all[i].bad && (!sum.bad || all[i].first < sum.first)) {
            sum.first = all[i].first;
            sum.got = all[i].got;
            sum.want = all[i].want;
        }
        sum.bad += all[i].bad;
        sum.worst = all[i].worst > sum.worst ? all[i].worst : sum.worst;
    }
    *found = sum;
    xfree(all);
    return team_agree(p, ok);
}

/* ---- lanes ---- */

typedef struct {
    uint32_t rank, core, dispatch, n_frames, next;
    uint32_t state;
    bool busy, met;
    Pending pending;
    CodePlace last_met;
    int64_t core_peak;
    uint64_t insns;
} LaneHead;

typedef struct {
    uint32_t func, pc, n_regs, n_mregs;
} FrameHead;

static void pack_lane(Buf *out, const World *w, const Lane *lane)
{
    const Rank *r = &w->ranks[lane->rank];
    LaneHead h;
    memset(&h, 0, sizeof h);
    h.rank = lane->rank;
    h.core = lane->core;
    h.dispatch = lane->dispatch;
    h.n_frames = lane->frames.len;
    h.next = r->next;
    h.state = lane->state;
    h.busy = r->busy;
    h.met = lane->met;
    h.pending = lane->pending;
    h.last_met = lane->last_met;
    h.core_peak = lane->core_peak;
    h.insns = lane->insns;
    buf_bytes(out, &h, sizeof h);
    for (uint32_t i = 0; i < lane->frames.len; i++) {
        const Frame *f = &lane->frames.at[i];
        FrameHead fh = {f->func, f->pc, f->f->n_regs, f->f->n_mregs};
        buf_bytes(out, &fh, sizeof fh);
        if (fh.n_regs)
            buf_bytes(out, f->regs, fh.n_regs * sizeof *f->regs);
        if (fh.n_mregs)
            buf_bytes(out, f->mregs, fh.n_mregs * sizeof *f->mregs);
    }
}

static void take_bytes(const char **at, void *to, size_t len)
{
    memcpy(to, *at, len);
    *at += len;
}

static void unpack_frame(World *w, Lane *lane, const char **at)
{
    FrameHead fh;
    take_bytes(at, &fh, sizeof fh);
    Frame f = {.func = fh.func, .pc = fh.pc, .f = &w->program->funcs[fh.func]};
    f.regs = arena_new_n(&w->arena, int64_t, fh.n_regs + (size_t)1);
    f.mregs = arena_new_n(&w->arena, MemRef, fh.n_mregs + (size_t)1);
    take_bytes(at, f.regs, fh.n_regs * sizeof *f.regs);
    take_bytes(at, f.mregs, fh.n_mregs * sizeof *f.mregs);
    vec_push(&lane->frames, f);
}

static void unpack_lanes(void *env, uint32_t process, const char *bytes, size_t len)
{
    World *w = env;
    for (const char *at = bytes, *end = bytes + len; process != 0 && at < end;) {
        LaneHead h;
        take_bytes(&at, &h, sizeof h);
        Rank *r = &w->ranks[h.rank];
        Lane *lane = &r->lanes[h.core];
        r->next = h.next;
        r->busy = h.busy;
        vec_clear(&lane->frames);
        lane->dispatch = h.dispatch;
        lane->state = (LaneState)h.state;
        lane->met = h.met;
        lane->pending = h.pending;
        lane->last_met = h.last_met;
        lane->core_peak = h.core_peak;
        lane->insns = h.insns;
        for (uint32_t i = 0; i < h.n_frames; i++)
            unpack_frame(w, lane, &at);
    }
}

void gather_lanes(Team *t, World *w)
{
    Buf mine = {0};
    for (uint32_t i = 0; i < w->n_ranks; i++)
        for (uint32_t k = 0; team_is_mine(t, i) && k < w->ranks[i].n_lanes; k++)
            pack_lane(&mine, w, &w->ranks[i].lanes[k]);
    team_gather(t, &mine, unpack_lanes, w);
    buf_free(&mine);
}

/* ---- counters ---- */

static void sum_counts(Team *t, CostCount *counts, size_t n)
{
    enum { FIELDS = sizeof(CostCount) / sizeof(int64_t), MOST = 1 << 16 };
    int64_t *at = (int64_t *)(void *)counts;
    size_t left = n * FIELDS;
    for (; left > 0; at += MOST, left -= left < MOST ? left : MOST)
        t->t->reduce(at, (int)(left < MOST ? left : MOST), PLD_SUM);
}

/* The numbers of the first process that made the call. */
static void share_calls(Team *t, World *w)
{
    SiteCall *all = xcalloc(t->base.n, sizeof *all);
    for (uint32_t i = 0; i < w->call_sites->n; i++) {
        SiteCall *mine = &w->probe.site_calls[i];
        t->t->gather(mine, sizeof *mine, all);
        for (uint32_t p = 0; p < t->base.n; p++) {
            bool varies = mine->varies || all[p].varies;
            if (!mine->made)
                *mine = all[p];
            mine->varies |= varies;
        }
    }
    xfree(all);
}

/* What the clock of the model says of a machine that is not modelled. */
static void forget_times(World *w)
{
    Probe *p = &w->probe;
    for (size_t i = 0; i < (size_t)w->n_ranks * p->n_slots; i++) {
        CostCount *c = &p->cost[i];
        c->compute_ps = c->memory_ps = c->link_ps = c->waiting_ps = -1;
        c->begin_ps = 0;
        c->end_ps = -1;
    }
    for (uint32_t i = 0; i < w->n_ranks; i++) {
        w->ranks[i].free_ps = -1;
        w->ranks[i].busy = false;
    }
}

void gather_costs(Team *t, World *w)
{
    Probe *p = &w->probe;
    sum_counts(t, p->cost, (size_t)w->n_ranks * p->n_slots);
    sum_counts(t, p->expected, (size_t)w->n_ranks * w->call_sites->n);
    share_calls(t, w);
    forget_times(w);
    w->steps = (uint64_t)team_sum(t, (int64_t)(w->steps - w->host_steps)) + w->host_steps;
}

/* ---- reports ---- */

typedef struct {
    uint32_t kind, rank, line, col, check_len, file_len, text_len, has_file;
    uint64_t key;
} ReportHead;

typedef struct {
    World *w;
    VEC(Report) list;
} Gathered;

static void pack_reports(Buf *out, const RunResult *r)
{
    for (uint32_t i = 0; i < r->n_reports; i++) {
        const Report *p = &r->reports[i];
        ReportHead h = {(uint32_t)p->kind,
                        p->rank,
                        p->line,
                        p->col,
                        (uint32_t)strlen(p->check),
                        p->file ? (uint32_t)strlen(p->file) : 0,
                        (uint32_t)strlen(p->text),
                        p->file != NULL,
                        p->key};
        buf_bytes(out, &h, sizeof h);
        buf_bytes(out, p->check, h.check_len);
        if (h.file_len)
            buf_bytes(out, p->file, h.file_len);
        buf_bytes(out, p->text, h.text_len);
    }
}

static const char *take_text(Arena *arena, const char **at, uint32_t len)
{
    const char *text = arena_strndup(arena, *at, len);
    *at += len;
    return text;
}

static void unpack_reports(void *env, uint32_t process, const char *bytes, size_t len)
{
    (void)process;
    Gathered *g = env;
    Arena *arena = &g->w->result->arena;
    for (const char *at = bytes, *end = bytes + len; at < end;) {
        ReportHead h;
        take_bytes(&at, &h, sizeof h);
        Report r = {.kind = (ReportKind)h.kind, .rank = h.rank, .line = h.line, .col = h.col};
        r.key = h.key;
        r.check = take_text(arena, &at, h.check_len);
        r.file = take_text(arena, &at, h.file_len);
        r.file = h.has_file ? r.file : NULL;
        r.text = take_text(arena, &at, h.text_len);
        vec_push(&g->list, r);
    }
}

/* Does a report say of another rank what one before it says? One process reports a thing once for
 * all ranks. */
static bool is_repeated(const Report *list, uint32_t i)
{
    const Report *r = &list[i];
    for (uint32_t k = 0; k < i; k++) {
        const Report *q = &list[k];
        bool alike = q->kind == r->kind && strcmp(q->check, r->check) == 0;
        if (alike && (r->kind == REP_FAULT || r->kind == REP_STEPS || r->kind == REP_GOLDEN ||
                      strcmp(q->text, r->text) == 0))
            return true;
        if (alike && (r->kind == REP_CHECK || r->kind == REP_WARNING) && q->key == r->key &&
            r->rank != UINT32_MAX)
            return true;
    }
    return false;
}

/* Where the first report of its kind and check stands. */
static uint32_t group_of(const Gathered *g, const Report *r)
{
    uint32_t i = 0;
    while (g->list.at[i].kind != r->kind || strcmp(g->list.at[i].check, r->check) != 0)
        i++;
    return i;
}

/* Kinds, then checks; of what several processes have found by themselves the place in the code and
 * the rank, so that the lowest is told of. What process 0 has judged keeps its order. */
static bool comes_before(const Gathered *g, const Report *a, const Report *b)
{
    uint32_t x = group_of(g, a), y = group_of(g, b);
    bool alone = strcmp(a->check, "uninit") == 0 || a->kind == REP_WARNING;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    if (x != y)
        return x < y;
    if (alone && a->key != b->key)
        return a->key < b->key;
    if (alone || a->kind == REP_FAULT)
        return a->rank < b->rank;
    return false;
}

static void sort_reports(const Gathered *g, Report *out)
{
    for (uint32_t i = 0; i < g->list.len; i++) {
        uint32_t k = i;
        for (; k > 0 && comes_before(g, &g->list.at[i], &out[k - 1]); k--)
            out[k] = out[k - 1];
        out[k] = g->list.at[i];
    }
}

void gather_reports(Team *t, World *w, RunResult *result)
{
    Buf mine = {0};
    World bare = {.result = result};
    Gathered g = {.w = w ? w : &bare};
    pack_reports(&mine, result);
    team_gather(t, &mine, unpack_reports, &g);
    buf_free(&mine);
    if (t->base.self == 0) {
        uint32_t n = 0;
        Report *sorted = arena_array(&result->arena, g.list.len + 1, sizeof *sorted);
        sort_reports(&g, sorted);
        for (uint32_t i = 0; i < g.list.len; i++)
            if (!is_repeated(sorted, i))
                sorted[n++] = sorted[i];
        result->reports = sorted;
        result->cap_reports = g.list.len;
        result->n_reports = n;
    } else {
        result->n_reports = 0;
    }
    vec_free(&g.list);
}

int team_status(Team *t, int status)
{
    int64_t mine = status, *all = xcalloc(t->base.n, sizeof *all);
    t->t->gather(&mine, sizeof mine, all);
    for (uint32_t i = 0; i < t->base.n; i++)
        status = status_worse(status, (int)all[i]);
    xfree(all);
    return status;
}
