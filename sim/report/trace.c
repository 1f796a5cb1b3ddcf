/* A process per device, a thread per core, and another one where a pipelined transfer sends one
 * chunk while it fetches the next. Slices nest: dispatch, kernel, builtin call, its phase,
 * operation. Flow arrows lead from a notify to the wait that it satisfied and from a put to the
 * first reader. Of long runs the short operations of a core, as far as they follow each other, are
 * one slice, and have no arrows. */
#include "sim/report/trace.h"

#include "sim/report/trace_counters.h"

#include "base/json.h"
#include <string.h>

enum { SECOND = 1000 }; /* thread of a core's second transfer stage: core + SECOND */

/* An open slice. */
typedef struct {
    char *name;
    const char *category;
    int64_t begin;
    CodePlace at;
} Open;

/* Short operations that follow each other. */
typedef struct {
    uint32_t count; /* 0: none */
    uint32_t first; /* index of the first */
    int64_t begin, end, bytes;
    int64_t ps[SHOW_COUNT];
} Merged;

/* What is open on one core. Groups (a builtin call, its phase) are made from what operations say
 * about themselves; marks (dispatch, kernel) have events of their own. */
typedef struct {
    VEC(Open) marks, groups;
    uint32_t call; /* call site of the groups, UINT32_MAX: none */
    Phase phase;   /* with `call` */
    int64_t end;   /* of its last operation */
    bool second;   /* the second thread is in use */
    Merged merged; /* of short operations, not yet written */
} Track;

typedef struct {
    const World *w;
    const Recorder *r;
    JsonWriter j;
    Track *tracks;   /* rank * max_cores + core */
    Buf text;        /* scratch */
    int64_t floor;   /* ps: shorter slices are merged; 0: none */
    int64_t longest; /* ps: a merged slice */
} TraceWriter;

static const char *us(TraceWriter *t, int64_t ps)
{
    buf_clear(&t->text);
    record_us(&t->text, ps);
    return t->text.at;
}

static void key_us(TraceWriter *t, const char *key, int64_t ps)
{
    json_key(&t->j, key);
    json_number(&t->j, us(t, ps));
}

static bool is_short(const TraceWriter *t, const Record *r)
{
    return r->end - r->begin < t->floor;
}

static void begin_event(TraceWriter *t, const char *phase, uint32_t rank, uint32_t thread)
{
    json_newline(&t->j);
    json_open(&t->j, '{');
    json_member_str(&t->j, "ph", phase);
    json_member_int(&t->j, "pid", rank);
    json_member_int(&t->j, "tid", thread);
}

static void key_place(TraceWriter *t, CodePlace at)
{
    buf_clear(&t->text);
    place_text(t->w, &t->text, at);
    json_member_str(&t->j, "at", t->text.at);
}

static void metadata(TraceWriter *t, const char *what, uint32_t rank, uint32_t thread,
                     const char *name)
{
    begin_event(t, "M", rank, thread);
    json_member_str(&t->j, "name", what);
    json_member_open(&t->j, "args", '{');
    json_member_str(&t->j, "name", name);
    json_close(&t->j);
    json_close(&t->j);
}

/* ---- nesting ---- */

static Track *track_of(TraceWriter *t, uint32_t rank, uint32_t core)
{
    return &t->tracks[(size_t)rank * t->w->max_cores + core];
}

static void slice(TraceWriter *t, const Open *o, int64_t end)
{
    if (end - o->begin < t->floor)
        return;
    begin_event(t, "X", o->at.rank, o->at.core);
    json_member_str(&t->j, "name", o->name);
    json_member_str(&t->j, "cat", o->category);
    key_us(t, "ts", o->begin);
    key_us(t, "dur", end - o->begin);
    json_member_open(&t->j, "args", '{');
    key_place(t, o->at);
    json_close(&t->j);
    json_close(&t->j);
}

static Open opened(const char *name, const char *category, const Record *r, int64_t begin)
{
    return (Open){xstrdup(name), category, begin, record_place(r)};
}

static void close_groups(TraceWriter *t, Track *k, uint32_t down_to)
{
    while (k->groups.len > down_to) {
        Open o = vec_pop(&k->groups);
        slice(t, &o, k->end > o.begin ? k->end : o.begin);
        xfree(o.name);
    }
    k->phase = PHASE_NONE;
    if (down_to == 0)
        k->call = UINT32_MAX;
}

static void close_mark(TraceWriter *t, Track *k, int64_t end)
{
    close_groups(t, k, 0);
    if (k->marks.len == 0)
        return;
    Open o = vec_pop(&k->marks);
    slice(t, &o, end);
    xfree(o.name);
}

/* A second call of the same builtin begins with its first barrier. */
static bool same_call(const Track *k, uint32_t call, Phase phase)
{
    return k->call == call && (phase != PHASE_BARRIER_1 || k->phase == phase);
}

/* Writes what has been merged. */
static void flush(TraceWriter *t, Track *k)
{
    Merged *m = &k->merged;
    if (m->count == 0)
        return;
    const Record *first = &t->r->at.at[m->first];
    begin_event(t, "X", first->rank, first->core);
    buf_clear(&t->text);
    buf_printf(&t->text, "%u operations", m->count);
    json_member_str(&t->j, "name", t->text.at);
    json_member_str(&t->j, "cat", "merged");
    key_us(t, "ts", m->begin);
    key_us(t, "dur", m->end - m->begin);
    json_member_open(&t->j, "args", '{');
    key_place(t, record_place(first));
    for (int i = 0; i < SHOW_COUNT; i++)
        if (m->ps[i])
            key_us(t, show_name((ShowKind)i), m->ps[i]);
    json_member_int(&t->j, "bytes", m->bytes);
    json_close(&t->j);
    json_close(&t->j);
    *m = (Merged){0};
}

static void merge(TraceWriter *t, Track *k, const Record *r)
{
    Merged *m = &k->merged;
    if (m->count && r->end - m->begin > t->longest)
        flush(t, k);
    if (m->count++ == 0) {
        m->first = (uint32_t)(r - t->r->at.at);
        m->begin = m->end = r->begin;
    }
    m->end = r->end > m->end ? r->end : m->end;
    m->ps[record_kind(r)] += r->end - r->begin;
    m->bytes += record_is_traffic(r) ? r->bytes : 0;
    k->end = m->end > k->end ? m->end : k->end;
}

static void group(TraceWriter *t, Track *k, const Record *r)
{
    CodePlace at = record_place(r);
    const BcRegion *region = place_region(t->w, at);
    if (!region) {
        close_groups(t, k, 0);
        return;
    }
    uint32_t call = call_site_of(t->w->call_sites, at.func, at.pc);
    Phase phase = (Phase)region->phase;
    if (!same_call(k, call, phase)) {
        close_groups(t, k, 0);
        vec_push(&k->groups, opened(place_builtin(t->w, at), "builtin", r, r->begin));
        k->call = call;
    }
    if (k->phase == phase)
        return;
    close_groups(t, k, 1);
    k->phase = phase;
    if (phase != PHASE_NONE)
        vec_push(&k->groups, opened(phase_text(phase), "phase", r, r->begin));
}

/* ---- operations ---- */

static void args(TraceWriter *t, const Record *r)
{
    CodePlace at = record_place(r);
    json_member_open(&t->j, "args", '{');
    key_place(t, at);
    buf_clear(&t->text);
    record_describe(t->w, r, &t->text);
    if (t->text.len)
        json_member_str(&t->j, "what", t->text.at);
    if (record_is_traffic(r)) {
        json_member_int(&t->j, "bytes", r->bytes);
        json_member_int(&t->j, "receiver", record_receiver(r));
        json_member_int(&t->j, "peer", r->target);
    }
    json_close(&t->j);
}

/* One end of an arrow; it belongs to the slice around `ts`. */
static void flow(TraceWriter *t, const char *end, const Record *arrow, const Record *r,
                 uint32_t thread, int64_t ts)
{
    begin_event(t, end, r->rank, thread);
    json_member_str(&t->j, "name", arrow->kind == EV_WAIT ? "notify" : "put");
    json_member_str(&t->j, "cat", "flow");
    json_member_int(&t->j, "id", arrow - t->r->at.at);
    if (*end == 'f')
        json_member_str(&t->j, "bp", "e");
    key_us(t, "ts", ts);
    json_close(&t->j);
}

static int64_t clamp(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

static void arrow(TraceWriter *t, const Record *r, uint32_t thread)
{
    if (r->link == UINT32_MAX)
        return;
    const Record *from = &t->r->at.at[r->link];
    if (is_short(t, from))
        return;
    flow(t, "s", r, from, from->core, from->begin);
    flow(t, "f", r, r, thread, clamp(from->arrive, r->begin, r->end));
}

static void operation(TraceWriter *t, const Record *r)
{
    Track *k = track_of(t, r->rank, r->core);
    uint32_t thread = r->core;
    if (is_short(t, r) && r->begin >= k->end) {
        merge(t, k, r);
        return;
    }
    flush(t, k);
    if (r->begin < k->end) { /* beside the last one: two stages of a transfer */
        thread += SECOND;
        k->second = true;
    } else {
        group(t, k, r);
    }
    if (is_short(t, r))
        return;
    begin_event(t, "X", r->rank, thread);
    json_member_str(&t->j, "name", record_name(r));
    json_member_str(&t->j, "cat", show_name(record_kind(r)));
    key_us(t, "ts", r->begin);
    key_us(t, "dur", r->end - r->begin);
    args(t, r);
    json_close(&t->j);
    k->end = r->end > k->end ? r->end : k->end;
    arrow(t, r, thread);
}

static void mark(TraceWriter *t, const Record *r)
{
    Track *k = track_of(t, r->rank, r->core);
    const char *name = world_string(t->w, t->w->program->funcs[r->func].name);
    flush(t, k);
    switch (r->kind) {
    case EV_DISPATCH_BEGIN:
        vec_push(&k->marks, opened(name, "dispatch", r, r->begin));
        operation(t, r);
        break;
    case EV_LANE_BEGIN:
        if (r->core > 0)
            vec_push(&k->marks, opened(name, "dispatch", r, r->begin));
        break;
    case EV_KERNEL_BEGIN: vec_push(&k->marks, opened(name, "kernel", r, r->begin)); break;
    case EV_KERNEL_END: close_mark(t, k, r->end); break;
    case EV_LANE_END: close_mark(t, k, r->end); break;
    default: break;
    }
}

/* ---- the end ---- */

static void last_state(TraceWriter *t, const LastState *s)
{
    Track *k = track_of(t, s->rank, s->core);
    Buf what = {0};
    last_describe(t->w, s, &what);
    if (strcmp(s->state, "blocked") == 0 && t->r->end_ps > s->since) {
        Open o = {"blocked", "wait", s->since, s->at};
        slice(t, &o, t->r->end_ps);
        k->end = t->r->end_ps;
    }
    begin_event(t, "i", s->rank, s->core);
    json_member_str(&t->j, "name", "last state");
    json_member_str(&t->j, "cat", "state");
    json_member_str(&t->j, "s", "p");
    key_us(t, "ts", s->since);
    json_member_open(&t->j, "args", '{');
    key_place(t, s->at);
    json_member_str(&t->j, "what", what.at);
    json_close(&t->j);
    json_close(&t->j);
    buf_free(&what);
}

static void names(TraceWriter *t)
{
    for (uint32_t i = 0; i < t->w->n_ranks; i++) {
        Buf name = {0};
        buf_printf(&name, "rank %u (device %u)", i, t->w->ranks[i].device);
        metadata(t, "process_name", i, 0, name.at);
        for (uint32_t k = 0; k < t->w->ranks[i].n_lanes; k++) {
            buf_clear(&name);
            buf_printf(&name, "core %u", k);
            metadata(t, "thread_name", i, k, name.at);
            buf_str(&name, ", second stage of transfers");
            if (track_of(t, i, k)->second)
                metadata(t, "thread_name", i, k + SECOND, name.at);
        }
        buf_free(&name);
    }
    metadata(t, "process_name", t->w->n_ranks, 0, "all devices"); /* of the counters */
}

static void close_tracks(TraceWriter *t)
{
    size_t n = (size_t)t->w->n_ranks * t->w->max_cores;
    for (size_t i = 0; i < n; i++) {
        Track *k = &t->tracks[i];
        flush(t, k);
        while (k->marks.len)
            close_mark(t, k, k->end > k->marks.at[0].begin ? k->end : k->marks.at[0].begin);
        close_groups(t, k, 0);
        vec_free(&k->marks);
        vec_free(&k->groups);
    }
}

/* ---- sizes ---- */

enum {
    TRACE_EVENTS = 65000, /* about 280 bytes each */
    MERGED_EVENTS = 25000
};

/* Events that operations of so many picoseconds and more make. */
static uint64_t count_events(const Recorder *r, int64_t floor)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < r->at.len; i++) {
        const Record *x = &r->at.at[i];
        if (x->end - x->begin < floor)
            continue;
        n += x->link != UINT32_MAX ? 3 : 1;
    }
    return n;
}

static void choose_floor(TraceWriter *t)
{
    if (count_events(t->r, 0) <= TRACE_EVENTS)
        return;
    for (t->floor = 1000; count_events(t->r, t->floor) > TRACE_EVENTS - MERGED_EVENTS;)
        t->floor += t->floor / 2;
    size_t lanes = (size_t)t->w->n_ranks * t->w->max_cores;
    t->longest = t->r->end_ps / (int64_t)(MERGED_EVENTS / lanes + 1) + t->floor;
}

int64_t trace_print(const World *w, const Recorder *r, Buf *out)
{
    TraceWriter t = {.w = w, .r = r};
    size_t n = (size_t)w->n_ranks * w->max_cores;
    t.tracks = xcalloc(n + 1, sizeof *t.tracks);
    for (size_t i = 0; i < n; i++)
        t.tracks[i].call = UINT32_MAX;
    choose_floor(&t);
    json_init(&t.j, out);
    json_open(&t.j, '{');
    json_member_str(&t.j, "displayTimeUnit", "ns");
    json_member_open(&t.j, "traceEvents", '[');
    for (uint32_t i = 0; i < r->at.len; i++) {
        if (record_kind(&r->at.at[i]) == SHOW_COUNT || r->at.at[i].kind == EV_DISPATCH_BEGIN)
            mark(&t, &r->at.at[i]);
        else
            operation(&t, &r->at.at[i]);
    }
    for (uint32_t i = 0; i < r->last.len; i++)
        last_state(&t, &r->last.at[i]);
    close_tracks(&t);
    names(&t);
    trace_counters(w, r, &t.j);
    json_close(&t.j);
    if (t.floor)
        key_us(&t, "merged_below_us", t.floor);
    json_close(&t.j);
    buf_char(out, '\n');
    buf_free(&t.text);
    xfree(t.tracks);
    return t.floor;
}
