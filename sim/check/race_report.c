/* What a race report says: where, who, how, which bytes, and what each side last waited for or
 * notified. The access that the run came to second is the place of the report. */
#include "sim/check/order.h"

#include "sim/machine/element_text.h"
#include "sim/machine/fault.h"
#include "sim/machine/report_item.h"
#include "sim/machine/window_names.h"

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

bool report_is_new(OrderCheck *c, CodePlace a, CodePlace b, unsigned kind)
{
    uint64_t x = place_key(c->world, a), y = place_key(c->world, b);
    uint64_t key = mix(x < y ? mix(mix(1, x), y) : mix(mix(1, y), x), kind);
    if (map_get(&c->reported, key, NULL))
        return false;
    map_set(&c->reported, key, 1);
    return true;
}

static const char *verb(const Access *a)
{
    switch (a->kind) {
    case EV_READ:
    case EV_REMOTE_READ:
    case EV_PUT_SOURCE: return "reads";
    case EV_ATOMIC: return "adds to";
    case EV_NOTIFY: return "notifies";
    case EV_TENSOR_READ: return "reads";
    default: return "writes";
    }
}

static void origin_text(const World *w, Buf *out, CodePlace at)
{
    const BcRegion *r = place_region(w, at);
    if (!r)
        return;
    buf_printf(out, " in %s", place_builtin(w, at));
    if (r->phase)
        buf_printf(out, ", %s", phase_text((Phase)r->phase));
}

static void side_text(const World *w, Buf *out, const Access *a)
{
    buf_str(out, "\n    ");
    elements_who(w, out, a->at);
    buf_printf(out, ": %s at ", elements_op(a->insn));
    place_text(w, out, a->at);
    origin_text(w, out, a->at);
    buf_str(out, "; last synchronisation: ");
    if (a->sync.kind == EV_LANE_BEGIN) {
        buf_str(out, "none");
        return;
    }
    buf_printf(out, "%s at ", a->sync.kind == EV_WAIT ? "wait" : "notify");
    place_text(w, out, a->sync.at);
    origin_text(w, out, a->sync.at);
}

/* "rank 1 at k.pld:3:4, rank 2 at k.pld:3:4" */
static void credits_text(const OrderCheck *c, Buf *out, const OrderView *v)
{
    enum { SHOWN = 4 };
    uint32_t n = 0;
    for (uint32_t i = 0; i < v->open.len; i++) {
        const OrderEvent *u = order_event(c, v->open.at[i]);
        if (!order_replaces(u) && u->value <= 0)
            continue;
        if (n++ >= SHOWN)
            continue;
        CodePlace at = order_event_place(c, v->open.at[i]);
        buf_str(out, n > 1 ? ", " : " ");
        elements_who(c->world, out, at);
        buf_str(out, " at ");
        place_text(c->world, out, at);
    }
    if (n > SHOWN)
        buf_printf(out, " and %u more", n - SHOWN);
}

/* The last wait of a thread that some of several credits may have satisfied. */
static void loose_text(OrderCheck *c, Buf *out, uint32_t thread)
{
    uint32_t last = c->threads[thread].last_wait;
    const OrderEvent *w = last ? order_event(c, last) : NULL;
    if (!w || w->kind != OE_WAIT || !w->wait || !c->waits.at[w->wait - 1].loose)
        return;
    OrderView v = {0};
    order_view(c, last, &v);
    order_sort(c, v.open.at, v.open.len);
    buf_str(out, "\n    credits that can take each other's place in the wait at ");
    place_text(c->world, out, order_event_place(c, last));
    buf_str(out, " for ");
    order_cell_text(c, out, c->cells.at[w->cell].at);
    buf_printf(out, " %s %d:", w->op == WAIT_GE ? ">=" : "==", w->value);
    credits_text(c, out, &v);
    vec_free(&v.open);
}

void order_cell_text(const OrderCheck *c, Buf *out, FabAddr at)
{
    elements_window(c->world, out, at.window, DT_INT32, at.offset, at.offset + 4);
    buf_printf(out, " of rank %u", at.rank);
}

static void reason(OrderCheck *c, const Access *then, const Access *now)
{
    Buf text = {0};
    place_text(c->world, &text, now->at);
    buf_str(&text, " and ");
    place_text(c->world, &text, then->at);
    order_fails(c, "the accesses at %s are in no order", text.at);
    buf_free(&text);
}

static void item(World *w, const Access *a, const Race *race)
{
    ReportItem *i = report_item(w, verb(a), a->at);
    if (race->tensor) {
        const Dispatch *d = &w->dispatches.at[a->at.dispatch];
        i->tensor = region_tensor(w, &d->regions[a->rect.at.window])->name;
        return;
    }
    FabAddr at = {a->rect.at.rank, a->rect.at.window, race->first};
    report_item_window(w, i, at, race->end, a->dtype);
    i->parameter = window_param(w, a->at, at.window);
}

void race_report(OrderCheck *c, const Race *race)
{
    World *w = c->world;
    const Access *then = race->then, *now = race->now;
    reason(c, then, now);
    map_set(&c->raced, (uint64_t)then->at.func << 32 | then->at.pc, 1);
    map_set(&c->raced, (uint64_t)now->at.func << 32 | now->at.pc, 1);
    if (!(w->config->checks & CHECK_RACES) || !report_is_new(c, then->at, now->at, 0))
        return;
    Buf text = {0};
    place_text(w, &text, now->at);
    buf_str(&text, ": race: ");
    bool blocks = now->at.block && then->at.block && now->at.rank == then->at.rank;
    if (blocks)
        buf_printf(&text, "rank %u, blocks %u and %u: block %u", now->at.rank, then->at.block - 1,
                   now->at.block - 1, now->at.block - 1);
    else
        elements_who(w, &text, now->at);
    buf_printf(&text, " %s ", verb(now));
    if (race->tensor) {
        elements_region(w, &text, now->at.dispatch, now->rect.at.window, race->first, race->end);
    } else {
        elements_window(w, &text, now->rect.at.window, now->dtype, race->first, race->end);
        buf_printf(&text, " of rank %u", now->rect.at.rank);
        window_param_text(w, &text, now->at, now->rect.at.window);
    }
    buf_printf(&text, " (%s), unordered with ", elements_op(now->insn));
    if (blocks)
        buf_printf(&text, "block %u", then->at.block - 1);
    else
        elements_who(w, &text, then->at);
    buf_printf(&text, ", which %s it (%s) at ", verb(then), elements_op(then->insn));
    place_text(w, &text, then->at);
    if (then->kind == EV_PUT_SOURCE && then->thread == now->thread)
        buf_str(&text, ": the put may still read its source until the next notify or fence");
    side_text(w, &text, now);
    side_text(w, &text, then);
    if (!race->tensor) {
        loose_text(c, &text, now->thread);
        if (then->thread != now->thread)
            loose_text(c, &text, then->thread);
    }
    if (race->why)
        buf_printf(&text, "\n    %s", race->why);
    report_add(w, REP_CHECK, "race", &now->at, text.at);
    item(w, now, race);
    item(w, then, race);
    buf_free(&text);
}
