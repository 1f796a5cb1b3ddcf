/* The builtin collectives and their steps: which code of a program is a builtin's, and which step
 * of it, is said by these numbers in the IR, in the bytecode and in the simulator. */
#ifndef PLD_BASE_BUILTIN_H
#define PLD_BASE_BUILTIN_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
#define PLD_BUILTIN(ENUM, name, op, mode) BUILTIN_##ENUM,
#include "base/builtin.def"
    BUILTIN_COUNT
} Builtin;

typedef struct {
    const char *name; /* in dumps: "allreduce_mesh" */
    const char *op;   /* "pld.tensor.allreduce" */
    const char *mode; /* "mesh"; "" for ops without one */
} BuiltinInfo;
const BuiltinInfo *builtin_info(Builtin builtin);

/* The builtin with that name in dumps, or that is called as `op` with `mode`; false: none. */
bool builtin_from_name(const char *name, Builtin *out);
bool builtin_from_call(const char *op, const char *mode, Builtin *out);

typedef enum {
#define PLD_PHASE(ENUM, text, barrier) PHASE_##ENUM,
#include "base/phase.def"
    PHASE_COUNT
} Phase;

/* "barrier(1)"; "" for PHASE_NONE. */
const char *phase_text(Phase phase);
bool phase_from_text(const char *text, Phase *out);
bool phase_is_barrier(Phase phase);
/* Is it the barrier that every call has once? */
bool phase_is_once(Phase phase);

#endif
