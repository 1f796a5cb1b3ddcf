/* The race check fed with hand-made events: four ranks, a data window of FP16 [16, 32] and a signal
 * window of 64 cells, whose notifies arrive at once. A line is its number in k.pld. */
#ifndef PLD_TESTS_RACEPLAY_H
#define PLD_TESTS_RACEPLAY_H

#include "sim/check/checks.h"
#include "sim/check/order.h"

enum { RANKS = 4, LINES = 4000, DATA = 0, SIGNAL = 1 };

typedef struct {
    World w;
    RunResult result;
    BcProgram program;
    BcFunc func;
    BcLoc locs[LINES];
    Rank ranks[RANKS];
    Lane lanes[RANKS][4];
    uint32_t queue[RANKS][8];
    Observer *check;
    uint64_t seq;
    int32_t cells[RANKS][64];
    uint32_t dispatch[RANKS]; /* running */
} Play;

/* Starts dispatch `index`, with all lanes of its rank. */
void play_begin(Play *p, uint32_t index);
void play_end(Play *p, uint32_t rank);
/* `dispatches` of each rank with `lanes` lanes; dispatch d of rank r is d * RANKS + r. */
void play_setup(Play *p, uint32_t lanes, uint32_t dispatches);
void play_start(Play *p);
void play_done(Play *p);
/* The reports of a run that would end here. */
uint32_t play_races(Play *p);
/* Lane `core` of `rank` accesses `rect`, of whatever rank's data, at `line`. */
void play_touch(Play *p, EventKind kind, uint32_t rank, uint32_t core, FabRect rect, uint32_t line);
void play_put(Play *p, uint32_t rank, int64_t offset, int64_t bytes, uint32_t line);
void play_rd(Play *p, uint32_t rank, uint32_t of, int64_t offset, int64_t bytes, uint32_t line);
void play_wr(Play *p, uint32_t rank, uint32_t of, int64_t offset, int64_t bytes, uint32_t line);
void play_ntf(Play *p, uint32_t rank, uint32_t to, uint32_t cell, int32_t value);
void play_set(Play *p, uint32_t rank, uint32_t to, uint32_t cell, int32_t value);
void play_wait_lane(Play *p, uint32_t rank, uint32_t core, uint32_t cell, int32_t value, int cmp);
void play_ge(Play *p, uint32_t rank, uint32_t cell, int32_t value);
void play_fence(Play *p, uint32_t rank);

#endif
