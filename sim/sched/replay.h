/* Replay tokens: a schedule bound to everything else that decides a run, so that it gives the same
 * verdict and the same report again.
 *
 *     r2.SEAL.HASH.P.MEM.CHECKS.PLATFORM.INPUTS.SCHEDULE
 *
 * SEAL: CRC-32 of all that follows it, 8 hex digits. HASH: of the stripped bytecode, 16 hex digits.
 * P: devices. MEM: s or w. CHECKS: CHECK_ bits, hex. PLATFORM, INPUTS: hashes, 16 hex digits each,
 * of the platform's numbers, and of what host tensors, scalars and extents hold at the start.
 * SCHEDULE: clock, random:SEED, pct:SEED:DEPTH, or choices in order as x and names joined by `-`, a
 * name n times over as n:NAME; lanes by id, landings as wID. With d in place of x every access of a
 * window is a choice too. A schedule of --explain-sync begins with kROW/; kROWh/ or kROWn/ when the
 * queue of dispatches is doubled, with goldens compared or not. */
#ifndef PLD_SIM_SCHED_REPLAY_H
#define PLD_SIM_SCHED_REPLAY_H

#include "sim/sched/sched.h"

/* Does the text look like a token (begins with "r2.")? */
bool replay_is_token(const char *text);

/* The number of devices of a token; 0 for other texts. */
uint32_t replay_devices(const char *text);

/* The hash of the program of a token; 0 for other texts. */
uint64_t replay_program(const char *text);

/* Takes the parts that a run can adopt (memory model, checks) from a token into `config`; false and
 * *why (in the arena) when the text is no token, or made for another program, number of devices or
 * platform: the message names both sides. */
bool replay_adopt(Arena *arena, const char *token, const BcProgram *program, RunConfig *config,
                  const char **why);

/* The policy of a token, for a world that has been built; NULL and *why when its inputs are others.
 */
Policy *replay_policy(Arena *arena, const char *token, const World *w, const char **why);

/* The token of a run of this world under `schedule`, or, for NULL, under the given choices. Owned
 * by the arena. */
const char *replay_token(Arena *arena, const World *w, const char *schedule,
                         const uint32_t *choices, uint32_t n);

/* "COMMAND --schedule=TOKEN", to be pasted, where config->command is known; else the setting
 * "schedule=TOKEN". Owned by the arena. */
const char *replay_command(Arena *arena, const RunConfig *config, const char *token);

/* "replay: " and that. */
const char *replay_line(Arena *arena, const RunConfig *config, const char *token);

#endif
