/* Which tiles are read again after an instruction: one that is not need not have its value. */
#ifndef PLD_SIM_MACHINE_TILE_LIFE_H
#define PLD_SIM_MACHINE_TILE_LIFE_H

#include "codegen/bytecode.h"

/* Operands that no path from the instruction reads before they are loaded anew: of a TBIN b and c,
 * of a STORE or RSTORE a. */
enum { TILE_ENDS_FIRST = 1, TILE_ENDS_SECOND = 2 };

/* TILE_ bits per instruction, in `arena`; NULL where a function has too many tiles to be looked
 * at. */
const uint8_t *tile_life(Arena *arena, const BcFunc *f);

#endif
