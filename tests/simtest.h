/* A program around one hand-written kernel: the host passes row r of x and y and two windows to
 * device r.
 *
 *   x: [NR, 1, 8] FP32, x[r, 0, j] = 100 r + j      y: Out [NR, 1, 8] FP32
 *   data: window [4, 8] FP32                        signal: window [64, 1] INT32
 *
 * The kernel has memory registers m0 x [1, 8], m1 y [1, 8], m2 data, m3 signal, four spare ones;
 * integer register 0 is a scalar parameter; tiles t0 .. t3 are [1, 8] FP32, t4 and t5 [1, 4] FP32,
 * t6 [1, 8] FP16; constants 3 .. 7 are the integers 1 .. 5. Instruction pc stands at line 100 + pc.
 */
#ifndef PLD_TESTS_SIMTEST_H
#define PLD_TESTS_SIMTEST_H

#include "sim/host/run.h"
#include "sim/machine/world.h"
#include "sim/sched/sched.h"

typedef struct {
    const BcInsn *code;
    uint32_t n;
    uint16_t cores;   /* lanes of each dispatch; 0: 1 */
    uint16_t times;   /* dispatches of each device; 0: 1 */
    bool share_y;     /* every device gets y[0] */
    uint32_t devices; /* that get dispatches; 0: all */
    bool builtin;     /* all of it is the code of calls of pld.tensor.barrier */
    uint32_t second;  /* with `builtin`: first instruction of a second call, 0: there is one */
    bool stripped;    /* no source map */
    bool ints;        /* x, y, data and tiles t0 .. t5 are INT32 */
} SimKernel;

typedef struct {
    Arena arena;
    BcProgram p;
    uint32_t ids[1024];
    RunConfig config;
    RunResult result;
    World *world;
    uint8_t dtype; /* of x, y, data and tiles t0 .. t5 */
} SimTest;

/* The number of the string "checked" in the program. */
enum { S_CHECK = 11 };

#define KERNEL(code_) .code = (code_), .n = sizeof(code_) / sizeof((code_)[0])

/* Builds and verifies the program, for `n` devices. */
void simtest_new(SimTest *t, uint32_t n, SimKernel kernel);
/* Runs it under config.schedule and keeps the world; returns the exit status. */
int simtest_run(SimTest *t);
void simtest_free(SimTest *t);
float simtest_y(const SimTest *t, uint32_t rank, uint32_t j);
/* The schedule random:SEED. */
Policy *simtest_random(uint64_t seed);
/* The first report's text, or "". */
const char *simtest_text(const SimTest *t);

#endif
