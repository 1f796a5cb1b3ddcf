/* The recorded run as a picture. */
#ifndef PLD_SIM_REPORT_TIMELINE_H
#define PLD_SIM_REPORT_TIMELINE_H

#include "sim/report/critical.h"

/* A self-contained SVG, or with `html` a page around it with zoom. Whatever the run, it stays below
 * 2 MB: what is too small is merged. */
void timeline_print(const World *w, const Recorder *r, bool html, Buf *out);

/* ---- for the files of the timeline ---- */

/* What the time of a lane is drawn as: the kinds of operations, and waiting itself. */
enum { LOOK_IDLE = SHOW_COUNT, LOOKS };

typedef struct {
    const World *w;
    const Recorder *r;
    Buf *out;
    Buf words;          /* texts on bars: they come last, above the arrows */
    double left, width; /* px: of the plot */
    double top;         /* of the first row */
    double lane, gap;   /* height of a row, and between two */
    double band;        /* height of the band of calls above a row; 0: none */
    int64_t time;       /* ps: of the run, as --cost has it */
    int64_t span;       /* ps: time across the plot */
    int64_t start;      /* ps: so long all lanes only start; drawn on `start_width` px. 0: not so */
    double start_width;
    uint32_t n_lanes, n_rows; /* a row is `per_row` lanes */
    uint32_t per_row;
    uint32_t *lane_of; /* rank * max_cores + core -> lane; UINT32_MAX: not shown */
    double floor;      /* px: operations below are merged; 0: none */
    CriticalPath path;
} Timeline;

double timeline_x(const Timeline *t, int64_t ps);
uint32_t timeline_row(const Timeline *t, uint32_t rank, uint32_t core);
double timeline_row_y(const Timeline *t, uint32_t row); /* its top */
double timeline_y(const Timeline *t, uint32_t rank, uint32_t core);
/* Is the operation drawn by itself? */
bool timeline_is_bar(const Timeline *t, const Record *r);
/* Up to when an operation only waits; from then on it does what it is. */
static inline int64_t record_waits_until(const Record *r)
{
    if (r->kind != EV_WAIT || r->arrive <= r->begin)
        return r->begin;
    return r->arrive < r->end ? r->arrive : r->end;
}
const char *look_class(int look); /* of the style sheet, in a crowd */
const char *look_name(int look);  /* for people */

/* sim/report/timeline_frame.c: head with style and title, legend, axis, names of lanes. */
void timeline_head(Timeline *t, double height);
void timeline_axis(Timeline *t);
void timeline_lanes(Timeline *t);
double timeline_height(const Timeline *t);

/* sim/report/timeline_page.c: the page around the picture. */
void timeline_page_begin(const World *w, Buf *out);
void timeline_page_end(Buf *out);

/* sim/report/timeline_arrows.c */
void timeline_arrows(Timeline *t);

/* sim/report/timeline_cells.c: the operations that are no bars, merged. */
void timeline_cells(Timeline *t);

/* sim/report/timeline_bands.c: kernels, builtins and phases above the rows; where lanes stand that
 * did not finish. */
void timeline_bands(Timeline *t);
void timeline_last_states(Timeline *t);

/* sim/report/timeline_use.c: the share of its time that each lane was busy, at the right; the
 * critical path. */
void timeline_use(Timeline *t);
void timeline_path(Timeline *t);

#endif
