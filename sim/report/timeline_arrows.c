/* Arrows of a timeline. The ones that ended somebody's waiting are drawn strongly; of the others
 * there are P squared a barrier. Too many are drawn by density: one for all that lead from a group
 * of rows to another in one piece of time, as thick as they are many. */
#include "sim/report/timeline.h"

#include "base/json.h"
#include <math.h>

enum {
    MAX_ARROWS = 700, /* each by itself */
    MAX_BUNDLES = 400,
    BUNDLE_GROUPS = 16 /* of rows */
};

typedef struct {
    const char *class;
    uint32_t from, from_core, to, to_core;
    int64_t begin, end;
    bool strong;
} Arrow;

static bool wait_arrow(const Timeline *t, const Record *r, Arrow *a)
{
    const Record *from = &t->r->at.at[r->link];
    if (from->rank == r->rank)
        return false;
    int64_t end = from->arrive < r->begin ? r->begin : from->arrive;
    *a = (Arrow){"an",       from->rank,
                 from->core, r->rank,
                 r->core,    from->end,
                 end,        from->arrive - r->begin > t->span / (t->n_lanes <= 8 ? 1000 : 200)};
    return a->strong || t->n_lanes <= 32; /* on many lanes only the strong ones can be seen */
}

static bool data_arrow(const Timeline *t, const Record *r, Arrow *a)
{
    *a = (Arrow){"ad", r->rank, r->core, r->target, 0, r->begin, r->arrive, true};
    if (r->kind == EV_REMOTE_READ)
        *a = (Arrow){"ad", r->target, 0, r->rank, r->core, r->begin, r->end, true};
    a->strong = t->n_lanes <= 8;
    return a->strong || t->n_lanes <= 32;
}

/* The arrow that ends at a record; *what: the operation that it shows. */
static bool arrow_of(const Timeline *t, const Record *r, Arrow *a, const Record **what)
{
    *what = r;
    if (record_is_traffic(r))
        return data_arrow(t, r, a);
    if (r->kind != EV_WAIT || r->link == UINT32_MAX)
        return false;
    *what = &t->r->at.at[r->link];
    return wait_arrow(t, r, a);
}

/* ---- one by one ---- */

static double opacity(const Timeline *t, const Arrow *a)
{
    if (a->strong)
        return t->n_lanes > 12 ? 0.6 : 0.85;
    return t->n_lanes > 12 ? 0.12 : t->n_lanes > 6 ? 0.22 : 0.38;
}

/* From the edge of one row to the facing edge of the other. */
static void curve(Timeline *t, const Arrow *a, double width, double opaque)
{
    double y1 = timeline_y(t, a->from, a->from_core), y2 = timeline_y(t, a->to, a->to_core);
    if (y2 > y1)
        y1 += t->lane;
    else
        y2 += t->lane;
    double x1 = timeline_x(t, a->begin), x2 = timeline_x(t, a->end), bend = (y2 - y1) * 0.35;
    buf_printf(t->out,
               "<path class=\"%s\" d=\"M%.2f,%.1f C%.2f,%.1f %.2f,%.1f %.2f,%.1f\" "
               "stroke-width=\"%.3g\" opacity=\"%.2f\"><title>",
               a->class, x1, y1, x1, y1 + bend, x2, y2 - bend, x2, y2, width, opaque);
}

static void draw(Timeline *t, const Arrow *a, const Record *r)
{
    curve(t, a, a->strong ? 1.5 : 1, opacity(t, a));
    Buf text = {0};
    buf_printf(&text, "rank %u to rank %u: %s ", a->from, a->to, record_name(r));
    record_describe(t->w, r, &text);
    buf_char(&text, '\n');
    place_text(t->w, &text, record_place(r));
    xml_escape(t->out, text.at);
    buf_str(t->out, "</title></path>\n");
    buf_free(&text);
}

/* ---- by density ---- */

/* All arrows from one group of rows to another that end in one piece of time. */
typedef struct {
    Arrow arrow; /* the longest of them, which is drawn for all */
    uint32_t notifies, transfers;
    int64_t bytes;
} Bundle;

typedef struct {
    const Timeline *t;
    uint32_t columns, groups;
    Bundle *at; /* [(from * groups + to) * columns + column] */
} Bundles;

static uint32_t group_of(const Bundles *b, uint32_t rank, uint32_t core)
{
    return timeline_row(b->t, rank, core) * b->groups / b->t->n_rows;
}

static void bundle(Bundles *b, const Arrow *a, const Record *what)
{
    uint32_t from = group_of(b, a->from, a->from_core), to = group_of(b, a->to, a->to_core);
    double x = (timeline_x(b->t, a->end) - b->t->left) / b->t->width * b->columns;
    uint32_t column = x >= b->columns ? b->columns - 1 : (uint32_t)x;
    Bundle *into = &b->at[((size_t)from * b->groups + to) * b->columns + column];
    bool first = into->notifies + into->transfers == 0;
    if (first || a->end - a->begin > into->arrow.end - into->arrow.begin)
        into->arrow = *a;
    into->notifies += what->kind == EV_NOTIFY;
    into->transfers += what->kind != EV_NOTIFY;
    into->bytes += record_is_traffic(what) ? what->bytes : 0;
}

static size_t bundles_fill(Bundles *b)
{
    size_t n = (size_t)b->groups * b->groups * b->columns, used = 0;
    b->at = xcalloc(n + 1, sizeof *b->at);
    for (uint32_t i = 0; i < b->t->r->at.len; i++) {
        Arrow a;
        const Record *what;
        if (arrow_of(b->t, &b->t->r->at.at[i], &a, &what))
            bundle(b, &a, what);
    }
    for (size_t i = 0; i < n; i++)
        used += b->at[i].notifies + b->at[i].transfers > 0;
    return used;
}

static void draw_bundle(Timeline *t, const Bundle *b)
{
    uint32_t n = b->notifies + b->transfers;
    Arrow a = b->arrow;
    a.class = b->transfers > b->notifies ? "ad" : "an";
    double size = log2((double)n + 1);
    curve(t, &a, 0.5 + 0.15 * size, size > 8 ? 0.45 : 0.2 + size / 32);
    buf_printf(t->out,
               "%u notifies, %u transfers of %lld bytes, such as rank %u to rank %u</title>"
               "</path>\n",
               b->notifies, b->transfers, (long long)b->bytes, a.from, a.to);
}

static void by_density(Timeline *t)
{
    Bundles b = {.t = t, .columns = 96};
    b.groups = t->n_rows < BUNDLE_GROUPS ? t->n_rows : BUNDLE_GROUPS;
    while (bundles_fill(&b) > MAX_BUNDLES && (b.columns > 1 || b.groups > 1)) {
        xfree(b.at);
        if (b.columns > 6 || b.groups == 1)
            b.columns /= 2;
        else
            b.groups /= 2;
    }
    for (size_t i = 0; i < (size_t)b.groups * b.groups * b.columns; i++)
        if (b.at[i].notifies + b.at[i].transfers)
            draw_bundle(t, &b.at[i]);
    xfree(b.at);
}

void timeline_arrows(Timeline *t)
{
    uint32_t n = 0;
    Arrow a;
    const Record *what;
    for (uint32_t i = 0; i < t->r->at.len && n <= MAX_ARROWS; i++)
        n += arrow_of(t, &t->r->at.at[i], &a, &what);
    buf_str(t->out, "<g>\n");
    if (n > MAX_ARROWS)
        by_density(t);
    for (uint32_t i = 0; i < t->r->at.len && n <= MAX_ARROWS; i++)
        if (arrow_of(t, &t->r->at.at[i], &a, &what))
            draw(t, &a, what);
    buf_str(t->out, "</g>\n");
}
