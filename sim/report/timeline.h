/* The recorded run as a picture. */
#ifndef PLD_SIM_REPORT_TIMELINE_H
#define PLD_SIM_REPORT_TIMELINE_H

#include "sim/report/record.h"

/* A self-contained SVG, or with `html` a page around it with zoom. */
void timeline_print(const World *w, const Recorder *r, bool html, Buf *out);

/* ---- for the files of the timeline ---- */

typedef struct {
    const World *w;
    const Recorder *r;
    Buf *out;
    Buf words;          /* texts on bars: they come last, above the arrows */
    double left, width; /* px: of the plot */
    double top;         /* of the first lane */
    double lane, gap;   /* height of a lane, and between two */
    double band;        /* height of the band of calls above a lane; 0: none */
    int64_t span;       /* ps: time across the plot */
    uint32_t n_lanes;
    uint32_t *lane_of; /* rank * max_cores + core -> lane */
} Timeline;

double timeline_x(const Timeline *t, int64_t ps);
double timeline_y(const Timeline *t, uint32_t rank, uint32_t core); /* top of a lane */

/* sim/report/timeline_frame.c: head with style and title, legend, axis, names of lanes. */
void timeline_head(Timeline *t, double height);
void timeline_axis(Timeline *t);
void timeline_lanes(Timeline *t);
double timeline_height(const Timeline *t);
/* The page around the picture. */
void timeline_page_begin(const World *w, Buf *out);
void timeline_page_end(Buf *out);

/* sim/report/timeline_arrows.c */
void timeline_arrows(Timeline *t);

#endif
