/* A row for each lane, a bar per operation, until there are too many: then small ones are merged
 * (timeline_cells.c), arrows too (timeline_arrows.c), and a row is several lanes. */
#include "sim/report/timeline.h"

#include "base/json.h"
#include "sim/report/cost.h"
#include <string.h>

#define NARROWEST 0.3 /* px */

enum {
    MANY_BARS = 3000, /* no more operations: each gets its bar */
    MAX_BARS = 1800,  /* else so many of the longest do */
    MAX_ROWS = 128
};

double timeline_x(const Timeline *t, int64_t ps)
{
    if (ps <= t->start)
        return t->left + (double)ps / (double)(t->start ? t->start : 1) * t->start_width;
    return t->left + t->start_width +
           (double)(ps - t->start) / (double)(t->span - t->start) * (t->width - t->start_width);
}

uint32_t timeline_row(const Timeline *t, uint32_t rank, uint32_t core)
{
    return t->lane_of[(size_t)rank * t->w->max_cores + core] / t->per_row;
}

double timeline_row_y(const Timeline *t, uint32_t row)
{
    return t->top + row * (t->lane + t->band + t->gap) + t->band;
}

double timeline_y(const Timeline *t, uint32_t rank, uint32_t core)
{
    return timeline_row_y(t, timeline_row(t, rank, core));
}

const char *look_class(int look)
{
    return look == LOOK_IDLE ? "many" : show_name((ShowKind)look);
}

const char *look_name(int look)
{
    return look == LOOK_IDLE ? "waiting" : show_name((ShowKind)look);
}

/* ---- layout ---- */

static void rows(Timeline *t)
{
    const World *w = t->w;
    t->lane_of = xcalloc((size_t)w->n_ranks * w->max_cores + 1, sizeof *t->lane_of);
    for (uint32_t i = 0; i < t->r->at.len; i++)
        t->lane_of[(size_t)t->r->at.at[i].rank * w->max_cores + t->r->at.at[i].core] = 1;
    for (uint32_t i = 0; i < w->n_ranks; i++)
        for (uint32_t k = 0; k < w->ranks[i].n_lanes; k++) {
            uint32_t *lane = &t->lane_of[(size_t)i * w->max_cores + k];
            bool shown = k < w->host_cores || *lane;
            *lane = shown ? t->n_lanes++ : UINT32_MAX;
        }
    t->per_row = t->n_lanes <= MAX_ROWS ? 1 : (t->n_lanes + MAX_ROWS - 1) / MAX_ROWS;
    t->n_rows = (t->n_lanes + t->per_row - 1) / t->per_row;
    t->lane = t->n_rows <= 8 ? 38 : t->n_rows <= 32 ? 24 : 10;
    t->band = t->n_rows <= 32 ? 13 : 0;
    t->gap = t->n_rows <= 8 ? 26 : t->n_rows <= 32 ? 10 : 3;
}

/* Every lane begins with the same start of its dispatch: it needs no third of the picture. */
static void shorten_start(Timeline *t)
{
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < t->r->at.len; i++) {
        const Record *r = &t->r->at.at[i];
        bool starts = r->kind == EV_DISPATCH_BEGIN;
        int64_t at = starts ? r->end : r->begin;
        if (record_kind(r) != SHOW_COUNT && at < first)
            first = at;
    }
    if (first == INT64_MAX || first * 20 < t->span)
        return;
    t->start = first < t->span ? first : t->span - 1;
    t->start_width = 44;
}

static double width_of(const Timeline *t, const Record *r)
{
    return timeline_x(t, r->end) - timeline_x(t, r->begin);
}

static uint32_t count_bars(const Timeline *t, double floor, uint32_t max)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->r->at.len && n <= max; i++) {
        const Record *r = &t->r->at.at[i];
        n += record_kind(r) != SHOW_COUNT && r->end > r->begin && width_of(t, r) >= floor;
    }
    return n;
}

static void choose_floor(Timeline *t)
{
    if (t->per_row > 1)
        t->floor = 2 * t->width;
    else if (count_bars(t, 0, MANY_BARS) > MANY_BARS)
        for (t->floor = 1; count_bars(t, t->floor, MAX_BARS) > MAX_BARS;)
            t->floor *= 1.5;
}

static void layout(Timeline *t)
{
    rows(t);
    t->left = 112;
    t->width = 1360;
    t->top = 114;
    t->time = cost_time(t->w);
    t->span = t->r->end_ps > t->time ? t->r->end_ps : t->time;
    t->span = t->span > 0 ? t->span : 1;
    if (t->r->last.len) /* room for where they stand */
        t->span += t->span / 5;
    shorten_start(t);
    choose_floor(t);
}

bool timeline_is_bar(const Timeline *t, const Record *r)
{
    return r->end > r->begin && (t->floor <= 0 || width_of(t, r) >= t->floor);
}

/* ---- bars ---- */

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
    place_text(t->w, &text, record_place(r));
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
    int64_t from = record_waits_until(r);
    if (from > r->begin)
        bar(t, "idle", r, r->begin, from, s);
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
        if (record_kind(r) == SHOW_COUNT || !timeline_is_bar(t, r))
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

void timeline_print(const World *w, const Recorder *r, bool html, Buf *out)
{
    Timeline t = {.w = w, .r = r, .out = out};
    layout(&t);
    critical_find(w, r, &t.path);
    if (html)
        timeline_page_begin(w, out);
    timeline_head(&t, timeline_height(&t));
    timeline_lanes(&t);
    timeline_axis(&t);
    if (t.band > 0)
        timeline_bands(&t);
    timeline_cells(&t);
    bars(&t);
    timeline_last_states(&t);
    timeline_arrows(&t);
    timeline_path(&t);
    timeline_use(&t);
    buf_bytes(out, t.words.at, t.words.len);
    buf_free(&t.words);
    buf_str(out, "</svg>\n");
    if (html)
        timeline_page_end(out);
    critical_free(&t.path);
    xfree(t.lane_of);
}
