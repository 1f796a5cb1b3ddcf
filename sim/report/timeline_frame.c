/* What stands around the bars of a timeline. Colours are told apart by people who do not see red
 * and green alike: the kinds differ in lightness too, and waiting is hatched. */
#include "sim/report/timeline.h"

#include "base/json.h"

static const char style[] =
    "text{font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;font-size:12px;"
    "fill:#1f2933}\n"
    ".t{font-size:18px;font-weight:600}.s{fill:#52606d}.in{font-size:10px;fill:#fff;"
    "text-anchor:middle;pointer-events:none}.ph{font-size:9.5px;fill:#3e4c59;pointer-events:none}\n"
    ".grid{stroke:#e4e7eb;stroke-width:1}.axis{stroke:#7b8794;stroke-width:1}\n"
    ".compute{fill:#2f6db3}.memory{fill:#5fb3b3}.remote{fill:#ef8a17}.notify{fill:#3d8b37}"
    ".wait{fill:#b83b5e}.start{fill:#c8ced6}\n"
    ".break{fill:none;stroke:#7b8794;stroke-width:1.2}\n"
    ".many{fill:#f0c3d0}.crit{fill:none;stroke:#111;stroke-width:2;stroke-linejoin:round;"
    "opacity:.75}\n"
    ".idle{fill:url(#hatch);stroke:#d98ba3;stroke-width:.6}.stuck{fill:url(#hatch);stroke:#b00020;"
    "stroke-width:1.6}\n"
    ".state{fill:#b00020;font-weight:600;text-anchor:end}.lane{fill:#f5f7fa}.call{fill:#dfe6f0}."
    "call1{fill:#cbd5e6}\n"
    ".an{stroke:#3d8b37;fill:none;marker-end:url(#hn)}.ad{stroke:#d9730d;fill:none;"
    "marker-end:url(#hd)}\n"
    ".bars rect:hover{stroke:#111;stroke-width:1.2}path:hover{stroke-width:3;opacity:1}\n";

static const char defs[] =
    "<defs>\n"
    "<pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#fbe9ee\"/>"
    "<line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" stroke=\"#e3a3b5\" stroke-width=\"2\"/></pattern>\n"
    "<marker id=\"hn\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
    "markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
    "<path d=\"M0,0.8 L8,4 L0,7.2 z\" fill=\"#3d8b37\"/></marker>\n"
    "<marker id=\"hd\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" "
    "markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
    "<path d=\"M0,0.8 L8,4 L0,7.2 z\" fill=\"#d9730d\"/></marker>\n"
    "</defs>\n";

double timeline_height(const Timeline *t)
{
    return t->top + t->n_rows * (t->lane + t->band + t->gap) + 44;
}

static void path_line(Timeline *t)
{
    Buf text = {0};
    critical_text(&t->path, &text);
    if (text.len)
        buf_printf(t->out, "<text class=\"s\" x=\"16\" y=\"66\">critical path: %s</text>\n",
                   text.at);
    buf_free(&text);
}

static void title(Timeline *t)
{
    Buf name = {0};
    xml_escape(&name, world_string(t->w, t->w->program->program_name));
    buf_printf(t->out, "<text class=\"t\" x=\"16\" y=\"28\">%s</text>\n", name.at ? name.at : "");
    buf_printf(t->out, "<text class=\"s\" x=\"16\" y=\"48\">%s, %u device%s, modelled time ",
               t->w->platform.name, t->w->n_ranks, t->w->n_ranks == 1 ? "" : "s");
    record_us(t->out, t->time);
    buf_printf(t->out, " \xc2\xb5s%s</text>\n", t->r->finished ? "" : "; the run did not finish");
    path_line(t);
    buf_free(&name);
}

/* A box and its word; returns where the next one goes. */
static double legend_box(Timeline *t, double x, const char *class, const char *word, int letters)
{
    buf_printf(t->out,
               "<rect class=\"%s\" x=\"%.1f\" y=\"78\" width=\"16\" height=\"12\" rx=\"2\"/>"
               "<text x=\"%.1f\" y=\"88\">%s</text>\n",
               class, x, x + 22, word);
    return x + 38 + 6.6 * letters;
}

static double legend_arrow(Timeline *t, double x, const char *class, const char *word, int letters)
{
    buf_printf(t->out,
               "<path class=\"%s\" d=\"M%.1f,84 L%.1f,84\" stroke-width=\"1.6\"/>"
               "<text x=\"%.1f\" y=\"88\">%s</text>\n",
               class, x, x + 26, x + 32, word);
    return x + 48 + 6.6 * letters;
}

static void legend(Timeline *t)
{
    double x = 16;
    x = legend_box(t, x, "compute", "compute", 7);
    x = legend_box(t, x, "memory", "device memory", 13);
    x = legend_box(t, x, "remote", "remote data", 11);
    x = legend_box(t, x, "notify", "notify", 6);
    x = legend_box(t, x, "wait", "wait", 4);
    x = legend_box(t, x, "idle", "waiting", 7);
    x = legend_box(t, x, "start", "start of a dispatch", 19);
    x = legend_arrow(t, x, "an", "notify to wait", 14);
    x = legend_arrow(t, x, "ad", "data", 4);
    (void)legend_arrow(t, x, "crit", "critical path", 13);
}

void timeline_head(Timeline *t, double height)
{
    double width = t->left + t->width + 156;
    buf_printf(t->out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
               "viewBox=\"0 0 %.0f %.0f\">\n<style>\n%s</style>\n%s"
               "<rect x=\"0\" y=\"0\" width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n",
               width, height, width, height, style, defs, width, height);
    title(t);
    legend(t);
}

/* 1, 2 or 5 times a power of ten, so that about a dozen ticks fit. */
static int64_t tick_step(int64_t span)
{
    int64_t step = 1;
    static const int next[] = {2, 5, 10};
    for (int64_t power = 1; power < INT64_MAX / 100; power *= 10) {
        step = power;
        for (int i = 0; i < 3 && span / step > 12; i++)
            step = power * next[i];
        if (span / step <= 12)
            break;
    }
    return step;
}

typedef struct {
    const char *name;
    int64_t ps;
} Unit;

static Unit unit_of(int64_t span)
{
    if (span >= INT64_C(2000000000))
        return (Unit){"ms", INT64_C(1000000000)};
    if (span >= 2000000)
        return (Unit){"\xc2\xb5s", 1000000};
    return (Unit){"ns", 1000};
}

/* Where the start of the dispatches is shortened the axis is broken. */
static void shortened(Timeline *t, double bottom)
{
    double x = t->left + t->start_width;
    buf_printf(t->out,
               "<path class=\"break\" d=\"M%.1f %.1fl-3 5h6l-3 5\"><title>shortened: until here "
               "the dispatches start</title></path>\n",
               x, bottom - 5);
    buf_printf(t->out, "<text class=\"s\" x=\"%.1f\" y=\"%.1f\">0</text>\n", t->left - 3,
               bottom + 16);
}

static int64_t first_tick(const Timeline *t, int64_t step)
{
    return t->start ? (t->start + step - 1) / step * step : 0;
}

void timeline_axis(Timeline *t)
{
    int64_t step = tick_step(t->span - t->start);
    Unit unit = unit_of(t->span);
    double bottom = timeline_height(t) - 40;
    if (t->start)
        shortened(t, bottom);
    for (int64_t at = first_tick(t, step); at <= t->span; at += step) {
        double x = timeline_x(t, at);
        Buf number = {0};
        buf_double(&number, (double)at / (double)unit.ps);
        if (number.len > 2 && number.at[number.len - 1] == '0' && number.at[number.len - 2] == '.')
            number.at[number.len -= 2] = '\0';
        buf_printf(t->out,
                   "<line class=\"grid\" x1=\"%.2f\" y1=\"%.1f\" x2=\"%.2f\" y2=\"%.1f\"/>"
                   "<text class=\"s\" x=\"%.2f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
                   x, t->top - 4, x, bottom, x, bottom + 16, number.at);
        buf_free(&number);
    }
    buf_printf(t->out,
               "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
               "<text class=\"s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">time in %s</text>\n",
               t->left, bottom, t->left + t->width, bottom, t->left + t->width, bottom + 32,
               unit.name);
}

/* "rank 3", "rank 3, core 1", "ranks 8 to 15". */
static void row_name(const Timeline *t, uint32_t rank, uint32_t core, Buf *out)
{
    const Rank *r = &t->w->ranks[rank];
    if (t->per_row > 1) {
        uint32_t last = rank + t->per_row - 1;
        if (t->n_lanes == t->w->n_ranks)
            buf_printf(out, "ranks %u to %u", rank,
                       last < t->w->n_ranks ? last : t->w->n_ranks - 1);
        else
            buf_printf(out, "from rank %u", rank);
        return;
    }
    buf_printf(out, "rank %u", rank);
    if (r->n_lanes > 1)
        buf_printf(out, ", core %u", core);
    else if (r->device != rank)
        buf_printf(out, " (device %u)", r->device);
}

void timeline_lanes(Timeline *t)
{
    bool small = t->lane < 14;
    for (uint32_t i = 0, lane = 0; i < t->w->n_ranks; i++)
        for (uint32_t k = 0; k < t->w->ranks[i].n_lanes; k++) {
            if (t->lane_of[(size_t)i * t->w->max_cores + k] == UINT32_MAX || lane++ % t->per_row)
                continue;
            double y = timeline_y(t, i, k);
            buf_printf(t->out,
                       "<rect class=\"lane\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                       "height=\"%.1f\"/><text x=\"16\" y=\"%.1f\"%s>",
                       t->left, y, t->width, t->lane, y + t->lane / 2 + 4,
                       small ? " style=\"font-size:9px\"" : "");
            row_name(t, i, k, t->out);
            buf_str(t->out, "</text>\n");
        }
}
