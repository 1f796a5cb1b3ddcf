/* The devices that share a window are those its views are dispatched to over the whole host run;
 * rank is the position in -d order. */
#include "sim/machine/comm_domain.h"

#include "sim/machine/depend.h"
#include "sim/machine/fault.h"
#include <string.h>

static bool same_view(const Window *win, const MemRef *m)
{
    return win->view_dtype == m->dtype && win->view_rank == m->rank &&
           memcmp(win->view_shape, m->shape, m->rank * sizeof(int64_t)) == 0;
}

/* A buffer is either data or signal cells: two different views of the two kinds overlap, because
 * every view begins at the start of its buffer. */
static bool use_window(World *w, Lane *lane, uint32_t rank, const MemRef *m, bool signal)
{
    Window *win = &w->windows.at[m->object];
    bool first = !win->signal && !win->data;
    if (first) {
        win->view_dtype = m->dtype;
        win->view_rank = m->rank;
        memcpy(win->view_shape, m->shape, sizeof win->view_shape);
    }
    if (!first && (signal ? win->data && !win->signal : win->signal && !win->data) &&
        !same_view(win, m))
        return vm_fault(w, lane, "a data view and a signal view overlap in window buffer %s",
                        win->name);
    win->signal |= signal;
    win->data |= !signal;
    win->users[rank] = 1;
    return true;
}

static bool overlaps(const Region *a, const Region *b)
{
    return a->tensor == b->tensor && a->offset < b->offset + b->bytes &&
           b->offset < a->offset + a->bytes;
}

/* Adds a range to the regions: what overlaps becomes one, so that the device sees one memory where
 * the host has one. */
static void add_region(Dispatch *d, Region r)
{
    for (uint32_t i = 0; i < d->n_regions;) {
        Region *o = &d->regions[i];
        if (!overlaps(o, &r)) {
            i++;
            continue;
        }
        int64_t end =
            o->offset + o->bytes > r.offset + r.bytes ? o->offset + o->bytes : r.offset + r.bytes;
        r.offset = o->offset < r.offset ? o->offset : r.offset;
        r.bytes = end - r.offset;
        r.writes |= o->writes;
        *o = d->regions[--d->n_regions];
        i = 0;
    }
    d->regions[d->n_regions++] = r;
}

static Region range_of(const World *w, const Dispatch *d, uint32_t i)
{
    const MemRef *m = &d->mem[i];
    const BcParam *par = &w->program->funcs[d->func].params[i];
    Region r = {.tensor = m->object, .offset = m->offset, .writes = par->dir != 0};
    (void)shape_elements(m->rank, m->shape, &r.bytes);
    r.bytes *= dtype_bytes(m->dtype);
    return r;
}

static void place_argument(const World *w, Dispatch *d, uint32_t i)
{
    Region r = range_of(w, d, i);
    MemRef *m = &d->mem[i];
    for (uint32_t k = 0; k < d->n_regions; k++) {
        const Region *o = &d->regions[k];
        if (o->tensor == r.tensor && o->offset <= r.offset &&
            r.offset + r.bytes <= o->offset + o->bytes) {
            m->kind = MEM_DEVICE;
            m->object = k;
            m->offset -= o->offset;
            return;
        }
    }
}

static void make_regions(World *w, Dispatch *d)
{
    d->regions = arena_array(&w->arena, d->n_mem + 1, sizeof *d->regions);
    for (uint32_t i = 0; i < d->n_mem; i++)
        if (d->mem[i].kind == MEM_HOST)
            add_region(d, range_of(w, d, i));
    for (uint32_t i = 0; i < d->n_mem; i++)
        if (d->mem[i].kind == MEM_HOST)
            place_argument(w, d, i);
}

bool domain_dispatch(World *w, Lane *lane, const Dispatch *queued)
{
    Dispatch d = *queued;
    const BcFunc *f = &w->program->funcs[d.func];
    for (uint32_t i = 0; i < d.n_mem; i++)
        if (d.mem[i].kind == MEM_WINDOW &&
            !use_window(w, lane, d.rank, &d.mem[i], f->params[i].signal))
            return false;
    make_regions(w, &d);
    if (d.cores > w->host_cores)
        w->host_cores = w->max_cores = d.cores;
    vec_push(&w->ranks[d.rank].queue, w->dispatches.len);
    vec_push(&w->dispatches, d);
    return true;
}

/* ---- domains ---- */

static bool same_members(const World *w, const Domain *d, const Window *win)
{
    for (uint32_t r = 0; r < w->n_ranks; r++)
        if ((d->index[r] != UINT32_MAX) != (win->users[r] != 0))
            return false;
    return true;
}

static uint32_t new_domain(World *w, const Window *win)
{
    Domain d = {0};
    uint32_t *members = arena_array(&w->arena, w->n_ranks, sizeof *members);
    d.index = arena_array(&w->arena, w->n_ranks, sizeof *d.index);
    for (uint32_t r = 0; r < w->n_ranks; r++) {
        d.index[r] = win->users[r] ? d.n : UINT32_MAX;
        if (win->users[r])
            members[d.n++] = r;
    }
    d.members = members;
    vec_push(&w->domains, d);
    return w->domains.len - 1;
}

static void find_domain(World *w, Window *win)
{
    if (!win->signal && !win->data)
        return;
    for (uint32_t i = 0; i < w->domains.len && win->domain == UINT32_MAX; i++)
        if (same_members(w, &w->domains.at[i], win))
            win->domain = i;
    if (win->domain == UINT32_MAX)
        win->domain = new_domain(w, win);
}

/* A builtin works on one group of devices. */
static bool check_builtin(World *w, const Dispatch *d)
{
    const BcFunc *f = &w->program->funcs[d->func];
    const Window *first = NULL;
    for (uint32_t i = 0; i < d->n_mem && f->generated; i++) {
        if (d->mem[i].kind != MEM_WINDOW)
            continue;
        const Window *win = &w->windows.at[d->mem[i].object];
        if (first && first->domain != win->domain) {
            w->host_lane->frames.at[0].pc = d->from.pc;
            return vm_fault(w, w->host_lane, "%s: windows %s and %s belong to different devices",
                            world_string(w, f->name), first->name, win->name);
        }
        first = win;
    }
    return true;
}

uint32_t window_rank(const World *w, uint32_t window, uint32_t rank)
{
    return window_domain(w, window)->index[rank];
}

/* The whole queue again, as if the host function called once more all it had called. What comes
 * before the last time works on other values, so that something left over from it shows. */
static void repeat(World *w)
{
    uint32_t n = w->dispatches.len;
    for (uint32_t i = 0; i < n && w->config->repeat > 1; i++)
        w->dispatches.at[i].rehearsal = true;
    for (uint32_t k = 1; k < w->config->repeat; k++)
        for (uint32_t i = 0; i < n; i++) {
            Dispatch d = w->dispatches.at[i];
            d.rehearsal = k + 1 < w->config->repeat;
            d.regions = arena_array(&w->arena, d.n_regions + 1, sizeof *d.regions);
            for (uint32_t x = 0; x < d.n_regions; x++)
                d.regions[x] = w->dispatches.at[i].regions[x];
            vec_push(&w->ranks[d.rank].queue, w->dispatches.len);
            vec_push(&w->dispatches, d);
        }
}

bool domain_finish(World *w)
{
    for (uint32_t i = 0; i < w->windows.len; i++)
        find_domain(w, &w->windows.at[i]);
    for (uint32_t i = 0; i < w->dispatches.len; i++)
        if (!check_builtin(w, &w->dispatches.at[i]))
            return false;
    repeat(w);
    depend_find(w);
    return true;
}
