/* What a race report says: where, who, how, which bytes, and what each side last waited for or
 * notified. The access that the run came to second is the place of the report. */
#include "sim/check/race.h"

#include "sim/machine/element_text.h"
#include "sim/machine/fault.h"

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* False when the pair of places has been reported. */
static bool is_new(RaceCheck *c, const Access *a, const Access *b)
{
    uint64_t x = place_key(c->world, a->at), y = place_key(c->world, b->at);
    uint64_t key = x < y ? mix(mix(1, x), y) : mix(mix(1, y), x);
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

void race_report(RaceCheck *c, const Access *then, const Access *now, int64_t first, int64_t end,
                 bool tensor)
{
    World *w = c->world;
    if (!is_new(c, then, now))
        return;
    Buf text = {0};
    place_text(w, &text, now->at);
    buf_str(&text, ": race: ");
    elements_who(w, &text, now->at);
    buf_printf(&text, " %s ", verb(now));
    if (tensor) {
        elements_region(w, &text, now->at.dispatch, now->rect.at.window, first, end);
    } else {
        elements_window(w, &text, now->rect.at.window, now->dtype, first, end);
        buf_printf(&text, " of rank %u", now->rect.at.rank);
    }
    buf_printf(&text, " (%s), unordered with ", elements_op(now->insn));
    elements_who(w, &text, then->at);
    buf_printf(&text, ", which %s it (%s) at ", verb(then), elements_op(then->insn));
    place_text(w, &text, then->at);
    if (then->kind == EV_PUT_SOURCE && then->thread == now->thread)
        buf_str(&text, ": the put may still read its source until the next notify or fence");
    side_text(w, &text, now);
    side_text(w, &text, then);
    report_add(w, REP_CHECK, "race", &now->at, text.at);
    buf_free(&text);
}
