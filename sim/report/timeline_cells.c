/* Operations too small for a bar of their own. A row is cut into cells of some pixels; what a
 * cell's time went to is drawn in it as a stack, so that a crowd of small operations shows its
 * mixture. */
#include "sim/report/timeline.h"

#include <math.h>

enum {
    MAX_CELLS = 9000, /* in the picture */
    MAX_HOVERS = 2200 /* texts that say what is in a few of them */
};

typedef struct {
    int64_t ps[LOOKS];
    uint32_t count; /* operations that begin in it */
} Cell;

typedef struct {
    Timeline *t;
    Cell *at;    /* [row * n + column] */
    uint32_t n;  /* columns */
    double step; /* px */
} Cells;

/* Picoseconds at a place of the plot: timeline_x the other way round. */
static int64_t time_at(const Timeline *t, double x)
{
    if (x <= t->start_width)
        return (int64_t)(x / (t->start_width > 0 ? t->start_width : 1) * (double)t->start);
    double part = (x - t->start_width) / (t->width - t->start_width);
    return t->start + (int64_t)(part * (double)(t->span - t->start));
}

static void add(Cells *c, uint32_t row, int look, int64_t begin, int64_t end)
{
    const Timeline *t = c->t;
    if (end <= begin)
        return;
    uint32_t i = (uint32_t)((timeline_x(t, begin) - t->left) / c->step);
    for (; i < c->n; i++) {
        int64_t lo = time_at(t, i * c->step), hi = time_at(t, (i + 1) * c->step);
        lo = lo > begin ? lo : begin;
        hi = hi < end && i + 1 < c->n ? hi : end;
        if (hi > lo)
            c->at[(size_t)row * c->n + i].ps[look] += hi - lo;
        if (hi >= end)
            return;
    }
}

static void add_record(Cells *c, const Record *r)
{
    const Timeline *t = c->t;
    uint32_t row = timeline_row(t, r->rank, r->core);
    int64_t from = record_waits_until(r);
    uint32_t i = (uint32_t)((timeline_x(t, r->begin) - t->left) / c->step);
    if (i < c->n)
        c->at[(size_t)row * c->n + i].count++;
    add(c, row, LOOK_IDLE, r->begin, from);
    add(c, row, record_kind(r), from, r->end);
}

static double height_of(const Cells *c, const Cell *cell, uint32_t column, int look)
{
    int64_t ps = time_at(c->t, (column + 1) * c->step) - time_at(c->t, column * c->step);
    double h = ps > 0 ? c->t->lane * (double)cell->ps[look] / ((double)ps * c->t->per_row) : 0;
    return h > c->t->lane ? c->t->lane : h;
}

/* Height of what is drawn of the cell below a look. */
static double below(const Cells *c, const Cell *cell, uint32_t column, int look)
{
    double sum = 0;
    for (int i = 0; i < look; i++)
        sum += height_of(c, cell, column, i);
    return sum;
}

/* Pieces of one height beside each other are one. */
typedef struct {
    double bottom, height; /* px, in tenths */
    uint32_t from, to;     /* columns */
} Piece;

static Piece piece_of(const Cells *c, uint32_t row, uint32_t column, int look)
{
    const Cell *cell = &c->at[(size_t)row * c->n + column];
    double under = below(c, cell, column, look), h = height_of(c, cell, column, look);
    if (under + h > c->t->lane)
        h = c->t->lane - under;
    return (Piece){round(under * 10) / 10, h < 0.3 ? 0 : round(h * 10) / 10, column, column + 1};
}

static void draw_piece(const Cells *c, double floor, const Piece *p)
{
    double width = (p->to - p->from) * c->step;
    buf_printf(c->t->out, "M%.1f %.1fh%.1fv%.1fh-%.1fz", c->t->left + p->from * c->step,
               floor - p->bottom - p->height, width, p->height, width);
}

/* All of one look in one row: one path. */
static void draw_look(const Cells *c, uint32_t row, int look)
{
    Timeline *t = c->t;
    double floor = timeline_row_y(t, row) + t->lane;
    bool open = false;
    for (uint32_t i = 0; i < c->n;) {
        Piece p = piece_of(c, row, i++, look), next;
        for (; i < c->n; i++) {
            next = piece_of(c, row, i, look);
            if (next.height < p.height || next.height > p.height || next.bottom < p.bottom ||
                next.bottom > p.bottom)
                break;
            p.to = i + 1;
        }
        if (p.height <= 0)
            continue;
        if (!open)
            buf_printf(t->out, "<path class=\"%s\" d=\"", look_class(look));
        open = true;
        draw_piece(c, floor, &p);
    }
    if (open)
        buf_str(t->out, "\"/>\n");
}

/* ---- what is in them, for who rests there ---- */

static void hover(const Cells *c, uint32_t row, uint32_t from, uint32_t to)
{
    Timeline *t = c->t;
    Cell sum = {0};
    int64_t all = 0;
    for (uint32_t i = from; i < to; i++) {
        const Cell *cell = &c->at[(size_t)row * c->n + i];
        for (int k = 0; k < LOOKS; k++) {
            sum.ps[k] += cell->ps[k];
            all += cell->ps[k];
        }
        sum.count += cell->count;
    }
    if (all == 0)
        return;
    buf_printf(t->out, "<path d=\"M%.1f %.1fh%.1fv%.0fh-%.1fz\"><title>%u operations",
               t->left + from * c->step, timeline_row_y(t, row), (to - from) * c->step, t->lane,
               (to - from) * c->step, sum.count);
    for (int k = 0; k < LOOKS; k++)
        if (sum.ps[k] * 100 >= all)
            buf_printf(t->out, ", %s %lld%%", look_name(k), (long long)(sum.ps[k] * 100 / all));
    buf_str(t->out, "</title></path>\n");
}

static void hovers(const Cells *c)
{
    uint32_t per = 1 + (uint32_t)((uint64_t)c->n * c->t->n_rows / MAX_HOVERS);
    buf_str(c->t->out, "<g class=\"in-cells\" fill=\"#fff\" fill-opacity=\"0\">\n");
    for (uint32_t row = 0; row < c->t->n_rows; row++)
        for (uint32_t i = 0; i < c->n; i += per)
            hover(c, row, i, i + per < c->n ? i + per : c->n);
    buf_str(c->t->out, "</g>\n");
}

void timeline_cells(Timeline *t)
{
    Cells c = {.t = t};
    if (t->floor <= 0 || t->n_rows == 0)
        return;
    c.n = MAX_CELLS / t->n_rows;
    c.n = c.n > (uint32_t)t->width ? (uint32_t)t->width : c.n;
    c.step = t->width / c.n;
    c.at = xcalloc((size_t)c.n * t->n_rows + 1, sizeof *c.at);
    for (uint32_t i = 0; i < t->r->at.len; i++) {
        const Record *r = &t->r->at.at[i];
        if (record_kind(r) != SHOW_COUNT && !timeline_is_bar(t, r))
            add_record(&c, r);
    }
    for (uint32_t row = 0; row < t->n_rows; row++)
        for (int look = 0; look < LOOKS; look++)
            draw_look(&c, row, look);
    hovers(&c);
    xfree(c.at);
}
