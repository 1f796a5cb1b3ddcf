/* A credit is needed when some schedule may have a wait that it makes true: one that does not come
 * before it, and for which the credits that surely come before it are too few. So a quorum leaves
 * none over, whichever of its credits comes last, and a second credit of one sender is left over
 * where its cell is waited for once.
 *
 * A wait for what an earlier wait had reached already waits for nothing: with a credit left over
 * that may come before or after it, it is a barrier that holds before it begins. */
#include "sim/check/credits.h"

#include "sim/machine/element_text.h"
#include "sim/machine/fault.h"
#include "sim/machine/report_item.h"
#include "sim/machine/window_names.h"

enum { KIND_STALE = 3, KIND_UNNEEDED };
enum { MOST = 4000 }; /* updates and waits of a cell that are looked at */

typedef struct {
    uint32_t event;
    int64_t need;     /* of what others add */
    uint32_t earlier; /* from 1: a wait before it that had reached as much; 0: none */
} Want;

typedef struct {
    OrderCheck *c;
    const OrderCell *cell;
    VEC(Want) waits;
    bool compared;      /* `earlier` of the waits is set */
    VEC(uint32_t) adds; /* by others */
    VEC(uint32_t) own;  /* by the rank of the cell */
} Credits;

bool credits_left(const OrderCell *cell)
{
    return !cell->flags && cell->sent > 0 &&
           (!cell->waited || cell->start + cell->sent > cell->reached);
}

static void at_text(const World *w, Buf *out, CodePlace at)
{
    buf_str(out, " at ");
    place_text(w, out, at);
    buf_str(out, " (");
    elements_who(w, out, at);
    buf_char(out, ')');
}

static bool is_builtin(const World *w, CodePlace at)
{
    return place_region(w, at) != NULL;
}

static void report_stale(Credits *x, const Want *stale, const Want *first, uint32_t add)
{
    OrderCheck *c = x->c;
    CodePlace at = order_event_place(c, stale->event);
    if (!report_is_new(c, at, at, KIND_STALE))
        return;
    Buf text = {0};
    place_text(c->world, &text, at);
    buf_str(&text, ": signal: ");
    elements_who(c->world, &text, at);
    buf_printf(&text, " waits for %d in ", order_event(c, stale->event)->value);
    order_cell_text(c, &text, x->cell->at);
    window_param_text(c->world, &text, at, x->cell->at.window);
    buf_str(&text, ", which the cell had already reached in the wait");
    at_text(c->world, &text, order_event_place(c, first->event));
    buf_str(&text, ": the second one waits for nothing\n    notify that no wait needed");
    at_text(c->world, &text, order_event_place(c, add));
    report_add(c->world, REP_CHECK, "signal", &at, text.at);
    report_item_cell(c->world, "waits", at, x->cell->at);
    report_item_cell(c->world, "waits", order_event_place(c, first->event), x->cell->at);
    report_item_cell(c->world, "notifies", order_event_place(c, add), x->cell->at);
    buf_free(&text);
}

static void report_unneeded(OrderCheck *c, FabAddr cell, uint32_t update, bool replaced)
{
    const OrderEvent *u = order_event(c, update);
    CodePlace at = order_event_place(c, update);
    if (is_builtin(c->world, at) || !report_is_new(c, at, at, KIND_UNNEEDED))
        return;
    Buf text = {0};
    place_text(c->world, &text, at);
    buf_str(&text, ": warning: signal: ");
    elements_who(c->world, &text, at);
    buf_printf(&text, " %s %d in ", u->op == NOTIFY_SET ? "sets" : "adds", u->value);
    order_cell_text(c, &text, cell);
    window_param_text(c->world, &text, at, cell.window);
    buf_str(&text, replaced ? ", and a Set of another rank replaces it before any wait needs it"
                            : ", and no wait ever needs it");
    report_add(c->world, REP_WARNING, "signal", &at, text.at);
    report_item_cell(c->world, "notifies", at, cell);
    buf_free(&text);
}

/* ---- adds ---- */

static bool own(const Credits *x, const OrderEvent *u)
{
    return x->c->threads[u->thread].rank == x->cell->at.rank;
}

/* What a wait needs of others: less where its rank has taken credits back before, more where it
 * has added. */
static int64_t need_of(const Credits *x, const OrderEvent *wait)
{
    int64_t before = 0;
    for (uint32_t i = 0; i < x->own.len; i++) {
        const OrderEvent *u = order_event(x->c, x->own.at[i]);
        if (order_before(x->c, u, wait))
            before += u->value;
    }
    return wait->value - before - x->cell->start;
}

static void sort_events(const Credits *x)
{
    order_sort(x->c, x->adds.at, x->adds.len);
    order_sort(x->c, x->own.at, x->own.len);
}

static int by_thread(const void *a, const void *b, void *c)
{
    return order_by_thread(&((const Want *)a)->event, &((const Want *)b)->event, c);
}

/* All in an order that no schedule changes. */
static void collect(Credits *x)
{
    const OrderCheck *c = x->c;
    vec_clear(&x->waits);
    vec_clear(&x->adds);
    vec_clear(&x->own);
    x->compared = false;
    for (uint32_t i = x->cell->first; i; i = order_event(c, i)->next) {
        const OrderEvent *e = order_event(c, i);
        if (e->kind == OE_WAIT)
            vec_push(&x->waits, (Want){.event = i});
        else if (e->kind == OE_NOTIFY && own(x, e))
            vec_push(&x->own, i);
        else if (e->kind == OE_NOTIFY && e->value > 0)
            vec_push(&x->adds, i);
    }
    sort_events(x);
    if (x->waits.len)
        qsort_r(x->waits.at, x->waits.len, sizeof *x->waits.at, by_thread, x->c);
}

static bool too_many(const Credits *x)
{
    return x->adds.len > MOST || x->waits.len > MOST || x->own.len > MOST;
}

static bool needed(const Credits *x, uint32_t add)
{
    const OrderCheck *c = x->c;
    const OrderEvent *a = order_event(c, add);
    int64_t sum = 0;
    for (uint32_t i = 0; i < x->adds.len; i++)
        if (x->adds.at[i] != add && order_before(c, order_event(c, x->adds.at[i]), a))
            sum += order_event(c, x->adds.at[i])->value;
    for (uint32_t i = 0; i < x->waits.len; i++)
        if (sum < x->waits.at[i].need && !order_before(c, order_event(c, x->waits.at[i].event), a))
            return true;
    return false;
}

/* Of the waits before another one that had reached as much the one that had reached most. */
static void compare_waits(Credits *x)
{
    const OrderCheck *c = x->c;
    for (uint32_t i = 0; i < x->waits.len; i++) {
        Want *w = &x->waits.at[i];
        const OrderEvent *e = order_event(c, w->event);
        for (uint32_t k = 0; k < x->waits.len; k++) {
            const Want *old = &x->waits.at[k];
            bool again = e->op == WAIT_GE ? w->need <= old->need : w->need == old->need;
            if (again && (!w->earlier || old->need > x->waits.at[w->earlier - 1].need) &&
                order_before(c, order_event(c, old->event), e))
                w->earlier = k + 1;
        }
    }
    x->compared = true;
}

/* The first wait for what an earlier one had reached that may pass the credit by. */
static bool passed_by(Credits *x, uint32_t add)
{
    const OrderCheck *c = x->c;
    const OrderEvent *a = order_event(c, add);
    if (!x->compared)
        compare_waits(x);
    for (uint32_t i = 0; i < x->waits.len; i++) {
        const Want *w = &x->waits.at[i];
        const OrderEvent *e = order_event(c, w->event);
        if (w->earlier && !order_before(c, a, e) && !order_before(c, e, a) &&
            !is_builtin(c->world, order_event_place(c, w->event))) {
            report_stale(x, w, &x->waits.at[w->earlier - 1], add);
            return true;
        }
    }
    return false;
}

static void judge_adds(Credits *x)
{
    collect(x);
    if (too_many(x))
        return;
    for (uint32_t i = 0; i < x->waits.len; i++)
        x->waits.at[i].need = need_of(x, order_event(x->c, x->waits.at[i].event));
    for (uint32_t i = 0; i < x->adds.len; i++) {
        uint32_t a = x->adds.at[i];
        if (!needed(x, a) && !passed_by(x, a))
            report_unneeded(x->c, x->cell->at, a, false);
    }
}

/* One sender, one waiting lane: what lies beyond the largest value waited for. */
static void judge_stream(Credits *x)
{
    const OrderCheck *c = x->c;
    int64_t sum = x->cell->start;
    for (uint32_t i = x->cell->first; i; i = order_event(c, i)->next) {
        const OrderEvent *e = order_event(c, i);
        if (e->kind != OE_NOTIFY || own(x, e))
            continue;
        if (e->value > 0 && (!x->cell->waited || sum >= x->cell->reached))
            report_unneeded(x->c, x->cell->at, i, false);
        sum += e->value;
    }
}

/* ---- Sets ---- */

/* Marks what a wait was satisfied by: an add, with all that it was added to, or a Set. */
static void mark(const OrderCheck *c, const OrderSequence *s, uint32_t f, bool *used)
{
    for (uint32_t k = f; k-- > 0;) {
        used[k] = true;
        if (order_replaces(order_event(c, s->updates.at[k])))
            return;
    }
}

/* 0: nothing is said of it; 1: nobody needs it; 2: a Set of another rank took its place. */
static int fate(const Credits *x, const OrderSequence *s, uint32_t k)
{
    const OrderCheck *c = x->c;
    const OrderEvent *u = order_event(c, s->updates.at[k]);
    if (own(x, u) || u->value == 0)
        return 0;
    for (uint32_t i = k + 1; i < s->updates.len; i++) {
        const OrderEvent *by = order_event(c, s->updates.at[i]);
        if (!order_replaces(by))
            continue;
        bool other = c->threads[by->thread].rank != c->threads[u->thread].rank;
        return other && !own(x, by) ? 2 : 0;
    }
    return 1;
}

static void judge_sets(Credits *x)
{
    const OrderCheck *c = x->c;
    OrderSequence s = {0};
    if (order_sequence(c, x->cell, &s)) {
        bool *used = xcalloc(s.updates.len + 1, sizeof *used);
        for (uint32_t i = x->cell->first; i; i = order_event(c, i)->next) {
            const OrderEvent *w = order_event(c, i);
            uint32_t f = w->kind == OE_WAIT ? order_first(c, &s, w) : UINT32_MAX;
            if (f != UINT32_MAX)
                mark(c, &s, f, used);
        }
        for (uint32_t k = 0; k < s.updates.len; k++) {
            int how = used[k] ? 0 : fate(x, &s, k);
            if (how)
                report_unneeded(x->c, x->cell->at, s.updates.at[k], how == 2);
        }
        xfree(used);
    }
    vec_free(&s.updates);
    vec_free(&s.values);
}

void credits_judge(OrderCheck *c, const OrderCell *cell)
{
    Credits x = {.c = c, .cell = cell};
    if (!c->done || c->part || !(c->world->config->checks & CHECK_SIGNALS) ||
        cell->flags & (CELL_READ | CELL_PLAIN))
        return;
    if (cell->flags & CELL_SET)
        judge_sets(&x);
    else if (cell->flags)
        judge_adds(&x);
    else if (credits_left(cell))
        judge_stream(&x);
    vec_free(&x.waits);
    vec_free(&x.adds);
    vec_free(&x.own);
}
