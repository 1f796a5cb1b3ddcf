/* Devices over several processes: what the machine tells the others and asks of them. Every
 * process has the whole world, from the same host function, and moves the lanes of its own ranks;
 * the others' dispatches are known by what is heard of them. A world without this is whole here. */
#ifndef PLD_SIM_MACHINE_PROCESSES_H
#define PLD_SIM_MACHINE_PROCESSES_H

#include "base/pyarith.h"
#include "sim/machine/fabric.h"
#include "sim/machine/tensor.h"

typedef struct World World;
typedef struct Processes Processes;

/* Where an output and its golden differ. */
typedef struct {
    int64_t bad;      /* elements that differ */
    double worst;     /* largest difference */
    int64_t first;    /* the first one's number */
    Number got, want; /* there */
} Mismatch;

struct Processes {
    uint32_t self, n;
    uint32_t *home; /* per rank of the world: its process */
    Fabric *fabric; /* that spans them; given to the world */
    /* True when `ok` is true in every process; all must ask. */
    bool (*agree)(Processes *p, bool ok);
    /* Do all have the same extents, scalars and shapes of tensors? False after an error report. */
    bool (*same)(Processes *p, World *w);
    /* The host function has returned: who depends on whom is known, and which bytes of tensors are
     * needed here. */
    void (*prepare)(Processes *p, World *w);
    /* Makes what one process found what all found; true when `ok` everywhere. All must call. */
    bool (*combine)(Processes *p, Mismatch *found, bool ok);
    /* An element of a window that another process has, after the run: of those that shall be
     * printed, in the process that prints. Else NULL. */
    const char *(*look)(Processes *p, uint32_t window, uint32_t rank, int64_t at);
    /* A dispatch of this process has copied its tensors in; it has ended and copied them out. */
    void (*started)(Processes *p, World *w, uint32_t dispatch);
    void (*ended)(Processes *p, World *w, uint32_t dispatch);
    /* Now and then while lanes run: takes messages, moves transfers, tests waits again. Never
     * blocks. True when a lane became READY, or another process has failed (World.failed). */
    bool (*progress)(Processes *p, World *w);
    /* Nothing here can run, or the run has failed: stays until something can. False: the run is
     * over everywhere, and World.dispatches_left counts those of all processes. */
    bool (*idle)(Processes *p, World *w);
};

#endif
