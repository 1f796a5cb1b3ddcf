/* The bands above the rows, and what is at the end of those that did not finish. */
#include "sim/report/timeline.h"

#include "base/json.h"

enum { MAX_BANDS = 700 };

/* ---- the band of calls: kernel, or builtin and phase ---- */

typedef struct {
    int64_t begin, end;
    const char *kernel;
    const char *builtin; /* name of the builtin; NULL: written by hand */
    uint32_t call;       /* its call site */
    Phase phase;
    uint32_t count; /* bands drawn so far: neighbours differ in colour */
} Band;

/* Counts the bands that are as wide as `floor` px, and draws them where it shall. */
typedef struct {
    Timeline *t;
    double floor;
    uint32_t n;
    bool draw;
} BandPen;

static void band_end(BandPen *pen, Band *b, uint32_t rank, uint32_t core)
{
    Timeline *t = pen->t;
    double x = timeline_x(t, b->begin), width = timeline_x(t, b->end) - x;
    Buf text = {0};
    if (!b->kernel || width < pen->floor)
        return;
    pen->n++;
    if (!pen->draw)
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

static void walk(BandPen *pen)
{
    Timeline *t = pen->t;
    Band *open = xcalloc((size_t)t->n_lanes + 1, sizeof *open);
    const World *w = t->w;
    for (uint32_t i = 0; i < t->r->at.len; i++) {
        const Record *r = &t->r->at.at[i];
        ShowKind kind = record_kind(r);
        if (kind == SHOW_COUNT || kind == SHOW_START)
            continue;
        Band *b = &open[t->lane_of[(size_t)r->rank * w->max_cores + r->core]];
        const BcRegion *region = place_region(w, record_place(r));
        Band here = {.begin = r->begin,
                     .end = r->end,
                     .kernel = world_string(w, w->program->funcs[r->func].name),
                     .builtin = place_builtin(w, record_place(r)),
                     .call = call_site_of(w->call_sites, r->func, r->pc),
                     .phase = region ? (Phase)region->phase : PHASE_NONE};
        if (!same_band(b, &here)) {
            band_end(pen, b, r->rank, r->core);
            here.count = b->count;
            *b = here;
        }
        b->end = r->end > b->end ? r->end : b->end;
    }
    for (uint32_t i = 0; i < w->n_ranks; i++)
        for (uint32_t k = 0; k < w->ranks[i].n_lanes; k++) {
            uint32_t lane = t->lane_of[(size_t)i * w->max_cores + k];
            if (lane != UINT32_MAX)
                band_end(pen, &open[lane], i, k);
        }
    xfree(open);
}

void timeline_bands(Timeline *t)
{
    BandPen pen = {.t = t, .floor = 1};
    for (walk(&pen); pen.n > MAX_BANDS; walk(&pen)) {
        pen.floor *= 2;
        pen.n = 0;
    }
    pen.draw = true;
    walk(&pen);
}

/* Where the lanes of a run stand that did not finish. */
void timeline_last_states(Timeline *t)
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
