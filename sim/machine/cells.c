/* When did a wait's predicate become true? Delivery happens in the order of the simulation, arrival
 * in modelled time: each cell remembers the arrivals that its owner has not seen yet. */
#include "sim/machine/cell_pages.h"
#include "sim/machine/world.h"

#include "base/map.h"
#include <string.h>

enum { MAX_STEPS = 64 }; /* kept per cell: more credits than this at once are taken as the oldest */

typedef struct {
    int32_t base;      /* value before the first step kept */
    uint16_t len, cap; /* cap 0: the only step is `first` */
    union {
        CellStep first;
        CellStep *many;
    };
} CellHistory;

struct CellLog {
    CellPages pages;    /* CellHistory */
    Map replaced_index; /* key of a cell -> position in `replaced` */
    VEC(CellReplaced) replaced;
};

static CellLog *cell_log(World *w)
{
    if (!w->cells) {
        w->cells = xcalloc(1, sizeof *w->cells);
        w->cells->pages = (CellPages){.size = sizeof(CellHistory), .n_ranks = w->n_ranks};
    }
    return w->cells;
}

static CellHistory *cell_find(World *w, FabAddr addr, bool create)
{
    return w->cells || create ? cell_pages_find(&cell_log(w)->pages, addr, create) : NULL;
}

static CellStep *steps(CellHistory *c)
{
    return c->cap ? c->many : &c->first;
}

static void drop(CellHistory *c, uint32_t n)
{
    if (n == 0)
        return;
    c->base = steps(c)[n - 1].value;
    c->len = (uint16_t)(c->len - n);
    memmove(steps(c), steps(c) + n, c->len * sizeof(CellStep));
}

static void grow(CellHistory *c)
{
    uint16_t cap = c->cap ? (uint16_t)(2 * c->cap) : 4;
    CellStep first = c->first;
    CellStep *many = xrealloc(c->cap ? c->many : NULL, cap * sizeof *many);
    if (c->cap == 0)
        many[0] = first;
    c->many = many;
    c->cap = cap;
}

void cell_log_arrive(World *w, FabAddr cell, CellStep step)
{
    CellHistory *c = cell_find(w, cell, true);
    if (c->len == MAX_STEPS)
        drop(c, MAX_STEPS / 2);
    if (c->len && steps(c)[c->len - 1].at > step.at)
        step.at = steps(c)[c->len - 1].at;
    if (c->len == (c->cap ? c->cap : 1))
        grow(c);
    steps(c)[c->len++] = step;
}

static bool holds(int32_t value, int cmp, int32_t expected)
{
    return cmp == WAIT_GE ? value >= expected : value == expected;
}

CellStep cell_log_satisfied(World *w, FabAddr cell, int cmp, int32_t expected)
{
    CellHistory *c = cell_find(w, cell, false);
    if (!c)
        return (CellStep){0};
    uint32_t first = c->len;
    while (first > 0 && holds(steps(c)[first - 1].value, cmp, expected))
        first--;
    bool before = first == 0 && holds(c->base, cmp, expected);
    if (before || first == c->len)
        return (CellStep){0};
    CellStep found = steps(c)[first];
    drop(c, first + 1);
    return found;
}

void cell_log_set(World *w, FabAddr cell, int32_t before, CodePlace by)
{
    uint64_t key = cell_key(w->n_ranks, cell), at;
    if (before == 0 || by.rank == cell.rank)
        return;
    if (!map_get(&w->cells->replaced_index, key, &at)) {
        at = w->cells->replaced.len;
        map_set(&w->cells->replaced_index, key, at);
        vec_push(&w->cells->replaced, (CellReplaced){.key = key});
    }
    CellReplaced *r = &w->cells->replaced.at[at];
    *r = (CellReplaced){key, r->count + 1, before, by};
}

const CellReplaced *cell_log_replaced(const World *w, FabAddr cell)
{
    uint64_t at;
    bool found = w->cells && map_get(&w->cells->replaced_index, cell_key(w->n_ranks, cell), &at);
    return found ? &w->cells->replaced.at[at] : NULL;
}

void cell_log_reset(World *w)
{
    if (!w->cells)
        return;
    CellPages *p = &w->cells->pages;
    for (uint32_t i = 0; i < p->pages.len; i++)
        for (uint32_t k = 0; k < CELL_PAGE; k++) {
            CellHistory *c = cell_pages_at(p, i, k);
            if (c->cap)
                xfree(c->many);
        }
    cell_pages_free(p);
    vec_free(&w->cells->replaced);
    map_free(&w->cells->replaced_index);
    xfree(w->cells);
    w->cells = NULL;
}

/* ---- saved ---- */

static bool is_used(const CellHistory *c)
{
    return c->len || c->base;
}

/* Of each page its key and the cells that are used, each behind its number; CELL_PAGE ends them. */
void cell_log_save(const World *w, Buf *out)
{
    uint32_t n = w->cells ? w->cells->pages.pages.len : 0, end = CELL_PAGE;
    save_value(out, n);
    for (uint32_t i = 0; i < n; i++) {
        save_value(out, w->cells->pages.pages.at[i].key);
        for (uint32_t k = 0; k < CELL_PAGE; k++) {
            CellHistory *c = cell_pages_at(&w->cells->pages, i, k);
            if (!is_used(c))
                continue;
            save_value(out, k);
            save_value(out, c->base);
            save_array(out, steps(c), c->len, sizeof(CellStep));
        }
        save_value(out, end);
    }
    n = w->cells ? w->cells->replaced.len : 0;
    save_array(out, n ? w->cells->replaced.at : NULL, n, sizeof(CellReplaced));
}

static void load_replaced(World *w, SaveReader *in)
{
    uint32_t n;
    if (w->cells) {
        vec_clear(&w->cells->replaced);
        map_clear(&w->cells->replaced_index);
    }
    for (load_value(in, n); n; n--) { /* then there is a page, and so w->cells */
        CellReplaced r;
        load_value(in, r);
        map_set(&w->cells->replaced_index, r.key, w->cells->replaced.len);
        vec_push(&w->cells->replaced, r);
    }
}

static void load_cell(SaveReader *in, CellHistory *c)
{
    load_value(in, c->base);
    uint32_t len;
    load_value(in, len);
    while (len > (c->cap ? c->cap : 1u))
        grow(c);
    c->len = (uint16_t)len;
    load_bytes(in, steps(c), len * sizeof(CellStep));
}

void cell_log_load(World *w, SaveReader *in)
{
    uint32_t n, cell;
    for (uint32_t i = 0; w->cells && i < w->cells->pages.pages.len; i++)
        for (uint32_t k = 0; k < CELL_PAGE; k++) {
            CellHistory *c = cell_pages_at(&w->cells->pages, i, k);
            c->base = 0;
            c->len = 0;
        }
    for (load_value(in, n); n; n--) {
        uint64_t key;
        load_value(in, key);
        CellHistory *page = cell_pages_page(&cell_log(w)->pages, key, true);
        for (load_value(in, cell); cell < CELL_PAGE; load_value(in, cell))
            load_cell(in, &page[cell]);
    }
    load_replaced(w, in);
}
