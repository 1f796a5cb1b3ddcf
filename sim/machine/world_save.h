/* A world in the middle of a run as bytes, to be gone back to as often as somebody wants. */
#ifndef PLD_SIM_MACHINE_WORLD_SAVE_H
#define PLD_SIM_MACHINE_WORLD_SAVE_H

#include "base/save.h"
#include "sim/machine/world.h"

/* Appends the state of a world whose scheduler is about to choose. False, with nothing to be used
 * appended: it cannot be saved now (something is reported already, somebody has state that can not
 * be), or is so large that a run from the start is the better way. */
bool world_save(const World *w, Buf *out);
/* The state is as it was then; reports go to `result`. What the world did since is undone, its
 * judgement included. */
void world_load(World *w, RunResult *result, SaveReader *in);

#endif
