/* Counters: a cell that builtin collectives leave off zero when the program ends, and one that
 * wraps, reported where it does. Credits are the business of credits.c. */
#include "sim/check/checks.h"
#include "sim/machine/element_text.h"
#include "sim/machine/fault.h"
#include "sim/machine/report_item.h"
#include "sim/machine/window_names.h"

#include "base/map.h"
#include <string.h>

typedef struct {
    FabAddr at;
    int64_t builtin; /* sum of what builtins added */
    CodePlace last, last_builtin;
} LedgerCell;

typedef struct {
    Observer base;
    Map index;
    VEC(LedgerCell) cells;
    Map reported;
    World *world;
} SignalCheck;

static LedgerCell *cell_find(SignalCheck *c, const World *w, FabAddr at)
{
    uint64_t found;
    uint64_t key = ((uint64_t)at.window * w->n_ranks + at.rank) << 36 | (uint64_t)at.offset / 4;
    if (map_get(&c->index, key, &found))
        return &c->cells.at[found];
    map_set(&c->index, key, c->cells.len);
    vec_push(&c->cells, (LedgerCell){.at = at});
    return &vec_last(&c->cells);
}

static bool is_builtin(const World *w, CodePlace at)
{
    return place_region(w, at) != NULL;
}

/* Once per kind of report and place. */
static bool is_new(SignalCheck *c, CodePlace at, unsigned kind)
{
    uint64_t key = place_key(c->world, at) | (uint64_t)kind << 61;
    if (map_get(&c->reported, key, NULL))
        return false;
    map_set(&c->reported, key, 1);
    return true;
}

static void cell_text(const World *w, Buf *out, FabAddr at)
{
    elements_window(w, out, at.window, DT_INT32, at.offset, at.offset + 4);
    buf_printf(out, " of rank %u", at.rank);
}

static void at_text(const World *w, Buf *out, CodePlace at)
{
    buf_str(out, " at ");
    place_text(w, out, at);
    buf_str(out, " (");
    elements_who(w, out, at);
    buf_char(out, ')');
}

/* ---- arrivals ---- */

static void wrapped(SignalCheck *c, const Event *e)
{
    if (!is_new(c, e->at, 0))
        return;
    World *w = c->world;
    Buf text = {0};
    place_text(w, &text, e->at);
    buf_str(&text, ": signal: ");
    elements_who(w, &text, e->at);
    buf_printf(&text, " adds %d to ", e->value);
    cell_text(w, &text, e->rect.at);
    window_param_text(w, &text, e->at, e->rect.at.window);
    buf_printf(&text, ", which wraps from %d to %d", e->before, e->after);
    report_add(w, REP_CHECK, "signal", &e->at, text.at);
    report_item_window(w, report_item(w, "adds", e->at), e->rect.at, e->rect.at.offset + 4,
                       DT_INT32);
    buf_free(&text);
}

static void arrive(SignalCheck *c, const Event *e)
{
    if (e->op == NOTIFY_ATOMIC_ADD && (int64_t)e->before + e->value != e->after)
        wrapped(c, e);
    LedgerCell *cell = cell_find(c, c->world, e->rect.at);
    cell->last = e->at;
    if (e->op == NOTIFY_ATOMIC_ADD && is_builtin(c->world, e->at)) {
        cell->builtin += e->value;
        cell->last_builtin = e->at;
    }
}

/* ---- the end ---- */

static void off_zero(SignalCheck *c, const LedgerCell *cell)
{
    if (!is_new(c, cell->last_builtin, 1))
        return;
    World *w = c->world;
    int32_t value = 0;
    (void)w->fabric->ops->cell(w->fabric, cell->at, &value);
    CodePlace at = cell->last_builtin;
    Buf text = {0};
    place_text(w, &text, at);
    buf_str(&text, ": signal: ");
    cell_text(w, &text, cell->at);
    window_param_text(w, &text, at, cell->at.window);
    buf_printf(&text,
               " is %d at the end; builtin collectives leave a cell as they found it, these "
               "left it %+lld",
               value, (long long)cell->builtin);
    buf_str(&text, "\n    last notify");
    at_text(w, &text, cell->last);
    report_add(w, REP_CHECK, "signal", &at, text.at);
    report_item_window(w, report_item(w, "leaves", at), cell->at, cell->at.offset + 4, DT_INT32);
    (void)report_item(w, "last notify", cell->last);
    buf_free(&text);
}

static int by_address(const void *a_, const void *b_)
{
    const LedgerCell *a = a_, *b = b_;
    if (a->at.window != b->at.window)
        return a->at.window < b->at.window ? -1 : 1;
    if (a->at.rank != b->at.rank)
        return a->at.rank < b->at.rank ? -1 : 1;
    return (a->at.offset > b->at.offset) - (a->at.offset < b->at.offset);
}

static void finish(Observer *o, World *w, bool ok)
{
    SignalCheck *c = (SignalCheck *)o;
    c->world = w;
    if (!ok || c->cells.len == 0)
        return;
    uint32_t n = 0; /* the others are not needed any more */
    for (uint32_t i = 0; i < c->cells.len; i++)
        if (c->cells.at[i].builtin)
            c->cells.at[n++] = c->cells.at[i];
    qsort(c->cells.at, n, sizeof *c->cells.at, by_address);
    for (uint32_t i = 0; i < n; i++)
        off_zero(c, &c->cells.at[i]);
}

static void on_event(Observer *o, World *w, const Event *e)
{
    SignalCheck *c = (SignalCheck *)o;
    c->world = w;
    arrive(c, e);
}

static void reset(Observer *o, World *w)
{
    SignalCheck *c = (SignalCheck *)o;
    c->world = w;
    vec_clear(&c->cells);
    map_clear(&c->index);
    map_clear(&c->reported);
}

static bool save(const Observer *o, Buf *out)
{
    const SignalCheck *c = (const SignalCheck *)o;
    save_vec(out, &c->cells);
    save_map(out, &c->index);
    save_map(out, &c->reported);
    return true;
}

static void load(Observer *o, World *w, SaveReader *in)
{
    SignalCheck *c = (SignalCheck *)o;
    c->world = w;
    load_vec(in, &c->cells);
    load_map(in, &c->index);
    load_map(in, &c->reported);
}

static void destroy(Observer *o)
{
    SignalCheck *c = (SignalCheck *)o;
    reset(o, NULL);
    vec_free(&c->cells);
    map_free(&c->index);
    map_free(&c->reported);
    xfree(c);
}

Observer *check_signal_new(const World *w)
{
    (void)w;
    SignalCheck *c = xcalloc(1, sizeof *c);
    c->base = (Observer){.name = "signal",
                         .event = on_event,
                         .finish = finish,
                         .reset = reset,
                         .save = save,
                         .load = load,
                         .destroy = destroy};
    c->base.mask = EV_BIT(EV_ARRIVE);
    return &c->base;
}
