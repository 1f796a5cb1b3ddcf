/* What every schedule comes to. A wait that may miss what it waits for, since an update that is in
 * no order with it can come first, stands there on some schedules, and what lies behind it happens
 * on some only. So that reports are the same on all, they are about the others: the log is followed
 * again with such waits standing still, and what that comes to is the new log. */
#include "sim/check/order.h"

#include "sim/machine/fault.h"
#include <string.h>

typedef struct {
    uint32_t wait, spoiler; /* events */
} OpenWait;

typedef struct {
    OrderCheck *c;
    VEC(OpenWait) open;
    bool goes_on;   /* one of them did */
    bool *stands;   /* per event */
    int32_t *value; /* per cell */
    VEC(OrderEvent) kept;
} Cut;

/* ---- waits that may miss what they wait for ---- */

static void find_open(Cut *x)
{
    const OrderCheck *c = x->c;
    CellOrder o = {0};
    for (uint32_t i = 0; i < c->cells.len; i++) {
        const OrderCell *cell = &c->cells.at[i];
        if (!cell->waited || !(cell->flags & CELL_MISSED))
            continue;
        cell_order_set(c, &o, cell);
        for (uint32_t k = cell->first; k; k = order_event(c, k)->next) {
            OpenWait w = {.wait = k};
            uint8_t kind = order_event(c, k)->kind;
            if ((kind != OE_WAIT && kind != OE_STUCK) || cell_wait_certain(c, &o, k, &w.spoiler) ||
                !o.misses)
                continue;
            vec_push(&x->open, w);
            x->goes_on |= kind == OE_WAIT;
        }
    }
    cell_order_free(&o);
}

/* The spoiler comes to pass only behind another wait that may stand: the first of both is cut, and
 * then there is none. */
static bool is_behind_another(const Cut *x, const OpenWait *w)
{
    const OrderCheck *c = x->c;
    for (uint32_t i = 0; i < x->open.len; i++) {
        uint32_t other = x->open.at[i].wait;
        if (other != w->wait && w->spoiler &&
            order_before(c, order_event(c, other), order_event(c, w->spoiler)))
            return true;
    }
    return false;
}

static void choose(Cut *x)
{
    bool any = false;
    for (int pass = 0; pass < 2 && !any; pass++)
        for (uint32_t i = 0; i < x->open.len; i++) {
            const OpenWait *w = &x->open.at[i];
            if (!pass && is_behind_another(x, w))
                continue;
            x->stands[w->wait] = true;
            any |= order_event(x->c, w->wait)->kind == OE_WAIT;
        }
}

/* ---- following the log ---- */

static bool can_go_on(const Cut *x, uint32_t event)
{
    const OrderCheck *c = x->c;
    const OrderEvent *e = order_event(c, event);
    switch (e->kind) {
    case OE_BEGIN: return order_can_begin(c, e->cell);
    case OE_START:
    case OE_TAKE: return order_posted(c, e);
    case OE_STUCK: return false;
    case OE_WAIT: break;
    default: return true;
    }
    if (x->stands[event])
        return false;
    bool unknown = c->weak && c->cells.at[e->cell].flags & CELL_PLAIN; /* stores land later */
    return unknown || order_holds(e, x->value[e->cell]);
}

static void happens(Cut *x, const OrderEvent *e)
{
    OrderCheck *c = x->c;
    switch (e->kind) {
    case OE_BEGIN: c->state[e->cell] = 1; break;
    case OE_END:
        if (--c->lanes_left[e->cell] == 0)
            c->state[e->cell] = 2;
        break;
    case OE_POST: c->tokens.at[e->cell].posts++; break;
    case OE_NOTIFY:
    case OE_PLAIN:
        x->value[e->cell] = order_replaces(e)
                                ? e->value
                                : (int32_t)((uint32_t)x->value[e->cell] + (uint32_t)e->value);
        break;
    default: break;
    }
    vec_push(&x->kept, *e);
}

static bool run_on(Cut *x, OrderThread *t)
{
    bool moved = false;
    for (; t->event && can_go_on(x, t->event); moved = true) {
        const OrderEvent *e = order_event(x->c, t->event);
        happens(x, e);
        t->event = e->follows;
    }
    return moved;
}

static void follow(Cut *x)
{
    OrderCheck *c = x->c;
    order_rewind(c);
    for (uint32_t i = 0; i < c->cells.len; i++)
        x->value[i] = c->cells.at[i].start;
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t u = 0; u < c->n_threads; u++)
            moved |= run_on(x, &c->threads[u]);
    }
    for (uint32_t u = 0; u < c->n_threads; u++) {
        uint32_t next = c->threads[u].event;
        OrderEvent e = next ? *order_event(c, next) : (OrderEvent){.kind = OE_END};
        if (e.kind != OE_WAIT && e.kind != OE_STUCK)
            continue; /* it ended, or its next part did not begin */
        e.kind = OE_STUCK;
        vec_push(&x->kept, e);
    }
}

/* Waits each of which may stand because of what lies behind another: nothing of the new log shows
 * it, and they are reported all the same. */
static void keep_lost(Cut *x)
{
    OrderCheck *c = x->c;
    for (uint32_t i = 0; i < x->open.len; i++) {
        const OpenWait *o = &x->open.at[i];
        if (!o->spoiler || !x->stands[o->wait])
            continue;
        OrderEvent w = *order_event(c, o->wait), u = *order_event(c, o->spoiler);
        uint32_t next = c->threads[u.thread].event;
        if (next && order_event(c, next)->pos <= u.pos)
            vec_push(&c->lost,
                     (LostWait){c->cells.at[w.cell].at, w, u, order_event_place(c, o->wait),
                                order_event_place(c, o->spoiler)});
    }
}

bool order_cut(OrderCheck *c)
{
    Cut x = {.c = c};
    find_open(&x);
    if (x.goes_on) {
        x.stands = xcalloc(c->n_events + 1, sizeof *x.stands);
        x.value = xcalloc(c->cells.len, sizeof *x.value);
        choose(&x);
        follow(&x);
        keep_lost(&x);
        order_log_again(c, x.kept.at, x.kept.len);
    }
    xfree(x.stands);
    xfree(x.value);
    vec_free(&x.kept);
    vec_free(&x.open);
    return x.goes_on;
}
