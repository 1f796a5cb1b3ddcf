/* A lane per core of each rank, a bar per operation. Where bars are too narrow to be told apart,
 * one stands for several; the trace has them all. */
#include "sim/report/timeline.h"

#include "base/json.h"
#include <string.h>

#define NARROWEST 0.3 /* px */

double timeline_x(const Timeline *t, int64_t ps)
{
    return t->left + (double)ps / (double)t->span * t->width;
}

double timeline_y(const Timeline *t, uint32_t rank, uint32_t core)
{
    uint32_t lane = t->lane_of[(size_t)rank * t->w->max_cores + core];
    return t->top + lane * (t->lane + t->band + t->gap) + t->band;
}

static void layout(Timeline *t)
{
    const World *w = t->w;
    t->lane_of = xcalloc((size_t)w->n_ranks * w->max_cores + 1, sizeof *t->lane_of);
    for (uint32_t i = 0; i < w->n_ranks; i++)
        for (uint32_t k = 0; k < w->ranks[i].n_lanes; k++)
            t->lane_of[(size_t)i * w->max_cores + k] = t->n_lanes++;
    t->left = 112;
    t->width = 1360;
    t->top = 92;
    t->lane = t->n_lanes <= 8 ? 38 : t->n_lanes <= 32 ? 24 : 10;
    t->band = t->n_lanes <= 32 ? 13 : 0;
    t->gap = t->n_lanes <= 8 ? 26 : t->n_lanes <= 32 ? 10 : 3;
    t->span = t->r->end_ps > 0 ? t->r->end_ps : 1;
    if (t->r->last.len) /* room for where they stand */
        t->span += t->span / 5;
}

static CodePlace place_of(const Record *r)
{
    return (CodePlace){r->rank, r->core, r->dispatch, r->func, r->pc};
}

static void hover(Timeline *t, const Record *r)
{
    Buf text = {0};
    buf_printf(&text, "rank %u: %s ", r->rank, record_name(r));
    record_describe(t->w, r, &text);
    buf_char(&text, '\n');
    record_us(&text, r->begin);
    buf_str(&text, " to ");
    record_us(&text, r->end);
    buf_str(&text, " \xc2\xb5s\n");
    place_text(t->w, &text, place_of(r));
    buf_str(t->out, "<title>");
    xml_escape(t->out, text.at);
    buf_str(t->out, "</title>");
    buf_free(&text);
}

typedef struct {
    double y, height;
    double *drawn; /* px: the strip is covered up to there */
} Strip;

static void bar(Timeline *t, const char *class, const Record *r, int64_t begin, int64_t end,
                Strip s)
{
    double x = timeline_x(t, begin), width = timeline_x(t, end) - x;
    if (end == begin || x + width <= *s.drawn)
        return;
    if (width < NARROWEST)
        width = NARROWEST;
    *s.drawn = x + width;
    buf_printf(t->out, "<rect class=\"%s\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\">",
               class, x, s.y, width, s.height);
    hover(t, r);
    buf_str(t->out, "</rect>\n");
}

static void word(Timeline *t, const Record *r, Strip s)
{
    const char *name = record_name(r);
    double x1 = timeline_x(t, r->begin), x2 = timeline_x(t, r->end);
    bool waits = r->kind == EV_WAIT || r->kind == EV_DISPATCH_BEGIN;
    if (s.height < 14 || x2 - x1 < 6.2 * (double)strlen(name) + 6)
        return;
    buf_printf(&t->words, "<text class=\"in\" x=\"%.2f\" y=\"%.1f\"%s>%s</text>\n", (x1 + x2) / 2,
               s.y + s.height / 2 + 3.5, waits ? " style=\"fill:#52606d\"" : "", name);
}

/* Waiting is what lies between coming to the wait and the arrival of what satisfies it. */
static void operation(Timeline *t, const Record *r, Strip s)
{
    int64_t from = r->begin;
    if (r->kind == EV_WAIT && r->arrive > r->begin) {
        from = r->arrive < r->end ? r->arrive : r->end;
        bar(t, "idle", r, r->begin, from, s);
    }
    bar(t, show_name(record_kind(r)), r, from, r->end, s);
    word(t, r, s);
}

/* An operation beside the last one (two stages of a transfer) gets the lower half of the lane. */
static void bars(Timeline *t)
{
    int64_t *end = xcalloc((size_t)t->n_lanes + 1, sizeof *end);
    double *drawn = xcalloc(2 * (size_t)t->n_lanes + 1, sizeof *drawn);
    buf_str(t->out, "<g class=\"bars\">\n");
    for (uint32_t i = 0; i < t->r->at.len; i++) {
        const Record *r = &t->r->at.at[i];
        if (record_kind(r) == SHOW_COUNT)
            continue;
        uint32_t lane = t->lane_of[(size_t)r->rank * t->w->max_cores + r->core];
        Strip s = {timeline_y(t, r->rank, r->core), t->lane, &drawn[2 * lane]};
        int64_t *last = &end[lane];
        if (r->begin < *last) {
            s.height /= 2;
            s.y += s.height;
            s.drawn++;
        }
        *last = r->end > *last ? r->end : *last;
        operation(t, r, s);
    }
    buf_str(t->out, "</g>\n");
    xfree(end);
    xfree(drawn);
}

/* ---- the band of calls: kernel, or builtin and phase ---- */

typedef struct {
    int64_t begin, end;
    const char *kernel;
    const char *builtin; /* name of the builtin; NULL: written by hand */
    uint32_t call;       /* its call site */
    Phase phase;
    uint32_t count; /* bands drawn so far: neighbours differ in colour */
} Band;

static void band_end(Timeline *t, Band *b, uint32_t rank, uint32_t core)
{
    double x = timeline_x(t, b->begin), width = timeline_x(t, b->end) - x;
    Buf text = {0};
    if (!b->kernel || width < 1)
        return;
    xml_escape(&text, b->phase ? phase_text(b->phase) : b->builtin ? b->builtin : b->kernel);
    double y = timeline_y(t, rank, core) - t->band;
    buf_printf(t->out,
               "<rect class=\"%s\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\">"
               "<title>%s",
               b->count++ % 2 ? "call1" : "call", x, y, width, t->band - 1, text.at);
    if (b->phase)
        buf_printf(t->out, " of %s", b->builtin);
    buf_str(t->out, "</title></rect>\n");
    if (width > 5.6 * (double)text.len + 4)
        buf_printf(&t->words, "<text class=\"ph\" x=\"%.2f\" y=\"%.1f\">%s</text>\n", x + 3,
                   y + 9.5, text.at);
    buf_free(&text);
}

static bool same_band(const Band *a, const Band *b)
{
    return a->kernel == b->kernel && a->call == b->call && a->phase == b->phase;
}

static void bands(Timeline *t)
{
    Band *open = xcalloc((size_t)t->n_lanes + 1, sizeof *open);
    const World *w = t->w;
    for (uint32_t i = 0; i < t->r->at.len; i++) {
        const Record *r = &t->r->at.at[i];
        ShowKind kind = record_kind(r);
        if (kind == SHOW_COUNT || kind == SHOW_START)
            continue;
        Band *b = &open[t->lane_of[(size_t)r->rank * w->max_cores + r->core]];
        const BcRegion *region = place_region(w, place_of(r));
        Band here = {.begin = r->begin,
                     .end = r->end,
                     .kernel = world_string(w, w->program->funcs[r->func].name),
                     .builtin = place_builtin(w, place_of(r)),
                     .call = call_site_of(w->call_sites, r->func, r->pc),
                     .phase = region ? (Phase)region->phase : PHASE_NONE};
        if (!same_band(b, &here)) {
            band_end(t, b, r->rank, r->core);
            here.count = b->count;
            *b = here;
        }
        b->end = r->end > b->end ? r->end : b->end;
    }
    for (uint32_t i = 0; i < w->n_ranks; i++)
        for (uint32_t k = 0; k < w->ranks[i].n_lanes; k++)
            band_end(t, &open[t->lane_of[(size_t)i * w->max_cores + k]], i, k);
    xfree(open);
}

/* Where the lanes of a run stand that did not finish. */
static void last_states(Timeline *t)
{
    for (uint32_t i = 0; i < t->r->last.len; i++) {
        const LastState *s = &t->r->last.at[i];
        double x = timeline_x(t, s->since), width = t->left + t->width - x;
        double y = timeline_y(t, s->rank, s->core);
        Buf text = {0}, where = {0};
        last_describe(t->w, s, &text);
        place_text(t->w, &where, s->at);
        buf_printf(t->out,
                   "<rect class=\"stuck\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" "
                   "height=\"%.1f\"><title>",
                   x, y, width < 6 ? 6 : width, t->lane);
        xml_escape(t->out, text.at);
        buf_char(t->out, '\n');
        xml_escape(t->out, where.at);
        buf_str(t->out, "</title></rect>\n");
        if (t->lane >= 14) {
            double below = t->gap >= 20 ? t->lane + 15 : t->lane / 2 + 4;
            buf_printf(&t->words, "<text class=\"state\" x=\"%.2f\" y=\"%.1f\">",
                       t->left + t->width - 4, y + below);
            xml_escape(&t->words, text.at);
            buf_str(&t->words, "</text>\n");
        }
        buf_free(&text);
        buf_free(&where);
    }
}

void timeline_print(const World *w, const Recorder *r, bool html, Buf *out)
{
    Timeline t = {.w = w, .r = r, .out = out};
    layout(&t);
    if (html)
        timeline_page_begin(w, out);
    timeline_head(&t, timeline_height(&t));
    timeline_lanes(&t);
    timeline_axis(&t);
    if (t.band > 0)
        bands(&t);
    bars(&t);
    last_states(&t);
    timeline_arrows(&t);
    buf_bytes(out, t.words.at, t.words.len);
    buf_free(&t.words);
    buf_str(out, "</svg>\n");
    if (html)
        timeline_page_end(out);
    xfree(t.lane_of);
}
