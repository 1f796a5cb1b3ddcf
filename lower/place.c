/* Linear scan over the beginnings of lifetimes, with holes in lifetimes used. */
#include "lower/place.h"
#include "lower/place_hint.h"
#include <stdlib.h>

/* A placed tile that the one at hand must stay clear of. */
typedef struct {
    const Place *place;
    bool inherit; /* an operand whose address the result may take over exactly */
} Conflict;

typedef struct {
    Program *p;
    Func *f;
    const Live *live;
    VEC(Place *) active;     /* placed, and perhaps still alive */
    VEC(Conflict) conflicts; /* of the place at hand, by address */
} PlaceScan;

static int by_begin(const void *a, const void *b)
{
    const Place *x = a, *y = b;
    if (x->segments.at[0].from != y->segments.at[0].from)
        return x->segments.at[0].from < y->segments.at[0].from ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool is_sorted(const Places *places)
{
    for (uint32_t i = 1; i < places->len; i++)
        if (by_begin(&places->at[i - 1], &places->at[i]) > 0)
            return false;
    return true;
}

static int by_address(const void *a, const void *b)
{
    const Conflict *x = a, *y = b;
    if (x->place->addr != y->place->addr)
        return x->place->addr < y->place->addr ? -1 : 1;
    return x->place->order < y->place->order ? -1 : x->place->order > y->place->order;
}

static uint32_t last_position(const Place *place)
{
    return vec_last(&place->segments).to;
}

static void expire(PlaceScan *x, uint32_t now)
{
    uint32_t to = 0;
    for (uint32_t i = 0; i < x->active.len; i++)
        if (last_position(x->active.at[i]) + 1 >= now)
            x->active.at[to++] = x->active.at[i];
    x->active.len = to;
}

/* What is written element by element over an operand needs its layout. */
static bool same_elements(const Type *a, const Type *b)
{
    bool same = a->dtype == b->dtype && a->rank == b->rank;
    for (uint32_t i = 0; same && i < a->rank; i++)
        same = a->dims[i] == b->dims[i];
    return same;
}

static void find_conflicts(PlaceScan *x, const Place *place)
{
    vec_clear(&x->conflicts);
    for (uint32_t i = 0; i < x->active.len; i++) {
        const Place *other = x->active.at[i];
        if (other->type->mem != place->type->mem)
            continue;
        bool overlap = segments_overlap(&place->segments, &other->segments);
        if (!overlap && !segments_touch(&place->segments, &other->segments))
            continue;
        bool alike = same_elements(place->type, other->type);
        vec_push(&x->conflicts, (Conflict){other, !overlap && alike});
    }
    if (x->conflicts.len)
        vec_sort(&x->conflicts, by_address);
}

/* An operand's address is free for the result when all else in the way lies beside it. */
static bool can_inherit(const PlaceScan *x, const Place *from)
{
    for (uint32_t i = 0; i < x->conflicts.len; i++) {
        const Conflict *c = &x->conflicts.at[i];
        if (c->inherit && c->place->addr == from->addr)
            continue;
        if (c->place->addr < from->addr + from->bytes &&
            from->addr < c->place->addr + c->place->bytes)
            return false;
    }
    return true;
}

static int64_t choose(PlaceScan *x, const Place *place)
{
    int64_t gap = 0;
    find_conflicts(x, place);
    for (uint32_t i = 0; i < x->conflicts.len; i++)
        if (x->conflicts.at[i].inherit && can_inherit(x, x->conflicts.at[i].place))
            return x->conflicts.at[i].place->addr;
    for (uint32_t i = 0; i < x->conflicts.len; i++) {
        const Place *other = x->conflicts.at[i].place;
        if (other->addr - gap >= place->bytes)
            return gap;
        if (other->addr + other->bytes > gap)
            gap = other->addr + other->bytes;
    }
    return gap;
}

static void note_tile(PlaceScan *x, const Place *place)
{
    const Var *v = func_var(x->f, place->first);
    diag_note(x->p->diags, x->live->by[place->first]->loc.span, "%s: %s, %lld bytes", v->base,
              type_text(x->p->arena, place->type), (long long)place->bytes);
}

static bool is_alive_beside(const Place *other, const Place *place, uint32_t now)
{
    return other->type->mem == place->type->mem && segments_cover(&other->segments, now);
}

/* Where the sum first exceeds a memory: what is alive there, and what to do. */
static void report(PlaceScan *x, const Place *place)
{
    const Platform *platform = x->p->platform;
    MemSpace memory = place->type->mem;
    bool vec = memory == MEM_VEC;
    uint32_t now = place->segments.at[0].from;
    int64_t sum = place->bytes;
    for (uint32_t i = 0; i < x->active.len; i++)
        if (is_alive_beside(x->active.at[i], place, now))
            sum += x->active.at[i]->bytes;
    diag_error(x->p->diags, x->live->by[place->first]->loc.span, "memory",
               "tiles of %lld bytes are alive here in %s, the %s memory of a core on %s has %lld: "
               "%s, or make the tiles smaller",
               (long long)sum, mem_kind_name(memory), mem_kind_name(memory), platform->name,
               (long long)mem_kind_bytes(platform, memory),
               vec ? "load the data in chunks that fit, in a loop over pl.range"
                   : "multiply smaller blocks, in a loop over pl.range with pl.matmul_acc");
    note_tile(x, place);
    for (uint32_t i = 0; i < x->active.len; i++)
        if (is_alive_beside(x->active.at[i], place, now))
            note_tile(x, x->active.at[i]);
}

/* The first place that does not fit; NULL: all do. */
static const Place *scan(PlaceScan *x, Places *places)
{
    const Place *misfit = NULL;
    vec_clear(&x->active);
    if (!is_sorted(places)) /* mostly they come in the order of the text */
        vec_sort(places, by_begin);
    for (uint32_t i = 0; i < places->len && !misfit; i++) {
        Place *place = &places->at[i];
        expire(x, place->segments.at[0].from);
        place->addr = choose(x, place);
        if (place->bytes > mem_kind_bytes(x->p->platform, place->type->mem) - place->addr)
            misfit = place;
        else
            vec_push(&x->active, place);
    }
    return misfit;
}

static bool all_fit(void *env, Places *places)
{
    return !scan(env, places);
}

bool place_tiles(Program *p, Func *f, const Live *live, Places *places)
{
    PlaceScan x = {.p = p, .f = f, .live = live};
    const Place *misfit = scan(&x, places);
    if (misfit) {
        report(&x, misfit);
        if (misfit->type->mem == MEM_VEC)
            note_chunks(p, f, places, live->by[misfit->first]->loc.span, all_fit, &x);
    }
    vec_free(&x.active);
    vec_free(&x.conflicts);
    return !misfit;
}
