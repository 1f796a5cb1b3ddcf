/* The modelled time: LogGP on every link and device memory, integer picoseconds. Parameters stand
 * in the platform table (base/platform.def). */
#ifndef PLD_SIM_MACHINE_CLOCK_H
#define PLD_SIM_MACHINE_CLOCK_H

#include "base/platform.h"
#include <stdbool.h>
#include <stdint.h>

/* Each rank has one send and one receive port; transfers on a port serialise. */
typedef struct {
    int64_t send_free, recv_free; /* ps: when the port is free again */
} Ports;

typedef struct {
    int64_t issue;  /* when the lane can go on */
    int64_t arrive; /* when the data or the signal is at its end */
} ClockStep;

int64_t clock_add(int64_t a, int64_t b); /* saturates at INT64_MAX / 4 */

/* A load or store of device memory by the core. */
int64_t clock_memory(const Platform *pf, int64_t now, int64_t bytes);
/* A tile op over `bytes` of its largest operand. */
int64_t clock_compute(const Platform *pf, int64_t now, int64_t bytes);
/* A product [m, k] @ [k, n]: 2mnk operations of the cube unit. */
int64_t clock_product(const Platform *pf, int64_t now, int64_t m, int64_t n, int64_t k);
/* A remote read of `bytes` from `from` by `to`: the lane goes on when the data is there. */
ClockStep clock_remote_read(const Platform *pf, Ports *self, Ports *peer, int64_t now,
                            int64_t bytes);
/* A remote write: the lane goes on when its send port has taken the data. */
ClockStep clock_remote_write(const Platform *pf, Ports *self, Ports *peer, int64_t now,
                             int64_t bytes);
/* A notify; to oneself: no link. */
ClockStep clock_notify(const Platform *pf, Ports *self, Ports *peer, int64_t now);

#endif
