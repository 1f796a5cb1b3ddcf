/* A program in bytecode with every instruction, written by hand. */
#ifndef PLD_TESTS_BCPROG_H
#define PLD_TESTS_BCPROG_H

#include "codegen/bytecode.h"

/* Tables may be changed by tests: each call makes its own. */
typedef struct {
    BcProgram p;
    Arena arena;
    BcFunc funcs[3]; /* host, orchestration, InCore */
    BcInsn host[16], orch[17], incore[64];
    BcTile tiles[15];
    BcMreg host_mregs[4], orch_mregs[4], incore_mregs[4];
    BcCall dispatch, call;
    BcXfer xfers[2];
    BcParam host_params[3], orch_params[4], incore_params[4];
    BcBind binds[1];
    BcDimStep steps[8];
    BcWindow windows[1];
    BcElementFunc elements[2];
    BcInsn init[4], golden[16];
    BcParam init_params[2], golden_params[4];
    BcMreg golden_mregs[1];
    BcBind golden_binds[1];
    BcLoc element_locs[2];
    BcLoc locs[4];
    uint8_t sites[1];
    BcRegion regions[2];
    uint16_t regs[8];
} BcProg;

void bcprog_new(BcProg *t);
void bcprog_free(BcProg *t);

#endif
