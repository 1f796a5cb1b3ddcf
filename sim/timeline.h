/* The recorded run as a picture. */
#ifndef PLD_SIM_TIMELINE_H
#define PLD_SIM_TIMELINE_H

#include "sim/record.h"

/* A self-contained SVG, or with `html` a page around it with zoom. */
void timeline_print(const World *w, const Recorder *r, bool html, Buf *out);

#endif
