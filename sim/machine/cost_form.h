/* The closed forms of the builtin collectives: what one call must cost one rank, in P and N. */
#ifndef PLD_SIM_MACHINE_COST_FORM_H
#define PLD_SIM_MACHINE_COST_FORM_H

#include "base/builtin.h"

#include <stdbool.h>
#include <stdint.h>

/* What is counted, and what it took. */
typedef struct {
    uint64_t bytes_received, bytes_sent;
    uint64_t data_steps;
    uint64_t notifies, self_notifies;
    uint64_t waits;
    uint64_t barriers;                                  /* of builtins, among at least two ranks */
    int64_t compute_ps, memory_ps, link_ps, waiting_ps; /* split of the lanes' time */
    int64_t begin_ps, end_ps;                           /* first begin, last end */
    uint64_t calls;
} CostCount;

/* The counters that a closed form speaks about. */
enum { COST_COUNTERS = 7 };
uint64_t cost_counter(const CostCount *c, unsigned i);
const char *cost_counter_name(unsigned i); /* as in the JSON */

/* The texts of one row of sim/machine/cost.def. */
typedef struct {
    const char *received, *steps, *barriers, *self;
} CostForm;
const CostForm *cost_form(Builtin builtin);

/* One call, as one lane of one rank makes it. */
typedef struct {
    Builtin op;
    int64_t ranks, rank;
    int64_t rows, cols;  /* of the target: elements = rows * cols */
    uint32_t elem;       /* bytes */
    int64_t grain;       /* ring: segments begin at multiples of so many elements */
    int64_t chunk;       /* bytes of a chunk */
    int64_t lane, lanes; /* mesh on several cores */
    int64_t root;
    bool own_row; /* ring: the closing barrier has a row of its own */
} CostCall;

/* Adds what the call must cost to *out. all_to_all_v: without its rows, which only the run knows.
 */
void cost_expect(const CostCall *c, CostCount *out);
/* Chunks the payload of a rank goes in, c of the table (of ring: the most a round has). */
int64_t cost_chunks(const CostCall *c);

#endif
