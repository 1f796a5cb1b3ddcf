/* Inside the race check: who knows what (race_order.c), and what a report says (race_report.c).
 *
 * A thread is a lane. Its accesses carry its number and its epoch, which grows after every release;
 * another thread has them behind it when its clock knows that epoch. */
#ifndef PLD_SIM_CHECK_RACE_H
#define PLD_SIM_CHECK_RACE_H

#include "base/map.h"
#include "sim/check/ranges.h"
#include "sim/check/vclock.h"
#include "sim/machine/world.h"

/* A clock as it was at a release; several notifies share one. */
typedef struct Snap Snap;
struct Snap {
    VClock clock;
    uint32_t refs;
    Snap *prev, *next; /* all that are alive */
};

/* A notify at its cell. */
typedef struct {
    Snap *snap;
    uint32_t thread, epoch;
    int64_t value; /* what is left of it */
    bool set;      /* replaced what was there */
} Credit;

typedef struct {
    FabAddr at;
    int64_t base;        /* value before the first credit kept */
    int64_t total;       /* value of the cell */
    uint32_t head;       /* credits[head ..] are kept */
    uint32_t sets;       /* credits kept that are `set` */
    VEC(Credit) credits; /* in order of arrival */
    CodePlace last;      /* the last notify */
    uint32_t last_thread, last_epoch;
} SignalCell;

/* Where a thread's last records of one kind in one slice stand, to be merged with the next. */
typedef struct {
    uint64_t key; /* 0: none */
    uint64_t serial[2];
    uint32_t id[2]; /* newest first */
} Recent;

#define RECENT 16u

typedef struct {
    VClock clock;   /* what it knows of others; its own entry is not used */
    uint32_t epoch; /* from 1 */
    bool released;  /* the epoch has been published: the next access begins a new one */
    bool running;
    uint32_t puts;       /* notifies and fences: each ends the reads of earlier puts */
    Snap *snap;          /* of `clock`, or NULL when it has changed since */
    VEC(Access) sources; /* device tensors that puts still read */
    SyncPoint sync;
    Recent recent[RECENT];
} RaceThread;

/* A slice of a window. */
typedef struct {
    RangeTree reads, writes, adds;
    uint32_t limit[3];   /* sizes at which to look for records that everybody knows */
    VEC(uint32_t) cells; /* signal cells in it */
} Slice;

typedef struct {
    Observer base;
    World *world; /* of the event at hand */
    uint32_t n_threads, n_ranks, n_dispatches;
    uint32_t *first_thread; /* per rank */
    RaceThread *threads;
    VClock *rank_end;      /* per rank: ends of its dispatches */
    VClock *starts, *ends; /* per dispatch, while somebody may ask */
    uint8_t *asked;        /* per dispatch: bit 0 for its start, 1 for its end */
    Snap *snaps;
    Map cell_index;
    VEC(SignalCell) cells;
    VEC(Slice) slices;
    Map slice_index;
    RangePool pool;
    RangeIds found;
    VClock known;  /* by everybody, at least */
    uint64_t tick; /* accesses so far */
    uint64_t known_at;
    Map reported;
} RaceCheck;

static inline uint32_t race_thread(const RaceCheck *c, CodePlace at)
{
    return c->first_thread[at.rank] + at.core;
}

/* Has thread `u` the epoch of `thread` behind it? */
bool race_knows(const RaceCheck *c, uint32_t u, uint32_t thread, uint32_t epoch);
/* The epoch of an access that the thread makes now. */
uint32_t race_epoch(RaceThread *t);
/* Is it known to everybody who may still run? May say no. */
bool race_known_by_all(RaceCheck *c, uint32_t thread, uint32_t epoch);

void race_order_init(RaceCheck *c, const World *w);
void race_order_reset(RaceCheck *c);
void race_order_free(RaceCheck *c);
/* Dispatches and lanes begin and end. */
void race_order_host(RaceCheck *c, const Event *e);
void race_payload(RaceCheck *c, const Event *e, Buf *out);
SignalCell *race_arrive(RaceCheck *c, const Event *e);
void race_wait(RaceCheck *c, const Event *e);
/* A notify or fence ends the reads of puts. */
void race_puts_end(RaceThread *t);

/* `now` conflicts with `then` on bytes [first, end) of the slice; a report, once a pair of lines.
 */
void race_report(RaceCheck *c, const Access *then, const Access *now, int64_t first, int64_t end,
                 bool tensor);

#endif
