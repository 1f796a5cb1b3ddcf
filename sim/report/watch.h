/* --watch NAME[cell]: every change of an element of a window or of a host tensor, as it happens. */
#ifndef PLD_SIM_REPORT_WATCH_H
#define PLD_SIM_REPORT_WATCH_H

#include "sim/machine/world.h"

/* One element that is watched, on one rank. */
typedef struct {
    const char *name; /* "signal_buf[1, 0]", in the arena */
    bool tensor;
    uint32_t object; /* window, or host tensor */
    uint32_t rank;   /* of a window */
    uint8_t dtype;
    int64_t offset; /* bytes */
    char last[8];   /* its bytes */
} WatchedElement;

typedef struct {
    Observer observer; /* first: it is one */
    Arena arena;
    const char *const *specs;
    uint32_t n_specs;
    void (*print)(void *env, const char *text, size_t len); /* takes the lines */
    void *env;
    VEC(WatchedElement) at;
    VEC(CodePlace) writers; /* per rank: its last write of a window that is watched */
} Watch;

/* "y[0,0,3]", "signal[2][1,0]": a cell of rank 2, "signal[1,0]": that cell on every rank. Put it
 * into RunConfig.observers as &watch->observer; a name or cell that there is not ends the run
 * before its start with a usage report. The specs must outlive it. */
void watch_init(Watch *watch, const char *const *specs, uint32_t n_specs);
void watch_free(Watch *watch);

#endif
