/* The ledger of signal cells. For each cell: what has arrived and which part of it some wait has
 * needed. At the end of a run that finished,
 *
 *   - notifies of builtin collectives on a cell must cancel out;
 *   - credits of a hand-written protocol that no wait needed are a warning, and an error when a
 *     wait for a value that an earlier wait had reached already passed them by: a barrier that
 *     holds before it begins.
 *
 * A counter that wraps is reported where it does. A notify to oneself is a reset, not a message;
 * cells that are read or stored to as data keep no ledger of credits. */
#include "sim/check/checks.h"
#include "sim/machine/element_text.h"
#include "sim/machine/fault.h"

#include "base/map.h"
#include <string.h>

typedef struct {
    int32_t value;
    bool set, builtin;
    CodePlace at;
} LedgerEntry;

/* A wait that held already. */
typedef struct {
    CodePlace wait, first;
    int32_t value;
} Stale;

/* A credit that a Set of another rank replaced. */
typedef struct {
    FabAddr cell;
    LedgerEntry entry;
} Lost;

typedef struct {
    FabAddr at;
    int64_t level;   /* of the cell, without the credits that no wait has needed yet */
    int64_t reached; /* by waits since the last reset */
    int64_t builtin; /* sum of what builtins added */
    bool waited;     /* `reached` and `last_wait` are set */
    bool plain;      /* read or written as data */
    uint32_t stale;  /* in SignalCheck.stale, from 1; 0: no wait held already */
    CodePlace last, last_builtin, last_wait;
    uint32_t head; /* pending[head ..] */
    VEC(LedgerEntry) pending;
} LedgerCell;

typedef struct {
    Observer base;
    Map index;
    VEC(LedgerCell) cells;
    VEC(Stale) stale;
    VEC(Lost) lost;
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

static void push(LedgerCell *cell, LedgerEntry entry)
{
    if (cell->pending.cap == 0) {
        cell->pending.at = xmalloc(sizeof entry);
        cell->pending.cap = 1;
    }
    vec_push(&cell->pending, entry);
}

static void pop(LedgerCell *cell)
{
    const LedgerEntry *p = &cell->pending.at[cell->head++];
    cell->level = p->set ? p->value : cell->level + p->value;
    if (cell->head == cell->pending.len)
        cell->head = cell->pending.len = 0;
}

static void reset_by(LedgerCell *cell, int64_t n)
{
    while (cell->level < n && cell->head < cell->pending.len)
        pop(cell);
    cell->level -= n;
    cell->reached -= n;
}

static void replace(SignalCheck *c, LedgerCell *cell, const Event *e)
{
    for (uint32_t i = cell->head; i < cell->pending.len; i++) {
        const LedgerEntry *p = &cell->pending.at[i];
        if (p->at.rank != e->at.rank && e->at.rank != e->target && !p->builtin)
            vec_push(&c->lost, (Lost){cell->at, *p});
    }
    cell->head = cell->pending.len = 0;
    cell->waited = false;
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
    buf_printf(&text, ", which wraps from %d to %d", e->before, e->after);
    report_add(w, REP_CHECK, "signal", &e->at, text.at);
    buf_free(&text);
}

static void arrive(SignalCheck *c, const Event *e)
{
    LedgerCell *cell = cell_find(c, c->world, e->rect.at);
    bool builtin = is_builtin(c->world, e->at), self = e->at.rank == e->target;
    cell->last = e->at;
    if (builtin && e->op == NOTIFY_ATOMIC_ADD) {
        cell->builtin += e->value;
        cell->last_builtin = e->at;
    }
    if (e->op == NOTIFY_ATOMIC_ADD && (int64_t)e->before + e->value != e->after) {
        wrapped(c, e);
        cell->plain = true;
    }
    if (e->op == NOTIFY_SET)
        replace(c, cell, e);
    if (self && e->op == NOTIFY_SET)
        cell->level = e->value;
    else if (self && e->value < 0)
        reset_by(cell, -(int64_t)e->value);
    else if (self)
        cell->level += e->value;
    else
        push(cell, (LedgerEntry){e->value, e->op == NOTIFY_SET, builtin, e->at});
}

/* ---- waits ---- */

static void wait_event(SignalCheck *c, const Event *e)
{
    LedgerCell *cell = cell_find(c, c->world, e->rect.at);
    bool ge = e->op == WAIT_GE, needed = false;
    while (cell->head < cell->pending.len && (!ge || cell->level < e->value)) {
        pop(cell);
        needed = true;
    }
    bool again = cell->waited && (ge ? e->value <= cell->reached : e->value == cell->reached);
    if (again && !needed && !cell->stale && !is_builtin(c->world, e->at)) {
        vec_push(&c->stale, (Stale){e->at, cell->last_wait, e->value});
        cell->stale = c->stale.len;
    }
    if (!again) {
        cell->waited = true;
        cell->reached = e->value;
        cell->last_wait = e->at;
    }
    if (cell->head > 64 && cell->head > cell->pending.len / 2) {
        cell->pending.len -= cell->head;
        memmove(cell->pending.at, cell->pending.at + cell->head,
                cell->pending.len * sizeof *cell->pending.at);
        cell->head = 0;
    }
}

static void data_event(SignalCheck *c, const Event *e)
{
    if (!c->world->windows.at[e->rect.at.window].signal)
        return;
    FabAddr at = e->rect.at;
    for (int64_t end = rect_end(&e->rect); at.offset < end; at.offset += 4)
        cell_find(c, c->world, at)->plain = true;
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
    buf_printf(&text,
               " is %d at the end; builtin collectives leave a cell as they found it, these "
               "left it %+lld",
               value, (long long)cell->builtin);
    buf_str(&text, "\n    last notify");
    at_text(w, &text, cell->last);
    report_add(w, REP_CHECK, "signal", &at, text.at);
    buf_free(&text);
}

static void passed_by(SignalCheck *c, const LedgerCell *cell, const LedgerEntry *p)
{
    const Stale *stale = &c->stale.at[cell->stale - 1];
    if (!is_new(c, stale->wait, 2))
        return;
    World *w = c->world;
    CodePlace at = stale->wait;
    Buf text = {0};
    place_text(w, &text, at);
    buf_str(&text, ": signal: ");
    elements_who(w, &text, at);
    buf_printf(&text, " waits for %d in ", stale->value);
    cell_text(w, &text, cell->at);
    buf_str(&text, ", which the cell had already reached in the wait");
    at_text(w, &text, stale->first);
    buf_str(&text, ": the second one waits for nothing\n    notify that no wait needed");
    at_text(w, &text, p->at);
    report_add(w, REP_CHECK, "signal", &at, text.at);
    buf_free(&text);
}

/* `last`: the cell's last notify, NULL for a credit that was replaced. */
static void unneeded(SignalCheck *c, FabAddr cell, const LedgerEntry *p, const CodePlace *last)
{
    if (!is_new(c, p->at, 3))
        return;
    World *w = c->world;
    CodePlace at = p->at;
    Buf text = {0};
    place_text(w, &text, at);
    buf_str(&text, ": warning: signal: ");
    elements_who(w, &text, at);
    buf_printf(&text, " %s %d in ", p->set ? "sets" : "adds", p->value);
    cell_text(w, &text, cell);
    buf_str(&text, last ? ", and no wait ever needs it"
                        : ", and a Set of another rank replaces it before any wait needs it");
    if (last) {
        buf_str(&text, "\n    last notify of the cell");
        at_text(w, &text, *last);
    }
    report_add(w, REP_WARNING, "signal", &at, text.at);
    buf_free(&text);
}

static void judge(SignalCheck *c, const LedgerCell *cell)
{
    if (cell->builtin)
        off_zero(c, cell);
    if (cell->plain)
        return;
    for (uint32_t i = cell->head; i < cell->pending.len; i++) {
        const LedgerEntry *p = &cell->pending.at[i];
        if (p->builtin || p->value == 0)
            continue;
        if (cell->stale)
            passed_by(c, cell, p);
        else
            unneeded(c, cell->at, p, &cell->last);
    }
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
    qsort(c->cells.at, c->cells.len, sizeof *c->cells.at, by_address);
    for (uint32_t i = 0; i < c->cells.len; i++)
        judge(c, &c->cells.at[i]);
    for (uint32_t i = 0; i < c->lost.len; i++)
        unneeded(c, c->lost.at[i].cell, &c->lost.at[i].entry, NULL);
}

static void on_event(Observer *o, World *w, const Event *e)
{
    SignalCheck *c = (SignalCheck *)o;
    c->world = w;
    if (e->kind == EV_ARRIVE)
        arrive(c, e);
    else if (e->kind == EV_WAIT)
        wait_event(c, e);
    else
        data_event(c, e);
}

static void reset(Observer *o, World *w)
{
    SignalCheck *c = (SignalCheck *)o;
    c->world = w;
    for (uint32_t i = 0; i < c->cells.len; i++)
        vec_free(&c->cells.at[i].pending);
    vec_clear(&c->cells);
    vec_clear(&c->stale);
    vec_clear(&c->lost);
    map_clear(&c->index);
    map_clear(&c->reported);
}

static void destroy(Observer *o)
{
    SignalCheck *c = (SignalCheck *)o;
    reset(o, NULL);
    vec_free(&c->cells);
    vec_free(&c->stale);
    vec_free(&c->lost);
    map_free(&c->index);
    map_free(&c->reported);
    free(c);
}

Observer *check_signal_new(const World *w)
{
    (void)w;
    SignalCheck *c = xcalloc(1, sizeof *c);
    c->base = (Observer){
        .name = "signal", .event = on_event, .finish = finish, .reset = reset, .destroy = destroy};
    c->base.mask = EV_BIT(EV_ARRIVE) | EV_BIT(EV_WAIT) | EV_BIT(EV_READ) | EV_BIT(EV_WRITE) |
                   EV_BIT(EV_REMOTE_READ) | EV_BIT(EV_REMOTE_WRITE) | EV_BIT(EV_ATOMIC);
    return &c->base;
}
