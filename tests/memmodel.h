/* Small programs, and all that can come out of them, by the rules of pld-memory(7): a search of
 * every state that shares nothing with the simulator, and the same programs in bytecode. */
#ifndef PLD_TESTS_MEMMODEL_H
#define PLD_TESTS_MEMMODEL_H

#include "base/vec.h"
#include "codegen/bytecode.h"

enum { MM_RANKS = 4, MM_CORES = 2, MM_OPS = 12, MM_PLACES = 4, MM_CELLS = 2, MM_SLOTS = 8 };

/* A place is half a row of `data`: 16 bytes, all elements equal. */
typedef enum {
    MM_END,
    MM_STORE,      /* place `at` of `rank` = value */
    MM_STORE_PAIR, /* places `at` (even) and `at` + 1 of `rank` = value, at once */
    MM_ADD,        /* place `at` of `rank` += value */
    MM_READ,       /* y[slot] = place `at` of the own slice */
    MM_LOAD,       /* y[4..7] = place `at` of `rank` */
    MM_NOTIFY,     /* cell `at` of `rank` += value */
    MM_SET,
    MM_WAIT_GE, /* for own cell `at` */
    MM_WAIT_EQ,
    MM_POLL, /* y[slot] = own cell `at` */
    MM_RELEASE,
    MM_ACQUIRE,
} MmKind;

typedef struct {
    uint8_t kind, rank, at, slot;
    int8_t value;
} MmOp;

typedef struct {
    uint32_t ranks, cores;
    uint32_t times;                        /* dispatches of each rank */
    MmOp ops[MM_RANKS * MM_CORES][MM_OPS]; /* per lane, rank by rank */
} MmProgram;

typedef struct {
    Arena arena;
    const char **lines; /* sorted: "y=[0 0 ...]" of all ranks, or "deadlock" */
    uint32_t n;
    uint64_t states;
} MmOutcomes;

/* False when there are more than `limit` states. */
bool mm_outcomes(const MmProgram *p, bool weak, uint64_t limit, MmOutcomes *out);
void mm_free(MmOutcomes *out);
/* The kernel of the program for tests/simtest.h, with `ints`. Returns the number of instructions.
 */
enum { MM_INSNS = 1024 };
uint32_t mm_kernel(const MmProgram *p, BcInsn *code);
/* For messages. */
void mm_print(const MmProgram *p, Buf *out);

#endif
