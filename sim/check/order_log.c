/* Writing a run down. Neighbouring accesses of one instruction between two events of its lane are
 * one record, so a slice staged chunk by chunk or column by column stays one. */
#include "sim/check/order.h"

#include "sim/check/access_list.h"
#include "sim/machine/mem.h"
#include "sim/machine/rect_overlap.h"
#include <string.h>

/* ---- events ---- */

static uint32_t push_event(OrderCheck *c, OrderEvent e)
{
    uint32_t i = ++c->n_events;
    if (i / ORDER_BLOCK >= c->blocks.len)
        vec_push(&c->blocks, xmalloc(ORDER_BLOCK * sizeof(OrderEvent)));
    OrderThread *t = &c->threads[e.thread];
    e.pos = ++t->n_events;
    *order_event(c, i) = e;
    if (t->last)
        order_event(c, t->last)->follows = i;
    else
        t->first = i;
    t->last = i;
    return i;
}

static OrderEvent make_event(const OrderCheck *c, OrderKind kind, CodePlace at)
{
    return (OrderEvent){
        .thread = order_thread(c, at), .func = at.func, .pc = at.pc, .kind = (uint8_t)kind};
}

static OrderCell *cell_find(OrderCheck *c, FabAddr at)
{
    if (c->in_rounds)
        rounds_leave(c, at.window);
    uint32_t *found = cell_pages_find(&c->cell_index, at, true);
    if (*found)
        return &c->cells.at[*found - 1];
    vec_push(&c->cells, (OrderCell){.at = at});
    *found = c->cells.len;
    return &vec_last(&c->cells);
}

void order_cells_index(OrderCheck *c)
{
    for (uint32_t i = 0; i < c->cells.len; i++)
        *(uint32_t *)cell_pages_find(&c->cell_index, c->cells.at[i].at, true) = i + 1;
}

void order_cells_clear(OrderCheck *c)
{
    for (uint32_t i = 0; i < c->cells.len; i++)
        *(uint32_t *)cell_pages_find(&c->cell_index, c->cells.at[i].at, true) = 0;
    vec_clear(&c->cells);
}

uint32_t order_cell(OrderCheck *c, FabAddr at)
{
    return (uint32_t)(cell_find(c, at) - c->cells.at);
}

uint32_t order_log_push(OrderCheck *c, OrderEvent e)
{
    return push_event(c, e);
}

static void push_cell_event(OrderCheck *c, OrderCell *cell, OrderEvent e)
{
    e.cell = (uint32_t)(cell - c->cells.at);
    e.next = 0;
    uint32_t i = push_event(c, e);
    if (cell->last)
        order_event(c, cell->last)->next = i;
    else
        cell->first = i;
    cell->last = i;
}

/* ---- cells ---- */

static void waits_here(OrderCell *cell, uint32_t thread)
{
    if (cell->waiter == 0)
        cell->waiter = thread + 1;
    else if (cell->waiter != thread + 1)
        cell->flags |= CELL_WAITERS;
}

static void added(OrderCell *cell, const OrderEvent *e, bool own)
{
    *(e->value > 0 ? &cell->up : &cell->down) += e->value;
    if (own) {
        cell->own += e->value;
        waits_here(cell, e->thread);
        return;
    }
    cell->sent += e->value;
    if (e->value < 0)
        cell->flags |= CELL_LOWERED;
    if (cell->sender == 0)
        cell->sender = e->thread + 1;
    else if (cell->sender != e->thread + 1)
        cell->flags |= CELL_SENDERS;
}

static void push_notify(OrderCheck *c, OrderCell *cell, OrderEvent n)
{
    if (n.op == NOTIFY_SET)
        cell->flags |= CELL_SET;
    else
        added(cell, &n, c->threads[n.thread].rank == cell->at.rank);
    push_cell_event(c, cell, n);
}

static void log_notify(OrderCheck *c, const Event *e)
{
    OrderCell *cell = cell_find(c, e->rect.at);
    OrderEvent n = make_event(c, OE_NOTIFY, e->at);
    n.value = e->value;
    n.op = e->op;
    n.insn = BC_NOTIFY;
    if (!cell->last)
        cell->start = e->before;
    push_notify(c, cell, n);
}

static void push_wait(OrderCheck *c, OrderCell *cell, OrderEvent w)
{
    if (w.op == WAIT_EQ)
        cell->flags |= CELL_EQ;
    waits_here(cell, w.thread);
    int64_t need = (int64_t)w.value - cell->own;
    if (cell->waited && need <= cell->reached)
        cell->flags |= CELL_STALE;
    if (!cell->waited || need > cell->reached)
        cell->reached = need;
    cell->waited = true;
    push_cell_event(c, cell, w);
}

static void log_wait(OrderCheck *c, const OrderEvent *wait, FabAddr at, int32_t value_now)
{
    OrderCell *cell = cell_find(c, at);
    if (!cell->last)
        cell->start = value_now;
    push_wait(c, cell, *wait);
}

/* A store over cells, or a read of them: once per place between two events of the lane. */
static void log_touch(OrderCheck *c, const Event *e, FabAddr at)
{
    bool reads = e->kind == EV_READ || e->kind == EV_REMOTE_READ;
    OrderCell *cell = cell_find(c, at);
    OrderEvent t = make_event(c, reads ? OE_READ : OE_PLAIN, e->at);
    int32_t now = 0;
    if (c->world->fabric)
        (void)c->world->fabric->ops->cell(c->world->fabric, at, &now);
    if (!cell->last)
        cell->start = reads ? now : 0;
    t.value = now;
    t.insn = e->insn;
    cell->flags |= reads ? CELL_READ : CELL_PLAIN;
    const OrderEvent *last = cell->last ? order_event(c, cell->last) : NULL;
    if (reads && last && last->kind == OE_READ && last->thread == t.thread && last->pc == t.pc &&
        last->func == t.func && c->threads[t.thread].last == cell->last)
        return;
    push_cell_event(c, cell, t);
}

static void log_cells(OrderCheck *c, const Event *e)
{
    FabAddr at = e->rect.at;
    at.offset -= at.offset % 4;
    for (int64_t end = rect_end(&e->rect); at.offset < end; at.offset += 4)
        log_touch(c, e, at);
}

/* ---- accesses ---- */

static uint32_t slice_of(OrderCheck *c, const Event *e)
{
    bool tensor = e->tensor;
    FabAddr at = e->rect.at;
    uint64_t found, key = (uint64_t)at.window << 32 | at.rank;
    if (tensor)
        key = UINT64_C(1) << 63 | (uint64_t)e->at.dispatch << 16 | at.window;
    if (map_get(&c->slice_index, key, &found))
        return (uint32_t)found;
    map_set(&c->slice_index, key, c->slices.len);
    at.offset = 0;
    vec_push(&c->slices, (Slice){.at = at, .tensor = tensor, .dispatch = e->at.dispatch});
    return c->slices.len - 1;
}

FabRect order_rect(const OrderCheck *c, const OrderAccess *a)
{
    FabRect r = {.at = c->slices.at[a->slice].at, .run = a->run};
    r.at.offset = a->offset;
    if (a->grid) {
        const OrderGrid *g = &c->grids.at[a->grid - 1];
        r.n = g->n;
        memcpy(r.count, g->count, sizeof r.count);
        memcpy(r.stride, g->stride, sizeof r.stride);
    }
    return r;
}

static void set_rect(OrderCheck *c, OrderAccess *a, const FabRect *r)
{
    a->offset = r->at.offset;
    a->run = r->run;
    if (r->n == 0) {
        a->grid = 0;
        return;
    }
    if (!a->grid) {
        vec_push(&c->grids, (OrderGrid){0});
        a->grid = c->grids.len;
    }
    OrderGrid *g = &c->grids.at[a->grid - 1];
    g->n = r->n;
    memcpy(g->count, r->count, sizeof g->count);
    memcpy(g->stride, r->stride, sizeof g->stride);
}

static bool try_merge(OrderCheck *c, OrderAccess *old, const OrderAccess *a, const FabRect *rect)
{
    if (old->pos != a->pos || old->kind != a->kind || old->func != a->func || old->pc != a->pc ||
        (a->kind == EV_PUT_SOURCE && old->puts != a->puts))
        return false;
    FabRect both = order_rect(c, old);
    if (!rects_cover(&both, rect)) {
        if (!rects_join(&both, rect))
            return false;
        set_rect(c, old, &both);
    }
    return true;
}

/* The last two records may have become one grid of rows; the newer one stays behind, empty. */
static void merge_last_two(OrderCheck *c, OrderThread *t, Recent *r)
{
    if (!r->id[0] || !r->id[1])
        return;
    OrderAccess *newer = &t->accesses.at[r->id[0] - 1];
    if (t->accesses.at[r->id[1] - 1].pos != newer->pos)
        return;
    FabRect rect = order_rect(c, newer);
    if (!try_merge(c, &t->accesses.at[r->id[1] - 1], newer, &rect))
        return;
    if (r->id[0] == t->accesses.len)
        t->accesses.len--;
    else
        newer->run = 0;
    r->id[0] = r->id[1];
    r->id[1] = 0;
}

/* A write behind a put is not the one before it: the put may still read its source. */
static void keep_writes_apart(OrderThread *t)
{
    for (uint32_t i = 0; i < RECENT; i++)
        if (t->merge[i].key && (t->merge[i].key - 1) % EV_COUNT != EV_PUT_SOURCE)
            t->merge[i].key = 0;
}

static void log_access(OrderCheck *c, const Event *e)
{
    if (e->rect.run == 0)
        return;
    OrderThread *t = &c->threads[order_thread(c, e->at)];
    OrderAccess a = {.slice = slice_of(c, e),
                     .func = e->at.func,
                     .pc = e->at.pc,
                     .pos = t->n_events,
                     .puts = t->puts,
                     .kind = (uint8_t)(access_is_add(c->world, e) ? EV_ATOMIC : e->kind),
                     .dtype = e->dtype,
                     .insn = e->insn};
    if (e->kind == EV_PUT_SOURCE)
        keep_writes_apart(t);
    uint64_t key = (uint64_t)a.slice * EV_COUNT + a.kind + 1;
    Recent *r = &t->merge[(key ^ key >> 4) % RECENT];
    if (r->key != key)
        *r = (Recent){.key = key};
    for (int i = 0; i < 2; i++)
        if (r->id[i] && try_merge(c, &t->accesses.at[r->id[i] - 1], &a, &e->rect))
            return;
    merge_last_two(c, t, r);
    set_rect(c, &a, &e->rect);
    vec_push(&t->accesses, a);
    c->n_accesses++;
    r->id[1] = r->id[0];
    r->id[0] = t->accesses.len;
}

/* ---- events of the run ---- */

static void puts_end(OrderThread *t)
{
    t->puts++;
    vec_clear(&t->sources);
}

static void lane_event(OrderCheck *c, const Event *e)
{
    OrderEvent l = make_event(c, e->kind == EV_LANE_BEGIN ? OE_BEGIN : OE_END, e->at);
    l.cell = e->at.dispatch;
    OrderThread *t = &c->threads[l.thread];
    (void)push_event(c, l);
    if (e->kind == EV_LANE_BEGIN)
        t->last_sync = (SyncPoint){.kind = EV_LANE_BEGIN};
    else
        puts_end(t);
}

static OrderToken *token(OrderCheck *c, uint64_t index)
{
    while (c->tokens.len <= index)
        vec_push(&c->tokens, (OrderToken){0});
    return &c->tokens.at[index];
}

static void token_event(OrderCheck *c, const Event *e)
{
    bool starts = e->kind == EV_TAKE && e->value == 0;
    OrderEvent t = make_event(c, starts ? OE_START : e->kind == EV_TAKE ? OE_TAKE : OE_POST, e->at);
    OrderThread *thread = &c->threads[t.thread];
    (void)token(c, e->link);
    t.cell = (uint32_t)e->link;
    t.value = starts ? (int32_t)e->at.block : e->value;
    t.next = starts ? e->at.dispatch : 0;
    if (starts && thread->started == t.cell + 1)
        c->shared_cores |= c->cells.len != 0;
    if (starts) {
        thread->started = t.cell + 1;
        thread->last_sync = (SyncPoint){.kind = EV_LANE_BEGIN};
    }
    puts_end(thread);
    (void)push_event(c, t);
}

static void sync_event(OrderCheck *c, const Event *e)
{
    OrderThread *t = &c->threads[order_thread(c, e->at)];
    t->last_sync = (SyncPoint){.kind = (uint8_t)e->kind, .at = e->at};
    if (e->kind == EV_NOTIFY) {
        puts_end(t);
        return;
    }
    if (c->in_rounds && rounds_take(c, e))
        return;
    OrderEvent w = make_event(c, OE_WAIT, e->at);
    w.op = e->op;
    w.value = e->value;
    w.insn = BC_WAIT;
    log_wait(c, &w, e->rect.at, e->after);
}

static void fence(OrderCheck *c, const Event *e)
{
    puts_end(&c->threads[order_thread(c, e->at)]);
    if (!c->weak)
        return;
    OrderEvent f = make_event(c, OE_FENCE, e->at);
    f.op = e->op;
    (void)push_event(c, f);
}

static void tensor_access(OrderCheck *c, const Event *e)
{
    if (e->kind == EV_PUT_SOURCE)
        sources_note(c, e);
    if (e->kind == EV_TENSOR_WRITE)
        sources_written(c, e);
    if (c->world->dispatches.at[e->at.dispatch].shared)
        log_access(c, e);
}

void order_log_event(OrderCheck *c, const Event *e)
{
    if (c->in_rounds && e->kind == EV_ARRIVE && rounds_take(c, e))
        return;
    if (c->in_rounds && e->kind != EV_NOTIFY && e->kind != EV_WAIT && e->kind != EV_FENCE &&
        c->threads[order_thread(c, e->at)].open.open)
        rounds_expand(c);
    switch (e->kind) {
    case EV_LANE_BEGIN:
    case EV_LANE_END: lane_event(c, e); return;
    case EV_POST:
    case EV_TAKE: token_event(c, e); return;
    case EV_NOTIFY:
    case EV_WAIT: sync_event(c, e); return;
    case EV_ARRIVE: log_notify(c, e); return;
    case EV_FENCE: fence(c, e); return;
    default: break;
    }
    if (e->tensor) {
        tensor_access(c, e);
        return;
    }
    log_access(c, e);
    if (e->kind == EV_ATOMIC || e->kind == EV_WRITE || e->kind == EV_REMOTE_WRITE)
        float_sums_note(c, e);
    if (e->kind != EV_PUT_SOURCE && c->world->windows.at[e->rect.at.window].signal)
        log_cells(c, e);
}

void order_log_end(OrderCheck *c)
{
    for (uint32_t r = 0; r < c->n_ranks; r++)
        for (uint32_t i = 0; i < c->world->ranks[r].n_lanes; i++) {
            const Lane *lane = &c->world->ranks[r].lanes[i];
            const Pending *p = &lane->pending;
            if (lane->state != LANE_BLOCKED || p->kind != PEND_WAIT)
                continue;
            OrderEvent w = make_event(c, OE_STUCK, p->at);
            w.op = (uint8_t)p->op;
            w.value = p->value;
            w.insn = BC_WAIT;
            log_wait(c, &w, p->rect.at, 0);
        }
}

/* ---- again ---- */

static void forget_cell(OrderCell *cell)
{
    *cell = (OrderCell){.at = cell->at, .start = cell->start};
}

static void take_again(OrderCheck *c, OrderEvent e)
{
    OrderCell *cells = c->cells.at;
    e.follows = e.snap = e.wait = 0;
    switch (e.kind) {
    case OE_NOTIFY: push_notify(c, &cells[e.cell], e); break;
    case OE_WAIT:
    case OE_STUCK: push_wait(c, &cells[e.cell], e); break;
    case OE_READ:
    case OE_PLAIN:
        cells[e.cell].flags |= e.kind == OE_READ ? CELL_READ : CELL_PLAIN;
        push_cell_event(c, &cells[e.cell], e);
        break;
    default: (void)push_event(c, e); break;
    }
}

void order_log_again(OrderCheck *c, const OrderEvent *events, uint32_t n)
{
    order_rewind(c);
    order_waits_free(c);
    order_snaps_free(c);
    for (uint32_t u = 0; u < c->n_threads; u++)
        c->threads[u].first = c->threads[u].last = c->threads[u].n_events = 0;
    for (uint32_t i = 0; i < c->cells.len; i++)
        forget_cell(&c->cells.at[i]);
    c->n_events = 0;
    for (uint32_t i = 0; i < n; i++)
        take_again(c, events[i]);
    order_rewind(c);
}

/* ---- places ---- */

CodePlace order_event_place(const OrderCheck *c, uint32_t event)
{
    const OrderEvent *e = order_event(c, event);
    const OrderThread *t = &c->threads[e->thread];
    CodePlace at = {.rank = t->rank,
                    .core = e->thread - c->first_thread[t->rank],
                    .func = e->func,
                    .pc = e->pc};
    for (uint32_t i = t->first; i && order_event(c, i)->pos <= e->pos;
         i = order_event(c, i)->follows)
        if (order_event(c, i)->kind == OE_BEGIN) {
            at.dispatch = order_event(c, i)->cell;
            at.block = 0;
        } else if (order_event(c, i)->kind == OE_START) {
            at.dispatch = order_event(c, i)->next;
            at.block = (uint32_t)order_event(c, i)->value;
        }
    return at;
}
