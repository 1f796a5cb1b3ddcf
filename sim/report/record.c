/* Arrows are found while recording: a wait names the notify that satisfied it, and the first read
 * of bytes that a peer wrote is the reader of that write. */
#include "sim/report/record.h"

#include <string.h>

enum { MAX_UNREAD = 4096 }; /* remote writes that wait for a reader */

static bool overlaps(const Record *a, const Record *b)
{
    return a->window == b->window && a->target == b->target && a->offset < b->offset + b->bytes &&
           b->offset < a->offset + a->bytes;
}

/* The newest unread remote write of the bytes that `r` reads; it is unread no more. */
static uint32_t take_write(Recorder *rec, const Record *r)
{
    for (uint32_t i = rec->writes.len; i-- > 0;) {
        uint32_t found = rec->writes.at[i];
        if (!overlaps(&rec->at.at[found], r))
            continue;
        memmove(rec->writes.at + i, rec->writes.at + i + 1,
                (rec->writes.len - 1 - i) * sizeof *rec->writes.at);
        rec->writes.len--;
        return found;
    }
    return UINT32_MAX;
}

static void note_write(Recorder *rec, const Record *r, uint32_t index)
{
    if (r->target == r->rank || r->tensor)
        return;
    if (rec->writes.len == MAX_UNREAD) {
        memmove(rec->writes.at, rec->writes.at + 1, (MAX_UNREAD - 1) * sizeof *rec->writes.at);
        rec->writes.len--;
    }
    vec_push(&rec->writes, index);
}

static void link_record(Recorder *rec, Record *r, const Event *e)
{
    uint64_t found;
    uint32_t index = rec->at.len;
    switch (r->kind) {
    case EV_NOTIFY: map_set(&rec->notifies, e->seq, index); break;
    case EV_WAIT:
        if (e->link && map_get(&rec->notifies, e->link, &found))
            r->link = (uint32_t)found;
        break;
    case EV_REMOTE_WRITE:
    case EV_ATOMIC: note_write(rec, r, index); break;
    case EV_READ:
    case EV_REMOTE_READ: r->link = take_write(rec, r); break;
    default: break;
    }
}

static void event(Observer *o, World *w, const Event *e)
{
    Recorder *rec = (Recorder *)o;
    (void)w;
    if (rec->at.len > RECORD_MANY && e->kind == EV_COMPUTE && e->op == TOP_COUNT)
        return;
    if (rec->at.len == RECORD_MAX) {
        rec->truncated = true;
        return;
    }
    Record r = {.kind = (uint8_t)e->kind,
                .op = e->op,
                .insn = e->insn,
                .rank = e->at.rank,
                .core = (uint16_t)e->at.core,
                .dispatch = e->at.dispatch,
                .func = e->at.func,
                .pc = e->at.pc,
                .target = e->target,
                .window = e->rect.at.window,
                .tensor = e->tensor,
                .offset = e->rect.at.offset,
                .bytes = rect_bytes(&e->rect),
                .value = e->value,
                .after = e->after,
                .begin = e->begin,
                .end = e->end,
                .arrive = e->arrive,
                .link = UINT32_MAX};
    link_record(rec, &r, e);
    vec_push(&rec->at, r);
    int64_t last = r.arrive > r.end && r.kind != EV_WAIT ? r.arrive : r.end;
    rec->end_ps = last > rec->end_ps ? last : rec->end_ps;
}

static void keep_state(Recorder *rec, const World *w, const Lane *lane)
{
    LastState s = {
        .rank = lane->rank, .core = lane->core, .since = lane->now, .window = UINT32_MAX};
    s.at = lane->frames.len ? lane_place(lane) : (CodePlace){.rank = lane->rank};
    s.state = lane->state == LANE_BLOCKED   ? "blocked"
              : lane->state == LANE_FAULTED ? "faulted"
                                            : "stopped";
    if (lane->state == LANE_BLOCKED && lane->pending.kind == PEND_WAIT) {
        s.window = lane->pending.rect.at.window;
        s.cell = lane->pending.rect.at.offset / 4;
        s.cmp = (uint8_t)lane->pending.op;
        s.expected = lane->pending.value;
        (void)w->fabric->ops->cell(w->fabric, lane->pending.rect.at, &s.value);
    }
    vec_push(&rec->last, s);
}

static void finish(Observer *o, World *w, bool ok)
{
    Recorder *rec = (Recorder *)o;
    rec->finished = ok;
    for (uint32_t i = 0; i < w->n_ranks; i++)
        for (uint32_t k = 0; k < w->ranks[i].n_lanes; k++)
            if (w->ranks[i].busy && w->ranks[i].lanes[k].frames.len)
                keep_state(rec, w, &w->ranks[i].lanes[k]);
}

static void reset(Observer *o, World *w)
{
    Recorder *rec = (Recorder *)o;
    (void)w;
    vec_clear(&rec->at);
    vec_clear(&rec->last);
    vec_clear(&rec->writes);
    map_clear(&rec->notifies);
    rec->end_ps = 0;
    rec->finished = rec->truncated = false;
}

void record_init(Recorder *r)
{
    *r = (Recorder){
        .observer = {.name = "record", .event = event, .finish = finish, .reset = reset}};
    static const EventKind kinds[] = {
        EV_DISPATCH_BEGIN, EV_DISPATCH_END, EV_LANE_BEGIN,   EV_LANE_END,
        EV_KERNEL_BEGIN,   EV_KERNEL_END,   EV_COMPUTE,      EV_READ,
        EV_WRITE,          EV_REMOTE_READ,  EV_REMOTE_WRITE, EV_ATOMIC,
        EV_TENSOR_READ,    EV_TENSOR_WRITE, EV_NOTIFY,       EV_WAIT};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        r->observer.mask |= EV_BIT(kinds[i]);
}

void record_free(Recorder *r)
{
    vec_free(&r->at);
    vec_free(&r->last);
    vec_free(&r->writes);
    map_free(&r->notifies);
}

/* ---- what a record says ---- */

const char *show_name(ShowKind k)
{
    static const char *const names[SHOW_COUNT] = {"compute", "memory", "remote",
                                                  "notify",  "wait",   "start"};
    return k < SHOW_COUNT ? names[k] : "mark";
}

ShowKind record_kind(const Record *r)
{
    switch (r->kind) {
    case EV_COMPUTE: return SHOW_COMPUTE;
    case EV_READ:
    case EV_WRITE:
    case EV_TENSOR_READ:
    case EV_TENSOR_WRITE: return SHOW_MEMORY;
    case EV_REMOTE_READ:
    case EV_REMOTE_WRITE:
    case EV_ATOMIC: return r->target == r->rank ? SHOW_MEMORY : SHOW_REMOTE;
    case EV_NOTIFY: return SHOW_NOTIFY;
    case EV_WAIT: return SHOW_WAIT;
    case EV_DISPATCH_BEGIN: return SHOW_START;
    default: return SHOW_COUNT;
    }
}

static const char *compute_name(const Record *r)
{
    if (r->op < TOP_COUNT)
        return tileop_name((TileOp)r->op);
    switch (r->insn) {
    case BC_TFULL:
    case BC_TCOPY:
    case BC_TCAST: return bc_op_name((BcOp)r->insn) + 1;
    case BC_TMATMUL:
    case BC_TMATACC:
    case BC_TMATBIAS: return "matmul";
    case BC_TTURN: return "transpose";
    default: return "scalar";
    }
}

const char *record_name(const Record *r)
{
    if (r->kind == EV_COMPUTE)
        return compute_name(r);
    if (r->kind == EV_DISPATCH_BEGIN)
        return "dispatch";
    switch (r->insn) {
    case BC_RLOAD: return "remote_load";
    case BC_RSTORE: return "remote_store";
    default: return bc_op_name((BcOp)r->insn);
    }
}

bool record_is_traffic(const Record *r)
{
    return record_kind(r) == SHOW_REMOTE;
}

uint32_t record_receiver(const Record *r)
{
    return r->kind == EV_REMOTE_READ ? r->rank : r->target;
}

static void signal_text(const World *w, Buf *out, uint32_t window, int64_t cell)
{
    buf_printf(out, "%s[%lld]", window < w->windows.len ? w->windows.at[window].name : "signal",
               (long long)cell);
}

static void memory_text(const World *w, const Record *r, Buf *out)
{
    buf_printf(out, "%lld bytes", (long long)r->bytes);
    if (!r->tensor && r->window < w->windows.len)
        buf_printf(out, " of %s", w->windows.at[r->window].name);
    if (r->tensor && r->dispatch < w->dispatches.len &&
        r->window < w->dispatches.at[r->dispatch].n_regions + w->dispatches.at[r->dispatch].n_made)
        buf_printf(out, " of %s",
                   region_tensor(w, &w->dispatches.at[r->dispatch].regions[r->window])->name);
    if (record_is_traffic(r))
        buf_printf(out, " %s rank %u", r->kind == EV_REMOTE_READ ? "from" : "to", r->target);
}

void record_describe(const World *w, const Record *r, Buf *out)
{
    switch (record_kind(r)) {
    case SHOW_MEMORY:
    case SHOW_REMOTE: memory_text(w, r, out); break;
    case SHOW_NOTIFY:
        signal_text(w, out, r->window, r->offset / 4);
        buf_printf(out, " of rank %u %s %d", r->target, r->op == NOTIFY_SET ? "=" : "+=", r->value);
        break;
    case SHOW_WAIT:
        signal_text(w, out, r->window, r->offset / 4);
        buf_printf(out, " %s %d, it is %d", r->op == WAIT_GE ? ">=" : "==", r->value, r->after);
        break;
    default: break;
    }
}

void last_describe(const World *w, const LastState *s, Buf *out)
{
    buf_str(out, s->state);
    if (s->window == UINT32_MAX)
        return;
    buf_str(out, ": ");
    signal_text(w, out, s->window, s->cell);
    buf_printf(out, " is %d, wants %s %d", s->value, s->cmp == WAIT_GE ? ">=" : "==", s->expected);
}

void record_us(Buf *out, int64_t ps)
{
    buf_printf(out, "%s%lld.%06lld", ps < 0 ? "-" : "", (long long)(ps < 0 ? -ps : ps) / 1000000,
               (long long)(ps < 0 ? -ps : ps) % 1000000);
}
