/* Code as the interpreter of scalars runs it: made of a function's instructions when it is first
 * run, one entry an instruction and at its place, so that every pc is the same in both. An entry
 * says what is to be done without another look at dtypes and operators, and may cover the next
 * instruction, too: a comparison with its branch, a sum with the cast behind it. Files, dumps,
 * steps and tokens know nothing of it. */
#ifndef PLD_SIM_MACHINE_QUICK_H
#define PLD_SIM_MACHINE_QUICK_H

#include "sim/machine/call_sites.h"

/* Instructions after which the next one follows: X(name, how many it covers). */
#define QUICK_STRAIGHT(X)                                                                          \
    X(Q_NOP, 1)                                                                                    \
    X(Q_MOV, 1)                                                                                    \
    X(Q_LDI, 1)                                                                                    \
    X(Q_LDK, 1)                                                                                    \
    X(Q_BIN, 1)                                                                                    \
    X(Q_ADD, 1)                                                                                    \
    X(Q_SUB, 1)                                                                                    \
    X(Q_MUL, 1)                                                                                    \
    X(Q_ADD_MOV, 2)                                                                                \
    X(Q_SUB_MOV, 2)                                                                                \
    X(Q_MUL_MOV, 2)
/* Those that end a run. */
#define QUICK_JUMPS(X)                                                                             \
    X(Q_JMP, 1)                                                                                    \
    X(Q_JZ, 1)                                                                                     \
    X(Q_JNZ, 1)                                                                                    \
    X(Q_FORPREP, 1)                                                                                \
    X(Q_FORLOOP, 1)                                                                                \
    X(Q_EQ, 2)                                                                                     \
    X(Q_NE, 2)                                                                                     \
    X(Q_LT, 2)                                                                                     \
    X(Q_LE, 2)                                                                                     \
    X(Q_GT, 2)                                                                                     \
    X(Q_GE, 2)

#define QUICK_NAME(name, n) name,
/* Q_BIN is ScalarOp imm of dtype d, by dev_simple; ADD, SUB and MUL are of 64 bits, the MOV behind
 * them copies r[a] to r[d]; EQ and its like set r[a] and go to imm when that is d. */
typedef enum {
    Q_STOP, /* may fault or be noticed: not run here; a FORPREP by 0 is not, either */
    QUICK_STRAIGHT(QUICK_NAME) QUICK_JUMPS(QUICK_NAME)
} QuickOp;

typedef struct {
    uint16_t op, a, b, c, d;
    uint8_t n;     /* instructions that it covers; 0 for Q_STOP */
    uint8_t plain; /* QuickOp of the first of them by itself */
    int32_t imm;
} QuickInsn;

typedef struct QuickCode {
    const QuickInsn *at;
    const uint16_t *run; /* per instruction: how many are executed up to the end of its run, where
                            control may go elsewhere; as many as fit */
    uint32_t longest;    /* run */
    const uint8_t *ends; /* tile_life.h; NULL: not known */
} QuickCode;

/* The code of function `func` of the program, in `arena`. */
const QuickCode *quick_make(Arena *arena, const BcProgram *p, const CallSites *sites,
                            uint32_t func);

#endif
