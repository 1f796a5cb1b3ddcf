/* The bytes of large operations. What an instruction means, what it costs and what the checks say
 * of it is settled where it is executed; its bytes can move later, as nobody looks at them but
 * through mover_settle. That allows two things:
 *
 * A load into a tile is not done until somebody needs the tile: an operation on it reads the memory
 * that was loaded, so that remote_load and add are one pass over it, and a tile that is overwritten
 * unread is never filled.
 *
 * And all of it can happen on another thread, in the order of the program, while this one goes on
 * with what comes next. So results, reports, costs and times do not depend on whether it does. */
#ifndef PLD_SIM_MACHINE_MOVER_H
#define PLD_SIM_MACHINE_MOVER_H

#include "sim/machine/kernels.h"
#include "sim/machine/tile_life.h"

/* Bytes of an operation that is worth it. */
enum { MOVE_LEAST = 4096 };

typedef enum {
    MOVE_COPY,   /* k.cols bytes from k.a to k.to */
    MOVE_LOAD,   /* the same; `to` is the memory of a core, in which nobody else has a part */
    MOVE_STREAM, /* the same, past the caches */
    MOVE_BIN     /* kernel_bin of one row, into the memory of a core; it cannot fail */
} MoveKind;

typedef struct {
    KernelArgs k; /* rows 1 */
    uint8_t kind, op, dtype;
    uint8_t ends; /* TILE_ENDS_FIRST, _SECOND: nobody needs what is at k.a, or k.b, any more */
} Move;

typedef struct Mover Mover;

/* `threads`: how many there may be, this one included; another one is started when enough has been
 * moved to pay for it. */
Mover *mover_new(unsigned threads);
/* Done when mover_settle returns, at the latest. Until then what it reads must not be written, nor
 * what it writes be read or written or freed, by others than moves. */
void mover_do(Mover *m, const Move *move);
/* Everything is as if each move had been done at once. */
void mover_settle(Mover *m);
/* Settles and ends its thread; what comes then is done by this one. */
void mover_stop(Mover *m);
/* The same, and frees it. NULL is allowed. */
void mover_free(Mover *m);
/* Copies bytes that nobody will look for in the caches; memory need not be read before it is
 * written. */
void move_past_caches(char *to, const char *from, size_t n);

#endif
