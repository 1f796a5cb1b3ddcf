/* Two summaries: how each row spent the time of the run, and the critical path. */
#include "sim/report/timeline.h"

#include "base/json.h"
#include <math.h>

enum { USE_WIDTH = 90, MAX_POINTS = 6000 };

/* Time of each row by look; [row * LOOKS + look]. */
static int64_t *row_times(const Timeline *t)
{
    int64_t *ps = xcalloc((size_t)t->n_rows * LOOKS + 1, sizeof *ps);
    for (uint32_t i = 0; i < t->r->at.len; i++) {
        const Record *r = &t->r->at.at[i];
        ShowKind kind = record_kind(r);
        if (kind == SHOW_COUNT)
            continue;
        int64_t *row = ps + (size_t)timeline_row(t, r->rank, r->core) * LOOKS;
        int64_t from = record_waits_until(r);
        row[LOOK_IDLE] += from - r->begin;
        row[kind] += r->end - from;
    }
    return ps;
}

static int percent(int64_t part, double all)
{
    return all > 0 ? (int)lround((double)part * 100 / all) : 0;
}

/* Busy is what is neither waiting nor the start of a dispatch. */
static void one_use(Timeline *t, uint32_t row, const int64_t *ps)
{
    uint32_t lanes = t->n_lanes - row * t->per_row;
    double all = (double)t->time * (lanes < t->per_row ? lanes : t->per_row);
    double x = t->left + t->width + 14, y = timeline_row_y(t, row);
    double height = t->lane < 14 ? t->lane : 14, top = y + (t->lane - height) / 2;
    int64_t busy = 0;
    buf_str(t->out, "<g><title>");
    for (int look = 0; look < LOOKS; look++) {
        buf_printf(t->out, "%s%s %d %%", look ? ", " : "", look_name(look), percent(ps[look], all));
        busy += look == LOOK_IDLE || look == SHOW_START ? 0 : ps[look];
    }
    buf_printf(t->out,
               "</title><rect class=\"lane\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>",
               x, top, USE_WIDTH, height);
    for (int look = 0; look < LOOKS; look++) {
        double width = all > 0 ? (double)ps[look] / all * USE_WIDTH : 0;
        if (width >= 0.3)
            buf_printf(t->out,
                       "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                       "height=\"%.1f\"/>",
                       look_class(look), x, top, width, height);
        x += width;
    }
    buf_printf(t->out, "<text class=\"s\" x=\"%.1f\" y=\"%.1f\"%s>%d %%</text></g>\n",
               t->left + t->width + 20 + USE_WIDTH, y + t->lane / 2 + 4,
               t->lane < 14 ? " style=\"font-size:9px\"" : "", percent(busy, all));
}

void timeline_use(Timeline *t)
{
    int64_t *ps = row_times(t);
    buf_printf(t->out, "<text class=\"s\" x=\"%.1f\" y=\"%.1f\">busy</text>\n",
               t->left + t->width + 14, t->top - 8);
    for (uint32_t row = 0; row < t->n_rows; row++)
        one_use(t, row, ps + (size_t)row * LOOKS);
    xfree(ps);
}

/* ---- the critical path ---- */

/* Points closer than this to the last one are left out. */
static double grain(const Timeline *t)
{
    return t->path.at.len > MAX_POINTS / 2 ? t->width / MAX_POINTS * 2 : 0.3;
}

static double under_row(const Timeline *t, uint32_t rank, uint32_t core)
{
    return timeline_y(t, rank, core) + t->lane + (t->gap > 6 ? 3 : 1);
}

void timeline_path(Timeline *t)
{
    Buf text = {0};
    if (t->path.at.len == 0)
        return;
    double last_x = -1e9, last_y = 0, least = grain(t);
    buf_str(t->out, "<path class=\"crit\" d=\"");
    for (uint32_t i = 0; i < t->path.at.len; i++) { /* from the end to the start */
        const PathStep *s = &t->path.at.at[i];
        double y1 = under_row(t, s->rank, s->core), x1 = timeline_x(t, s->end);
        double y0 = under_row(t, s->from_rank, s->from_core), x0 = timeline_x(t, s->begin);
        if (i == 0)
            buf_printf(t->out, "M%.1f %.1f", x1, y1);
        if (last_x - x0 < least && last_x > -1e8 && i + 1 < t->path.at.len &&
            (y0 == last_y || least > 0.3))
            continue;
        buf_printf(t->out, "L%.1f %.1f", x0, y0);
        last_x = x0;
        last_y = y0;
    }
    critical_text(&t->path, &text);
    buf_printf(t->out, "\"%s><title>critical path: %s</title></path>\n",
               t->path.at.len > 300 ? " style=\"stroke-width:1;opacity:.5\"" : "",
               text.at ? text.at : "");
    buf_free(&text);
}
