/* Counters: a cell that builtin collectives leave off zero when the program ends, and one that
 * wraps, reported where it does. Credits are the business of credits.c. */
#include "sim/check/checks.h"
#include "sim/machine/cell_pages.h"
#include "sim/machine/element_text.h"
#include "sim/machine/fault.h"
#include "sim/machine/report_item.h"
#include "sim/machine/window_names.h"

#include "base/map.h"
#include <string.h>

/* Where a notify of a cell was; the dispatch knows the rank. */
typedef struct {
    uint32_t dispatch, func, pc;
    uint32_t who : 30;   /* core, or block of a pl.spmd */
    uint32_t blocks : 1; /* it is a block */
    uint32_t other : 1;  /* the notify is none of a builtin */
} Place;

/* On a thousand devices a barrier uses a million cells. */
typedef struct {
    int64_t builtin; /* sum of what builtins added */
    Place last;      /* notify; of another one, that of a builtin is in SignalCheck.builtins */
} LedgerCell;

/* A cell that builtins have left off zero. */
typedef struct {
    FabAddr at;
    int64_t builtin;
    CodePlace last, last_builtin;
} OffZero;

typedef struct {
    Observer base;
    CellPages cells;     /* LedgerCell */
    Map other;           /* key of a cell -> position in `builtins` */
    VEC(Place) builtins; /* last notify of a builtin, of cells that others have notified since */
    Map reported;
    World *world;
} SignalCheck;

static Place pack(CodePlace at, bool other)
{
    uint32_t who = at.block ? at.block : at.core;
    return (Place){at.dispatch, at.func, at.pc, who & INT32_MAX >> 1, at.block != 0, other};
}

static CodePlace unpack(const World *w, Place p)
{
    return (CodePlace){.rank = w->dispatches.at[p.dispatch].rank,
                       .core = p.blocks ? 0 : p.who,
                       .block = p.blocks ? p.who : 0,
                       .dispatch = p.dispatch,
                       .func = p.func,
                       .pc = p.pc};
}

static bool is_builtin(const World *w, CodePlace at)
{
    return call_site_of(w->call_sites, at.func, at.pc) != UINT32_MAX;
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

/* Of a cell that somebody else notifies: the last builtin that did, as long as its sum is not 0
 * (one that makes it that later is the last one then). */
static void keep_builtin(SignalCheck *c, FabAddr cell, Place last)
{
    uint64_t at, key = cell_key(c->world->n_ranks, cell);
    if (!map_get(&c->other, key, &at)) {
        map_set(&c->other, key, at = c->builtins.len);
        vec_push(&c->builtins, last);
    }
    c->builtins.at[at] = last;
}

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
    report_item_cell(w, "adds", e->at, e->rect.at);
    buf_free(&text);
}

static void arrive(SignalCheck *c, const Event *e)
{
    if (e->op == NOTIFY_ATOMIC_ADD && (int64_t)e->before + e->value != e->after)
        wrapped(c, e);
    LedgerCell *cell = cell_pages_find(&c->cells, e->rect.at, true);
    bool builtin = e->op == NOTIFY_ATOMIC_ADD && is_builtin(c->world, e->at);
    if (!builtin && cell->builtin && !cell->last.other)
        keep_builtin(c, e->rect.at, cell->last);
    cell->last = pack(e->at, !builtin);
    cell->builtin += builtin ? e->value : 0;
}

/* ---- the end ---- */

static void off_zero(SignalCheck *c, const OffZero *cell)
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
    report_item_cell(w, "leaves", at, cell->at);
    (void)report_item(w, "last notify", cell->last);
    buf_free(&text);
}

static int by_address(const void *a_, const void *b_)
{
    const OffZero *a = a_, *b = b_;
    return fab_addr_compare(&a->at, &b->at);
}

static void finish(Observer *o, World *w, bool ok)
{
    SignalCheck *c = (SignalCheck *)o;
    c->world = w;
    VEC(OffZero) off = {0};
    for (uint32_t i = 0; i < c->cells.pages.len && ok; i++)
        for (uint32_t k = 0; k < CELL_PAGE; k++) {
            const LedgerCell *cell = cell_pages_at(&c->cells, i, k);
            if (!cell->builtin)
                continue;
            FabAddr at = cell_pages_address(&c->cells, i, k);
            uint64_t kept;
            Place last = cell->last;
            if (cell->last.other && map_get(&c->other, cell_key(w->n_ranks, at), &kept))
                last = c->builtins.at[kept];
            vec_push(&off, (OffZero){at, cell->builtin, unpack(w, cell->last), unpack(w, last)});
        }
    vec_sort(&off, by_address);
    for (uint32_t i = 0; i < off.len; i++)
        off_zero(c, &off.at[i]);
    vec_free(&off);
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
    cell_pages_free(&c->cells);
    vec_clear(&c->builtins);
    map_clear(&c->other);
    map_clear(&c->reported);
}

static bool save(const Observer *o, Buf *out)
{
    const SignalCheck *c = (const SignalCheck *)o;
    save_value(out, c->cells.pages.len);
    for (uint32_t i = 0; i < c->cells.pages.len; i++) {
        save_value(out, c->cells.pages.at[i].key);
        save_bytes(out, c->cells.pages.at[i].at, CELL_PAGE * sizeof(LedgerCell));
    }
    save_vec(out, &c->builtins);
    save_map(out, &c->other);
    save_map(out, &c->reported);
    return true;
}

static void load(Observer *o, World *w, SaveReader *in)
{
    SignalCheck *c = (SignalCheck *)o;
    uint32_t n;
    c->world = w;
    for (uint32_t i = 0; i < c->cells.pages.len; i++)
        memset(c->cells.pages.at[i].at, 0, CELL_PAGE * sizeof(LedgerCell));
    for (load_value(in, n); n; n--) {
        uint64_t key;
        load_value(in, key);
        load_bytes(in, cell_pages_page(&c->cells, key, true), CELL_PAGE * sizeof(LedgerCell));
    }
    load_vec(in, &c->builtins);
    load_map(in, &c->other);
    load_map(in, &c->reported);
}

static void destroy(Observer *o)
{
    SignalCheck *c = (SignalCheck *)o;
    reset(o, NULL);
    vec_free(&c->builtins);
    map_free(&c->other);
    map_free(&c->reported);
    xfree(c);
}

Observer *check_signal_new(const World *w)
{
    SignalCheck *c = xcalloc(1, sizeof *c);
    c->cells = (CellPages){.size = sizeof(LedgerCell), .n_ranks = w->n_ranks};
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
