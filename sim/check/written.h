/* Which bytes of a slice or a region somebody has written. Most are written from one end to the
 * other: what is written is one range [lo, hi). Only one for which that stops being true gets a bit
 * per byte. */
#ifndef PLD_SIM_CHECK_WRITTEN_H
#define PLD_SIM_CHECK_WRITTEN_H

#include "sim/machine/world.h"

typedef struct {
    int64_t lo, hi;   /* written throughout */
    uint8_t *bits;    /* per byte; NULL: nothing outside [lo, hi) */
    int64_t bytes;    /* of the slice */
    CodePlace writer; /* the lowest rank's; valid when `touched` */
    bool touched;
    uint64_t serial; /* of the region, where the dispatch made it */
} Written;

typedef struct {
    const Written *s;
    int64_t first, end; /* unwritten bytes; first -1: none so far */
} Hole;

/* For rects_each_run: `env` is a Written, of which the bytes are from now on. */
bool written_mark(void *env, int64_t offset, int64_t bytes);
void written_unmark(Written *s, int64_t offset, int64_t bytes);
/* `env` is a Hole, which grows by what of the bytes is not written. */
bool written_check(void *env, int64_t offset, int64_t bytes);
/* Appends the bytes of the rectangle that are not written. */
void written_holes(const Written *s, const FabRect *rect, HoleRuns *out);
void written_save(Buf *out, const Written *s);
/* Owns its bits. */
Written written_load(SaveReader *in);

#endif
