/* Reads of window bytes that nobody has written, of tiles, and of Out tensors that their kernel has
 * not written: what they hold then is not the kernel's, even where somebody gave them content. */
#include "sim/check/checks.h"
#include "sim/check/written.h"
#include "sim/machine/element_text.h"
#include "sim/machine/fault.h"
#include "sim/machine/rect_overlap.h"
#include "sim/machine/report_item.h"
#include "sim/machine/window_names.h"

#include "base/map.h"
#include <string.h>

typedef struct {
    CodePlace at;
    uint64_t key;
    char *text;
    uint32_t slice; /* of a window, from 1; 0: something else */
    uint32_t mark;  /* how far its lane was */
} Finding;

/* An Out of a kernel call under way: what this call has written. */
typedef struct {
    uint32_t lane, depth; /* id; frames of it */
    uint32_t region;
    Written written;
} KernelOut;

typedef struct {
    Observer base;
    const Observer *order; /* or NULL */
    Map index;             /* window << 32 | rank -> position in `slices` */
    VEC(Written) slices;
    Map reported; /* keys of places with lanes */
    VEC(Finding) findings;
    VEC(Finding) loads; /* whose holes nobody has used so far */
    Map load_index;     /* key of a place with its lane -> position in `loads` */
    Map outs; /* dispatch << 32 | region -> Written of the run, where it is Out and nothing else */
    VEC(KernelOut) kernels;
} UninitCheck;

static Written *slice_of(UninitCheck *c, const World *w, FabAddr at)
{
    uint64_t key = (uint64_t)at.window << 32 | at.rank, found;
    if (map_get(&c->index, key, &found))
        return &c->slices.at[found];
    map_set(&c->index, key, c->slices.len);
    vec_push(&c->slices, (Written){.bytes = w->windows.at[at.window].bytes});
    return &vec_last(&c->slices);
}

/* ---- reports ---- */

/* A block runs on whichever core is free. */
static uint32_t core_of(CodePlace at)
{
    return at.job ? 0 : at.core;
}

static bool is_lower(CodePlace a, CodePlace b)
{
    uint64_t x[] = {a.rank, core_of(a), a.dispatch, a.block, a.func, a.pc};
    uint64_t y[] = {b.rank, core_of(b), b.dispatch, b.block, b.func, b.pc};
    size_t i = 0;
    while (i < 5 && x[i] == y[i])
        i++;
    return x[i] < y[i];
}

static uint64_t key_with_lane(const World *w, CodePlace at)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t lane = ((uint64_t)at.rank << 32 | at.dispatch) * odd ^ at.block;
    return (place_key(w, at) * odd ^ lane) * odd ^ core_of(at);
}

/* Keeps a report, one for each place and lane: of those that every schedule comes to that of the
 * lowest is told. The text becomes the check's. */
static void keep(UninitCheck *c, const World *w, CodePlace at, Buf *text, uint32_t slice)
{
    Finding f = {at, place_key(w, at), text->at, slice, 0};
    if (c->order)
        f.mark = check_order_mark(c->order, at);
    *text = (Buf){0};
    map_set(&c->reported, key_with_lane(w, at), 1);
    vec_push(&c->findings, f);
}

/* Could a report at this place still be kept? */
static bool is_new(const UninitCheck *c, const World *w, CodePlace at)
{
    return !map_get(&c->reported, key_with_lane(w, at), NULL);
}

/* What a load reads is a report when it is used: its number in `loads`, from 1. */
static uint64_t keep_load(UninitCheck *c, const World *w, CodePlace at, Buf *text, uint32_t slice)
{
    map_set(&c->load_index, key_with_lane(w, at), c->loads.len);
    vec_push(&c->loads, (Finding){at, place_key(w, at), text->at, slice, 0});
    *text = (Buf){0};
    return c->loads.len;
}

/* Where a load may carry what it finds: false, the caller reports it. */
static bool load_carries(UninitCheck *c, World *w, const Event *e, const Written *s, bool *known)
{
    uint64_t at;
    if (!w->holes)
        return false;
    written_holes(s, &e->rect, w->holes);
    *known = map_get(&c->load_index, key_with_lane(w, e->at), &at);
    if (*known)
        w->holes->load = at + 1;
    return true;
}

static void report_window(UninitCheck *c, World *w, const Event *e, const Hole *h)
{
    bool known = false, carries = load_carries(c, w, e, h->s, &known);
    if (carries ? known : !is_new(c, w, e->at))
        return;
    Buf text = {0};
    place_text(w, &text, e->at);
    buf_str(&text, ": uninitialised: ");
    elements_who(w, &text, e->at);
    buf_str(&text, " reads ");
    elements_window(w, &text, e->rect.at.window, e->dtype, h->first, h->end);
    buf_printf(&text, " of rank %u", e->rect.at.rank);
    window_param_text(w, &text, e->at, e->rect.at.window);
    buf_printf(&text, " (%s), which nobody has written", elements_op(e->insn));
    uint32_t slice = (uint32_t)(h->s - c->slices.at) + 1;
    if (carries)
        w->holes->load = keep_load(c, w, e->at, &text, slice);
    else
        keep(c, w, e->at, &text, slice);
}

/* Somebody uses what a load brought. */
static void report_load(UninitCheck *c, World *w, const Event *e)
{
    const Finding *load = &c->loads.at[e->link - 1];
    if (!is_new(c, w, load->at))
        return;
    Buf text = {0};
    buf_str(&text, load->text);
    buf_str(&text, "\n    used at ");
    place_text(w, &text, e->at);
    keep(c, w, load->at, &text, load->slice);
}

static void report_tile(UninitCheck *c, World *w, const Event *e)
{
    if (e->link) {
        report_load(c, w, e);
        return;
    }
    if (!is_new(c, w, e->at))
        return;
    const BcFunc *f = &w->program->funcs[e->at.func];
    Buf text = {0};
    place_text(w, &text, e->at);
    buf_str(&text, ": uninitialised: ");
    elements_who(w, &text, e->at);
    buf_str(&text, " uses tile ");
    if (e->tile < f->n_tiles && f->tiles[e->tile].name != BC_NO_INDEX)
        buf_printf(&text, "%s, ", world_string(w, f->tiles[e->tile].name));
    buf_str(&text, "whose elements nobody has written");
    keep(c, w, e->at, &text, 0);
}

/* ---- observer ---- */

/* Is the region nothing but an Out of its dispatch? */
static bool only_out(const World *w, const Dispatch *d, uint32_t region)
{
    const BcFunc *f = &w->program->funcs[d->func];
    bool out = region >= d->n_regions; /* made by the dispatch */
    for (uint32_t i = 0; i < d->n_mem && i < f->n_params; i++) {
        if (d->mem[i].kind != MEM_DEVICE || d->mem[i].object != region)
            continue;
        if (f->params[i].dir != 1)
            return false;
        out = true;
    }
    return out;
}

/* A region that is used for other memory starts anew. */
static Written *as_now(Written *s, const Region *r)
{
    if (s->serial == r->serial)
        return s;
    xfree(s->bits);
    *s = (Written){.bytes = r->bytes, .serial = r->serial};
    return s;
}

static Written *out_of(UninitCheck *c, const World *w, const Event *e)
{
    const Dispatch *d = &w->dispatches.at[e->at.dispatch];
    uint64_t found, key = (uint64_t)e->at.dispatch << 32 | e->rect.at.window;
    if (!map_get(&c->outs, key, &found)) {
        found = only_out(w, d, e->rect.at.window) ? c->slices.len + 1 : 0;
        if (found)
            vec_push(&c->slices, (Written){.bytes = d->regions[e->rect.at.window].bytes});
        map_set(&c->outs, key, found);
    }
    return found ? as_now(&c->slices.at[found - 1], &d->regions[e->rect.at.window]) : NULL;
}

static void report_out(UninitCheck *c, World *w, const Event *e, const Hole *h, bool whole)
{
    bool known = false, carries = load_carries(c, w, e, h->s, &known);
    if (carries ? known : !is_new(c, w, e->at))
        return;
    Buf text = {0};
    place_text(w, &text, e->at);
    buf_str(&text, ": uninitialised: ");
    elements_who(w, &text, e->at);
    buf_str(&text, " reads ");
    elements_region(w, &text, e->at.dispatch, e->rect.at.window, h->first, h->end);
    bool made = whole && e->rect.at.window >= w->dispatches.at[e->at.dispatch].n_regions;
    buf_printf(&text,
               made ? " (%s), which nobody has written since it was created"
                    : " (%s), an Out that its kernel has not written: what it holds is nobody's; "
                      "declare it InOut",
               elements_op(e->insn));
    if (carries)
        w->holes->load = keep_load(c, w, e->at, &text, 0);
    else
        keep(c, w, e->at, &text, 0);
}

/* ---- outs of kernels ---- */

/* Is parameter `i` an Out whose memory no other parameter gives content? */
static bool is_kernel_out(const BcFunc *f, const Frame *frame, uint32_t i)
{
    if (f->params[i].dir != 1 || frame->mregs[i].kind != MEM_DEVICE)
        return false;
    for (uint32_t k = 0; k < f->n_params && f->params[k].kind != BCP_SCALAR; k++)
        if (frame->mregs[k].kind == MEM_DEVICE && f->params[k].dir != 1 &&
            frame->mregs[k].object == frame->mregs[i].object)
            return false;
    return true;
}

/* Kernels of several cores write their outs together. */
static void kernel_begins(UninitCheck *c, const World *w, const Event *e)
{
    const Frame *frame = &vec_last(&e->lane->frames);
    const Dispatch *d = &w->dispatches.at[e->at.dispatch];
    const BcFunc *f = frame->f;
    if (d->cores > 1)
        return;
    for (uint32_t i = 0; i < f->n_params && f->params[i].kind != BCP_SCALAR; i++) {
        if (!is_kernel_out(f, frame, i))
            continue;
        KernelOut k = {e->lane->id, e->lane->frames.len, frame->mregs[i].object, {0}};
        k.written.bytes = d->regions[k.region].bytes;
        vec_push(&c->kernels, k);
    }
}

static void kernel_ends(UninitCheck *c, const Event *e)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->kernels.len; i++) {
        KernelOut *k = &c->kernels.at[i];
        if (k->lane == e->lane->id && k->depth == e->lane->frames.len)
            xfree(k->written.bits);
        else
            c->kernels.at[kept++] = *k;
    }
    c->kernels.len = kept;
}

/* What the store of a tile leaves uninitialised is not written. */
static void written_by(const World *w, const Event *e, Written *s)
{
    (void)rects_each_run(&e->rect, written_mark, s);
    for (uint32_t i = 0; w->holes && i < w->holes->list.len; i++)
        written_unmark(s, w->holes->list.at[i].offset, w->holes->list.at[i].bytes);
}

/* The innermost call that has the region for an Out; all of them are told of a write. */
static Written *kernel_out(UninitCheck *c, const World *w, const Event *e)
{
    Written *inner = NULL;
    for (uint32_t i = 0; i < c->kernels.len; i++) {
        KernelOut *k = &c->kernels.at[i];
        if (k->lane != e->lane->id || k->region != e->rect.at.window)
            continue;
        inner = &k->written;
        if (e->kind == EV_TENSOR_WRITE)
            written_by(w, e, inner);
    }
    return inner;
}

static void tensor_event(UninitCheck *c, World *w, const Event *e)
{
    Written *all = out_of(c, w, e), *s = kernel_out(c, w, e);
    if (e->kind == EV_TENSOR_WRITE) {
        if (all)
            written_by(w, e, all);
        return;
    }
    s = s ? s : all;
    if (!s)
        return;
    Hole h = {.s = s, .first = -1};
    (void)rects_each_run(&e->rect, written_check, &h);
    if (h.first >= 0)
        report_out(c, w, e, &h, s == all);
}

static void on_event(Observer *o, World *w, const Event *e)
{
    UninitCheck *c = (UninitCheck *)o;
    if (e->kind == EV_TILE_UNINIT) {
        report_tile(c, w, e);
        return;
    }
    if (e->kind == EV_KERNEL_BEGIN || e->kind == EV_KERNEL_END) {
        if (e->kind == EV_KERNEL_BEGIN)
            kernel_begins(c, w, e);
        else
            kernel_ends(c, e);
        return;
    }
    if (e->tensor) {
        tensor_event(c, w, e);
        return;
    }
    if (w->windows.at[e->rect.at.window].signal || w->keep_windows)
        return;
    Written *s = slice_of(c, w, e->rect.at);
    if (e->kind == EV_READ || e->kind == EV_REMOTE_READ) {
        Hole h = {.s = s, .first = -1};
        (void)rects_each_run(&e->rect, written_check, &h);
        if (h.first >= 0)
            report_window(c, w, e, &h);
        return;
    }
    (void)rects_each_run(&e->rect, written_mark, s);
    if (!s->touched || is_lower(e->at, s->writer))
        s->writer = e->at;
    s->touched = true;
}

static int by_key(const void *a_, const void *b_)
{
    const Finding *a = a_, *b = b_;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return is_lower(b->at, a->at) - is_lower(a->at, b->at);
}

/* Only now is known who writes to a slice. */
static void tell(const UninitCheck *c, World *w, const Finding *f)
{
    Buf text = {0};
    buf_str(&text, f->text);
    const Written *s = f->slice ? &c->slices.at[f->slice - 1] : NULL;
    if (s && s->touched) {
        buf_str(&text, "\n    that slice is written by ");
        elements_who(w, &text, s->writer);
        buf_str(&text, " at ");
        place_text(w, &text, s->writer);
    } else if (s) {
        buf_str(&text, "\n    nothing is written to that slice");
    }
    report_add(w, REP_CHECK, "uninit", &f->at, text.at);
    (void)report_item(w, "reads", f->at);
    if (s && s->touched)
        (void)report_item(w, "writes", s->writer);
    buf_free(&text);
}

static void finish(Observer *o, World *w, bool ok)
{
    (void)ok;
    UninitCheck *c = (UninitCheck *)o;
    if (c->findings.len)
        vec_sort(&c->findings, by_key);
    const Finding *told = NULL;
    for (uint32_t i = 0; i < c->findings.len; i++) {
        const Finding *f = &c->findings.at[i];
        if (told && told->key == f->key)
            continue;
        if (c->order &&
            (check_order_raced(c->order, f->at) || !check_order_certain(c->order, f->at, f->mark)))
            continue;
        tell(c, w, f);
        told = f;
    }
}

static void reset(Observer *o, World *w)
{
    (void)w;
    UninitCheck *c = (UninitCheck *)o;
    for (uint32_t i = 0; i < c->slices.len; i++)
        xfree(c->slices.at[i].bits);
    vec_clear(&c->slices);
    map_clear(&c->index);
    map_clear(&c->reported);
    for (uint32_t i = 0; i < c->findings.len; i++)
        xfree(c->findings.at[i].text);
    vec_clear(&c->findings);
    for (uint32_t i = 0; i < c->loads.len; i++)
        xfree(c->loads.at[i].text);
    vec_clear(&c->loads);
    map_clear(&c->load_index);
    map_clear(&c->outs);
    for (uint32_t i = 0; i < c->kernels.len; i++)
        xfree(c->kernels.at[i].written.bits);
    vec_clear(&c->kernels);
}

static bool save(const Observer *o, Buf *out)
{
    const UninitCheck *c = (const UninitCheck *)o;
    if (c->findings.len || c->loads.len)
        return false;
    save_map(out, &c->index);
    save_map(out, &c->outs);
    save_value(out, c->slices.len);
    for (uint32_t i = 0; i < c->slices.len; i++)
        written_save(out, &c->slices.at[i]);
    save_value(out, c->kernels.len);
    for (uint32_t i = 0; i < c->kernels.len; i++) {
        save_value(out, c->kernels.at[i]);
        written_save(out, &c->kernels.at[i].written);
    }
    return true;
}

static void load(Observer *o, World *w, SaveReader *in)
{
    UninitCheck *c = (UninitCheck *)o;
    uint32_t n;
    reset(o, w);
    load_map(in, &c->index);
    load_map(in, &c->outs);
    for (load_value(in, n); n; n--)
        vec_push(&c->slices, written_load(in));
    for (load_value(in, n); n; n--) {
        KernelOut k;
        load_value(in, k);
        k.written = written_load(in);
        vec_push(&c->kernels, k);
    }
}

static void destroy(Observer *o)
{
    UninitCheck *c = (UninitCheck *)o;
    reset(o, NULL);
    vec_free(&c->slices);
    map_free(&c->index);
    map_free(&c->reported);
    vec_free(&c->findings);
    vec_free(&c->loads);
    map_free(&c->load_index);
    map_free(&c->outs);
    vec_free(&c->kernels);
    xfree(c);
}

Observer *check_uninit_new(const World *w, const Observer *order)
{
    (void)w;
    UninitCheck *c = xcalloc(1, sizeof *c);
    c->order = order;
    c->base = (Observer){.name = "uninit",
                         .event = on_event,
                         .finish = finish,
                         .reset = reset,
                         .save = save,
                         .load = load,
                         .destroy = destroy};
    c->base.mask = EV_BIT(EV_READ) | EV_BIT(EV_REMOTE_READ) | EV_BIT(EV_WRITE) |
                   EV_BIT(EV_REMOTE_WRITE) | EV_BIT(EV_ATOMIC) | EV_BIT(EV_TILE_UNINIT) |
                   EV_BIT(EV_TENSOR_READ) | EV_BIT(EV_TENSOR_WRITE) | EV_BIT(EV_KERNEL_BEGIN) |
                   EV_BIT(EV_KERNEL_END);
    return &c->base;
}
