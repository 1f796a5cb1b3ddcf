/* From final IR to bytecode. */
#ifndef PLD_CODEGEN_EMIT_H
#define PLD_CODEGEN_EMIT_H

#include "codegen/bytecode.h"
#include "ir/ir.h"

/* Generates bytecode for a program in its final form (PROP_PLACED). Tables live in `arena`. NULL
 * after errors reported to p->diags (a function that needs more than 65,535 registers, a dynamic
 * extent that no parameter determines, ...). */
BcProgram *emit_program(Arena *arena, Program *p);

#endif
