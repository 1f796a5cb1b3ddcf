/* Arrows of a timeline. The ones that ended somebody's waiting are drawn strongly; of the others
 * there are P squared a barrier. */
#include "sim/report/timeline.h"

#include "base/json.h"

typedef struct {
    const char *class;
    uint32_t from, from_core, to, to_core;
    int64_t begin, end;
    bool strong;
} Arrow;

static double opacity(const Timeline *t, const Arrow *a)
{
    if (a->strong)
        return t->n_lanes > 12 ? 0.6 : 0.85;
    return t->n_lanes > 12 ? 0.12 : t->n_lanes > 6 ? 0.22 : 0.38;
}

/* From the edge of one lane to the facing edge of the other. On many lanes only the strong ones can
 * be seen. */
static void draw(Timeline *t, const Arrow *a, const Record *r)
{
    if (!a->strong && t->n_lanes > 32)
        return;
    double y1 = timeline_y(t, a->from, a->from_core), y2 = timeline_y(t, a->to, a->to_core);
    if (y2 > y1)
        y1 += t->lane;
    else
        y2 += t->lane;
    double x1 = timeline_x(t, a->begin), x2 = timeline_x(t, a->end), bend = (y2 - y1) * 0.35;
    buf_printf(t->out,
               "<path class=\"%s\" d=\"M%.2f,%.1f C%.2f,%.1f %.2f,%.1f %.2f,%.1f\" "
               "stroke-width=\"%s\" opacity=\"%.2f\"><title>",
               a->class, x1, y1, x1, y1 + bend, x2, y2 - bend, x2, y2, a->strong ? "1.5" : "1",
               opacity(t, a));
    Buf text = {0};
    buf_printf(&text, "rank %u to rank %u: %s ", a->from, a->to, record_name(r));
    record_describe(t->w, r, &text);
    buf_char(&text, '\n');
    place_text(t->w, &text, (CodePlace){r->rank, r->core, r->dispatch, r->func, r->pc});
    xml_escape(t->out, text.at);
    buf_str(t->out, "</title></path>\n");
    buf_free(&text);
}

static void wait_arrow(Timeline *t, const Record *r)
{
    const Record *from = &t->r->at.at[r->link];
    if (from->rank == r->rank)
        return;
    int64_t end = from->arrive < r->begin ? r->begin : from->arrive;
    Arrow a = {"an",       from->rank,
               from->core, r->rank,
               r->core,    from->end,
               end,        from->arrive - r->begin > t->span / (t->n_lanes <= 8 ? 1000 : 200)};
    draw(t, &a, from);
}

static void data_arrow(Timeline *t, const Record *r)
{
    Arrow a = {"ad", r->rank, r->core, r->target, 0, r->begin, r->arrive, true};
    if (r->kind == EV_REMOTE_READ)
        a = (Arrow){"ad", r->target, 0, r->rank, r->core, r->begin, r->end, true};
    a.strong = t->n_lanes <= 8;
    draw(t, &a, r);
}

void timeline_arrows(Timeline *t)
{
    buf_str(t->out, "<g>\n");
    for (uint32_t i = 0; i < t->r->at.len; i++) {
        const Record *r = &t->r->at.at[i];
        if (r->kind == EV_WAIT && r->link != UINT32_MAX)
            wait_arrow(t, r);
        else if (record_is_traffic(r))
            data_arrow(t, r);
    }
    buf_str(t->out, "</g>\n");
}
