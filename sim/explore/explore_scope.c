#include "sim/explore/explore_scope.h"

static bool touches(const ScopeRange *r, const FabRect *x)
{
    return r->rank == x->at.rank && r->window == x->at.window && r->from < rect_end(x) &&
           r->end > x->at.offset;
}

static bool any_touches(const ScopeRanges *list, const FabRect *x)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (touches(&list->at[i], x))
            return true;
    return false;
}

bool scope_cell(const Scope *s, const FabRect *cell)
{
    return any_touches(&s->cells, cell);
}

bool scope_wild(const Scope *s, const FabRect *cell)
{
    for (uint32_t i = 0; i < s->cells.len; i++)
        if (s->cells.at[i].reader && touches(&s->cells.at[i], cell))
            return true;
    return false;
}

bool scope_lands(const Scope *s, const FabRect *rect)
{
    return any_touches(&s->lands, rect);
}

bool scope_views(const Scope *s, uint32_t reader, const FabRect *rect)
{
    for (uint32_t i = 0; i < s->views.len; i++)
        if (s->views.at[i].reader == reader && touches(&s->views.at[i], rect))
            return true;
    return false;
}

bool scope_lands_on(const Scope *s, uint32_t rank)
{
    for (uint32_t i = 0; i < s->lands.len; i++)
        if (s->lands.at[i].rank == rank)
            return true;
    return false;
}

bool scope_views_of(const Scope *s, uint32_t reader)
{
    for (uint32_t i = 0; i < s->views.len; i++)
        if (s->views.at[i].reader == reader)
            return true;
    return false;
}

bool scope_is_plain(const Scope *s)
{
    return s->lands.len + s->views.len == 0;
}

static void add(Scope *s, ScopeRanges *list, ScopeRange x)
{
    for (uint32_t i = 0; i < list->len; i++) {
        const ScopeRange *r = &list->at[i];
        if (r->rank == x.rank && r->window == x.window && r->reader == x.reader &&
            r->from <= x.from && r->end >= x.end)
            return;
    }
    vec_push(list, x);
    s->grown = true;
    s->data |= list != &s->cells;
}

void scope_add_data(Scope *s)
{
    s->grown |= !s->data;
    s->data = true;
}

void scope_add_cell(Scope *s, const FabRect *cell)
{
    add(s, &s->cells,
        (ScopeRange){cell->at.rank, cell->at.window, cell->at.offset, cell->at.offset + 4, 0});
}

void scope_add_stored(Scope *s, const FabRect *rect, uint32_t n_ranks)
{
    ScopeRange r = {rect->at.rank, rect->at.window, rect->at.offset, rect_end(rect), 1};
    add(s, &s->cells, r);
    if (!s->weak)
        return;
    r.reader = 0;
    add(s, &s->lands, r);
    for (; r.reader < n_ranks; r.reader++)
        add(s, &s->views, r);
}

/* The bytes between the first and the last that both may touch. */
static ScopeRange common(const FabRect *a, const FabRect *b)
{
    int64_t from = a->at.offset > b->at.offset ? a->at.offset : b->at.offset;
    int64_t end = rect_end(a) < rect_end(b) ? rect_end(a) : rect_end(b);
    return (ScopeRange){a->at.rank, a->at.window, from, end, 0};
}

void scope_add_lands(Scope *s, const FabRect *a, const FabRect *b)
{
    add(s, &s->lands, common(a, b));
}

void scope_add_views(Scope *s, uint32_t reader, const FabRect *a, const FabRect *b)
{
    ScopeRange r = common(a, b);
    r.reader = reader;
    add(s, &s->views, r);
}

void scope_free(Scope *s)
{
    vec_free(&s->cells);
    vec_free(&s->lands);
    vec_free(&s->views);
}

static void copy(ScopeRanges *to, const ScopeRanges *from)
{
    vec_clear(to);
    for (uint32_t i = 0; i < from->len; i++)
        vec_push(to, from->at[i]);
}

void scope_copy(Scope *to, const Scope *from)
{
    copy(&to->cells, &from->cells);
    copy(&to->lands, &from->lands);
    copy(&to->views, &from->views);
    to->weak = from->weak;
    to->judges = from->judges;
    to->data = from->data;
    to->grown = from->grown;
}
