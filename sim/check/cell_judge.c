/* What decides a wait or a read and is not in certain order. Cells are judged in order of address,
 * so that reports come in the same order whatever schedule was run. A cell with one sender and one
 * waiting lane needs no judge: its waits take its credits one after another.
 *
 * Besides the reports this decides the part of the certificate that is about cells: each is
 * counting, or its updates are in certain order and keep true what a wait saw (pld-memory(7)). */
#include "sim/check/order.h"

#include "sim/check/credits.h"
#include "sim/machine/element_text.h"
#include "sim/machine/fault.h"
#include "sim/machine/report_item.h"
#include "sim/machine/window_names.h"
#include <string.h>

enum { KIND_UPDATES = 1, KIND_WAIT };

/* A cell and its events. */
typedef struct {
    OrderCheck *c;
    const OrderCell *cell;
    VEC(uint32_t) waits; /* WAIT and STUCK */
    VEC(uint32_t) reads;
    CellOrder o;
} Judge;

static bool reports(const OrderCheck *c)
{
    return c->world->config->checks & CHECK_RACES;
}

static bool open_order(const OrderCheck *c, const OrderEvent *a, const OrderEvent *b)
{
    return !order_before(c, a, b) && !order_before(c, b, a);
}

static void cell_fails(Judge *j, const char *why)
{
    Buf text = {0};
    order_cell_text(j->c, &text, j->cell->at);
    order_fails(j->c, "%s: %s", text.at, why);
    buf_free(&text);
}

static void who_text(const OrderCheck *c, Buf *out, CodePlace at)
{
    buf_str(out, " at ");
    place_text(c->world, out, at);
    buf_str(out, " (");
    elements_who(c->world, out, at);
    buf_char(out, ')');
}

static void update_text(const OrderCheck *c, Buf *out, const OrderEvent *u)
{
    if (u->kind == OE_PLAIN)
        buf_printf(out, "%s of %d", elements_op(u->insn), u->value);
    else
        buf_printf(out, "%s %d", u->op == NOTIFY_SET ? "Set" : "AtomicAdd", u->value);
    (void)c;
}

/* What a report is about: the place of it, and another one. */
typedef struct {
    const char *role;
    CodePlace at;
} Party;

static void add_report(const Judge *j, const Buf *text, FabAddr cell, Party a, Party b)
{
    World *w = j->c->world;
    report_add(w, REP_CHECK, "race", &a.at, text->at);
    report_item_cell(w, a.role, a.at, cell);
    report_item_cell(w, b.role, b.at, cell);
}

/* ---- updates that leave another value ---- */

static bool seen_by_somebody(const Judge *j, const OrderEvent *a, const OrderEvent *b)
{
    for (uint32_t i = 0; i < j->waits.len + j->reads.len; i++) {
        uint32_t x = i < j->waits.len ? j->waits.at[i] : j->reads.at[i - j->waits.len];
        const OrderEvent *e = order_event(j->c, x);
        if (!order_before(j->c, e, a) && !order_before(j->c, e, b))
            return true;
    }
    return false;
}

static void report_updates(Judge *j, uint32_t x, uint32_t y)
{
    OrderCheck *c = j->c;
    CodePlace px = order_event_place(c, x), py = order_event_place(c, y);
    if (!reports(c) || !report_is_new(c, px, py, KIND_UPDATES))
        return;
    Buf text = {0};
    place_text(c->world, &text, px);
    buf_str(&text, ": race: ");
    update_text(c, &text, order_event(c, x));
    buf_str(&text, " of ");
    order_cell_text(c, &text, j->cell->at);
    window_param_text(c->world, &text, px, j->cell->at.window);
    buf_str(&text, " by ");
    elements_who(c->world, &text, px);
    buf_str(&text, ", unordered with ");
    update_text(c, &text, order_event(c, y));
    who_text(c, &text, py);
    buf_str(&text, ": the one that comes last decides what is waited for or read\n    ");
    uint32_t used = j->waits.len ? j->waits.at[0] : j->reads.at[0];
    buf_str(&text, j->waits.len ? "wait" : "read");
    who_text(c, &text, order_event_place(c, used));
    add_report(j, &text, j->cell->at, (Party){"updates", px}, (Party){"updates", py});
    buf_free(&text);
}

typedef VEC(uint32_t) EventIds;

static void sorted_updates(const Judge *j, EventIds *out)
{
    for (uint32_t i = j->cell->first; i; i = order_event(j->c, i)->next)
        if (order_is_update(order_event(j->c, i)))
            vec_push(out, i);
    order_sort(j->c, out->at, out->len);
}

static void judge_updates(Judge *j)
{
    enum { MOST = 2000 };
    EventIds list = {0};
    sorted_updates(j, &list);
    uint32_t n = list.len < MOST ? list.len : MOST;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n; k++) {
            const OrderEvent *a = order_event(j->c, list.at[i]);
            const OrderEvent *b = order_event(j->c, list.at[k]);
            if (!cell_order_matters(a, b) || !open_order(j->c, a, b))
                continue;
            if (j->reads.len)
                cell_fails(j, "a Set of a cell that is read, unordered with another update");
            if (seen_by_somebody(j, a, b))
                report_updates(j, order_replaces(a) ? list.at[i] : list.at[k],
                               order_replaces(a) ? list.at[k] : list.at[i]);
        }
    vec_free(&list);
}

/* ---- waits that may miss what they wait for ---- */

static void report_wait(Judge *j, const LostWait *l)
{
    OrderCheck *c = j->c;
    if (!reports(c) || !report_is_new(c, l->at_wait, l->at_update, KIND_WAIT))
        return;
    Buf text = {0};
    place_text(c->world, &text, l->at_wait);
    buf_str(&text, ": race: ");
    elements_who(c->world, &text, l->at_wait);
    buf_printf(&text, " waits for %s %d in ", l->wait.op == WAIT_GE ? ">=" : "==", l->wait.value);
    order_cell_text(c, &text, l->cell);
    window_param_text(c->world, &text, l->at_wait, l->cell.window);
    buf_str(&text, ", unordered with ");
    update_text(c, &text, &l->update);
    who_text(c, &text, l->at_update);
    buf_str(&text, ", after which it does not hold: it may never see the value");
    add_report(j, &text, l->cell, (Party){"waits", l->at_wait}, (Party){"updates", l->at_update});
    buf_free(&text);
}

static void misses(Judge *j, uint32_t wait, uint32_t update)
{
    const OrderCheck *c = j->c;
    LostWait l = {j->cell->at, *order_event(c, wait), *order_event(c, update),
                  order_event_place(c, wait), order_event_place(c, update)};
    report_wait(j, &l);
}

static void judge_waits(Judge *j)
{
    if (j->waits.len == 0)
        return;
    for (uint32_t i = 0; i < j->waits.len; i++) {
        uint32_t wait = j->waits.at[i], spoiler;
        if (!cell_wait_certain(j->c, &j->o, wait, &spoiler))
            cell_fails(j, j->cell->flags & (CELL_SET | CELL_PLAIN)
                              ? "its updates are in no order"
                              : "what its waits see depends on the order of its updates");
        if (spoiler)
            misses(j, wait, spoiler);
    }
}

/* ---- reads ---- */

static Access as_access(const Judge *j, uint32_t event)
{
    const OrderEvent *e = order_event(j->c, event);
    Access a = {.rect = {.at = j->cell->at, .run = 4},
                .at = order_event_place(j->c, event),
                .thread = e->thread,
                .epoch = e->pos,
                .kind = e->kind == OE_READ    ? EV_READ
                        : e->kind == OE_PLAIN ? EV_WRITE
                                              : EV_NOTIFY,
                .dtype = DT_INT32,
                .insn = e->insn,
                .sync = {.kind = EV_LANE_BEGIN}};
    for (uint32_t i = j->c->threads[e->thread].first; i != event;
         i = order_event(j->c, i)->follows) {
        const OrderEvent *x = order_event(j->c, i);
        bool waits = x->kind == OE_WAIT || x->kind == OE_WAITS;
        if (waits || x->kind == OE_NOTIFY || x->kind == OE_NOTIFIES || x->kind == OE_LOWERS)
            a.sync = (SyncPoint){waits ? EV_WAIT : EV_NOTIFY, order_event_place(j->c, i)};
        else if (x->kind == OE_BEGIN || x->kind == OE_START)
            a.sync = (SyncPoint){.kind = EV_LANE_BEGIN};
    }
    return a;
}

static void judge_read(Judge *j, uint32_t read, const EventIds *updates)
{
    OrderCheck *c = j->c;
    const OrderEvent *r = order_event(c, read);
    bool element = r->insn == BC_READ;
    for (uint32_t i = 0; i < updates->len; i++) {
        const OrderEvent *u = order_event(c, updates->at[i]);
        if (u->kind == OE_PLAIN || u->value == 0 || !open_order(c, r, u))
            continue; /* stores are accesses: see race.c */
        cell_fails(j, "it is read, unordered with its updates");
        if (element && poll_is_harmless(&c->world->program->funcs[r->func], r->pc))
            continue;
        Access then = as_access(j, updates->at[i]), now = as_access(j, read);
        int64_t at = j->cell->at.offset;
        Race race = {&then, &now, at, at + 4, false, NULL};
        if (element)
            race.why = "what a read of a cell saw orders nothing: end the poll with a wait";
        race_report(c, &race);
    }
}

static void judge_stores(Judge *j, const EventIds *updates)
{
    OrderCheck *c = j->c;
    for (uint32_t i = 0; i < updates->len; i++)
        for (uint32_t k = 0; k < updates->len; k++) {
            const OrderEvent *s = order_event(c, updates->at[i]);
            const OrderEvent *u = order_event(c, updates->at[k]);
            if (s->kind != OE_PLAIN || u->kind != OE_NOTIFY || !open_order(c, s, u))
                continue;
            Access then = as_access(j, updates->at[k]), now = as_access(j, updates->at[i]);
            int64_t at = j->cell->at.offset;
            race_report(c, &(Race){&then, &now, at, at + 4, false, NULL});
        }
}

static void judge_data(Judge *j)
{
    if (!(j->cell->flags & (CELL_READ | CELL_PLAIN)))
        return;
    EventIds updates = {0};
    sorted_updates(j, &updates);
    for (uint32_t i = 0; i < j->reads.len; i++)
        judge_read(j, j->reads.at[i], &updates);
    if (j->cell->flags & CELL_PLAIN)
        judge_stores(j, &updates);
    vec_free(&updates);
}

/* ---- all cells ---- */

static void judge_cell(Judge *j, OrderCell *cell)
{
    j->cell = cell;
    vec_clear(&j->waits);
    vec_clear(&j->reads);
    for (uint32_t i = cell->first; i; i = order_event(j->c, i)->next) {
        const OrderEvent *e = order_event(j->c, i);
        if (e->kind == OE_WAIT || e->kind == OE_STUCK)
            vec_push(&j->waits, i);
        else if (e->kind == OE_READ)
            vec_push(&j->reads, i);
    }
    order_sort(j->c, j->waits.at, j->waits.len);
    order_sort(j->c, j->reads.at, j->reads.len);
    if (!(cell->flags & CELL_SHARED)) {
        judge_data(j);
        return;
    }
    cell_order_set(j->c, &j->o, cell);
    if (cell->flags & (CELL_SET | CELL_PLAIN))
        judge_updates(j);
    judge_waits(j);
    judge_data(j);
}

static int by_address(const void *a, const void *b, void *c_)
{
    const OrderCheck *c = c_;
    return fab_addr_compare(&c->cells.at[*(const uint32_t *)a].at,
                            &c->cells.at[*(const uint32_t *)b].at);
}

static int lost_by_address(const void *a_, const void *b_)
{
    const LostWait *a = a_, *b = b_;
    int order = fab_addr_compare(&a->cell, &b->cell);
    if (order || a->wait.thread != b->wait.thread)
        return order ? order : a->wait.thread < b->wait.thread ? -1 : 1;
    return (a->wait.pos > b->wait.pos) - (a->wait.pos < b->wait.pos);
}

static void judge_lost(Judge *j)
{
    OrderCheck *c = j->c;
    if (c->lost.len)
        vec_sort(&c->lost, lost_by_address);
    for (uint32_t i = 0; i < c->lost.len; i++)
        report_wait(j, &c->lost.at[i]);
}

/* A counter beyond 32 bits may wrap in some order. */
static void judge_range(OrderCheck *c, const OrderCell *cell)
{
    if (cell->start + cell->up <= INT32_MAX && cell->down >= INT32_MIN)
        return;
    Buf text = {0};
    order_cell_text(c, &text, cell->at);
    order_fails(c, "%s: its adds together do not fit INT32", text.at);
    buf_free(&text);
}

void cells_judge(OrderCheck *c)
{
    EventIds cells = {0};
    for (uint32_t i = 0; i < c->cells.len; i++) {
        const OrderCell *cell = &c->cells.at[i];
        if (cell->flags || credits_left(cell) || cell->start + cell->up > INT32_MAX ||
            cell->down < INT32_MIN)
            vec_push(&cells, i);
    }
    if (cells.len)
        qsort_r(cells.at, cells.len, sizeof *cells.at, by_address, c);
    Judge j = {.c = c};
    judge_lost(&j);
    for (uint32_t i = 0; i < cells.len; i++) {
        OrderCell *cell = &c->cells.at[cells.at[i]];
        judge_range(c, cell);
        if (cell->flags)
            judge_cell(&j, cell);
        credits_judge(c, cell);
    }
    vec_free(&cells);
    vec_free(&j.waits);
    vec_free(&j.reads);
    cell_order_free(&j.o);
}
