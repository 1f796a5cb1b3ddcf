/* Parts of a search in other threads. Whatever they do, the result is that of one thread: a part is
 * taken over where the search comes to it, whole, or not at all. */
#ifndef PLD_SIM_EXPLORE_PARALLEL_H
#define PLD_SIM_EXPLORE_PARALLEL_H

#include "sim/explore/search.h"

typedef struct Parallel Parallel;

/* options->jobs threads, less the caller's; NULL when that is none. */
Parallel *parallel_new(const BcProgram *program, const RunConfig *config,
                       const ExploreOptions *options);
void parallel_free(Parallel *p);
/* Gives idle threads the parts nearest to the beginning of the path. */
void parallel_offer(Parallel *p, const Search *s);

typedef enum {
    PART_NONE,     /* nobody searched it, or too far: the caller does */
    PART_TAKEN,    /* its result has been added */
    PART_ENDS_ALL, /* and it ended early: so does the search; or its scope grew */
} PartEnd;

/* The search comes to the name of node `at`: waits for whoever has that part. */
PartEnd parallel_take(Parallel *p, Search *s, uint32_t at);
/* Nobody needs the parts under way. */
void parallel_cancel(Parallel *p);

#endif
